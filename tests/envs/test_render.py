"""Tables as text: golden drawings that people can look at, and what holds for every drawing."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bidwise import envs
from bidwise.envs.core.cards import SUIT_SYMBOLS
from bidwise.envs.core.drawing import WIDTH, colour, flow, grid
from bidwise.envs.pyramid import drawing as pyramid
from bidwise.envs.records.reading import read_matches
from bidwise.envs.spades import drawing as spades

GOLDEN = Path(__file__).parents[1] / "golden"
DRAW = {"pyramid": pyramid.draw_table, "spades": spades.draw_table}

SIGNALS = envs.PyramidRules(conference="signals")
EVERY = [
    *[("pyramid", preset, players) for preset in ("piramida", "inventor") for players in (2, 3, 4)],
    ("pyramid", SIGNALS, 3),
    ("pyramid", envs.PyramidRules(deals_per_player=16, quota=(16, 0, 0, 0, 0, 0, 0)), 4),
    *[("spades", preset, 4) for preset in ("piki", "zone", "standard", "openspiel")],
]


def walk(env: envs.CardGameEnv, steps: int) -> None:
    """Play on; the k-th step takes the k-th of the legal actions, round and round."""
    for k in range(steps):
        agent = env.agent_selection
        if env.terminations[agent] or env.truncations[agent]:
            return
        legal = np.flatnonzero(env.observe(agent)["action_mask"])
        env.step(int(legal[k % len(legal)]))


def after(path: str, steps: int) -> np.void:
    """The table of a golden match after so many actions."""
    match = next(iter(read_matches(GOLDEN / path)))
    env = envs.CardGameEnv(match.game.name, num_players=match.num_players, rules=match.rules)
    env.reset(int(match.start["seed"]))
    for action in match.actions[:steps]:
        env.step(action)
    return env.state


def walked(game: str, players: int, rules: Any, steps: int, **options: Any) -> np.void:
    env = envs.CardGameEnv(game, num_players=players, rules=rules)
    env.reset(1, options)
    walk(env, steps)
    return env.state


FINISHED = [(3, 3), (6, 4), (5, 4), (2, 2), (1, 0), (3, 4), (5, 0), (4, 2), (3, 2), (0, 6)]
FINISHED += [(2, 1), (4, 4), (1, 1), (2, 3), (3, 3), (4, 6)]

DRAWINGS: dict[str, Callable[[], str]] = {
    "pyramid_4_players.txt": lambda: DRAW["pyramid"](walked("pyramid", 4, "inventor", 1015)),
    "pyramid_3_players_defender.txt": lambda: pyramid.draw_table(
        walked("pyramid", 3, "piramida", 204), viewer=2
    ),
    "pyramid_2_players_spent.txt": lambda: pyramid.draw_table(
        walked("pyramid", 2, "piramida", 30, spent=[[0, 1, 1, 0, 0, 0, 0]] * 2, totals=[16, 12])
    ),
    "pyramid_signals.txt": lambda: pyramid.draw_table(after("pyramid_match.jsonl", 150), viewer=1),
    "pyramid_over.txt": lambda: pyramid.draw_table(after("pyramid_match.jsonl", 10_000)),
    "pyramid_sheet.txt": lambda: pyramid.draw_pyramid(FINISHED, title="A finished pyramid"),
    "spades_before_looking.txt": lambda: spades.draw_table(
        after("spades_match.jsonl", 4), viewer=1
    ),
    "spades_trick.txt": lambda: spades.draw_table(after("spades_match.jsonl", 322)),
    "spades_over.txt": lambda: spades.draw_table(after("spades_match.jsonl", 10_000)),
}


@pytest.mark.parametrize("name", DRAWINGS)
def test_golden_drawings(name: str) -> None:
    assert DRAWINGS[name]() == (GOLDEN / name).read_text("utf-8")


def drawn_cards(game: str, text: str) -> list[str]:
    """Every card that stands in a hand."""
    cards = []
    for suit, ranks in re.findall(rf"([{SUIT_SYMBOLS}])((?: [2-9TJQKA](?!\w))+)", text):
        letter = "CDHS"[SUIT_SYMBOLS.index(suit)]
        cards += [rank + letter for rank in ranks.split()]
    return cards


@pytest.mark.parametrize(("game", "rules", "players"), EVERY)
def test_what_holds_for_every_drawing(game: str, rules: Any, players: int) -> None:
    env = envs.CardGameEnv(game, num_players=players, rules=rules, render_mode="ansi")
    env.reset(4)
    deck = env.game.deck
    for _ in range(120):
        state, text = env.state, env.render()
        assert text == DRAW[game](state)
        assert text is not None
        lines = text.split("\n")
        assert max(map(len, lines)) <= WIDTH
        assert all(line == line.rstrip() for line in lines)
        assert lines[-1] == ""
        assert lines[-2]
        held = [card for hand in env.hands for card in hand]
        assert sorted(drawn_cards(game, text)) == sorted(map(deck.name, held))
        for card in state["trick"]:
            if card:
                name = deck.name(int(card) - 1)
                assert SUIT_SYMBOLS["CDHS".index(name[1])] + name[0] in text
        over = env.terminations["player_0"] or env.truncations["player_0"]
        turns = re.findall(r"▸ (player_\d)", text)
        assert turns == ([] if over else [env.agent_selection])
        assert f"{env.agent_selection} is to" in text or over
        for seat in range(players):
            assert f"player_{seat}" in text
        for total in env.scores:
            assert re.search(rf"(?<!\d){total}(?!\d)", text)
        walk(env, 7)


@pytest.mark.parametrize(("game", "rules", "players"), EVERY)
def test_a_viewer_sees_nothing_that_is_hidden(game: str, rules: Any, players: int) -> None:
    """Cards that a seat's observation does not show may be exchanged, and no character changes."""
    env = envs.CardGameEnv(game, num_players=players, rules=rules)
    env.reset(5)
    rng = np.random.default_rng(6)
    layout = env.game.layout
    for step in range(60):
        for viewer in range(players):
            state = env.state
            view = layout.views(env.observe(f"player_{viewer}")["observation"])
            seen = set(np.flatnonzero(view["hand"]).tolist())
            if "shared_hands" in view:
                seen |= set(np.nonzero(view["shared_hands"])[1].tolist())
            text = DRAW[game](state, viewer)
            assert {env.game.deck.parse(card) for card in drawn_cards(game, text)} == seen
            gone = {card for card, trick in enumerate(state["played_trick"]) if trick}
            unseen = rng.permutation(sorted(set(range(env.game.deck.num_cards)) - seen - gone))
            for seat, hand in enumerate(env.hands):
                if not set(hand) & seen:
                    taken, unseen = unseen[: len(hand)], unseen[len(hand) :]
                    state["hands"][seat] = env.game.deck.mask(taken.tolist())
            assert DRAW[game](state, viewer) == text
            assert text.count("▒") == sum(len(h) for h in env.hands if not set(h) & seen)
        walk(env, 1 + step % 3)


def test_the_viewer_sits_at_the_bottom_and_others_clockwise_from_the_left() -> None:
    state = walked("spades", 4, "piki", 30)
    for viewer in range(4):
        table = spades.draw_table(state, viewer).split("\n", 3)[3]
        seats = [int(seat) for seat in re.findall(r"player_(\d)", table)][:4]
        assert seats == [(viewer + k) % 4 for k in (2, 1, 3, 0)]


def test_whole_suits_fit_the_width() -> None:
    hands = [list(range(13 * suit, 13 * suit + 13)) for suit in range(4)]
    env = envs.spades_env(render_mode="ansi")
    env.reset(1, {"hands": hands, "totals": [-199, 499], "bags": [10, 10]})
    for _ in range(4):
        env.step(env.game.parse_action("double-nil"))
    text = env.render()
    assert text is not None
    assert text.count("double nil, took 0") == 4
    assert "double nil + double nil" in text
    assert max(map(len, text.split("\n"))) <= WIDTH
    assert env.game.draw_table(env.state) == text


def test_every_env_that_renders_draws_the_table() -> None:
    env = envs.seat_env("pyramid", num_players=3, render_mode="ansi")
    env.reset(seed=1)
    text = env.render()
    assert text is not None
    assert text.startswith("Pyramid, piramida rules: deal ")
    with pytest.raises(ValueError, match="neither None nor 'ansi'"):
        envs.spades_env(render_mode="human")


def test_colour_only_adds_escapes() -> None:
    for path in sorted(GOLDEN.glob("*.txt")):
        text = path.read_text("utf-8")
        coloured = colour(text)
        assert "\x1b" not in text
        assert re.sub(r"\x1b\[\d+m", "", coloured) == text
        assert coloured.count("\x1b[31m") == text.count("♥") + text.count("♦")
    assert colour("♥ A K  ♠ 9 ♦T, x") == "\x1b[31m♥ A K\x1b[0m  ♠ 9 \x1b[31m♦T\x1b[0m, x"


# Score sheets.


def cells(text: str) -> dict[int, tuple[list[str], list[str]]]:
    """A boxed sheet's lines: by bid the cells at the left and at the right."""
    found = {}
    for left, bid, right in re.findall(r"│(.*)║ (\d) ║(.*)│", text):
        found[int(bid)] = (
            [cell.strip() for cell in left.split("│")],
            [cell.strip() for cell in right.split("│")],
        )
    return found


def test_the_source_texts_example() -> None:
    """Bids 6, 5, 5, 3 took 4, 4, 0, 3: 6, 8, 0 and 10 points."""
    text = pyramid.draw_pyramid([(6, 4), (5, 4), (5, 0), (3, 3)])
    assert cells(text) == {
        6: (["4"], ["6"]),
        5: (["0", "4"], ["8", "0"]),
        4: ([""] * 3, [""] * 3),
        3: (["", "", "", "3"], ["10", "", "", ""]),
        2: ([""] * 3, [""] * 3),
        1: ([""] * 2, [""] * 2),
        0: ([""], [""]),
    }
    assert text.rstrip().endswith("sum 24")


def test_a_sheet_is_a_pyramid() -> None:
    lines = pyramid.draw_pyramid(FINISHED).split("\n")
    assert [len(line.strip()) for line in lines[2:16:2]] == [15, 25, 35, 45, 35, 25, 15]
    for line in lines[1:16:2]:
        assert line.strip() == line.strip()[::-1].translate(MIRROR)
    assert max(map(len, lines)) == 45
    points = sum(10 - 2 * abs(bid - taken) for bid, taken in FINISHED)
    assert lines[-2].endswith(f"sum {points}")


MIRROR = str.maketrans("┌┐└┘├┤╓╖╙╜╟╢", "┐┌┘└┤├╖╓╜╙╢╟")


def test_results_not_known_are_question_marks() -> None:
    text = pyramid.draw_pyramid([(3, None), (3, 3)])
    assert cells(text)[3] == (["", "", "3", "?"], ["?", "10", "", ""])
    assert text.rstrip().endswith("sum 10")


def test_lines_without_quota_are_left_out() -> None:
    text = pyramid.draw_pyramid([(2, 2)], quota=(0, 0, 1, 3, 0, 0, 0), title="player_2")
    assert list(cells(text)) == [3, 2]
    assert text.startswith("              player_2\n\n")


@pytest.mark.parametrize(
    ("announced", "reason"),
    [
        ([(6, 1), (6, 2)], "bid 6: announced 2 times, the quota is 1"),
        ([(7, 1)], r"bid: 7 is not in 0\.\.6"),
        ([(-1, 1)], r"bid: -1 is not in 0\.\.6"),
        ([(1, 7)], r"taken: 7 is not in 0\.\.6"),
        ([("1", 1)], "bid: expected a whole number"),
    ],
)
def test_what_is_no_sheet(announced: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        pyramid.draw_pyramid(announced)


def test_blocks_go_beside_each_other_as_far_as_the_width_allows() -> None:
    assert flow([["x" * 50], ["y" * 48, "z"]], gap=2) == [
        "x" * 50 + "  " + "y" * 48,
        " " * 52 + "z".ljust(48),
    ]
    assert flow([["x" * 50], ["y" * 49]], gap=2) == ["x" * 50, "", "y" * 49]


def test_boxes_join_where_they_touch() -> None:
    rows = [[(1, 1, "a"), (3, 1, "b")], [(3, 1, "c"), (5, 1, "d")]]
    assert grid(rows, double=[4]) == [
        "┌─┬─╖  ",
        "│a│b║  ",
        "└─┼─╫─┐",
        "  │c║d│",
        "  └─╨─┘",
    ]
