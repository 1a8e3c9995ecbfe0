"""What a seat earns: nothing is lost on the way to it, in any adapter."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from tabletop import (
    GAMES,
    REWARDS,
    Weigher,
    aec,
    any_legal,
    earned,
    is_over,
    seat_to_act,
    weighed,
)

from bidwise import envs
from bidwise.envs import PyramidRules, SpadesRules

DEALS = 1000
CLOSE = 1e-4

TWO_DEALS_A_PLAYER = PyramidRules(deals_per_player=2, quota=(0, 1, 0, 1, 0, 0, 0))
"""A short match; its totals often tie, which `win` is about."""

QUICK_SPADES = SpadesRules(target=120, mercy=-120, max_deals=4)

every_game = pytest.mark.parametrize("game", GAMES)
every_reward = pytest.mark.parametrize("reward", REWARDS)


def settings(game: str, number: int) -> dict[str, Any]:
    """Episodes of every length, by every preset and number of players, in turn."""
    deals = ("match", 1, 3)[number % 3]
    if game == "spades":
        rules = ("piki", QUICK_SPADES, "zone", "openspiel")[number // 3 % 4]
        return {"rules": rules, "deals": deals}
    rules = (TWO_DEALS_A_PLAYER, "inventor")[number // 3 % 2]
    return {"rules": rules, "deals": deals, "num_players": 2 + number % 3}


def close(given: Any, expected: Any) -> bool:
    return bool(np.allclose(given, expected, rtol=0, atol=CLOSE))


@every_reward
@every_game
def test_rewards_seen_by_last_sum_to_the_change_of_the_score_sheet(game: str, reward: str) -> None:
    rng, deals, number = Random(1), 0, 0
    while deals < DEALS:
        env = aec(game, reward=reward, **settings(game, number))
        before = [rng.randrange(-90, 90)] * len(env.scores) if number % 2 else None
        env.reset(seed=number, options={"totals": before} if before else None)
        before = env.scores
        sums = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            _, value, terminated, truncated, _ = env.last()
            sums[agent] += value
            if terminated or truncated:
                env.step(None)
                continue
            cards = sum(map(len, env.hands))
            action = any_legal(env, rng)
            env.step(action)
            deals += cards == 1 and action < env.game.deck.num_cards
        expected = earned(game, reward, before, env.scores, env.num_players)
        assert close(list(sums.values()), expected), (number, sums, expected)
        number += 1


@every_reward
@every_game
def test_rewards_of_each_step_are_what_last_hands_out(game: str, reward: str) -> None:
    env = aec(game, reward=reward, deals=3)
    env.reset(seed=5)
    rng = Random(5)
    owed = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        _, value, terminated, truncated, _ = env.last()
        assert value == owed[agent]
        owed[agent] = 0.0
        env.step(None if terminated or truncated else any_legal(env, rng))
        for name, part in env.rewards.items():
            owed[name] += part


@every_reward
@every_game
def test_rewards_of_tables_sum_to_the_change_of_the_score_sheet(game: str, reward: str) -> None:
    for number in range(6):
        keywords = settings(game, number)
        tables = envs.Tables(game, 40, reward=reward, seed=number, **keywords)
        sums = np.zeros((40, tables.num_players))
        done = 0
        while done < DEALS // 6:
            rewards, finished = tables.step(tables.sample_actions())
            sums += rewards
            for table in np.flatnonzero(finished):
                after = tables.final_scores[table].tolist()
                expected = earned(game, reward, [0] * len(after), after, tables.num_players)
                assert close(sums[table], expected), (number, table)
                sums[table] = 0.0
                done += 1


@pytest.mark.parametrize("decide", ["all", "bids", "cards"])
@every_reward
@every_game
def test_a_learners_rewards_sum_to_the_change_of_the_score_sheet(
    game: str, reward: str, decide: str
) -> None:
    """What it earned before its first decision, even before reset returned, is not lost."""
    rng = Random(7)
    for number in range(24):
        keywords = settings(game, number)
        if decide == "bids" and game == "pyramid":
            keywords["deals"] = "match"
        players = keywords.get("num_players", 4)
        seat = "random" if number % 4 == 3 else number % players
        env = envs.seat_env(game, seat=seat, decide=decide, reward=reward, **keywords)
        for episode in range(4):
            view, info = env.reset(seed=number if episode == 0 else None)
            me, total, over = info["seat"], 0.0, False
            while not over:
                action = rng.choice(np.flatnonzero(view["action_mask"]).tolist())
                view, value, terminated, truncated, info = env.step(action)
                assert info["seat"] == me
                total += value
                over = terminated or truncated
            after = info["scores"]
            expected = earned(game, reward, [0] * len(after), after, players)[me]
            assert abs(total - expected) <= CLOSE, (number, episode, keywords, total, expected)


@pytest.mark.parametrize("decide", ["all", "bids", "cards"])
@every_reward
@every_game
def test_a_vector_envs_rewards_sum_to_the_change_of_the_score_sheet(
    game: str, reward: str, decide: str
) -> None:
    for number in range(4):
        keywords = settings(game, number)
        if decide == "bids" and game == "pyramid":
            keywords["deals"] = "match"
        players = keywords.get("num_players", 4)
        seat = "random" if number % 2 else players - 1
        env = envs.SeatVectorEnv(16, game=game, seat=seat, decide=decide, reward=reward, **keywords)
        rng = np.random.default_rng(number)
        views, infos = env.reset(seed=number)
        seats, sums, done = infos["seat"], np.zeros(16), 0
        while done < 40:
            noise = rng.random(views["action_mask"].shape)
            actions = np.argmax(views["action_mask"] * (noise + 1e-9), axis=1)
            views, rewards, terminated, truncated, infos = env.step(actions)
            sums += rewards
            for table in np.flatnonzero(terminated | truncated):
                final = infos["final_info"]
                assert infos["_final_info"][table]
                assert final["seat"][table] == seats[table]
                after = final["scores"][table].tolist()
                expected = earned(game, reward, [0] * len(after), after, players)[seats[table]]
                assert abs(sums[table] - expected) <= CLOSE, (number, table)
                sums[table] = 0.0
                done += 1
            seats = infos["seat"]


BIDDING = ("declare", "look", "bid")


def decisions_of(
    table: envs.CardGameEnv, me: str, decide: str
) -> tuple[list[dict[str, Any]], list[int], list[float], dict[str, Any]]:
    """A seat's decisions in an AEC game that `weighed` plays for all: what it saw, what it
    did, what it earned from there to its next decision; and what it saw at the end. What it
    earned before the first is added to that one's."""
    views, actions, rewards, before = [], [], [], 0.0
    while not is_over(table):
        agent, seen = table.agent_selection, table.last()[0]
        action = weighed(seen["observation"], seen["action_mask"])
        bids = table.game.decisions[int(table.state["decision"])] in BIDDING
        if agent == me and (decide == "all" or bids == (decide == "bids")):
            views.append(seen)
            actions.append(action)
            rewards.append(0.0)
        table.step(action)
        if rewards:
            rewards[-1] += table.rewards[me]
        else:
            before += table.rewards[me]
    if rewards:
        rewards[0] += before
    return views, actions, rewards, table.observe(me)


@pytest.mark.parametrize("decide", ["all", "bids", "cards"])
@every_game
def test_next_observation_is_the_same_seats_next_decision(game: str, decide: str) -> None:
    """Decision for decision the seat env shows and pays what the AEC env does."""
    for number in range(8):
        keywords: dict[str, Any] = {"deals": 5, "rules": ("piki", "standard")[number % 2]}
        if game == "pyramid":
            players = 2 + number % 3
            keywords = {"rules": TWO_DEALS_A_PLAYER, "num_players": players}
        seat = number % keywords.get("num_players", 4)
        table = aec(game, **keywords)
        table.reset(seed=number)
        views, actions, rewards, end = decisions_of(table, f"player_{seat}", decide)
        policy = Weigher()
        learner = envs.seat_env(
            game,
            seat=seat,
            decide=decide,
            opponents=policy,
            partner=policy if game == "spades" else None,
            own=policy,
            **keywords,
        )
        view, _ = learner.reset(seed=number)
        for k, action in enumerate(actions):
            np.testing.assert_equal(view, views[k])
            view, reward, over, _, _ = learner.step(action)
            assert abs(reward - rewards[k]) <= CLOSE, (number, k)
            assert over == (k == len(actions) - 1)
        np.testing.assert_equal(view, end)


@pytest.mark.parametrize("decide", ["all", "bids", "cards"])
@every_game
def test_final_obs_is_what_the_seat_sees_at_the_end(game: str, decide: str) -> None:
    """SAME_STEP: the last step shows the next episode, and `final_obs` the end of this one."""
    keywords: dict[str, Any] = {"deals": 4, "rules": "standard" if game == "spades" else "piramida"}
    seat = 2
    table = aec(game, **keywords)
    policy = Weigher()
    env = envs.SeatVectorEnv(
        1,
        game=game,
        seat=seat,
        decide=decide,
        opponents=policy,
        partner=policy if game == "spades" else None,
        own=policy,
        **keywords,
    )
    views, _ = env.reset(seed=11)
    for match in range(3):
        table.reset(seed=11 if match == 0 else None)
        seen, actions, rewards, end = decisions_of(table, f"player_{seat}", decide)
        for k, action in enumerate(actions):
            np.testing.assert_equal({name: part[0] for name, part in views.items()}, seen[k])
            views, paid, terminated, _, infos = env.step(np.array([action]))
            assert abs(paid[0] - rewards[k]) <= CLOSE, (match, k)
            assert bool(terminated[0]) == ("final_obs" in infos) == (k == len(actions) - 1)
        final = {name: part[0] for name, part in infos["final_obs"].items()}
        np.testing.assert_equal(final, end)
        assert infos["final_info"]["scores"][0].tolist() == table.scores


@every_game
def test_final_observations_of_tables_are_what_the_last_to_act_sees(game: str) -> None:
    tables = envs.Tables(game, 5, deals=2, seed=3)
    twin = aec(game, deals=2)
    ended = 0
    while ended < 10:
        states, actions = tables.states, tables.sample_actions()
        _, finished = tables.step(actions)
        for table in np.flatnonzero(finished):
            twin.state = states[table]
            agent = twin.agent_selection
            twin.step(int(actions[table]))
            assert is_over(twin)
            end = twin.observe(agent)["observation"]
            np.testing.assert_array_equal(tables.final_observations[table], end)
            assert tables.final_scores[table].tolist() == twin.scores
            ended += 1


def test_a_leader_who_has_just_declared_acts_twice_in_a_row_and_loses_no_reward() -> None:
    """Turn order is no cycle: PettingZoo's examples assume one."""
    env = aec("pyramid", reward="points", deals=2)
    env.reset(seed=0, options={"dealer": 3})
    rng = Random(0)
    seats, last = [], 0.0
    for agent in env.agent_iter():
        _, value, terminated, truncated, _ = env.last()
        last += value if agent == "player_0" else 0.0
        if terminated or truncated:
            env.step(None)
            continue
        seats.append(seat_to_act(env))
        env.step(any_legal(env, rng))
    assert seats[:2] == [0, 0]
    assert last == env.scores[0] != 0
