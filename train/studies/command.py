"""`bidwise study`: what is known of the order in which a pyramid's bids are best spent.

The module is over 300 lines long, since its settings are told in full sentences: that is its help.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from rich.markdown import Markdown
from rich.text import Text

from bidwise.agents.order.totals import Totals
from bidwise.agents.outcomes.table import Outcomes, check_layouts, shipped
from bidwise.envs.batch.threads import Workers
from bidwise.envs.core.checks import check_int
from bidwise.envs.core.drawing import preset_name
from bidwise.envs.core.files import require_writable, write_bytes
from bidwise.envs.pyramid.rules import PyramidRules
from bidwise.train.outcomes.command import BuildOutcomes, build_outcomes
from bidwise.train.run.chunks import Chunks
from bidwise.train.run.fingerprints import agent_files, array_digest, code_digest
from bidwise.train.run.options import (
    AgentNames,
    Folder,
    PyramidPreset,
    Switches,
    Threads,
    Whole,
    check_threads,
    choices,
    option,
)
from bidwise.train.run.provenance import Run, console, progress_bar, write_json
from bidwise.train.run.rule_options import chosen_rules
from bidwise.train.studies.analysis.conferring import Conferring, conferring
from bidwise.train.studies.analysis.findings import Findings, find
from bidwise.train.studies.analysis.rule_costs import Scale, scale_of
from bidwise.train.studies.analysis.win import DEFAULT_RIVALS, aim_at_win, read_rivals
from bidwise.train.studies.report.answers import Answer, good_total, spare_bid, when_to_spend
from bidwise.train.studies.report.cost_answers import costs_answer, win_answer
from bidwise.train.studies.report.example_pyramid import deals_text, play_pyramid, pyramid_text
from bidwise.train.studies.report.report import (
    answers_text,
    headline,
    remarks,
    report_of,
    strategies_table,
)
from bidwise.train.studies.report.tables import tables_of

__all__ = ["Study", "study"]

_PLAYED_OUT = "outcomes.npz"


_MOST_PLAYERS = 4


@dataclass(frozen=True)
class Study:
    """Study the order in which a pyramid's bids are best spent: values, plots and answers.

    It studies a double-dummy table that comes with bidwise; or a table of play-outs between two
    agents, which is built if they are named; or any table of the command bidwise outcomes.

    Raises:
        ValueError: a value that is unknown or out of range; it names the field.
    """

    out: Folder = Path("runs/study")
    """Folder for everything. What an older study left there is replaced. What took long is kept
    there until the end, so that a study that was killed, given again, goes on from there."""
    players: Annotated[int | None, option(choices((2, 3, 4)), "4", aliases=("--num-players",))] = (
        None
    )
    """Number of players at the table."""
    rules: PyramidPreset = None
    """Preset of Pyramid's rules. The command bidwise rules shows them."""
    rule: Switches = ()
    """Single rules that differ from the preset, for example following=suit no_trump=true."""
    table: Annotated[Path | None, option("FILE", "the one that comes with bidwise")] = None
    """Study this table, a file FILE.npz from bidwise outcomes. Its players and rules are
    taken."""
    declarer: Annotated[str | None, option("AGENT", "no play-outs, but --table")] = None
    """Build and study a table of play-outs with this agent as declarer: a name, or the folder
    of a published agent. It is given together with --defenders."""
    defenders: Annotated[str | None, option("AGENT", "no play-outs, but --table")] = None
    """Build and study a table of play-outs with this agent as all defenders: a name, or the
    folder of a published agent. It is given together with --declarer."""
    layouts: Whole = 16
    """Number of layouts of the other cards in those play-outs, for each hand and trump; an even
    number of 2 or more."""
    agents: AgentNames = ("basic",)
    """Agents whose bids are compared with the strategies: names, or folders of published
    agents."""
    sequences: Whole = 4000
    """Number of sequences of hands on which agents and strategies are compared."""
    win: Annotated[bool, option("", "it is found")] = True
    """Whether the order that aims at the win of the match is found too. With --no-win it is left
    out, and some 15 seconds are saved."""
    rivals: Annotated[str, option("FILE", "rivals keep the order for points")] = DEFAULT_RIVALS
    """How the others fare in the order that aims at the win: a CSV file with columns total and
    chance, such as totals.csv of another study."""
    total: Annotated[int, option("POINTS")] = 110
    """Answer how good a pyramid with this many points is."""
    spare: Annotated[int, option("BID")] = 3
    """Answer what a spare bid of this number, 0 to 6, is worth after --after deals."""
    after: Annotated[int, option("DEALS")] = 9
    """Number of deals already played, 0 to 16, when the bid --spare is still to be spent."""
    compare: Annotated[tuple[Path, ...], option("[FILE ...]", "none")] = ()
    """Further tables, files of bidwise outcomes, to be set on the scale of players and rules."""
    confer: Whole = 4
    """Number of layouts in the play-outs that tell what conferring costs the declarer; an even
    number, or 0 to leave them out."""
    seed: Whole = 0
    """Seed of the sequences, the play-outs and the pyramid that is drawn. The agents' own
    random streams are derived from it."""
    threads: Threads = None
    """Number of threads. Nothing depends on it but the time."""

    def __post_init__(self) -> None:
        if self.players is not None:
            check_int("players", self.players, 2, 4)
        chosen_rules("pyramid", self.rules, self.rule)
        if (self.declarer is None) != (self.defenders is None):
            raise ValueError("declarer, defenders: name both agents or neither")
        if self.table is not None and self.declarer is not None:
            raise ValueError("table: play-outs of named agents are a table of their own")
        if self.table is not None and (self.players or self.rules or self.rule):
            raise ValueError("table: it has players and rules of its own, so name none beside it")
        check_layouts(self.layouts)
        check_int("sequences", self.sequences, 2, 1_000_000)
        check_int("total", self.total, -1000, 1000)
        check_int("spare", self.spare, 0, 6)
        check_int("after", self.after, 0, 16)
        if self.confer:
            check_layouts(self.confer, "confer")
        check_int("seed", self.seed, 0, 2**64 - 1)
        check_threads(self.threads)


def study(config: Study) -> Findings:
    """Run the command: work everything out, print it, and write it into the folder."""
    from bidwise import agents

    run = Run("study", config)
    require_writable(config.out, "out")
    outcomes = _table(config)
    rivals = None if config.rivals == DEFAULT_RIVALS else read_rivals(Path(config.rivals))
    more = [Outcomes.load(path) for path in config.compare]
    bidders = [
        agents.make(
            name,
            game="pyramid",
            rules=outcomes.rules,
            num_players=outcomes.num_players,
            seed=config.seed,
        )
        for name in config.agents
    ]
    chunks = _chunks(config, outcomes, rivals)
    if there := chunks.count():
        chunks.tell(f"{there} steps")
    with _steps("comparing ways to bid"):
        found = find(
            outcomes,
            agents=bidders,
            sequences=config.sequences,
            seed=config.seed,
            chunks=chunks,
        )
    console.print(f"{headline(found)}.", markup=False)
    console.print(strategies_table(found))
    for line in remarks(found):
        console.print(line, markup=False)
    answers, scale, played = _answers(config, found, rivals, more, chunks)
    for answer in answers:
        console.print(Markdown(answer.markdown()))
    _write(config, found, answers, scale, played)
    report = report_of(found, answers, seed=config.seed)
    write_json(config.out / "report.json", report)
    run.write(
        config.out,
        {"dp": report["dp"], "strategies": report["strategies"]},
        seed=config.seed,
        rules=outcomes.rules,
    )
    chunks.remove()
    console.print(f"\nDone in {run.seconds:.0f} s. In {config.out}/ lie", markup=False)
    for name, what in (
        ("report.json", "every figure, what it is, and where it comes from"),
        ("answers.md", "the answers above"),
        ("*.png", "bids, spending, prices, totals, strategies, scale"),
        ("*.csv, *.json", "states, policy, hands, spending, totals, strategies"),
        ("pyramid.txt", "the pyramid above, deal by deal"),
        ("run.json", "versions, seeds and rules"),
    ):
        console.print(f"  {name:<16}{what}", soft_wrap=True)
    return found


def _table(config: Study) -> Outcomes:
    """The table to be studied: shipped, given, or played out."""
    if config.table is not None:
        return Outcomes.load(config.table)
    rules = chosen_rules("pyramid", config.rules, config.rule)
    if config.declarer is None:
        return shipped(config.players or _MOST_PLAYERS, rules)
    (built,) = build_outcomes(
        BuildOutcomes(
            out=config.out / _PLAYED_OUT,
            num_players=config.players or _MOST_PLAYERS,
            rules=config.rules,
            rule=config.rule,
            layouts=config.layouts,
            seed=config.seed,
            declarer=config.declarer,
            defenders=config.defenders,
            overwrite=True,
            threads=config.threads,
        )
    )
    return built


def _chunks(config: Study, outcomes: Outcomes, rivals: Totals | None) -> Chunks:
    """What takes long, kept until the report is written."""
    chosen = dataclasses.asdict(config)
    del chosen["out"], chosen["threads"]
    table = {
        **{name: getattr(outcomes, name) for name in ("num_players", "rules", "layouts", "source")},
        "counts": array_digest(outcomes.counts),
    }
    others = None if rivals is None else (rivals.totals, rivals.chances)
    files = agent_files(config.agents)
    return Chunks(
        config.out / "report.json",
        {
            "config": chosen,
            "table": table,
            "rivals": others,
            "files": files,
            "code": code_digest(),
        },
    )


@contextmanager
def _steps(what: str) -> Iterator[Any]:
    """A progress bar for one piece of work; yields what to tell of things done and in all."""
    with progress_bar() as bar:
        task = bar.add_task(what, total=None)

        def told(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield told


def _answers(
    config: Study,
    found: Findings,
    rivals: Totals | None,
    more: list[Outcomes],
    chunks: Chunks,
) -> tuple[list[Answer], Scale, Conferring | None]:
    """All questions in turn, and what the last two rest on."""
    threads = Workers(config.threads).threads
    answers = [
        good_total(found, config.total),
        spare_bid(found, config.spare, config.after),
        when_to_spend(found),
    ]
    with _steps("tables of other rules") as told:
        scale = scale_of(found.outcomes.rules, more=[*more, *_own(config, found)], progress=told)
    played = None
    if config.confer:
        with _steps("playing with and without conferring") as told:
            played = conferring(
                found,
                layouts=config.confer,
                seed=config.seed,
                threads=threads,
                chunks=chunks,
                progress=told,
            )
    answers.append(costs_answer(found, scale, played))
    if config.win:
        total = 2 * (len(found.states.left) - 1)
        with _steps("aiming at the win") as told:
            done = 0

            def advance(count: int) -> None:
                nonlocal done
                done += count
                told(done, total)

            win = aim_at_win(found, rivals, threads=threads, chunks=chunks, progress=advance)
        answers.append(win_answer(found, win))
    return [answer for answer in answers if answer is not None], scale, played


def _own(config: Study, found: Findings) -> list[Outcomes]:
    """The studied table itself, where it is not one of those that come with bidwise."""
    return [found.outcomes] if config.table or config.declarer else []


def _write(
    config: Study,
    found: Findings,
    answers: list[Answer],
    scale: Scale,
    played: Conferring | None,
) -> None:
    """All files but the reports; the pyramid is printed too."""
    from bidwise.train.run.plot_style import save
    from bidwise.train.studies.report import dot_plots as dots
    from bidwise.train.studies.report import spending_plots as plots

    deals = play_pyramid(found, config.seed)
    rules: PyramidRules = found.outcomes.rules
    title = (
        f"A pyramid in the exact order: {found.outcomes.num_players} players, {preset_name(rules)}"
    )
    sheet = pyramid_text(deals, rules.quota, title)
    console.print(Text(f"\n{sheet}\n"))
    write_bytes(config.out / "pyramid.txt", f"{sheet}\n\n{deals_text(deals)}\n".encode())
    write_bytes(config.out / "answers.md", answers_text(found, answers).encode())
    for table in tables_of(found):
        table.write(config.out)
    for name, figure in {
        "bids": plots.bids_figure(found),
        "spending": plots.spending_figure(found),
        "prices": plots.prices_figure(found),
        "totals": plots.totals_figure(found, config.total),
        "strategies": dots.strategies_figure(found),
        "scale": dots.scale_figure(scale, played),
    }.items():
        save(figure, config.out / f"{name}.png")
