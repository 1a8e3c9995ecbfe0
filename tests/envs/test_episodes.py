"""How long an episode is, and how it ends."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from tabletop import GAMES, a_deal, aec, any_legal, deals_of, is_over, play

from bidwise import envs
from bidwise.envs import PyramidRules, SpadesRules

every_game = pytest.mark.parametrize("game", GAMES)


def never_over(game: str) -> Any:
    """Rules by which no match ends within a few deals."""
    return (
        SpadesRules(mercy=None, target=12_000, max_deals=None) if game == "spades" else "inventor"
    )


@pytest.mark.parametrize("deals", [1, 2, 5])
@every_game
def test_an_episode_terminates_after_just_so_many_deals(game: str, deals: int) -> None:
    env = aec(game, deals=deals, rules=never_over(game))
    for seed in range(3):
        env.reset(seed=seed)
        assert len(list(deals_of(env, Random(seed)))) == deals
        assert all(env.terminations.values())
        assert not any(env.truncations.values())
        assert not any(env.hands)


@every_game
def test_deals_count_from_the_episodes_beginning(game: str) -> None:
    env = aec(game, deals=2, rules=never_over(game))
    options: dict[str, Any] = {"hands": a_deal(game, Random(1), 2)}
    if game == "pyramid":
        options["spent"] = [[0, 0, 1, 0, 0, 0, 0]] * 4
    env.reset(options=options)
    assert len(list(deals_of(env, Random(1)))) == 2


def test_a_pyramid_match_ends_when_every_pyramid_is_spent() -> None:
    for players, deals in ((2, 32), (3, 48), (4, 64)):
        env = aec("pyramid", num_players=players)
        env.reset(seed=players)
        assert len(list(deals_of(env, Random(players)))) == deals
        assert all(env.terminations.values())
    rules = PyramidRules(deals_per_player=2, quota=(0, 0, 2, 0, 0, 0, 0))
    env = aec("pyramid", rules=rules, deals=100)
    env.reset(seed=1)
    assert len(list(deals_of(env, Random(1)))) == 8


def test_a_spades_match_terminates_at_its_target_before_so_many_deals() -> None:
    env = aec("spades", rules=SpadesRules(target=1, mercy=-1), deals=50)
    env.reset(seed=1)
    assert len(list(deals_of(env, Random(1)))) == 1
    assert all(env.terminations.values())


def test_a_spades_match_still_open_after_max_deals_is_truncated() -> None:
    for deals in ("match", 4):
        rules = SpadesRules(mercy=None, target=12_000, max_deals=3)
        env = aec("spades", rules=rules, deals=deals)
        env.reset(seed=1)
        assert len(list(deals_of(env, Random(1)))) == 3
        assert all(env.truncations.values())
        assert not any(env.terminations.values())


def test_a_match_that_its_totals_end_in_the_last_of_max_deals_is_terminated() -> None:
    env = aec("spades", rules=SpadesRules(target=1, mercy=-1, max_deals=1))
    env.reset(seed=1)
    play(env, Random(1))
    assert all(env.terminations.values())
    assert not any(env.truncations.values())


def test_at_both_limits_at_once_the_match_is_cut_off_and_so_truncated() -> None:
    """The rules cut the match; that the episode would have ended too makes it no end by rule."""
    rules = SpadesRules(mercy=None, target=12_000, max_deals=2)
    env = aec("spades", rules=rules, deals=2)
    env.reset(seed=1)
    assert len(list(deals_of(env, Random(1)))) == 2
    assert all(env.truncations.values())
    assert not any(env.terminations.values())
    learner = envs.seat_env("spades", rules=rules, deals=2)
    view, _ = learner.reset(seed=1)
    ended = cut = False
    while not (ended or cut):
        view, _, ended, cut, _ = learner.step(int(view["action_mask"].argmax()))
    assert (ended, cut) == (False, True)


@every_game
def test_the_deal_after_the_last_is_not_dealt_and_scores_stay(game: str) -> None:
    env = aec(game, deals=1, reward="points", rules=never_over(game))
    env.reset(seed=3)
    play(env, Random(3))
    scores = env.scores
    assert env.hands == [[], [], [], []]
    assert sum(env.tricks_taken) == (6 if game == "pyramid" else 13)
    for agent in env.agent_iter(10):
        view, _, terminated, _, _ = env.last()
        assert terminated
        assert not view["action_mask"].any()
        assert env.game.layout.views(view["observation"])["decision"][0] == 0
        with pytest.raises(ValueError, match="None"):
            env.step(0)
        env.step(None)
        assert agent not in env.agents
    assert env.scores == scores
    env.reset()
    assert set(env.scores) == {0}


@every_game
def test_a_batch_deals_anew_in_the_step_that_ends_an_episode(game: str) -> None:
    tables = envs.Tables(game, 8, deals=1, seed=2)
    ended = 0
    while ended < 16:
        _, finished = tables.step(tables.sample_actions())
        states = tables.states
        for table in np.flatnonzero(finished):
            state = states[table]
            assert not state["played_by"].any()
            assert state["deal_number"] == 0
            assert tables.scores[table].tolist() == [0] * len(tables.scores[table])
            assert tables.final_scores.shape == (8, 2 if game == "spades" else 4)
            ended += 1
        assert not tables.truncated.any()


def test_a_batch_tells_which_episodes_were_truncated() -> None:
    rules = SpadesRules(mercy=None, target=12_000, max_deals=1)
    tables = envs.Tables("spades", 8, rules=rules)
    vector = envs.SeatVectorEnv(8, game="spades", rules=rules)
    views, _ = vector.reset(seed=1)
    cut = 0
    for _ in range(130):
        _, finished = tables.step(tables.sample_actions())
        np.testing.assert_array_equal(tables.truncated, finished)
        views, _, terminated, truncated, infos = vector.step(views["action_mask"].argmax(axis=1))
        assert not terminated.any()
        assert truncated.any() == ("final_obs" in infos)
        cut += int(finished.sum()) + int(truncated.sum())
    assert cut >= 30


@every_game
def test_nothing_can_be_done_before_reset(game: str) -> None:
    env = aec(game, render_mode="ansi")
    for act in (
        lambda: env.step(0),
        lambda: env.observe("player_0"),
        env.render,
        env.record,
        lambda: env.state,
    ):
        with pytest.raises(RuntimeError, match="reset"):
            act()


@every_game
def test_learners_are_dealt_nothing_before_reset(game: str) -> None:
    for env in (envs.seat_env(game), envs.SeatVectorEnv(1, game=game)):
        action: Any = 0 if isinstance(env, envs.SeatEnv) else np.array([0])
        with pytest.raises(RuntimeError, match="reset"):
            env.step(action)
        env.reset(seed=1)
    learner = envs.seat_env(game, render_mode="ansi")
    # A mask of nothing would be taken for a mask.
    for ask in (learner.action_masks, learner.render, learner.record):
        with pytest.raises(RuntimeError, match="reset"):
            ask()


@every_game
def test_an_episode_that_is_over_can_be_reset_at_any_time(game: str) -> None:
    env = aec(game, deals=1)
    for seed in range(4):
        env.reset(seed=seed)
        play(env, Random(seed), None if seed % 2 else 5)
        if seed == 3:
            for _ in env.agent_iter(10):
                env.step(None)
    env.reset()
    assert not is_over(env)
    env.step(any_legal(env, Random(0)))


def test_options_of_an_episode_without_a_decision_of_the_learner_are_refused() -> None:
    env = envs.seat_env("pyramid", seat=0, decide="bids", deals=1)
    hands = [[0, 1], [6, 7], [12, 13], [18, 19]]
    with pytest.raises(ValueError, match="options"):
        env.reset(seed=1, options={"hands": hands, "dealer": 0})
    with pytest.raises(RuntimeError, match="reset"):
        env.step(24)
    view, _ = env.reset(seed=1, options={"hands": hands, "dealer": 3})
    assert envs.pyramid.LAYOUT.views(view["observation"])["hand"].nonzero()[0].tolist() == [0, 1]


def test_options_that_are_no_mapping_are_refused() -> None:
    with pytest.raises(ValueError, match="options"):
        envs.spades_env().reset(seed=1, options=5)  # type: ignore[arg-type]
