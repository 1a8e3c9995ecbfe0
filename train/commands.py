"""The table of commands: what each is called, where it is, what it is for.

Nothing is imported here: help and version of `bidwise` should wait for no library.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["COMMANDS", "Command"]


class Command(NamedTuple):
    """One command.

    Attributes:
        settings: ``"module:class"`` of its settings, a dataclass.
        function: ``"module:function"`` that carries them out; training needs torch, so it is
            imported only when that is asked for.
        summary: the first line of the settings' docstring.
        examples: lines that can be typed as they stand.
    """

    settings: str
    function: str
    summary: str
    examples: tuple[str, ...]


COMMANDS: dict[str, Command] = {
    "train": Command(
        "bidwise.train.learning.config:TrainConfig",
        "bidwise.train.learning.training:train",
        "Train a network to bid, to play cards or both, against agents that do not learn.",
        (
            "bidwise train --game pyramid --decide bids --minutes 3 --out runs/bidder",
            "bidwise train --game spades --rules standard --rule target=250 --out runs/spades",
            "bidwise train --resume runs/bidder --minutes 3",
        ),
    ),
    "evaluate": Command(
        "bidwise.train.compare.evaluate:Evaluate",
        "bidwise.train.compare.evaluate:evaluate",
        "Compare two agents over the same deals: their difference with its 95 % interval.",
        (
            "bidwise evaluate basic random --game spades --matches 100",
            "bidwise evaluate runs/bidder/agent basic --game pyramid --matches 500",
        ),
    ),
    "study": Command(
        "bidwise.train.studies.command:Study",
        "bidwise.train.studies.command:study",
        "Study the order in which a pyramid's bids are best spent: values, plots and answers.",
        (
            "bidwise study --players 4 --rules inventor --out runs/study",
            "bidwise study --agents basic ordering --total 100 --out runs/study",
        ),
    ),
    "outcomes": Command(
        "bidwise.train.outcomes.command:BuildOutcomes",
        "bidwise.train.outcomes.command:build_outcomes",
        "Build an outcome table: how far each hand misses each bid, with each trump.",
        (
            "bidwise outcomes --num-players 2 --layouts 16 --out runs/two.npz",
            "bidwise outcomes --declarer basic --defenders basic --layouts 16 --out runs/play.npz",
        ),
    ),
    "bench": Command(
        "bidwise.train.benchmarks.command:Bench",
        "bidwise.train.benchmarks.command:bench",
        "Measure speed, beside OpenSpiel and PettingZoo in the same run.",
        (
            "bidwise bench --suites tables,playouts --rounds 3",
            "bidwise bench --solver",
        ),
    ),
    "demo": Command(
        "bidwise.train.demo:Demo",
        "bidwise.train.demo:demo",
        "Train a Pyramid bidder, compare it with the baselines, draw what it does.",
        ("bidwise demo", "bidwise demo --minutes 1 --out runs/short"),
    ),
    "agents": Command(
        "bidwise.train.known_agents:Agents",
        "bidwise.train.known_agents:list_agents",
        "List the agents there are: by name with their options, and published in folders.",
        ("bidwise agents", "bidwise agents runs/bidder"),
    ),
    "rules": Command(
        "bidwise.train.rule_sheet:RuleSheet",
        "bidwise.train.rule_sheet:show_rules",
        "Show the presets of each game side by side, and what every switch means.",
        ("bidwise rules", "bidwise rules spades"),
    ),
}
