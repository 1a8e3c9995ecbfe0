"""Actions that the rules forbid are refused with the reason, and change nothing."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from tabletop import (
    GAMES,
    aec,
    any_legal,
    deals_of,
    is_over,
    legal,
    play,
    seat_to_act,
    some_rules,
    total_of,
    values_of,
)

from bidwise import envs
from bidwise.envs import IllegalActionError, PyramidRules, SpadesRules

every_game = pytest.mark.parametrize("game", GAMES)

NOT_ACTIONS: list[Any] = [
    -1,
    -2,
    -67,
    -128,
    127,
    128,
    255,
    256,
    2**31,
    2**32,
    2**63 - 1,
    -(2**63),
    2**64,
    2**70,
    1.0,
    0.5,
    float("nan"),
    np.float32(3),
    True,
    False,
    np.bool_(True),
    None,
    "0",
    "AS",
    b"0",
    [1],
    {},
]


def shown(env: envs.CardGameEnv) -> tuple[Any, ...]:
    """All that an env shows."""
    views = [env.observe(agent) for agent in env.possible_agents]
    return (
        values_of(env.state),
        env.agent_selection,
        env.agents[:],
        dict(env.rewards),
        dict(env._cumulative_rewards),
        dict(env.terminations),
        dict(env.truncations),
        [(view["observation"].tobytes(), view["action_mask"].tobytes()) for view in views],
        env.hands,
        env.scores,
    )


is_no_action = pytest.mark.parametrize("action", NOT_ACTIONS, ids=repr)


@is_no_action
@every_game
def test_what_is_no_action_changes_nothing_at_a_table(game: str, action: Any) -> None:
    env = aec(game)
    env.reset(seed=1)
    play(env, Random(1), 7)
    before = shown(env)
    with pytest.raises(ValueError, match=r"action|player"):
        env.step(action)
    assert shown(env) == before
    env.step(any_legal(env, Random(0)))
    assert values_of(env.state) != before[0]


@is_no_action
@every_game
def test_a_number_out_of_range_is_an_offence_and_what_is_no_number_is_refused(
    game: str, action: Any
) -> None:
    for illegal in ("terminate", "penalise"):
        env = aec(game, illegal=illegal)
        env.reset(seed=1)
        agent, before = env.agent_selection, shown(env)
        if isinstance(action, int) and not isinstance(action, bool):
            env.step(action)
            assert env.rewards[agent] == -1.0
            assert is_over(env) == (illegal == "terminate")
        else:
            with pytest.raises(ValueError, match="action"):
                env.step(action)
            assert shown(env) == before


@is_no_action
@every_game
def test_what_is_no_action_changes_nothing_for_a_learner(game: str, action: Any) -> None:
    env = envs.seat_env(game)
    twin = envs.seat_env(game)
    view, _ = env.reset(seed=3)
    twin.reset(seed=3)
    with pytest.raises(ValueError, match=r"action|player"):
        env.step(action)
    np.testing.assert_array_equal(env.action_masks(), view["action_mask"] == 1)
    choice = int(view["action_mask"].argmax())
    np.testing.assert_equal(env.step(choice), twin.step(choice))


@is_no_action
@every_game
def test_what_is_no_action_changes_nothing_in_a_batch(game: str, action: Any) -> None:
    tables = envs.Tables(game, 4, seed=3)
    vector = envs.SeatVectorEnv(4, game=game)
    twin = envs.SeatVectorEnv(4, game=game)
    views, _ = vector.reset(seed=3)
    twin.reset(seed=3)
    before = values_of(tables.states), tables.observations.copy(), tables.action_masks.copy()
    choices = tables.action_masks.argmax(axis=1).tolist()
    # Among whole numbers numpy takes a bool for one of them.
    spoil = [[action] * 4] if isinstance(action, bool | np.bool_) else [[*choices[:3], action]]
    for actions in (*spoil, action):
        with pytest.raises(ValueError, match=r"."):
            tables.step(actions)
        with pytest.raises(ValueError, match=r"."):
            vector.step(actions)
    assert values_of(tables.states) == before[0]
    np.testing.assert_array_equal(tables.observations, before[1])
    np.testing.assert_array_equal(tables.action_masks, before[2])
    tables.step(choices)
    choices = views["action_mask"].argmax(axis=1).tolist()
    np.testing.assert_equal(vector.step(np.array(choices)), twin.step(np.array(choices)))


@every_game
def test_a_batch_names_the_table_and_plays_none_of_its_actions(game: str) -> None:
    tables = envs.Tables(game, 6, seed=1)
    vector = envs.SeatVectorEnv(6, game=game, seed=1)
    views, _ = vector.reset(seed=1)
    for table in range(6):
        for number in (-1, 0, tables.num_actions, 10**9):
            actions = tables.action_masks.argmax(axis=1).astype(np.int64)
            actions[table] = number
            before = values_of(tables.states)
            with pytest.raises(IllegalActionError, match=f"table {table}\\b.*player_"):
                tables.step(actions)
            assert values_of(tables.states) == before
            actions = views["action_mask"].argmax(axis=1).astype(np.int64)
            actions[table] = number
            with pytest.raises(IllegalActionError, match=f"table {table}\\b.*player_"):
                vector.step(actions)
    with pytest.raises(ValueError, match="shape"):
        tables.step(np.zeros(5, np.int64))
    with pytest.raises(ValueError, match="shape"):
        vector.step(np.zeros((6, 1), np.int64))


@every_game
def test_every_id_is_either_legal_or_refused_with_seat_and_action_named(game: str) -> None:
    rng = Random(11)
    for number in range(6):
        env = aec(game, rules=some_rules(game, rng), deals=1)
        env.reset(seed=number)
        while not is_over(env):
            allowed, before = set(legal(env)), values_of(env.state)
            for action in range(env.game.num_actions):
                if action in allowed:
                    continue
                with pytest.raises(IllegalActionError) as refused:
                    env.step(action)
                words = str(refused.value)
                assert words.startswith(f"{env.agent_selection}: ")
                assert env.game.action_name(action) in words
            assert values_of(env.state) == before
            env.step(any_legal(env, rng))


def refusal(env: envs.CardGameEnv, text: str) -> str:
    with pytest.raises(IllegalActionError) as refused:
        env.step(env.game.parse_action(text))
    return str(refused.value)


def cards(game: str, *hands: str) -> list[list[int]]:
    parse = envs.get_game(game).parse_action
    return [[parse(card) for card in hand.split()] for hand in hands]


def test_pyramid_names_the_rule_that_an_action_breaks() -> None:
    hands = cards("pyramid", "9C TC", "7H".replace("7", "9") + " KH", "AS JS", "QD KD")
    rules = PyramidRules(following="suit_then_trump")
    env = aec("pyramid", rules=rules)
    env.reset(options={"hands": hands, "dealer": 3, "spent": [[1, 0, 0, 0, 0, 0, 0]] * 4})
    assert "bid 0" in refusal(env, "0:S")
    assert "no-trump" in refusal(env, "1:NT")
    assert "declare" in refusal(env, "9C")
    env.step(env.game.parse_action("1:S"))
    assert "9H is not held" in refusal(env, "9H")
    assert "holds 9C TC" in refusal(env, "9H")
    env.step(env.game.parse_action("TC"))
    env.step(env.game.parse_action("KH"))
    assert not {0, 1} & set(legal(env))
    assert legal(env) == sorted(hands[2])  # void in clubs: a trump, and both are
    env.step(env.game.parse_action("JS"))
    assert seat_to_act(env) == 3
    env.step(env.game.parse_action("QD"))
    # Seat 2 won and leads spades; nobody else holds one or has to trump.
    env.step(env.game.parse_action("AS"))
    assert seat_to_act(env) == 3


def test_a_follower_is_told_what_must_be_followed_and_is_held() -> None:
    """The contract's own example."""
    hands = cards("spades", "7H KH 2C", "AH 3C 4C", "QH 5C 6C", "JH 7C 8C")
    env = aec("spades", rules="standard")
    env.reset(options={"hands": hands, "dealer": 2})
    for text in ("bid:1", "bid:1", "bid:1", "bid:1"):
        env.step(env.game.parse_action(text))
    env.step(env.game.parse_action("JH"))
    words = refusal(env, "2C")
    assert words.startswith("player_0: ")
    assert "2C" in words
    assert "must follow hearts; holds 7H KH" in words


def test_pyramid_tells_a_void_follower_to_trump() -> None:
    hands = cards("pyramid", "9C TC", "9H AS", "9D TD", "QD KD")
    env = aec("pyramid", rules="inventor")
    env.reset(options={"hands": hands, "dealer": 3})
    env.step(env.game.parse_action("1:S"))
    env.step(env.game.parse_action("TC"))
    words = refusal(env, "9H")
    assert "9H" in words
    assert "must play a trump" in words
    assert "holds AS" in words


def test_spades_tells_why_a_spade_may_not_be_led_and_a_bid_not_made() -> None:
    hands = cards("spades", "2S 3C", "AH 3S", "QH 5C", "JH 7C")
    for spade_leads, words in (("broken", "not broken"), ("last_resort", "nothing else")):
        rules = SpadesRules(double_nil="off", first_lead="left", spade_leads=spade_leads)
        env = aec("spades", rules=rules)
        env.reset(options={"hands": hands, "dealer": 3})
        env.step(env.game.parse_action("bid:9"))
        told = refusal(env, "bid:5")
        assert "13" in told
        assert "partner bid 9" in told
        for text in ("bid:4", "nil", "nil"):
            env.step(env.game.parse_action(text))
        assert words in refusal(env, "2S")
        assert "holds 3C" in refusal(env, "2S")


@every_game
def test_terminate_gives_the_offender_minus_one_and_ends_the_game(game: str) -> None:
    rules = "standard" if game == "spades" else "inventor"
    env = aec(game, rules=rules, illegal="terminate", reward="points")
    env.reset(seed=2)
    rng = Random(2)
    next(deals_of(env, rng))
    play(env, rng, 1)
    owed = [total_of(game, env.scores, seat) for seat in range(4)]
    first, offender = (seat_to_act(env) - 1) % 4, seat_to_act(env)
    if game == "pyramid":
        first = offender  # the declarer leads
    env.step(next(a for a in range(env.game.num_actions) if a not in legal(env)))
    assert env.rewards == {f"player_{seat}": -float(seat == offender) for seat in range(4)}
    assert all(env.terminations.values())
    assert not any(env.truncations.values())
    # What others earned before the offence, and have not seen yet, is still theirs.
    for agent in env.agent_iter(10):
        _, reward, terminated, _, _ = env.last()
        seat = int(agent[-1])
        assert terminated
        assert reward == (0 if seat in (first, offender) else owed[seat]) - (seat == offender)
        env.step(None)


@every_game
def test_penalise_leaves_the_state_and_the_turn(game: str) -> None:
    env = aec(game, illegal="penalise")
    env.reset(seed=2)
    play(env, Random(2), 11)
    before, agent = values_of(env.state), env.agent_selection
    wrong = next(a for a in range(env.game.num_actions) if a not in legal(env))
    for _ in range(3):
        env.step(wrong)
        assert env.last()[1] == -1.0
        assert env.rewards == {a: -1.0 if a == agent else 0.0 for a in env.possible_agents}
    assert values_of(env.state) == before
    assert env.agent_selection == agent
    assert not is_over(env)
    env.step(any_legal(env, Random(0)))
    assert not any(env.rewards.values())


@every_game
def test_a_learner_is_penalised_or_stopped_as_the_table_is(game: str) -> None:
    env = envs.seat_env(game, illegal="penalise")
    view, info = env.reset(seed=1)
    wrong = int(view["action_mask"].argmin())
    for _ in range(3):
        again, reward, terminated, truncated, told = env.step(wrong)
        np.testing.assert_equal(again, view)
        assert (reward, terminated, truncated, told) == (-1.0, False, False, info)
    env = envs.seat_env(game, illegal="terminate")
    view, _ = env.reset(seed=1)
    last, reward, terminated, truncated, _ = env.step(wrong)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert not last["action_mask"].any()
    with pytest.raises(RuntimeError):
        env.step(int(view["action_mask"].argmax()))


@pytest.mark.parametrize("illegal", ["penalise", "terminate"])
@every_game
def test_one_tables_offence_is_no_other_tables_matter(game: str, illegal: str) -> None:
    """Tables 0 and 2 go on as in a batch without the offence; table 1 pays."""
    env = envs.SeatVectorEnv(3, game=game, illegal=illegal, seat=1)
    twin = envs.SeatVectorEnv(3, game=game, illegal=illegal, seat=1)
    views, _ = env.reset(seed=8)
    expected, _ = twin.reset(seed=8)
    for step in range(80):
        actions = views["action_mask"].argmax(axis=1)
        offends = step == 30
        if offends:
            actions[1] = views["action_mask"][1].argmin()
        before = views
        views, rewards, terminated, truncated, infos = env.step(actions)
        expected, paid, ended, cut, _ = twin.step(expected["action_mask"].argmax(axis=1))
        for table in (0, 2):
            for name, part in views.items():
                np.testing.assert_array_equal(part[table], expected[name][table])
            assert rewards[table] == paid[table]
            assert (terminated[table], truncated[table]) == (ended[table], cut[table])
        if offends:
            assert rewards[1] == -1.0
            assert terminated[1] == (illegal == "terminate")
            if illegal == "penalise":
                np.testing.assert_array_equal(views["observation"][1], before["observation"][1])
            else:
                assert infos["_final_obs"].tolist() == [False, True, False]
