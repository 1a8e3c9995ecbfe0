"""Records of matches: what is written can be replayed, and nothing else can.

The golden files are matches that people can read; this version must write them as they stand,
compiled and interpreted alike.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bidwise import envs
from bidwise.envs.records import json_lines
from bidwise.envs.records import reading as records
from bidwise.envs.records.notation import parse_deal, write_deal
from bidwise.envs.records.reading import (
    RecordError,
    Replayed,
    read_matches,
    replay,
    save,
    write_match,
)

GOLDEN = Path(__file__).parents[1] / "golden"
GOLDEN_RECORDS = sorted(GOLDEN.glob("*match*.jsonl"))

SHORT = envs.PyramidRules(deals_per_player=2, quota=(0, 0, 1, 1, 0, 0, 0))
SIGNALS = envs.PyramidRules("suit", True, "signals", 1, (0, 1, 0, 0, 0, 0, 0))
BRIEF = envs.SpadesRules(max_deals=2, mercy=None, target=900)
EVERY = [
    *[("pyramid", preset, players) for preset in ("piramida", "inventor") for players in (2, 3, 4)],
    *[("pyramid", rules, players) for rules in (SHORT, SIGNALS) for players in (2, 3, 4)],
    *[("spades", preset, 4) for preset in ("piki", "zone", "openspiel")],
    ("spades", BRIEF, 4),
]


def play(env: envs.CardGameEnv, rng: np.random.Generator, steps: int = 100_000) -> None:
    """Random legal play until the episode is over, or for so many steps."""
    for _ in range(steps):
        agent = env.agent_selection
        if env.terminations[agent] or env.truncations[agent]:
            return
        legal = np.flatnonzero(env.observe(agent)["action_mask"])
        env.step(int(rng.choice(legal)))


def same(one: np.void, other: np.void) -> bool:
    """Equal records, field by field."""
    names = one.dtype.names or ()
    return one.dtype == other.dtype and all(np.array_equal(one[k], other[k]) for k in names)


def check(text: str) -> Replayed:
    """A record, replayed, with what must hold for every one."""
    found = replay(text)
    assert write_match(found.game, found.start, found.actions) == text
    assert replay(text.encode()).actions == found.actions
    points = [each.outcome.points for each in found.deals if each.outcome is not None]
    first = found.deals[0].deal.start.get("totals", [0] * len(found.scores))
    assert list(found.scores) == np.add(first, np.sum(points, axis=0)).tolist() or not points
    assert all(each.outcome is not None for each in found.deals[:-1])
    assert bool(found.winners) == (found.result != "open")
    assert all(found.scores[k] == max(found.scores) for k in found.winners)
    return found


# What is written.


@pytest.mark.parametrize(("game", "rules", "players"), EVERY)
@pytest.mark.parametrize("deals", ["match", 1, 3])
def test_a_finished_episode_replays(game: str, rules: Any, players: int, deals: Any) -> None:
    env = envs.CardGameEnv(game, num_players=players, rules=rules, deals=deals)
    rng = np.random.default_rng(1)
    for seed in (0, None, 2**64 - 1):
        env.reset(seed)
        play(env, rng)
        found = check(env.record())
        assert same(found.state, env.state)
        assert found.scores == tuple(env.scores)
        assert found.rules == env.rules
        assert found.num_players == players
        ended = "truncated" if env.truncations["player_0"] else "terminated"
        assert found.result == ended
        if deals != "match":
            assert len(found.deals) <= deals


def test_a_match_that_never_ends_is_truncated() -> None:
    env = envs.spades_env(rules=envs.SpadesRules(max_deals=3, mercy=None, target=12_000))
    env.reset(1)
    play(env, np.random.default_rng(2))
    found = check(env.record())
    assert found.result == "truncated"
    assert len(found.deals) == 3


@pytest.mark.parametrize(("game", "rules"), [("pyramid", SIGNALS), ("spades", "piki")])
def test_an_open_match_replays_at_every_step_and_goes_on(game: str, rules: Any) -> None:
    env = envs.CardGameEnv(game, rules=rules)
    twin = envs.CardGameEnv(game, rules=rules)
    env.reset(3)
    rng = np.random.default_rng(4)
    for step in range(80):
        found = check(env.record())
        assert found.result == "open"
        assert len(found.actions) == step
        assert same(found.state, env.state)
        twin.state = found.state
        play(env, rng, 1)
        twin.step(replay(env.record()).actions[-1])
        assert same(twin.state, env.state)


def test_only_a_known_beginning_can_be_recorded() -> None:
    env = envs.pyramid_env()
    env.reset(1)
    play(env, np.random.default_rng(1), 30)
    begun = env.state
    with pytest.raises(ValueError, match="no match begins with such a record: spent: "):
        write_match(env.game, begun, [])
    bidding = envs.spades_env()
    bidding.reset(1)
    play(bidding, np.random.default_rng(1), 2)
    with pytest.raises(ValueError, match=r"no match begins with such a record: .* differs"):
        write_match(bidding.game, bidding.state, [])
    env.state = begun
    with pytest.raises(ValueError, match="the match's beginning is not known"):
        env.record()
    env.reset(1)
    with pytest.raises(ValueError, match=r"number 1: player_.: 6:S is a declaration"):
        write_match(env.game, env.state, [44, 57])


OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("pyramid", {"dealer": 2}),
    ("pyramid", {"hands": [[0, 5], [6, 7], [1, 23]], "dealer": 0}),
    ("pyramid", {"totals": [-4, 0, 7], "spent": [[0, 0, 1, 0, 0, 0, 1]] * 3}),
    ("pyramid", {"spent": [[1, 2, 3, 4, 3, 2, 1], [1, 2, 3, 4, 3, 2, 1], [1, 2, 3, 4, 3, 2, 0]]}),
    ("spades", {"hands": [[51], [50], [49], [48]], "bags": [10, 0]}),
    ("spades", {"hands": [list(range(k, 52, 4)) for k in range(4)], "dealer": 3}),
    ("spades", {"totals": [499, -199], "bags": [0, 3], "dealer": 1}),
]


@pytest.mark.parametrize(("game", "options"), OPTIONS)
@pytest.mark.parametrize("deals", ["match", 2])
def test_what_reset_was_given_is_recorded(game: str, options: dict[str, Any], deals: Any) -> None:
    env = envs.CardGameEnv(game, num_players=3 if game == "pyramid" else 4, deals=deals)
    rng = np.random.default_rng(5)
    for seed in range(5):
        env.reset(seed, options)
        dealer = env.dealer
        assert same(check(env.record()).start, env.state)
        play(env, rng)
        found = check(env.record())
        assert same(found.state, env.state)
        first = found.deals[0].deal
        assert first.dealer == dealer
        if "hands" in options:
            assert [list(hand) for hand in first.hands] == options["hands"]
        for name in ("totals", "bags", "spent"):
            if name in options:
                assert np.array_equal(first.start[name], options[name])


@pytest.mark.parametrize("game", ["pyramid", "spades"])
def test_each_deal_of_a_match_is_one_line_too(game: str) -> None:
    env = envs.CardGameEnv(game)
    env.reset(6)
    play(env, np.random.default_rng(7))
    for each in replay(env.record()).deals:
        alone = parse_deal(write_deal(each.deal))
        assert alone == each.deal
        assert alone.play()[1].outcome == each.outcome


@pytest.mark.parametrize("game", ["pyramid", "spades"])
@pytest.mark.parametrize("deals", ["match", 2])
def test_tables_record_each_table_through_several_matches(game: str, deals: Any) -> None:
    rules = SHORT if game == "pyramid" else "piki"
    tables = envs.Tables(game, 3, rules=rules, seed=8, deals=deals, keep_records=True, threads=1)
    ended = np.zeros(3, int)
    for step in range(1200):
        if step % 137 == 0:
            states = tables.states
            for table in range(3):
                found = check(tables.record(table))
                assert same(found.state, states[table])
                assert int(found.start["match"]) == ended[table]
        ended += tables.step(tables.sample_actions())[1]
    assert ended.min() > 0


@pytest.mark.parametrize("game", ["pyramid", "spades"])
def test_seat_and_vector_envs_record(game: str) -> None:
    rng = np.random.default_rng(9)
    env = envs.seat_env(game, seat="random", deals=3)
    for _ in range(3):
        env.reset(seed=int(rng.integers(99)))
        over = False
        while not over:
            _, _, over, cut_off, info = env.step(rng.choice(np.flatnonzero(env.action_masks())))
            over = over or cut_off
            assert check(env.record()).scores == tuple(info["scores"])
        assert check(env.record()).result == "terminated"
    vector = envs.SeatVectorEnv(2, game=game, seed=10, keep_records=True, threads=1)
    observations, _ = vector.reset()
    for _ in range(100):
        masks = observations["action_mask"]
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        observations, *_ = vector.step(actions)
    for table in range(2):
        assert same(check(vector.record(table)).state, vector.tables.states[table])


# Golden files.


@pytest.mark.parametrize("path", GOLDEN_RECORDS, ids=lambda path: path.name)
def test_golden_matches_are_written_as_they_stand(path: Path) -> None:
    matches = list(read_matches(path))
    texts = [write_match(match.game, match.start, match.actions) for match in matches]
    assert "".join(texts) == path.read_text("ascii")
    for match, text in zip(matches, texts, strict=True):
        if '"start": {}' not in text:
            continue
        env = envs.CardGameEnv(match.game.name, num_players=match.num_players, rules=match.rules)
        env.reset(int(match.start["seed"]))
        for action in match.actions:
            env.step(action)
        assert env.record() == text


def test_what_the_golden_matches_came_to() -> None:
    assert {path.name: [m.scores for m in read_matches(path)] for path in GOLDEN_RECORDS} == {
        "other_matches.jsonl": [(34, 22), (395, 83), (10, 0, 0)],
        "pyramid_match.jsonl": [(20, 18, 24, 26)],
        "spades_match.jsonl": [(399, 510)],
    }
    other = list(read_matches(GOLDEN / "other_matches.jsonl"))
    assert [match.result for match in other] == ["terminated", "truncated", "open"]


def test_compiled_and_interpreted_replay_alike() -> None:
    code = (
        "import sys\n"
        "from bidwise.envs.records.reading import read_matches, write_match\n"
        "for path in sys.argv[1:]:\n"
        "    for match in read_matches(path):\n"
        "        sys.stdout.write(write_match(match.game, match.start, match.actions))\n"
    )
    compiled = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
    played = subprocess.run(
        [sys.executable, "-c", code, *map(str, GOLDEN_RECORDS)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1" if compiled else "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert played.stdout == "".join(path.read_text("ascii") for path in GOLDEN_RECORDS)


# Files.


def test_a_file_holds_several_matches(tmp_path: Path) -> None:
    path = tmp_path / "matches.jsonl"
    texts = [golden.read_text() for golden in GOLDEN_RECORDS]
    save(path, texts)
    save(path, texts[1], append=True)
    assert path.read_bytes() == "".join([*texts, texts[1]]).encode()
    assert len(list(read_matches(path))) == 6
    save(path, texts[1])
    assert len(list(read_matches(path))) == 1
    with pytest.raises(ValueError, match="does not end in a newline"):
        save(path, "{}")


def test_no_match_is_added_to_a_cut_off_file(tmp_path: Path) -> None:
    path = tmp_path / "matches.jsonl"
    text = GOLDEN_RECORDS[0].read_text()
    path.write_text(text[:-1])
    with pytest.raises(ValueError, match="its last line is cut off"):
        save(path, text, append=True)
    assert path.read_text() == text[:-1]


def test_matches_before_a_broken_line_are_read(tmp_path: Path) -> None:
    path = tmp_path / "matches.jsonl"
    texts = [golden.read_text() for golden in GOLDEN_RECORDS[1:]]
    path.write_text(texts[0] + texts[1].replace('"deal": 3', '"deal": 4'))
    found = read_matches(path)
    assert next(found).game.name == "pyramid"
    with pytest.raises(RecordError, match=r"line 19: deal: 4, but .* 3"):
        next(found)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "line 1: the record ends before a header"),
        (b"\n", "line 1: no JSON"),
        (b'{"end": 1}\n', "line 1: no header"),
        (b"{}\n\xff\n", "line 2: no UTF-8"),
        (b"{" * 100_000, "line 1: longer than"),
        (b"\x00" * (1 << 17), "line 1: longer than"),
        (b"\xef\xbb\xbf{}\n", "line 1: no JSON"),
    ],
)
def test_files_that_hold_no_match_are_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "matches.jsonl"
    path.write_bytes(content)
    with pytest.raises(RecordError, match=reason):
        list(read_matches(path))
    with pytest.raises(RecordError):
        replay(content)


def test_a_match_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "LONGEST_MATCH", 1000)
    text = GOLDEN_RECORDS[1].read_text()
    path = tmp_path / "matches.jsonl"
    path.write_text(text)
    for read in (lambda: replay(text), lambda: list(read_matches(path))):
        with pytest.raises(RecordError, match="the match is longer than 1000 bytes"):
            read()


# What is refused.


@pytest.fixture(params=["short", "truncated", "open"])
def text(request: pytest.FixtureRequest) -> str:
    """A golden match by itself."""
    matches = list(read_matches(GOLDEN / "other_matches.jsonl"))
    match = matches[["short", "truncated", "open"].index(request.param)]
    return write_match(match.game, match.start, match.actions)


def sealed(text: str) -> str:
    """The same with a checksum that fits, as somebody who forges a record would write it."""
    *before, end = text.splitlines(keepends=True)
    digest = hashlib.sha256("".join(before).encode()).hexdigest()
    changed = json.loads(end)
    changed["sha256"] = digest
    return "".join(before) + json.dumps(changed) + "\n"


def refusal(text: str | bytes) -> RecordError:
    with pytest.raises(RecordError) as error:
        replay(text)
    assert str(error.value).startswith(f"line {error.value.line}: ")
    assert len(str(error.value)) < 700
    return error.value


def is_refused_or_canonical(text: str) -> bool:
    """Whether a text is refused; one that is not must be just what would be written."""
    try:
        found = replay(text)
    except RecordError:
        return True
    assert write_match(found.game, found.start, found.actions) == text
    return False


def test_a_missing_doubled_or_blank_line_is_refused(text: str) -> None:
    rows = text.splitlines(keepends=True)
    for seal in (str, sealed):
        for k in range(len(rows) - (seal is sealed)):
            refusal(seal("".join(rows[:k] + rows[k + 1 :])))
            refusal(seal("".join([*rows[:k], rows[k], *rows[k:]])))
            refusal(seal("".join([*rows[:k], "\n", *rows[k:]])))


def test_two_lines_in_each_others_place_are_refused(text: str) -> None:
    rows = text.splitlines(keepends=True)
    for i in range(len(rows)):
        for k in range(i):
            swapped = rows.copy()
            swapped[i], swapped[k] = rows[k], rows[i]
            refusal("".join(swapped))
            if i < len(rows) - 1:
                refusal(sealed("".join(swapped)))


def test_a_record_cut_off_anywhere_is_refused(text: str) -> None:
    rng = np.random.default_rng(11)
    for length in [*rng.integers(0, len(text), 100), len(text) - 1]:
        assert refusal(text[:length]).line == text[:length].count("\n") + 1


def test_text_after_the_end_is_refused(text: str) -> None:
    for more in ("\n", " ", "x", "{}\n", text, "\x00", "\r\n"):
        assert refusal(text + more).line == text.count("\n") + 1


def test_one_character_changed_added_or_lost_is_refused(text: str) -> None:
    rng = np.random.default_rng(12)
    alphabet = list('0123456789CDHSTJQKA:/ {}[]",-+.eE\n\r\t\\nulltrue\x00é')
    for place in rng.integers(0, len(text), 300).tolist():
        other = str(rng.choice(alphabet))
        for changed in (
            text[:place] + other + text[place + 1 :],
            text[:place] + other + text[place:],
            text[:place] + text[place + 1 :],
        ):
            if changed != text:
                refusal(changed)
                if changed.endswith("}\n") and changed.count("\n") == text.count("\n"):
                    is_refused_or_canonical(reseal_or_leave(changed))


def test_one_byte_changed_is_refused(text: str) -> None:
    rng = np.random.default_rng(13)
    for place in rng.integers(0, len(text), 200).tolist():
        changed = bytearray(text.encode())
        changed[place] ^= int(rng.integers(1, 256))
        refusal(bytes(changed))


def test_every_value_replaced_by_another_kind_is_refused(text: str) -> None:
    rows = [json.loads(row) for row in text.splitlines()]
    strange = [None, True, 0, 1, -1, 7, 10**30, 10**4000, 1.0, "", "match", "1"]
    strange += [[], {}, [1], [[1]], {"a": 1}, ["AS"], float("nan"), float("inf")]
    legal = set()
    for row in rows:
        for name, set_value, value in places(row):
            for other in strange:
                set_value(other)
                changed = dump(rows)
                if changed != text:
                    assert refusal(changed).line <= len(rows)
                    if not is_refused_or_canonical(sealed(changed)):
                        legal.add(name)
            set_value(value)
    assert dump(rows) == text
    # Other rules may lead to the same match; a deal on the table may be less far; the
    # checksum is made to fit.
    assert legal <= {*rows[0]["rules"], "deals", "actions", "sha256"}


def test_fields_missing_unknown_or_twice_are_refused(text: str) -> None:
    rows = text.splitlines()
    for k, row in enumerate(rows):
        found = json.loads(row)
        for name, value in found.items():
            pair = f"{json.dumps(name)}: {json.dumps(value)}"
            less = {key: other for key, other in found.items() if key != name}
            for changed in (
                json.dumps(less),
                json.dumps({**less, name: value}),
                json.dumps({**found, name + "s": value}),
                row.replace(pair, f"{pair}, {pair}"),
                row.replace(pair, f"{pair},"),
                row.replace(": ", ":"),
                row.replace('"' + name, '"\\u00' + f"{ord(name[0]):x}" + name[1:]),
            ):
                if changed != row:
                    broken = "\n".join([*rows[:k], changed, *rows[k + 1 :], ""])
                    refusal(broken)
                    if k < len(rows) - 1:
                        refusal(sealed(broken))


def test_every_action_or_card_replaced_is_refused(text: str) -> None:
    game = replay(text).game
    names = [game.action_name(action) for action in range(game.num_actions)] + ["/", "XX", ""]
    rng = np.random.default_rng(14)
    rows = text.splitlines()
    accepted = 0
    for k, row in enumerate(rows[1:-1], start=1):
        words = row.split(" ")
        for place, word in enumerate(words):
            if not any(name and name in word for name in names):
                continue
            changed = words.copy()
            changed[place] = word.replace(word.strip('",[]{}'), str(rng.choice(names)))
            if changed != words:
                broken = "\n".join([*rows[:k], " ".join(changed), *rows[k + 1 :], ""])
                refusal(broken)
                accepted += not is_refused_or_canonical(sealed(broken))
    assert accepted <= 12  # another card may be as legal and win the same tricks


def reseal_or_leave(text: str) -> str:
    try:
        return sealed(text)
    except (ValueError, TypeError):
        return text


def dump(rows: list[Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def places(value: Any, within: str = "") -> Iterator[tuple[str, Callable[[Any], None], Any]]:
    """Every value in a line: its field, a function that puts another there, and the value."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(items):

        def put(other: Any, key: Any = key) -> None:
            value[key] = other

        name = key if isinstance(key, str) else within
        yield name, put, inner
        if isinstance(inner, dict | list):
            yield from places(inner, name)


def test_the_reason_is_told() -> None:
    text = (GOLDEN / "pyramid_match.jsonl").read_text()
    for old, new, line, reason in [
        ('"version": 1', '"version": 2', 1, "version: 2; this reads 1"),
        ("Pyramid-v0", "Pyramid-v1", 1, 'env: "bidwise/Pyramid-v1", but this plays'),
        ('"game": "pyramid"', '"game": "whist"', 1, "game: 'whist' is not one of"),
        ('"no_trump": true', '"no_trump": 1', 1, "rules: no_trump: expected True or False"),
        ('"num_players": 4', '"num_players": 5', 1, "num_players: 5 is not in 2..4"),
        ('"start": {}', '"start": {"bags": [1, 1]}', 1, "start: unknown field 'bags'"),
        ('"start": {}', '"start": {"dealer": 9}', 1, "dealer: 9 is not in 0..3"),
        ('"start": {}', '"start": {"spent": [1]}', 1, ""),
        ('"seed": 3', '"seed": 3, "seed": 3', 1, "field 'seed' is given twice"),
        ('"seed": 3', '"seed": NaN', 1, "NaN is no number"),
        ('"seed": 3', '"seed": 3.0', 1, "3.0 is no whole number"),
        ('"seed": 3', '"seed": 4', 2, "dealer: 2, but the next deal of this match has"),
        ('"AKH KJ9D JC"', '"AKH KJ9D QC"', 2, 'but the next deal of this match has ["AKH KJ9D JC"'),
        (
            "3:S / KS",
            "3:S / KC",
            2,
            "actions: column 16: player_0: 9D: must follow clubs; holds JC",
        ),
        ("3:S / KS", "4:S / KS", 2, "actions: column 1: player_3: 4:S: the bid 4 is spent"),
        ('"tricks": [0, 1, 3, 2]', '"tricks": [1, 1, 3, 1]', 2, "tricks: [1, 1, 3, 1], but the"),
        ('"totals": [0, 0, 0, 8]', '"totals": [0, 0, 0, 9]', 2, "totals: [0, 0, 0, 9], but the"),
        (" / TD say:3 KH say:1 QH say:7 AD", "", 2, "deal: unknown field 'tricks'"),
        ('"end": "terminated"', '"end": "truncated"', 14, 'end: "truncated", but the play comes'),
        ('"winners": [3]', '"winners": [2, 3]', 14, "winners: [2, 3], but the play comes to [3]"),
        ('"sha256": "', '"sha256": "0', 14, "the lines before, if nobody edited them, have"),
        ("\n", "\r\n", 1, "a carriage return ends the line"),
    ]:
        assert old in text
        broken = refusal(text.replace(old, new, 1))
        assert broken.line == line, old
        assert reason in broken.reason
    assert refusal(text[:-1]).reason == "cut off: the line does not end in a newline"
    assert refusal(text.replace("{}", '{"' + "x" * 70_000 + '": 1}')).reason.startswith(
        "longer than"
    )


def test_legal_edits_break_the_checksum() -> None:
    text = (GOLDEN / "other_matches.jsonl").read_text().splitlines(keepends=True)
    match = "".join(text[5:9])
    edited = match.replace('"target": 500', '"target": 501')
    assert refusal(edited).reason.startswith("sha256: ")
    assert replay(sealed(edited)).rules.target == 501


@pytest.mark.parametrize(
    "line",
    [
        "[" * 60_000,
        "[" * 30 + "]" * 30,
        '{"format":' * 900 + "1" + "}" * 900,
        '{"format": "bidwise match", "version": ' + "9" * 5000 + "}",
        '{"format": "\\ud800"}',
        '"\ud800"',
        "NaN",
        "1e999",
        "null",
        "12",
        '"text"',
        "[]",
        " ",
    ],
)
def test_hostile_lines_are_refused(line: str) -> None:
    text = (GOLDEN / "pyramid_match.jsonl").read_text()
    refusal(line)
    refusal(line + "\n")
    refusal(line + "\n" + text)
    refusal(text.splitlines(keepends=True)[0] + line + "\n")
    refusal(text + line + "\n")


def test_no_line_comes_near_the_limits() -> None:
    longest = 0
    for rules in ("piki", "standard"):
        tables = envs.Tables("spades", 1, rules=rules, keep_records=True, threads=1)
        for _ in range(300):
            tables.step(tables.sample_actions())
        longest = max(longest, max(map(len, tables.record().splitlines())))
    env = envs.pyramid_env(rules=SIGNALS)
    env.reset(1)
    play(env, np.random.default_rng(1))
    longest = max(longest, max(map(len, env.record().splitlines())))
    assert longest * 50 < json_lines.LONGEST_LINE
