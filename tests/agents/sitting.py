"""What the tests of the agents share: positions set up by playing to them, and rules at random."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwise import agents, envs
from bidwise.envs import PyramidRules, SpadesRules, Tables, get_game

Row = NDArray[np.int8]

PRESETS = [
    *[("pyramid", name) for name in PyramidRules.presets()],
    *[("spades", name) for name in SpadesRules.presets()],
]


def position(
    game: str,
    hands: Sequence[str],
    actions: str = "",
    *,
    dealer: int | None = None,
    rules: Any = None,
    **options: Any,
) -> tuple[Row, Row]:
    """What the seat to act sees, and its mask, after the named actions from the given hands.

    Unless told, the last seat deals: seat 0 declares or bids first.
    """
    deck = get_game(game).deck
    env = envs.CardGameEnv(game, num_players=len(hands), rules=rules)
    cards = [[deck.parse(card) for card in hand.split()] for hand in hands]
    dealer = len(hands) - 1 if dealer is None else dealer
    env.reset(seed=0, options={"hands": cards, "dealer": dealer, **options})
    for action in actions.split():
        env.step(env.game.parse_action(action))
    seen = env.observe(env.agent_selection)
    return seen["observation"], seen["action_mask"]


def choice(game: str, hands: Sequence[str], actions: str = "", **where: Any) -> str:
    """What ``basic-v1`` does next, by name; arguments as for :func:`position`."""
    agent = agents.make("basic-v1", game=game, num_players=len(hands))
    return agent.game.action_name(agent.act(*position(game, hands, actions, **where)))


def some_rules(game: str, rng: Random) -> Any:
    """Rules with every switch drawn at random."""
    if game == "pyramid":
        bids = [rng.randrange(7) for _ in range(rng.randint(1, 16))]
        return PyramidRules(
            following=rng.choice(("any", "suit", "suit_then_trump")),
            no_trump=rng.random() < 0.5,
            conference=rng.choice(("open", "signals", "silent")),
            deals_per_player=len(bids),
            quota=tuple(bids.count(bid) for bid in range(7)),
        )
    return SpadesRules(
        bid_order=rng.choice(("pairs", "clockwise")),
        double_nil=rng.choice(("blind", "off")),
        first_lead=rng.choice(("right", "left", "two_of_clubs")),
        spade_leads=rng.choice(("broken", "last_resort")),
        bag_after=rng.choice(("zero", "carry")),
        failed_nil_tricks=rng.choice(("bag", "contract")),
        mercy=rng.choice((None, -200)),
        max_deals=rng.choice((None, 3)),
        pair_bid_cap=(cap := rng.choice((0, 1, 4, 13, 26))),
        pair_bid_min=min(cap, rng.choice((0, 4, 13))),
        double_nil_behind=rng.choice((0, 50)),
        bag_limit=rng.choice((10, None)),
        first_trick_spades=rng.random() < 0.5,
    )


def some_tables(game: str, rng: Random, **keywords: Any) -> Tables:
    """A few tables under rules drawn at random."""
    return Tables(
        game,
        32,
        rules=some_rules(game, rng),
        num_players=rng.choice(get_game(game).player_counts),
        seed=rng.randrange(2**32),
        threads=1,
        **keywords,
    )


def mixed_play(tables: Tables, steps: int) -> Iterator[tuple[Row, Row]]:
    """Observations and masks of so many steps in which half the decisions are random ones."""
    basic = agents.make(
        "basic", game=tables.game.name, rules=tables.rules, num_players=tables.num_players
    )
    half = np.arange(tables.num_tables) % 2 == 0
    for step in range(steps):
        observations, masks = tables.observations.copy(), tables.action_masks.copy()
        yield observations, masks
        chosen = basic.act_batch(observations, masks)
        tables.step(np.where(half ^ (step % 3 == 0), chosen, tables.sample_actions()))


def fields(game: str, row: Row) -> dict[str, Any]:
    """An observation's fields by name: numbers and nested lists."""
    views = get_game(game).layout.views(row)
    return {name: view.tolist() if view.size > 1 else int(view[0]) for name, view in views.items()}


def changed(rules: Any, **values: Any) -> Any:
    return dataclasses.replace(rules, **values)
