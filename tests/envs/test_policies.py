"""Who decides what: the learner its share, policies the rest, each shown only its own."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from tabletop import GAMES, Weigher, aec, is_over, weigh, weighed

from bidwise import envs
from bidwise.envs import IllegalActionError, KernelPolicy, PyramidRules

every_game = pytest.mark.parametrize("game", GAMES)
every_share = pytest.mark.parametrize("decide", ["all", "bids", "cards"])

KINDS = {
    "pyramid": {"all": {1, 2, 3}, "bids": {1}, "cards": {2, 3}},
    "spades": {"all": {1, 2, 3}, "bids": {1, 2}, "cards": {3}},
}
"""What `decide` leaves to the learner, by the number in the field `decision`."""

PLAIN = {"pyramid": "inventor", "spades": "standard"}

SETTINGS: dict[str, list[dict[str, Any]]] = {
    "pyramid": [
        {"rules": PyramidRules(conference="signals"), "deals": 9, "num_players": 3},
        {"rules": "inventor", "deals": 8},
    ],
    "spades": [{"rules": "piki", "deals": 3}, {"rules": "standard", "deals": 3}],
}


def decision(env: Any, observation: np.ndarray) -> int:
    return int(env.game.layout.views(observation)["decision"][0])


def turn(env: Any, observation: np.ndarray) -> int:
    return int(env.game.layout.views(observation)["player"][0])


@every_share
@every_game
def test_only_its_own_decisions_reach_the_learner(game: str, decide: str) -> None:
    for keywords in SETTINGS[game]:
        env = envs.seat_env(game, seat=1, decide=decide, **keywords)
        view, _ = env.reset(seed=3)
        seen, over = set(), False
        while not over:
            seen.add(decision(env, view["observation"]))
            assert turn(env, view["observation"]) == 0
            assert view["action_mask"].any()
            view, _, terminated, truncated, _ = env.step(int(view["action_mask"].argmax()))
            over = terminated or truncated
        expected = KINDS[game][decide]
        if keywords["rules"] in ("inventor", "standard"):
            expected = expected - ({2} if game == "pyramid" else {1})
        assert seen == expected


@every_share
@every_game
def test_each_policy_is_asked_for_its_own_seat_and_kind_of_decision(game: str, decide: str) -> None:
    """And every decision at the table is somebody's: none is lost, none asked twice."""
    for keywords in SETTINGS[game]:
        seat, players = 2, keywords.get("num_players", 4)
        others = [k for k in range(1, players) if game == "pyramid" or k != 2]
        opponents = [Weigher() for _ in others]
        partner, own = (Weigher() if game == "spades" else None), Weigher()
        env = envs.seat_env(
            game,
            seat=seat,
            decide=decide,
            opponents=opponents,
            partner=partner,
            own=own,
            **keywords,
        )
        for policy in (*opponents, own, *([partner] if partner else [])):
            policy.asked.clear()
        view, _ = env.reset(seed=5)
        mine, over = [], False
        while not over:
            mine.append(view["observation"].tobytes())
            choice = weighed(view["observation"], view["action_mask"])
            view, _, terminated, truncated, _ = env.step(choice)
            over = terminated or truncated
        table = aec(game, **keywords)
        table.reset(seed=5)
        expected: dict[Any, list[bytes]] = {k: [] for k in ("mine", "own", *range(1, 4))}
        while not is_over(table):
            seen = table.last()[0]
            relative = (int(table.agent_selection[-1]) - seat) % players
            who: Any = relative
            if relative == 0:
                kind = decision(table, seen["observation"])
                who = "mine" if kind in KINDS[game][decide] else "own"
            expected[who].append(seen["observation"].tobytes())
            table.step(weighed(seen["observation"], seen["action_mask"]))
        asked = {"own": own, **dict(zip(others, opponents, strict=True))}
        if partner is not None:
            asked[2] = partner
        assert mine == expected["mine"]
        for who, policy in asked.items():
            shown = [observation.tobytes() for observation, _ in policy.asked]
            assert shown == expected[who], who
            for observation, mask in policy.asked:
                assert mask.dtype == np.int8
                assert mask.any()
                assert turn(env, observation) == 0
        if decide == "all":
            assert not own.asked


@every_game
def test_without_policies_any_legal_action_is_as_likely(game: str) -> None:
    """The first decision of the learner's right-hand neighbour, over many seeds."""
    env = envs.SeatVectorEnv(4000, game=game, seat=1, rules=PLAIN[game])
    hands = [[6 * k + c for c in range(6)] for k in range(4)]
    views, _ = env.reset(seed=1, options={"dealer": 3, "hands": hands})
    fields = env.game.layout.views(views["observation"])
    if game == "spades":
        bids = fields["bids"][:, 3] - 1  # of seat 0, who bids first
        counts = np.bincount(bids, minlength=14)
    else:
        bids = 5 * (fields["bid"][:, 0] - 1) + fields["denomination"][:, 0] - 1
        counts = np.bincount(bids, minlength=35)
    expected = 4000 / len(counts)
    assert ((counts - expected) ** 2 / expected).sum() < 3 * len(counts)


@every_share
@every_game
def test_external_and_kernel_policies_that_choose_alike_play_the_same_game(
    game: str, decide: str
) -> None:
    for keywords in SETTINGS[game]:
        ways = []
        for make in (Weigher, lambda: KernelPolicy(weigh)):
            partner = {"partner": make()} if game == "spades" else {}
            env = envs.SeatVectorEnv(
                5,
                game=game,
                seat=1,
                decide=decide,
                opponents=make(),
                own=make(),
                **partner,
                **keywords,
            )
            views, _ = env.reset(seed=8)
            seen: list[Any] = []
            for _ in range(60):
                actions = np.array(
                    [
                        weighed(*pair)
                        for pair in zip(views["observation"], views["action_mask"], strict=True)
                    ]
                )
                views, rewards, terminated, truncated, infos = env.step(actions)
                seen.append((views, rewards, terminated, truncated, infos))
            ways.append(seen)
        np.testing.assert_equal(ways[0], ways[1])


@every_game
def test_a_kernel_policy_is_a_policy_by_itself(game: str) -> None:
    tables = envs.Tables(game, 9, seed=1)
    kernel, external = KernelPolicy(weigh), Weigher()
    for _ in range(30):
        actions = kernel.act_batch(tables.observations, tables.action_masks)
        assert actions.dtype == np.int64
        expected = external.act_batch(tables.observations, tables.action_masks)
        np.testing.assert_array_equal(actions, expected)
        tables.step(actions)


@every_game
def test_policies_are_told_apart_by_their_place_from_the_learners_left(game: str) -> None:
    """`seat="random"` moves the learner, and its opponents with it."""
    policies = [Weigher() for _ in range(2 if game == "spades" else 3)]
    env = envs.SeatVectorEnv(
        16, game=game, seat="random", opponents=policies, rules=PLAIN[game], deals=1
    )
    views, infos = env.reset(seed=2)
    assert set(infos["seat"].tolist()) == {0, 1, 2, 3}
    for _ in range(40):
        views, *_ = env.step(views["action_mask"].argmax(axis=1))
    assert all(policy.asked for policy in policies)
    for policy in policies:
        assert {turn(env, observation) for observation, _ in policy.asked} == {0}


class Dicing:
    """A policy with a random stream of its own."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)

    def act_batch(self, observations: Any, action_masks: Any) -> Any:
        return np.argmax(action_masks * (self.rng.random(action_masks.shape) + 1e-9), axis=1)


@every_game
def test_seeded_opponents_with_streams_of_their_own_repeat_with_the_seed(game: str) -> None:
    """Nothing unseeded may have drawn from them before the first seeded reset."""
    ways = []
    for _ in range(6):
        env = envs.seat_env(game, seat=2, opponents=Dicing(), rules=PLAIN[game], deals=1)
        view, _ = env.reset(seed=3)
        seen, over = [], False
        while not over:
            seen.append(view["observation"].tobytes())
            view, _, over, _, _ = env.step(int(view["action_mask"].argmax()))
        ways.append(seen)
    assert all(way == ways[0] for way in ways)


@every_game
def test_seats_drawn_at_random_fall_evenly_and_repeat_with_the_seed(game: str) -> None:
    env = envs.SeatVectorEnv(2000, game=game, seat="random", deals=1)
    _, infos = env.reset(seed=4)
    seats = infos["seat"]
    counts = np.bincount(seats, minlength=4)
    assert np.abs(counts - 500).max() < 5 * np.sqrt(2000 * 3 / 16)
    _, infos = env.reset(seed=4)
    np.testing.assert_array_equal(infos["seat"], seats)
    _, infos = env.reset()
    assert (infos["seat"] != seats).any()


class Answering:
    """A policy that answers what it is told to."""

    def __init__(self) -> None:
        self.answer: Any = lambda masks: masks.argmax(axis=1)

    def act_batch(self, observations: Any, action_masks: Any) -> Any:
        return self.answer(action_masks)


@pytest.mark.parametrize(
    "answer",
    [
        lambda masks: masks.argmin(axis=1),
        lambda masks: np.full(len(masks), -1),
        lambda masks: np.full(len(masks), 10_000),
        lambda masks: masks.argmax(axis=1).astype(np.float32),
        lambda masks: masks.argmax(axis=1)[:-1],
        lambda masks: masks.argmax(axis=1)[:, None],
        lambda masks: None,
        lambda masks: masks[:, 0] == 1,
    ],
)
@every_game
def test_a_policy_that_answers_wrongly_is_refused_and_stops_the_game(
    game: str, answer: Any
) -> None:
    """No half-played game goes on; a reset mends it."""
    policy = Answering()
    right = policy.answer
    env = envs.seat_env(game, seat=3, opponents=policy, rules=PLAIN[game])
    twin = envs.seat_env(game, seat=3, opponents=Answering(), rules=PLAIN[game])
    view, _ = env.reset(seed=0, options={"dealer": 2})
    choice = int(view["action_mask"].argmax())
    policy.answer = answer
    if game == "pyramid":  # the declarer leads before anybody else acts
        view, *_ = env.step(choice)
        choice = int(view["action_mask"].argmax())
    with pytest.raises(ValueError, match=r"table 0|act_batch"):
        env.step(choice)
    policy.answer = right
    with pytest.raises(RuntimeError, match="reset"):
        env.step(choice)
    view, _ = env.reset(seed=7)
    np.testing.assert_equal(view, twin.reset(seed=7)[0])
    choice = int(view["action_mask"].argmax())
    np.testing.assert_equal(env.step(choice), twin.step(choice))


@every_game
def test_a_kernel_policy_that_answers_wrongly_is_refused(game: str) -> None:
    def play() -> None:
        env = envs.seat_env(game, seat=3, opponents=KernelPolicy(never))
        env.reset(seed=0, options={"dealer": 3})

    with pytest.raises(IllegalActionError, match="table 0"):
        play()


def make_never() -> Any:
    from bidwise.envs.core.compilation import compiler

    @compiler(Path(__file__).parent)
    def never(observation: Any, action_mask: Any, bits: Any) -> int:
        return -1

    return never


never = make_never()


def test_a_policy_that_nothing_else_holds_on_to_is_kept() -> None:
    """The engine calls a kernel by its address: whoever made the policy may forget it."""
    code = """
import gc
import numba
from bidwise import envs

def made():
    shift = 3
    @numba.njit
    def first(observation, action_mask, bits):
        for action in range(len(action_mask)):
            if action_mask[(action + shift) % len(action_mask)]:
                return (action + shift) % len(action_mask)
        return -1
    return envs.KernelPolicy(first)

env = envs.seat_env("pyramid", seat=3, opponents=made(), deals=1)
gc.collect()
for _ in range(5):
    made().address
    gc.collect()
view, _ = env.reset(seed=1)
over = False
while not over:
    view, _, over, _, _ = env.step(int(view["action_mask"].argmax()))
print("played")
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.stdout.strip() == "played", (done.returncode, done.stderr)


def test_a_learner_pickled_with_a_kernel_policy_plays_on_in_another_process(
    tmp_path: Path,
) -> None:
    """An address is a number of one process; it must not travel."""
    env = envs.seat_env("spades", seat=3, opponents=KernelPolicy(weigh), deals=1)
    view, _ = env.reset(seed=1)
    (tmp_path / "env").write_bytes(pickle.dumps(env))
    (tmp_path / "mask").write_bytes(view["action_mask"].tobytes())
    code = f"""
import pickle, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
ballast = [bytearray(1 << 20) for _ in range(64)]
import numpy as np
mask = np.frombuffer(open({str(tmp_path / "mask")!r}, "rb").read(), np.int8)
env = pickle.load(open({str(tmp_path / "env")!r}, "rb"))
over, rewards = False, 0.0
while not over:
    view, reward, over, _, _ = env.step(int(mask.argmax()))
    mask, rewards = view["action_mask"], rewards + reward
print(rewards)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120
    )
    total, over, mask = 0.0, False, view["action_mask"]
    while not over:
        view, reward, over, _, _ = env.step(int(mask.argmax()))
        mask, total = view["action_mask"], total + reward
    assert done.returncode == 0, (done.returncode, done.stderr[-500:])
    assert float(done.stdout) == total


@every_game
def test_one_policy_at_several_seats_is_asked_once_for_all_tables(game: str) -> None:
    """Batches are wide: a network should see many rows at a time."""

    class Counting(Weigher):
        def __init__(self) -> None:
            super().__init__()
            self.widths: list[int] = []

        def act_batch(self, observations: Any, action_masks: Any) -> Any:
            self.widths.append(len(observations))
            return super().act_batch(observations, action_masks)

    policy = Counting()
    env = envs.SeatVectorEnv(64, game=game, opponents=policy, deals=1)
    views, _ = env.reset(seed=1)
    rng = Random(1)
    for _ in range(12):
        rows = [rng.choice(np.flatnonzero(mask).tolist()) for mask in views["action_mask"]]
        views, *_ = env.step(np.array(rows))
    assert np.mean(policy.widths) >= 8
