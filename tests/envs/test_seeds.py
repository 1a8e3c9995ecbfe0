"""What is drawn depends on (seed, table, match, deal) alone."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from tabletop import GAMES, Weigher, aec, any_legal, deals_of, play, values_of

from bidwise import envs

every_game = pytest.mark.parametrize("game", GAMES)

# One deal of each game; Spades without the step in which own cards are hidden.
PLAIN: dict[str, dict[str, Any]] = {
    "pyramid": {"rules": "piramida"},
    "spades": {"rules": "standard"},
}


def first_deal(env: envs.CardGameEnv) -> tuple[Any, ...]:
    return env.dealer, *map(tuple, env.hands)


def match_of(env: envs.CardGameEnv, deals: int) -> list[tuple[Any, ...]]:
    """The first deals of the match at hand, played at random."""
    rng, seen = Random(0), []
    for _ in range(deals):
        seen.append(first_deal(env))
        next(deals_of(env, rng), None)
    return seen


@every_game
def test_seed_0_is_a_seed(game: str) -> None:
    """`if seed:` would take it for none."""
    again = []
    for _ in range(2):
        env = aec(game)
        env.reset(seed=0)
        again.append(match_of(env, 3))
    assert again[0] == again[1]
    unseeded = aec(game)
    unseeded.reset()
    assert first_deal(unseeded)[1:] != again[0][0][1:]
    env = aec(game)
    env.reset(seed=1)
    env.reset(seed=0)
    assert match_of(env, 3) == again[0]


@every_game
def test_without_a_seed_no_two_envs_play_the_same_game(game: str) -> None:
    tables = {first_deal(env)[1:] for env in (aec(game) for _ in range(20)) if not env.reset()}
    assert len(tables) == 20
    seats = [envs.seat_env(game, **PLAIN[game]).reset()[0]["observation"] for _ in range(8)]
    assert len({view.tobytes() for view in seats}) == 8
    vectors = [envs.SeatVectorEnv(2, game=game, **PLAIN[game]) for _ in range(4)]
    views = {vector.reset()[0]["observation"].tobytes() for vector in vectors}
    assert len(views) == 4
    batches = [envs.Tables(game, 2, seed=None) for _ in range(8)]
    assert len({tables.states["hands"].tobytes() for tables in batches}) == 8


@every_game
def test_a_thousand_seeds_give_a_thousand_first_deals(game: str) -> None:
    env = aec(game)
    deals = set()
    for seed in range(1000):
        env.reset(seed=seed)
        deals.add(tuple(map(tuple, env.hands)))
    assert len(deals) == 1000


@every_game
def test_first_dealers_and_cards_fall_evenly(game: str) -> None:
    """Over 2,000 seeds each seat deals first, and holds each card, a fourth of the times."""
    env = aec(game)
    dealers, holders, num_seeds = Counter[int](), np.zeros((4, env.game.deck.num_cards)), 2000
    for seed in range(num_seeds):
        env.reset(seed=seed)
        dealers[env.dealer] += 1
        for seat, hand in enumerate(env.hands):
            holders[seat, hand] += 1
    expected = num_seeds / 4
    spread = np.sqrt(num_seeds * 0.25 * 0.75)
    assert all(abs(dealers[seat] - expected) < 5 * spread for seat in range(4))
    assert np.abs(holders - expected).max() < 5 * spread


@every_game
def test_the_undealt_cards_of_a_small_pyramid_table_fall_evenly_too(game: str) -> None:
    if game == "spades":
        return
    for players in (2, 3):
        env = aec(game, num_players=players)
        held, num_seeds = np.zeros(24), 2000
        for seed in range(num_seeds):
            env.reset(seed=seed)
            for hand in env.hands:
                held[hand] += 1
        share = players / 4
        spread = np.sqrt(num_seeds * share * (1 - share))
        assert np.abs(held - num_seeds * share).max() < 5 * spread


@every_game
def test_reseeding_repeats_the_match_and_those_after_it(game: str) -> None:
    env = aec(game, deals=2)
    seen = []
    for _ in range(2):
        env.reset(seed=77)
        deals = [match_of(env, 2)]
        for _ in range(3):
            env.reset()
            deals.append(match_of(env, 2))
        seen.append(deals)
        play(env, Random(1), 13)
    assert seen[0] == seen[1]
    assert len({str(deals) for deals in seen[0]}) == 4


@every_game
def test_the_next_match_of_a_seed_does_not_depend_on_how_the_last_was_played(game: str) -> None:
    nexts = []
    for steps in (0, 5, 40, None):
        env = aec(game, deals=2)
        env.reset(seed=4)
        play(env, Random(steps), steps)
        env.reset()
        nexts.append(first_deal(env))
    assert len(set(nexts)) == 1


def deals_seen(
    tables: envs.Tables, choose: Callable[[envs.Tables], Any], steps: int
) -> dict[tuple[int, int, int], tuple[Any, ...]]:
    """(table, match, deal) → dealer and hands, of all deals that came up."""
    seen = {}
    for _ in range(steps):
        states = tables.states
        fresh = (states["played_by"] == 0).all(axis=1)
        for state in states[fresh]:
            key = (int(state["table"]), int(state["match"]), int(state["deal_number"]))
            seen[key] = (int(state["dealer"]), tuple(state["hands"].tolist()))
        tables.step(choose(tables))
    return seen


@every_game
def test_a_deal_depends_on_seed_table_match_and_number_alone(game: str) -> None:
    """Not on the number of tables, the threads, or what was played."""
    steps = 150

    def lowest(tables: envs.Tables) -> Any:
        return tables.action_masks.argmax(axis=1)

    def at_random(tables: envs.Tables) -> Any:
        return tables.sample_actions()

    few = deals_seen(envs.Tables(game, 3, seed=9, deals=2, threads=1), lowest, steps)
    other_play = deals_seen(envs.Tables(game, 3, seed=9, deals=2, threads=1), at_random, steps)
    many = deals_seen(envs.Tables(game, 600, seed=9, deals=2, threads=2), at_random, steps)
    one_thread = deals_seen(envs.Tables(game, 600, seed=9, deals=2, threads=1), at_random, steps)
    assert len({key[1:] for key in few}) >= 3
    for key, deal in few.items():
        for others in (other_play, many, one_thread):
            assert others.get(key, deal) == deal
    assert len(set(few) & set(other_play) & set(many)) >= 2 * 3
    assert many == one_thread
    assert len({deal[1] for deal in many.values()}) == len(many)
    env = aec(game, deals=2)
    env.reset(seed=9)
    hands = [sum(1 << card for card in hand) for hand in env.hands]
    assert (env.dealer, tuple(hands)) == few[0, 0, 0]


@every_game
def test_a_learner_is_dealt_what_the_table_of_that_seed_is_dealt(game: str) -> None:
    """Whoever its opponents are, and whatever they play."""
    table = aec(game, deals=3, **PLAIN[game])
    table.reset(seed=21)
    hands = [deal[1:][1] for deal in match_of(table, 3)]
    for opponents in (None, Weigher()):
        learner = envs.seat_env(game, seat=1, opponents=opponents, deals=3, **PLAIN[game])
        view, _ = learner.reset(seed=21)
        seen, over = [], False
        while not over:
            fields = learner.game.layout.views(view["observation"])
            held = np.flatnonzero(fields["hand"])
            mine = fields["played_by"] == 1
            if len(held) == fields["hand_size"][0] and not mine.any():
                seen.append(tuple(held.tolist()))
            view, _, over, _, _ = learner.step(int(view["action_mask"].argmax()))
        assert list(dict.fromkeys(seen)) == hands


@every_game
def test_built_in_opponents_repeat_with_the_seed(game: str) -> None:
    def episode(env: envs.SeatEnv, seed: int | None) -> list[bytes]:
        view, _ = env.reset(seed=seed)
        seen, over = [], False
        while not over:
            seen.append(view["observation"].tobytes())
            view, _, over, _, _ = env.step(int(view["action_mask"].argmax()))
        return [*seen, view["observation"].tobytes()]

    env = envs.seat_env(game, deals=2)
    first, second = episode(env, 5), episode(env, None)
    assert first != second
    assert episode(env, 5) == first
    assert episode(env, None) == second
    assert episode(envs.seat_env(game, deals=2), 5) == first
    assert episode(env, 6) != first


@every_game
def test_seeding_or_not_changes_no_rule(game: str) -> None:
    rules = envs.PyramidRules.preset("inventor") if game == "pyramid" else "zone"
    env = aec(game, rules=rules)
    layout = env.game.layout
    start = layout.offsets["num_players" if game == "pyramid" else "bid_order"]
    in_force = []
    for seed in (None, 0, None, 3):
        env.reset(seed=seed)
        in_force.append((env.rules, env.observe("player_0")["observation"][start:].tobytes()))
    assert len(set(in_force)) == 1


@every_game
def test_no_global_random_state_is_read_or_changed(game: str) -> None:
    def everything(seed: int | None) -> list[bytes]:
        env = aec(game, deals=1)
        env.reset(seed=seed)
        play(env, Random(0))
        learner = envs.seat_env(game, deals=1)
        view, _ = learner.reset(seed=seed)
        learner.step(int(view["action_mask"].argmax()))
        vector = envs.SeatVectorEnv(2, game=game, seat="random")
        views, _ = vector.reset(seed=seed)
        vector.step(views["action_mask"].argmax(axis=1))
        tables = envs.Tables(game, 2, seed=seed)
        tables.step(tables.sample_actions())
        return [env.observe("player_0")["observation"].tobytes(), tables.observations.tobytes()]

    # The legacy generator is what careless code would draw from.
    before = random.getstate(), np.random.get_state()  # noqa: NPY002
    everything(None)
    seeded = everything(3)
    assert random.getstate() == before[0]
    after = np.random.get_state()  # noqa: NPY002
    assert all(np.array_equal(a, b) for a, b in zip(before[1], after, strict=True))
    fresh = []
    for _ in range(2):
        random.seed(1)
        np.random.seed(1)  # noqa: NPY002
        fresh.append(everything(None))
    assert fresh[0] != fresh[1]
    assert everything(3) == seeded


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.int64, np.uint64])
@every_game
def test_a_seed_may_be_any_kind_of_whole_number(game: str, kind: Any) -> None:
    views = []
    for seed in (5, kind(5)):
        tables = envs.Tables(game, 2, seed=seed)
        tables.step(tables.sample_actions())
        tables.play_out(3)
        vector = envs.SeatVectorEnv(2, game=game, seed=seed)
        env = aec(game)
        env.reset(seed=seed)
        views.append(
            (
                first_deal(env),
                tables.observations.tobytes(),
                vector.reset()[0]["observation"].tobytes(),
                vector.reset(seed=seed)[0]["observation"].tobytes(),
            )
        )
    assert views[0] == views[1]
    assert views[0][2] == views[0][3]


NO_SEEDS: list[Any] = [-1, 2**64, 1.5, "1", True]


@pytest.mark.parametrize("seed", NO_SEEDS)
@every_game
def test_what_is_no_seed_is_refused_and_the_game_goes_on(game: str, seed: Any) -> None:
    env = aec(game)
    env.reset(seed=2**64 - 1)
    before = values_of(env.state)
    with pytest.raises(ValueError, match="seed"):
        env.reset(seed=seed)
    assert values_of(env.state) == before
    env.step(any_legal(env, Random(0)))
    tables = envs.SeatTables(game, 2)
    tables.reset(0)
    with pytest.raises(ValueError, match="seed"):
        tables.reset([0, seed])
    tables.step(tables.action_masks.argmax(axis=1))


@pytest.mark.parametrize("seed", NO_SEEDS)
@every_game
def test_no_batch_is_made_of_what_is_no_seed(game: str, seed: Any) -> None:
    for make in (envs.Tables, envs.SeatTables):
        with pytest.raises(ValueError, match="seed"):
            make(game, 1, seed=seed)


@every_game
def test_one_seed_a_table_begins_each_table_by_its_own(game: str) -> None:
    env = envs.SeatVectorEnv(3, game=game, **PLAIN[game])
    one, _ = env.reset(seed=5)
    again, _ = env.reset(seed=[5, 5, 5])
    np.testing.assert_equal(again, one)
    other, _ = env.reset(seed=[5, 6, 5])
    same = (other["observation"] == one["observation"]).all(axis=1)
    assert same.tolist() == [True, False, True]
    with pytest.raises(ValueError, match="seed"):
        env.reset(seed=[1, 2])


@every_game
def test_matches_of_unequal_tables_are_unlike(game: str) -> None:
    """No two of many (table, match, deal) get the same cards."""
    tables = envs.Tables(game, 256, seed=1, deals=1)
    seen = deals_seen(tables, lambda tables: tables.sample_actions(), 130)
    assert len(seen) >= 2 * 256
    assert len({deal[1] for deal in seen.values()}) == len(seen)


@every_game
def test_an_episode_ends_and_agent_iter_with_it(game: str) -> None:
    """Every preset's match is bounded, under random play too."""
    presets = aec(game).rules.presets()
    for seed, preset in enumerate(presets):
        env = aec(game, rules=preset)
        env.reset(seed=seed)
        rng, turns = Random(seed), 0
        for agent in env.agent_iter(100_000):
            dead = env.terminations[agent] or env.truncations[agent]
            env.step(None if dead else any_legal(env, rng))
            turns += 1
        assert not env.agents
        if game == "pyramid":
            assert turns == 64 * 25 + 4
        else:
            assert turns <= 100 * (52 + 8) + 4
