"""`bidwise demo`: the main job from end to end in five minutes.

Trains a network to declare in Pyramid, compares it and the baselines over held-out duplicate
deals, draws one finished pyramid and the learning curve.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from rich.table import Table
from rich.text import Text

from bidwise.envs import pyramid_env
from bidwise.envs.core.checks import check_int
from bidwise.envs.core.files import require_writable, write_bytes
from bidwise.envs.pyramid.drawing import draw_pyramid
from bidwise.train.compare.duplicate import MOST_UNITS, Comparison
from bidwise.train.compare.evaluate import compare
from bidwise.train.compare.intervals import Estimate
from bidwise.train.learning.config import TrainConfig
from bidwise.train.run.options import Folder, Whole, option
from bidwise.train.run.provenance import Run, console, write_json

__all__ = ["Demo", "announcements", "comparisons_table", "demo"]

_REFERENCE = "basic-v1"
_BASELINES = ("random",)
_NETWORK = "network"

_THREADS = 1
"""Of the tables, which take a small part of the time: so the demo shares a busy machine well."""

_HELD_OUT = 777_000_000
"""Seeds from here on deal what neither training nor its evaluations have seen."""


@dataclass(frozen=True)
class Demo:
    """Train a Pyramid bidder, compare it with the baselines, draw what it does."""

    out: Folder = Path("runs/demo")
    """Folder for everything. A demo that lies there is replaced."""
    steps: Whole = 393_216
    """Number of declarations that the network learns from."""
    minutes: Annotated[float, option("MINUTES")] = 2.0
    """Most minutes of learning; a slow machine stops before --steps."""
    matches: Whole = 200
    """Number of held-out duplicate matches in each comparison at the end."""
    seed: Whole = 1
    """Seed of training and of the held-out deals. The agents' own random streams are derived
    from it."""

    def __post_init__(self) -> None:
        check_int("matches", self.matches, 2, MOST_UNITS)
        self.train_config()  # which checks all else, by the same names

    def train_config(self) -> TrainConfig:
        """A small network, and an evaluation after every update."""
        return TrainConfig(
            out=self.out / "training",
            overwrite=True,
            game="pyramid",
            decide="bids",
            opponents=_REFERENCE,
            own=_REFERENCE,
            hidden=(128, 128),
            steps=self.steps,
            minutes=self.minutes,
            baselines=(_REFERENCE,),
            eval_every=16_384,
            eval_matches=32,
            final_matches=32,
            checkpoint_every=0,
            threads=_THREADS,
            seed=self.seed,
        )


def demo(config: Demo) -> dict[str, Comparison]:
    """Run the command; returns the comparisons with basic-v1, by agent."""
    from bidwise.train.learning.training import EVALUATIONS, train

    run = Run("demo", config)
    require_writable(config.out, "out")
    settings = config.train_config()
    console.print(
        f"1. Learning to declare in Pyramid: {config.steps:,} declarations, {config.minutes:g} "
        f"minutes at most. {_REFERENCE} plays all cards and all other seats."
    )
    trained = train(settings)
    if trained.interrupted:
        raise KeyboardInterrupt
    console.print(
        f"\n2. Comparing over {config.matches} held-out duplicate matches, which nobody learned on"
    )
    found = {
        name: compare(
            str(trained.agent) if name == _NETWORK else name,
            _REFERENCE,
            game="pyramid",
            matches=config.matches,
            seed=_HELD_OUT + config.seed,
            threads=_THREADS,
            names=(name, _REFERENCE),
        )
        for name in (_NETWORK, *_BASELINES)
    }
    console.print(comparisons_table(found))
    console.print("\n3. One finished pyramid of the network, the first held-out match\n")
    sheet = draw_pyramid(announcements(str(trained.agent), _HELD_OUT + config.seed))
    console.print(Text(sheet))
    _draw_curve(settings.out / EVALUATIONS, config.out / "learning_curve.png", found)
    write_bytes(config.out / "pyramid.txt", f"{sheet}\n".encode())
    write_json(config.out / "comparisons.json", found)
    run.write(config.out, found, seed=config.seed, rules=settings.the_rules)
    console.print(f"\nDone in {run.seconds:.0f} s. In {config.out}/ lie")
    for name, what in (
        ("training/agent/", "the published network: evaluate it, or load it with agents.make"),
        ("learning_curve.png", "the learning curve beside the baselines"),
        ("comparisons.json", "every figure of the table"),
        ("pyramid.txt", "the finished pyramid"),
        ("run.json", "versions, seeds and rules"),
        ("training/tensorboard/", "curves of the training itself"),
    ):
        console.print(f"  {name:<24}{what}", soft_wrap=True)
    return found


def comparisons_table(found: dict[str, Comparison]) -> Table:
    """Agents, and how much more than the reference they score as declarer and save as defender."""
    first = next(iter(found.values()))
    table = Table(
        title=f"Paired differences to {first.b}, same deals, with 95 % intervals",
        caption=(
            f"{first.units:,} matches for each agent, {first.deals:,} deals at all tables. "
            f"The agent declares (or defends) in the place of {first.b}; {first.b} is opposite."
        ),
    )
    table.add_column("agent")
    for name in (*first.differences, "pyramid, of 160"):
        table.add_column(name, justify="right")
    for name, comparison in found.items():
        table.add_row(
            name,
            *(_text(estimate, sign="+") for estimate in comparison.differences.values()),
            _text(_declaring(comparison, name), _deals_a_pyramid(comparison), digits=1),
        )
    level = _text(_declaring(first, first.b), _deals_a_pyramid(first), digits=1)
    table.add_row(first.b, *("0" for _ in first.differences), level, style="dim")
    return table


def announcements(agent: str, seed: int) -> list[tuple[int, int | None]]:
    """(bid, tricks taken) of the agent at seat 0 in one match, the others being basic-v1."""
    from bidwise import agents

    env = pyramid_env()
    seats = [
        agents.make(agent if seat == 0 else _REFERENCE, game="pyramid", seed=seat)
        for seat in range(env.num_players)
    ]
    env.reset(seed=seed)
    while not any(env.terminations.values()):
        mover = env.agent_selection
        seen = env.observe(mover)
        actor = seats[env.possible_agents.index(mover)]
        env.step(actor.act(seen["observation"], seen["action_mask"]))
    views = env.game.layout.views(env.observe(env.possible_agents[0])["observation"])
    pairs = zip(views["announced"][0].tolist(), views["taken"][0].tolist(), strict=True)
    return [(bid - 1, taken - 1 if taken else None) for bid, taken in pairs if bid]


def _draw_curve(evaluations: Path, picture: Path, found: dict[str, Comparison]) -> None:
    from bidwise.train.learning.curve_plot import learning_figure

    lines = [json.loads(line) for line in evaluations.read_text(encoding="utf-8").splitlines()]
    curve = [(line["step"], Estimate(**_first_level(line["levels"]))) for line in lines]
    network = found[_NETWORK]
    learning_figure(
        picture,
        curve,
        {
            _REFERENCE: _declaring(network, _REFERENCE),
            **{name: _declaring(found[name], name) for name in _BASELINES},
        },
        {name: comparison.differences["declaring"] for name, comparison in found.items()},
        agent=_NETWORK,
        reference=_REFERENCE,
        title="Learning to bid in Pyramid",
        note=(
            f"Four players, rules piramida. The network declares; {_REFERENCE} plays the cards "
            f"and defends. Each point: {lines[0]['units']} held-out matches; bands and bars: 95 % "
            f"intervals."
        ),
    )


def _first_level(levels: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Of the cell in which the learner declares."""
    return next(iter(levels.values()))


def _declaring(comparison: Comparison, agent: str) -> Estimate:
    return comparison.levels[f"{agent} declares, {comparison.b} defends"]


def _deals_a_pyramid(comparison: Comparison) -> int:
    return int(comparison.rules.deals_per_player)


def _text(estimate: Estimate, deals: int = 1, *, digits: int = 2, sign: str = "") -> str:
    """So many deals' points ± half the interval, which is symmetrical."""
    half = deals * (estimate.high - estimate.mean)
    return f"{deals * estimate.mean:{sign}.{digits}f} ± {half:.{digits}f}"
