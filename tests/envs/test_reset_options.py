"""Reset's options: what they set, and that what cannot be is refused by name."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from tabletop import GAMES, a_deal, aec, any_legal, deals_of, is_over, legal, play, values_of

from bidwise import envs
from bidwise.envs import PyramidRules, SpadesRules

every_game = pytest.mark.parametrize("game", GAMES)

UNSPENT = [0, 0, 0, 0, 0, 0, 0]
ALL_SPENT = [1, 2, 3, 4, 3, 2, 1]


# ---------------------------------------------------------------------- what they set


@pytest.mark.parametrize("size", [1, 3, 6])
@every_game
def test_hands_and_dealer_are_as_asked(game: str, size: int) -> None:
    rng = Random(size)
    for players in (2, 3, 4) if game == "pyramid" else (4,):
        for dealer in range(players):
            env = aec(game, num_players=players)
            hands = a_deal(game, rng, size, players)
            env.reset(options={"hands": hands, "dealer": dealer})
            assert env.hands == hands
            assert env.dealer == dealer
            assert env.agent_selection == f"player_{(dealer + 1) % players}"
            env.reset(options={"hands": np.array(hands), "dealer": np.int64(dealer)})
            assert env.hands == hands


def test_a_full_spades_deal_is_as_asked() -> None:
    env = aec("spades")
    hands = a_deal("spades", Random(1), 13)
    env.reset(options={"hands": [hand[::-1] for hand in hands]})
    assert env.hands == hands


@every_game
def test_the_deal_passes_clockwise_from_the_dealer_asked_for(game: str) -> None:
    env = aec(game, deals=6, rules="standard" if game == "spades" else "piramida")
    env.reset(options={"dealer": 2})
    dealers = [env.dealer]
    for _ in deals_of(env, Random(0)):
        dealers.append(env.dealer)
    assert dealers[:6] == [2, 3, 0, 1, 2, 3]


@every_game
def test_options_are_for_one_episode(game: str) -> None:
    env = aec(game, deals=1)
    hands = a_deal(game, Random(1), 3)
    env.reset(seed=3)
    plain = env.hands
    env.reset(seed=3, options={"hands": hands, "totals": [-10] * len(env.scores)})
    assert env.hands == hands
    play(env, Random(0))
    env.reset()
    assert all(len(hand) == (6 if game == "pyramid" else 13) for hand in env.hands)
    assert set(env.scores) == {0}
    env.reset(seed=3, options={})
    assert env.hands == plain
    env.reset(seed=3, options={"dealer": None, "hands": None})
    assert env.hands == plain


@every_game
def test_later_episodes_of_a_batch_reset_with_options_are_those_of_the_seed(game: str) -> None:
    """Options and seeds are for the first episode; the next are not all that one again."""
    rules = "standard" if game == "spades" else "piramida"
    hands = a_deal(game, Random(1), 2)
    shown = []
    for options in (None, {"hands": hands}, {"hands": hands}):
        env = envs.SeatVectorEnv(3, game=game, deals=1, rules=rules)
        views, _ = env.reset(seed=5, options=options)
        if options:
            held = views["observation"][:, : env.game.deck.num_cards]
            assert all(np.flatnonzero(row).tolist() == hands[0] for row in held)
        firsts = []
        over = np.zeros(3, int)
        later: list[list[bytes]] = [[], [], []]
        while (over < 3).any():
            views, _, terminated, _, _ = env.step(views["action_mask"].argmax(axis=1))
            for table in np.flatnonzero(terminated):
                over[table] += 1
                fields = env.game.layout.views(views["observation"][table])
                later[table].append(fields["hand"].tobytes())
        firsts = [row[:2] for row in later]
        assert len({hand for row in firsts for hand in row}) == 6
        shown.append(firsts)
    # The same cards, and the same again: only what was played before differs.
    assert shown[1] == shown[2]
    if game == "spades":
        assert shown[0] == shown[1]


@every_game
def test_totals_begin_where_asked_and_grow_from_there(game: str) -> None:
    env = aec(game, deals=1, reward="points")
    env.reset()
    totals = [37, -12, 5, 6][: len(env.scores)]
    env.reset(options={"totals": totals})
    assert env.scores == totals
    play(env, Random(1))
    gains = [after - before for before, after in zip(totals, env.scores, strict=True)]
    assert any(gains)
    if game == "spades":
        assert [env.rewards[f"player_{seat}"] for seat in range(4)] == [*gains, *gains]
    else:
        assert list(env.rewards.values()) == gains


def test_bags_begin_where_asked() -> None:
    env = aec("spades")
    env.reset(options={"bags": [10, 3]})
    assert env.bags == [10, 3]
    with pytest.raises(AttributeError, match="bags"):
        _ = pyramid().bags


def pyramid(**options: Any) -> envs.CardGameEnv:
    env = aec("pyramid", num_players=3)
    env.reset(options=options)
    return env


def test_spent_bids_may_not_be_bid_again_and_count_towards_the_match() -> None:
    left = [1, 0, 0, 1, 0, 0, 0]
    spent = [[whole - rest for whole, rest in zip(ALL_SPENT, left, strict=True)]] * 3
    env = pyramid(spent=spent, dealer=2)
    assert env.agent_selection == "player_0"
    assert legal(env) == [24, 25, 26, 27, 39, 40, 41, 42]  # 0 and 3, four suits each
    assert len(list(deals_of(env, Random(1)))) == 6
    assert is_over(env)


@pytest.mark.parametrize(
    ("done", "dealer"),
    [
        ((1, 0, 0), 0),
        ((1, 1, 0), 1),
        ((0, 1, 0), 1),
        ((0, 1, 1), 2),
        ((0, 0, 1), 2),
        ((1, 0, 1), 0),
    ],
)
def test_uneven_announcements_force_the_dealer(done: tuple[int, ...], dealer: int) -> None:
    """Whoever has announced once less, and sits behind those who have, is next."""
    spent = [[0, 2, 0, count, 0, 0, 0] for count in done]
    env = pyramid(spent=spent)
    assert env.dealer == dealer
    assert pyramid(spent=spent, dealer=dealer).dealer == dealer
    for other in range(3):
        if other != dealer:
            with pytest.raises(ValueError, match="spent"):
                pyramid(spent=spent, dealer=other)


def test_even_announcements_leave_the_dealer_free() -> None:
    for dealer in range(3):
        assert pyramid(spent=[[0, 0, 1, 0, 0, 0, 0]] * 3, dealer=dealer).dealer == dealer


# ---------------------------------------------------------------------- what cannot be

HAND = list(range(6))


def others(*hands: Any) -> list[Any]:
    return [*hands, *([6 * k + c for c in range(6)] for k in range(len(hands), 3))]


IMPOSSIBLE_PYRAMID: list[tuple[str, Any]] = [
    ("hands", others([0, 1, 2, 3, 4, 4])),  # a card twice
    ("hands", others([0, 1, 2, 3, 4, 6])),  # a card of two hands
    ("hands", others([0, 1, 2, 3, 4, 24])),
    ("hands", others([0, 1, 2, 3, 4, -1])),
    ("hands", others([0, 1, 2, 3, 4])),  # unequal lengths
    ("hands", [[], [], []]),
    ("hands", [list(range(7)), list(range(7, 14)), list(range(14, 21))]),
    ("hands", others(HAND)[:2]),
    ("hands", [*others(HAND), list(range(18, 24))]),
    ("hands", []),
    ("hands", 5),
    ("hands", "AS"),
    ("hands", [1, 2, 3]),
    ("hands", others([0, 1, 2, 3, 4, 5.5])),
    ("hands", others([0, 1, 2, 3, 4, 0.0 + 5])),
    ("hands", others([0, 1, 2, 3, 4, "9C"])),
    ("hands", others([0, 1, 2, 3, 4, None])),
    ("hands", others([0, True, 2, 3, 4, 5])),
    ("hands", others(None)),
    ("dealer", 3),
    ("dealer", -1),
    ("dealer", 1.0),
    ("dealer", "0"),
    ("dealer", True),
    ("dealer", [0]),
    ("spent", [[0, 3, 0, 0, 0, 0, 0]] * 3),  # beyond the quota
    ("spent", [[0, -1, 1, 0, 0, 0, 0]] * 3),
    ("spent", [[1, 0, 0, 0, 0, 0, 0], UNSPENT, [0, 0, 0, 2, 0, 0, 0]]),  # no such rotation
    ("spent", [[0, 0, 0, 2, 0, 0, 0], UNSPENT, UNSPENT]),
    ("spent", [ALL_SPENT] * 3),  # the match is over
    ("spent", [UNSPENT] * 2),
    ("spent", [UNSPENT] * 4),
    ("spent", [[0] * 6] * 3),
    ("spent", [[0] * 8] * 3),
    ("spent", 3),
    ("spent", "000"),
    ("spent", [0, 0, 0]),
    ("spent", [[0.5] + [0] * 6] * 3),
    ("spent", [[1.0] + [0] * 6] * 3),
    ("spent", [[True] + [0] * 6] * 3),
    ("spent", [[None] * 7] * 3),
    ("totals", [0, 0]),
    ("totals", [0, 0, 0, 0]),
    ("totals", 7),
    ("totals", "123"),
    ("totals", [1.5, 0, 0]),
    ("totals", [None, 0, 0]),
    ("totals", [2**40, 0, 0]),
    ("bags", [0, 0]),  # no option of Pyramid
    ("hand", others(HAND)),
    ("seed", 3),
    ("rules", "inventor"),  # they live in the constructor
    (7, 7),
]

FULL = [list(range(13 * k, 13 * k + 13)) for k in range(4)]

IMPOSSIBLE_SPADES: list[tuple[str, Any]] = [
    ("hands", [[0, 0], [1, 2], [3, 4], [5, 6]]),
    ("hands", [[0, 1], [1, 2], [3, 4], [5, 6]]),
    ("hands", [[0, 52], [1, 2], [3, 4], [5, 6]]),
    ("hands", [[0, -1], [1, 2], [3, 4], [5, 6]]),
    ("hands", [[0, 7], [1, 2], [3, 4], [5]]),
    ("hands", [[0, 7], [1, 2], [3, 4]]),
    ("hands", [*FULL[:3], [*range(39, 51), 0]]),
    ("hands", [[], [], [], []]),
    ("hands", [[0], [1], [2], [3], [4]]),
    ("hands", 0),
    ("hands", [[0], [1], [2], [3.0]]),
    ("hands", [[0], [1], [2], ["2C"]]),
    ("hands", [0, 1, 2, 3]),
    ("dealer", 4),
    ("dealer", -1),
    ("dealer", "left"),
    ("dealer", 2.0),
    ("totals", [500, 0]),  # over, by target
    ("totals", [0, 501]),
    ("totals", [-200, 0]),  # over, by mercy
    ("totals", [-500, 499]),
    ("totals", [0]),
    ("totals", [0, 0, 0, 0]),
    ("totals", 0),
    ("totals", [0.0, 0]),
    ("totals", ["0", 0]),
    ("totals", [2**40, 2**40]),
    ("bags", [11, 0]),  # such a bag would have been fined
    ("bags", [0, 12]),
    ("bags", [-1, 0]),
    ("bags", [0]),
    ("bags", [0, 0, 0, 0]),
    ("bags", 0),
    ("bags", [1.0, 0]),
    ("bags", [None, 0]),
    ("spent", [UNSPENT] * 4),
    ("deal", 1),
]


def name_of(case: tuple[str, Any]) -> str:
    return f"{case[0]}={case[1]}".replace(" ", "")[:60]


every_impossible_pyramid = pytest.mark.parametrize("case", IMPOSSIBLE_PYRAMID, ids=name_of)
every_impossible_spades = pytest.mark.parametrize("case", IMPOSSIBLE_SPADES, ids=name_of)


def refused(env: Any, case: tuple[str, Any], shown: Callable[[], bytes]) -> None:
    """The option is named, the game at the table goes on as if nothing had been asked."""
    option, value = case
    before = shown()
    for seed in (None, 4):
        with pytest.raises(ValueError, match=str(option)):
            env.reset(seed=seed, options={option: value})
        assert shown() == before


def refused_at_a_table(env: envs.CardGameEnv, case: tuple[str, Any]) -> None:
    env.reset(seed=2)
    play(env, Random(2), 8)
    rewards, agent = dict(env._cumulative_rewards), env.agent_selection
    refused(env, case, lambda: values_of(env.state))
    assert (env._cumulative_rewards, env.agent_selection) == (rewards, agent)
    env.step(any_legal(env, Random(3)))


@every_impossible_pyramid
def test_pyramid_refuses_what_cannot_be_and_plays_on(case: tuple[str, Any]) -> None:
    refused_at_a_table(aec("pyramid", num_players=3), case)


@every_impossible_spades
def test_spades_refuses_what_cannot_be_and_plays_on(case: tuple[str, Any]) -> None:
    refused_at_a_table(aec("spades"), case)


def refused_by_learners(game: str, cases: list[tuple[str, Any]], **keywords: Any) -> None:
    env = envs.seat_env(game, **keywords)
    twin = envs.seat_env(game, **keywords)
    vector = envs.SeatVectorEnv(2, game=game, **keywords)
    view, _ = env.reset(seed=2)
    twin.reset(seed=2)
    views, _ = vector.reset(seed=2)
    refusals = []
    for option, value in cases:
        for table in (env, vector):
            try:
                table.reset(options={option: value})
            except ValueError as error:
                if str(option) in str(error):
                    continue
                refusals.append((option, value, error))
            except Exception as error:
                refusals.append((option, value, error))
            else:
                refusals.append((option, value, None))
    assert refusals == []
    choice = int(view["action_mask"].argmax())
    np.testing.assert_equal(env.step(choice), twin.step(choice))
    vector.step(views["action_mask"].argmax(axis=1))


def test_pyramid_learners_are_refused_what_cannot_be_and_play_on() -> None:
    refused_by_learners("pyramid", IMPOSSIBLE_PYRAMID, num_players=3)


def test_spades_learners_are_refused_what_cannot_be_and_play_on() -> None:
    refused_by_learners("spades", IMPOSSIBLE_SPADES)


def test_a_match_is_over_by_the_rules_in_force() -> None:
    far = aec("spades", rules=SpadesRules(target=600, mercy=None))
    far.reset(options={"totals": [599, -9_000]})
    assert far.scores == [599, -9_000]
    with pytest.raises(ValueError, match="totals"):
        far.reset(options={"totals": [600, 0]})
    level = aec("spades")
    level.reset(options={"totals": [505, 505]})  # equal totals: another deal
    assert level.scores == [505, 505]
    short = aec("pyramid", rules=PyramidRules(deals_per_player=1, quota=(0, 0, 1, 0, 0, 0, 0)))
    with pytest.raises(ValueError, match="spent"):
        short.reset(options={"spent": [[0, 0, 1, 0, 0, 0, 0]] * 4})
    with pytest.raises(ValueError, match="spent"):
        short.reset(options={"spent": [[0, 0, 0, 1, 0, 0, 0]] + [UNSPENT] * 3})


@every_game
def test_what_was_asked_for_is_not_changed(game: str) -> None:
    hands = a_deal(game, Random(1), 4)
    options = {"hands": [hand[::-1] for hand in hands], "dealer": 1}
    env = aec(game)
    env.reset(options=options)
    play(env, Random(1), 10)
    assert options == {"hands": [hand[::-1] for hand in hands], "dealer": 1}
