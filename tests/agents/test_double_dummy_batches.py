"""The double-dummy solver on many rows, from several threads, and as plain Python."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from endings import FOLLOWING, Endings, random_endings, rules_of
from reference import double_dummy as reference

from bidwise.agents.solvers import pyramid
from bidwise.agents.solvers.workspace import DEAL


def solved(endings: Endings, **options: Any) -> list[list[int]]:
    found: list[list[int]] = pyramid.solve_batch(
        endings.hands, **endings.options, **options
    ).tolist()
    return found


def solved_singly(endings: Endings) -> list[list[int]]:
    return [
        pyramid.solve(endings.cards(row), **endings.asked(row)).tolist()
        for row in range(len(endings))
    ]


SHAPES = [(2, 6, "any"), (2, 6, "suit_then_trump"), (3, 6, "suit"), (4, 6, "suit_then_trump")]


@pytest.mark.parametrize(("num_players", "size", "following"), SHAPES)
def test_each_row_has_its_own_trump_declarer_and_leader(
    num_players: int, size: int, following: str
) -> None:
    endings = random_endings(np.random.default_rng(1), 200, num_players, size, following)
    assert solved(endings) == solved_singly(endings)


@pytest.mark.parametrize(("num_players", "size", "following"), SHAPES)
def test_two_threads_find_what_one_finds(num_players: int, size: int, following: str) -> None:
    endings = random_endings(np.random.default_rng(2), 501, num_players, size, following)
    assert solved(endings, threads=2) == solved(endings, threads=1)


def test_one_trump_declarer_and_leader_may_stand_for_all_rows() -> None:
    endings = random_endings(np.random.default_rng(3), 50, 3, 4, "suit")
    rules = rules_of("suit")
    for trump, declarer, leader in ((0, 0, None), (4, 2, None), (3, 1, 2)):
        found = pyramid.solve_batch(
            endings.hands, trump=trump, rules=rules, declarer=declarer, leader=leader
        )
        for row in range(len(endings)):
            alone = pyramid.solve(
                endings.cards(row), trump=trump, rules=rules, declarer=declarer, leader=leader
            )
            assert found[row].tolist() == alone.tolist(), endings.where(row)


def test_the_declarer_leads_where_no_leader_is_named() -> None:
    endings = random_endings(np.random.default_rng(4), 50, 4, 3, "any")
    keywords: dict[str, Any] = {"trump": endings.trump, "rules": "piramida"}
    keywords["declarer"] = endings.declarer
    found = pyramid.solve_batch(endings.hands, **keywords)
    named = pyramid.solve_batch(endings.hands, **keywords, leader=endings.declarer)
    assert (found == named).all()


def test_a_preset_is_its_rule_for_followers() -> None:
    endings = random_endings(np.random.default_rng(5), 100, 3, 4, "any")
    for preset, following in (("piramida", "any"), ("inventor", "suit_then_trump")):
        keywords: dict[str, Any] = {"trump": endings.trump}
        found = pyramid.solve_batch(endings.hands, rules=preset, **keywords)
        named = pyramid.solve_batch(endings.hands, rules=rules_of(following), **keywords)
        assert (found == named).all()


@pytest.mark.parametrize(("num_players", "size", "following"), SHAPES[2:])
def test_one_deal_may_be_solved_with_every_trump_in_turn(
    num_players: int, size: int, following: str
) -> None:
    """Row after row of the same hands, where a deal is otherwise followed by another."""
    endings = random_endings(np.random.default_rng(13), 30, num_players, size, following)
    keywords: dict[str, Any] = {"rules": rules_of(following), "leader": 1}
    by_trump = [pyramid.solve_batch(endings.hands, trump=trump, **keywords) for trump in range(5)]
    in_turn = pyramid.solve_batch(
        np.repeat(endings.hands, 5, axis=0), trump=np.tile(np.arange(5), len(endings)), **keywords
    )
    assert (in_turn.reshape(len(endings), 5, -1) == np.stack(by_trump, axis=1)).all()


def test_three_hands_may_be_solved_with_and_without_a_fourth() -> None:
    """What is prepared for one number of players is not taken for another."""
    endings = random_endings(np.random.default_rng(14), 20, 4, 6, "suit")
    keywords: dict[str, Any] = {"rules": rules_of("suit"), "trump": 3}
    expected = pyramid.solve_batch(endings.hands, **keywords).tolist()
    found = []
    for row in range(len(endings)):
        first, second, third, fourth = endings.cards(row)
        pyramid.solve([second, third, first, fourth], **keywords)
        pyramid.solve([fourth, first, second], **keywords)
        pyramid.solve([first, second, third], **keywords)
        found.append(pyramid.solve([first, second, third, fourth], **keywords).tolist())
    assert found == expected


def test_one_row_twice_has_one_answer() -> None:
    """Nothing that is remembered from other rows, or calls, changes a score."""
    endings = random_endings(np.random.default_rng(6), 100, 3, 6, "suit")
    first = solved(endings)
    again = replace(
        endings,
        hands=endings.hands[::-1].copy(),
        trump=endings.trump[::-1].copy(),
        declarer=endings.declarer[::-1].copy(),
        leader=endings.leader[::-1].copy(),
    )
    assert solved(again) == first[::-1]
    assert solved(endings) == first


def test_when_deal_numbers_begin_anew_old_answers_are_forgotten() -> None:
    """A thread's deals have 24-bit numbers, and what it remembers of a deal goes by its number."""
    endings = random_endings(np.random.default_rng(12), 20, 4, 6, "suit")
    endings = replace(endings, trump=endings.trump % 4)
    turned = replace(endings, hands=np.roll(endings.hands, 1, axis=1))
    expected = solved(turned)
    work = pyramid._workspace(4, FOLLOWING.index("suit"), True)
    found = []
    for row in range(len(endings)):
        for one in (endings, turned):
            work[DEAL] = 2**24 - 1
            scores = pyramid.solve(one.cards(row), **one.asked(row))
        found.append(scores.tolist())
    assert found == expected


def test_threads_may_solve_by_different_rules_at_once() -> None:
    rng = np.random.default_rng(7)
    endings = [
        random_endings(rng, 150, num_players, size, following)
        for num_players, size, following in (*SHAPES, (3, 4, "any"), (4, 4, "suit"))
    ]
    expected = [solved(one) for one in endings]
    with ThreadPoolExecutor(2) as pool:
        singly = [pool.submit(solved_singly, one) for one in endings]
        batches = [pool.submit(solved, one) for one in endings[::-1]]
        assert [future.result() for future in singly] == expected
        assert [future.result() for future in batches] == expected[::-1]


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_counts_every_row_once(threads: int) -> None:
    endings = random_endings(np.random.default_rng(8), 3_000, 2, 6, "suit")
    counts: list[int] = []
    solved(endings, threads=threads, progress=counts.append)
    assert sum(counts) == len(endings)


def test_the_hands_given_stay_as_they_are() -> None:
    endings = random_endings(np.random.default_rng(9), 20, 3, 4, "suit")
    before = endings.hands.copy(), endings.trump.copy()
    endings.hands.flags.writeable = False
    solved(endings)
    assert (endings.hands == before[0]).all()
    assert (endings.trump == before[1]).all()


COLD = """
import json, sys
from concurrent.futures import ThreadPoolExecutor
import numpy as np
from bidwise.agents.solvers import pyramid

def solve(batch):
    hands, trump, declarer, leader, preset = batch
    found = pyramid.solve_batch(
        np.array(hands, np.uint32),
        trump=np.array(trump),
        declarer=np.array(declarer),
        leader=np.array(leader),
        rules=preset,
    )
    return found.tolist()

batches = json.load(sys.stdin)
with ThreadPoolExecutor(4) as pool:
    print(json.dumps(list(pool.map(solve, batches))))
"""


def run(code: str, asked: Any, **environment: str) -> Any:
    """What a program in a process of its own answers, both as JSON."""
    done = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", code],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_threads_may_fill_the_same_empty_memory() -> None:
    """Four threads start at once in a new process, each pair of them on the same deals."""
    rng = np.random.default_rng(11)
    asked, expected = [], []
    for num_players, preset, following in (
        (3, "inventor", "suit_then_trump"),
        (2, "piramida", "any"),
        (4, "inventor", "suit_then_trump"),
    ):
        endings = random_endings(rng, 300, num_players, 6, following)
        columns = (endings.hands, endings.trump, endings.declarer, endings.leader)
        asked += [(*(column.tolist() for column in columns), preset)] * 2
        expected += [solved(endings)] * 2
    assert run(COLD, asked) == expected


PLAINLY = """
import json, sys
from bidwise.agents.solvers import pyramid
from bidwise.envs import PyramidRules
from bidwise.envs.core.compilation import INTERPRETED
assert INTERPRETED
found = []
for hands, trump, following, declarer, leader in json.load(sys.stdin):
    rules = PyramidRules(following=following, no_trump=True)
    options = dict(trump=trump, rules=rules, declarer=declarer, leader=leader)
    scores = pyramid.solve(hands, **options).tolist()
    values = pyramid.solve_cards(hands, **options)
    assert values.scores.tolist() == scores
    found.append(scores)
print(json.dumps(found))
"""


def test_uncompiled_it_solves_alike() -> None:
    rng = np.random.default_rng(10)
    asked = []
    for num_players, size, following in (
        (2, 3, "any"),
        (3, 2, "any"),
        (4, 2, "suit"),
        (3, 3, "suit_then_trump"),
    ):
        endings = random_endings(rng, 2, num_players, size, following)
        for row in range(len(endings)):
            trump, declarer, leader = (
                int(column[row]) for column in (endings.trump, endings.declarer, endings.leader)
            )
            asked.append((endings.cards(row), trump, following, declarer, leader))
    expected = [
        reference.solve(hands, trump=trump, following=following, declarer=declarer, leader=leader)
        for hands, trump, following, declarer, leader in asked
    ]
    assert run(PLAINLY, asked, NUMBA_DISABLE_JIT="1") == expected


def test_a_long_batch_can_show_a_progress_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[int] = []

    class Bar(pyramid.Progress):
        def advance(self, task_id: Any, advance: float = 1) -> None:
            shown.append(int(advance))
            super().advance(task_id, advance)

    monkeypatch.setattr(pyramid, "Progress", Bar)
    endings = random_endings(np.random.default_rng(8), 300, 4, 3, "suit")
    assert solved(endings, progress=True) == solved(endings)
    assert sum(shown) == 300
    assert len(shown) > 1
