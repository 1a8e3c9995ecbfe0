"""Threads are nobody's business: they change no result, no setting, and no forked child."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from tabletop import GAMES, Weigher, values_of, weigh

from bidwise import envs
from bidwise.envs import KernelPolicy
from bidwise.envs.batch import threads as pooling
from bidwise.envs.batch.threads import Workers
from bidwise.envs.core.compilation import INTERPRETED, compiled

every_game = pytest.mark.parametrize("game", GAMES)

WIDE = 520
"""Tables enough for two threads."""


def stepped(tables: envs.Tables, steps: int) -> list[bytes]:
    seen = []
    for _ in range(steps):
        rewards, finished = tables.step(tables.sample_actions())
        seen += [tables.observations.tobytes(), rewards.tobytes(), finished.tobytes()]
    return seen


@every_game
def test_threads_change_nothing_that_a_batch_shows(game: str) -> None:
    one, two = (envs.Tables(game, WIDE, seed=2, deals=1, threads=threads) for threads in (1, 2))
    assert stepped(one, 70) == stepped(two, 70)
    assert values_of(one.states) == values_of(two.states)


@pytest.mark.parametrize("opponents", ["built in", "kernel", "external"])
@every_game
def test_threads_change_nothing_that_learners_see(game: str, opponents: str) -> None:
    shown: list[Any] = []
    for threads in (1, 2):
        policy = {"built in": None, "kernel": KernelPolicy(weigh), "external": Weigher()}
        env = envs.SeatVectorEnv(
            WIDE,
            game=game,
            deals=1,
            threads=threads,
            seat="random",
            opponents=policy[opponents],
        )
        views, _ = env.reset(seed=2)
        seen = []
        for _ in range(4 if opponents == "external" else 40):
            views, rewards, terminated, _, infos = env.step(views["action_mask"].argmax(axis=1))
            seen.append((views, rewards, terminated, infos["seat"]))
        shown.append(seen)
    np.testing.assert_equal(shown[0], shown[1])


@every_game
def test_batches_may_be_stepped_from_several_python_threads_at_once(game: str) -> None:
    def way(seed: int) -> list[bytes]:
        return stepped(envs.Tables(game, WIDE, seed=seed, deals=1, threads=2), 40)

    alone = [way(seed) for seed in range(4)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(way, range(4)))
    assert together == alone


@compiled
def count_rows(first: int, last: int, counts: Any, step: int) -> None:
    for i in range(first, last):
        counts[i] += step


@pytest.mark.skipif(INTERPRETED, reason="threads are for compiled loops")
def test_every_table_is_visited_once_however_many_threads_there_are() -> None:
    workers = Workers()
    for workers.threads in (2, 3, 7):
        for count in (512, 1807, 5000):
            counts = np.zeros(count, np.int64)
            for round_number in range(300):
                workers.run(count_rows, count, counts, 1)
                assert counts.min() == counts.max() == round_number + 1


@pytest.mark.skipif(INTERPRETED, reason="threads are for compiled loops")
def test_a_loop_waits_for_no_thread_that_does_not_wake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pooling._Pool, "_serve", lambda *_: None)
    pool = pooling._Pool()
    monkeypatch.setattr(pooling, "_pool", pool)
    workers = Workers()
    workers.threads = 3
    counts = np.zeros(5000, np.int64)
    for _ in range(5):
        workers.run(count_rows, len(counts), counts, 1)
    assert (counts == 5).all()


AFTER_THREADS = """
import multiprocessing, numba, numpy as np
from bidwise import envs

def step(queue=None):
    tables = envs.Tables("spades", 520, seed=1, threads=2)
    for _ in range(5):
        tables.step(tables.sample_actions())
    total = int(tables.observations.astype(np.int64).sum())
    if queue is not None:
        queue.put(total)
    return total

before = numba.get_num_threads()
here = step()
print("threads as before:", numba.get_num_threads() == before)
context = multiprocessing.get_context("fork")
queue = context.SimpleQueue()
child = context.Process(target=step, args=(queue,))
child.start()
child.join(60)
print("child:", child.exitcode, child.exitcode == 0 and queue.get() == here)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_plays_on_and_numbas_own_threads_stay_as_they_were() -> None:
    done = subprocess.run(
        [sys.executable, "-c", AFTER_THREADS],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NUMBA_NUM_THREADS": "4"},
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["threads as before: True", "child: 0 True"]


# ---------------------------------------------------------------------- random play-outs


@pytest.mark.parametrize("threads", [1, 2])
def test_a_play_out_tells_how_many_deals_ended(threads: int) -> None:
    rules = envs.PyramidRules(deals_per_player=1, quota=(0, 1, 0, 0, 0, 0, 0))
    tables = envs.Tables("pyramid", WIDE, rules=rules, seed=1, threads=threads)
    for steps in (0, 1, 24, 25, 500):
        before = tables.states
        deals = tables.play_out(steps)
        after = tables.states
        matches = after["match"].astype(int) - before["match"].astype(int)
        # A match is four deals of 25 actions.
        ended = 4 * matches + after["deal_number"] - before["deal_number"]
        np.testing.assert_array_equal(deals, ended)
        if steps == 500:
            assert (deals == 20).all()


PLAY_OUTS = """
import numpy as np
from bidwise import envs
rules = envs.PyramidRules(deals_per_player=1, quota=(0, 1, 0, 0, 0, 0, 0))
tables = envs.Tables("pyramid", 520, rules=rules, seed=1, threads=2)
for kind in (int, np.int64, np.int32, np.uint64, np.int8, int):
    print(set(tables.play_out(kind(25)).tolist()))
"""


def test_a_play_outs_steps_may_be_any_kind_of_whole_number_in_turn() -> None:
    """In a process of its own: a number taken for another kind is a play-out without end."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", PLAY_OUTS],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    except subprocess.TimeoutExpired:
        pytest.fail("a play-out of 25 steps did not end")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["{1}"] * 6


@every_game
def test_a_play_out_leaves_tables_as_steps_would(game: str) -> None:
    """What is shown is what the states are, deals are those of the seed, threads no matter."""
    ways = []
    for threads in (1, 2, 2):
        tables = envs.Tables(game, WIDE, seed=4, deals=1, threads=threads)
        tables.play_out(137)
        twin = envs.Tables(game, WIDE, seed=5, deals=1)
        twin.restore(tables.states)
        np.testing.assert_array_equal(twin.observations, tables.observations)
        np.testing.assert_array_equal(twin.action_masks, tables.action_masks)
        np.testing.assert_array_equal(twin.current_player, tables.current_player)
        assert tables.action_masks.any(axis=1).all()
        ways.append((values_of(tables.states), *stepped(tables, 5)))
    assert ways[0] == ways[1] == ways[2]
    tables = envs.Tables(game, WIDE, seed=4, deals=1)
    assert len({state.tobytes() for state in tables.states["hands"]}) == WIDE
    for _ in range(6):
        tables.play_out(31)
    moved = tables.states
    stepping = envs.Tables(game, WIDE, seed=4, deals=1)
    hands: dict[Any, Any] = {}
    for _ in range(300):
        states = stepping.states
        for state in states[(states["played_by"] == 0).all(axis=1)][:40]:
            hands[int(state["table"]), int(state["match"])] = first_hands(stepping, state)
        stepping.step(stepping.sample_actions())
    known = [k for k in range(40) if (k, int(moved["match"][k])) in hands]
    assert len(known) >= 30
    for k in known:
        assert first_hands(tables, moved[k]) == hands[k, int(moved["match"][k])]


def first_hands(tables: envs.Tables, state: Any) -> list[int]:
    """The hands that a deal began with: what is held and what was played."""
    held = [int(hand) for hand in state["hands"][: tables.num_players]]
    for card, seat in enumerate(state["played_by"].tolist()):
        if seat:
            held[seat - 1] |= 1 << card
    return held


@pytest.mark.parametrize("steps", [-1, 1.5, "3", True, None])
def test_a_play_out_of_no_number_of_steps_is_refused(steps: Any) -> None:
    tables = envs.Tables("pyramid", 2)
    before = values_of(tables.states)
    with pytest.raises(ValueError, match="steps"):
        tables.play_out(steps)
    assert values_of(tables.states) == before
