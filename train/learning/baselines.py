"""A learner's strength while it learns: its published network against frozen agents."""

from __future__ import annotations

from typing import Any

import numpy as np
from sb3_contrib import MaskablePPO

from bidwise import agents
from bidwise.train.compare.duplicate import Comparison, duplicate
from bidwise.train.learning.config import TrainConfig
from bidwise.train.learning.curves import append_line
from bidwise.train.learning.publishing import publish_model
from bidwise.train.run.provenance import console

__all__ = ["EVALUATIONS", "check_agents", "make_agent", "measure"]

EVALUATIONS = "evaluations.jsonl"
"""Every comparison with a baseline, one JSON object a line."""


def make_agent(config: TrainConfig, name: str, number: int) -> Any:
    """An agent for the run's game; `number` sets its random stream apart from the others'."""
    seed = int(np.random.SeedSequence([config.seed, number]).generate_state(1)[0])
    return agents.make(
        name, game=config.game, rules=config.the_rules, num_players=config.players, seed=seed
    )


def check_agents(config: TrainConfig) -> None:
    """Refuse before the work what would fail after it.

    Raises:
        ValueError: an agent that does not exist or does not fit; an `own` to which a
            published network cannot leave its other decisions.
    """
    for name in (config.opponents, *config.baselines):
        make_agent(config, name, 0)
    if config.decide != "all" and config.own not in agents.names():
        raise ValueError(
            f"own: {config.own!r} is not one of {', '.join(agents.names())}; a published network "
            f"can leave its other decisions to these only"
        )


def measure(
    config: TrainConfig, model: MaskablePPO, steps: int, matches: int
) -> dict[str, Comparison]:
    """The published network against every baseline, over the same deals each time.

    Publishes it, so that what is measured is what others will play; adds a line for every
    baseline to ``evaluations.jsonl``.
    """
    folder = publish_model(config, model, steps, {})
    comparisons = {}
    for number, baseline in enumerate(config.baselines):
        comparison = comparisons[baseline] = duplicate(
            make_agent(config, str(folder), 1000 + 2 * number),
            make_agent(config, baseline, 1001 + 2 * number),
            game=config.game,
            rules=config.the_rules,
            num_players=config.players,
            matches=matches,
            seed=config.eval_seed,
            names=("network", baseline),
            threads=config.threads,
        )
        append_line(
            config.out / EVALUATIONS, {"step": steps, "baseline": baseline, **vars(comparison)}
        )
        kind, estimate = next(iter(comparison.differences.items()))
        console.print(f"{steps:>12,}  against {baseline}, {kind}: {estimate} a deal")
    return comparisons
