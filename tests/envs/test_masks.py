"""Who sees a mask, and what it lets through."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from tabletop import GAMES, a_deal, aec, any_legal, is_over, legal, mask_of, seat_to_act, some_rules

from bidwise import envs

every_game = pytest.mark.parametrize("game", GAMES)


@every_game
def test_a_seat_not_to_act_is_shown_no_legal_action(game: str) -> None:
    """A mask shown for another seat leaks the mover's hand."""
    rng = Random(1)
    for seed in range(6):
        env = aec(game, rules=some_rules(game, rng), deals=2)
        env.reset(seed=seed)
        while not is_over(env):
            for seat in range(env.num_players):
                assert mask_of(env, seat).any() == (seat == seat_to_act(env))
            env.step(any_legal(env, rng))
        assert not any(mask_of(env, seat).any() for seat in range(env.num_players))


@every_game
def test_after_an_illegal_action_that_ends_the_game_nobody_has_a_legal_action(game: str) -> None:
    env = aec(game, illegal="terminate")
    env.reset(seed=0)
    env.step(0)  # the first decision is never a card
    assert is_over(env)
    assert not any(mask_of(env, seat).any() for seat in range(env.num_players))


@every_game
def test_masks_are_int8_as_discrete_sample_asks(game: str) -> None:
    env = aec(game)
    env.reset(seed=0)
    space = env.action_space(env.agent_selection)
    mask = mask_of(env, seat_to_act(env))
    assert mask.dtype == np.int8
    assert set(np.unique(mask)) <= {0, 1}
    space.seed(0)
    assert all(space.sample(mask) in np.flatnonzero(mask) for _ in range(20))


@every_game
def test_masks_of_tables_and_learners_are_never_empty(game: str) -> None:
    tables = envs.Tables(game, 64, seed=1, deals=1)
    env = envs.SeatVectorEnv(64, game=game, seed=1, deals=1, seat="random")
    views, _ = env.reset(seed=1)
    rng = np.random.default_rng(1)
    for _ in range(150):
        assert tables.action_masks.any(axis=1).all()
        tables.step(tables.sample_actions())
        assert views["action_mask"].any(axis=1).all()
        noise = rng.random(views["action_mask"].shape) + 1e-9
        views, *_ = env.step(np.argmax(views["action_mask"] * noise, axis=1))


@every_game
def test_a_mask_of_cards_shows_only_cards_held(game: str) -> None:
    env = aec(game)
    rng = Random(3)
    env.reset(seed=3)
    for _ in range(300):
        actions = legal(env)
        if actions[0] < env.game.deck.num_cards:
            assert set(actions) <= set(env.hands[seat_to_act(env)])
        env.step(rng.choice(actions))
        if is_over(env):
            env.reset()


@pytest.mark.parametrize("size", [1, 2, 5])
@every_game
def test_masks_hold_in_deals_shorter_than_a_full_hand(game: str, size: int) -> None:
    env, rng = aec(game, deals=1), Random(size)
    options: dict[str, Any] = {"hands": a_deal(game, rng, size)}
    env.reset(options=options)
    cards = 0
    while not is_over(env):
        action = any_legal(env, rng)
        cards += action < env.game.deck.num_cards
        env.step(action)
    assert cards == 4 * size
    assert sum(env.tricks_taken) == size
