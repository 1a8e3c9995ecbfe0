"""Outcome tables: what follows from the counts, and files that are refused with a reason."""

from __future__ import annotations

import dataclasses
import io
import json
import pickle
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest

from bidwise.agents.outcomes import hands
from bidwise.agents.outcomes import table as outcomes
from bidwise.agents.outcomes.table import Outcomes
from bidwise.envs import PyramidRules

INVENTOR = PyramidRules.preset("inventor")


def _table(rules=INVENTOR, layouts=8, **changes):
    """A table of random distances."""
    rng = np.random.default_rng(7)
    rows = outcomes.num_rows(rules)
    counts = rng.multinomial(layouts // 2, [0.4, 0.3, 0.1, 0.1, 0.05, 0.03, 0.02], (2, rows, 7))
    values = {
        "counts": counts.astype(outcomes.counts_type(layouts)),
        "num_players": 3,
        "rules": rules,
        "layouts": layouts,
        "source": "double dummy",
        "seed": 5,
        "provenance": {"bidwise": "0", "command": "bidwise outcomes …"},
    }
    return Outcomes(**{**values, **changes})


@pytest.fixture(scope="module")
def table():
    return _table()


@pytest.fixture(scope="module")
def saved(tmp_path_factory, table):
    path = tmp_path_factory.mktemp("saved") / "table.npz"
    table.save(path)
    return path


@pytest.fixture
def path(tmp_path, saved):
    """A copy of the table's file, to be spoilt."""
    return Path(shutil.copy(saved, tmp_path))


def _points(table, fold, row, bid):
    """Points of each layout, spelt out from the counts."""
    folds = (0, 1) if fold is None else (fold,)
    return [
        10 - 2 * distance
        for one in folds
        for distance in range(7)
        for _ in range(table.counts[one, row, bid, distance])
    ]


def test_scores_are_means_over_the_layouts_of_a_fold_or_of_both(table):
    for fold, layouts in ((0, 4), (1, 4), (None, 8)):
        scores = table.scores(fold)
        assert scores.shape == (31_837, 7)
        for row, bid in ((0, 0), (24_930, 3), (31_836, 6)):
            points = _points(table, fold, row, bid)
            assert len(points) == layouts
            assert scores[row, bid] == pytest.approx(np.mean(points), abs=1e-12)


def test_errors_are_standard_errors_of_the_means(table):
    errors = table.errors()
    for row, bid in ((0, 0), (17_000, 2), (31_836, 6)):
        points = _points(table, None, row, bid)
        assert errors[row, bid] == pytest.approx(np.std(points, ddof=1) / 8**0.5, abs=1e-9)


def test_options_are_those_of_each_class_and_its_trumps(table):
    scores, counts = table.option_scores(1), table.option_counts(0)
    assert scores.shape == (6_907, 5, 7)
    assert counts.shape == (6_907, 5, 7, 7)
    for number in (0, 3_000, 6_906):
        hand = hands.class_hands()[number]
        for trump in range(4):
            row = hands.trump_class_of(hand, trump)
            assert np.array_equal(scores[number, trump], table.scores(1)[row])
            assert np.array_equal(counts[number, trump], table.counts[0, row])
        assert np.array_equal(scores[number, 4], table.scores(1)[24_930 + number])
        assert np.array_equal(counts[number, 4], table.counts[0, 24_930 + number])
    both = table.option_counts()
    assert np.array_equal(both, table.option_counts(0).astype(int) + table.option_counts(1))


def test_without_no_trump_there_are_four_denominations():
    table = _table(PyramidRules())
    assert table.counts.shape == (2, 24_930, 7, 7)
    assert table.option_scores().shape == (6_907, 4, 7)
    assert (table.no_trump, table.denominations) == (False, 4)


@pytest.mark.parametrize("layouts", [2, 64, 510, 512])
def test_a_file_gives_back_the_table(tmp_path, layouts):
    table = _table(layouts=layouts)
    assert table.counts.dtype == (np.uint8 if layouts <= 510 else np.uint16)
    table.save(tmp_path / "new" / "table.npz")
    read = Outcomes.load(tmp_path / "new" / "table.npz")
    assert np.array_equal(read.counts, table.counts)
    assert read.counts.dtype == table.counts.dtype
    for field in dataclasses.fields(Outcomes):
        if field.name != "counts":
            assert getattr(read, field.name) == getattr(table, field.name), field.name
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["table.npz"]


def test_what_the_ends_explain_takes_no_room(tmp_path):
    """Every declarer takes just t tricks: bids 1..5 then follow from bids 0 and 6."""
    taken = np.random.default_rng(0).integers(0, 7, (2, 31_837, 1))
    distances = np.abs(np.arange(7) - taken)
    counts = (distances[..., None] == np.arange(7)).astype(np.uint8)
    _table(layouts=2, counts=counts).save(tmp_path / "table.npz")
    assert np.array_equal(Outcomes.load(tmp_path / "table.npz").counts, counts)
    with zipfile.ZipFile(tmp_path / "table.npz") as file:
        stored = np.load(io.BytesIO(file.read("counts.npy")))
    assert stored.shape == (7, 6, 31_837, 2)
    assert not stored[1:6].any()


def test_equal_tables_are_equal_files(tmp_path, monkeypatch, saved):
    monkeypatch.setattr("time.time", lambda: 2e9)
    provenance = {"command": "bidwise outcomes …", "bidwise": "0"}
    _table(provenance=provenance).save(tmp_path / "other.npz")
    assert saved.read_bytes() == (tmp_path / "other.npz").read_bytes()


def test_numpy_reads_the_file_too(path):
    with np.load(path, allow_pickle=False) as members:
        assert members["counts"].dtype == np.uint8


def test_counts_cannot_be_written_to(table):
    with pytest.raises(ValueError, match="read-only"):
        table.counts[0, 0, 0, 0] = 1


# What is refused


def _changed(counts):
    counts = counts.copy()
    counts[1, 5, 3, 2] += 1
    return counts


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"layouts": 7}, "layouts: 7 is odd"),
        ({"layouts": 0}, "layouts: 0 is not in 2"),
        ({"layouts": 10}, "counts: a row's do not sum to 5"),
        ({"layouts": 600}, "counts: expected uint16"),
        ({"rules": PyramidRules()}, r"counts: expected uint8 of shape \(2, 24930, 7, 7\)"),
        ({"rules": "inventor"}, "rules: expected PyramidRules, got str"),
        ({"num_players": 5}, "num_players: 5"),
        ({"seed": -1}, "seed: -1"),
        ({"source": ""}, "source: expected a text"),
        ({"provenance": "me"}, "provenance: expected a mapping"),
    ],
)
def test_a_table_that_does_not_fit_itself_is_refused(table, changes, message):
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(table, **changes)


def test_counts_must_sum_to_half_the_layouts(table):
    with pytest.raises(ValueError, match="counts: a row's do not sum to 4"):
        dataclasses.replace(table, counts=_changed(table.counts))


def test_a_fold_is_0_or_1(table):
    with pytest.raises(ValueError, match="fold: 2 is not in"):
        table.scores(2)


def _rewritten(path, **members):
    """The file at `path` with members replaced; None: left out."""
    with zipfile.ZipFile(path) as file:
        old = {name: file.read(name) for name in file.namelist()}
    old |= {name.replace("_", "."): data for name, data in members.items()}
    with zipfile.ZipFile(path, "w") as file:
        for name, data in old.items():
            if data is not None:
                file.writestr(name, data)


def _npy(array):
    data = io.BytesIO()
    np.save(data, array, allow_pickle=True)
    return data.getvalue()


def _claim(shape):
    """An array's file that says it has a shape and has eighty bytes."""
    head = f"{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + bytes(80)


def _header(path, **changes):
    with zipfile.ZipFile(path) as file:
        header = json.loads(file.read("header.json"))
    header |= changes
    return json.dumps({name: value for name, value in header.items() if value != "gone"}).encode()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "a sonnet"}, "its format is not 'bidwise outcomes'"),
        ({"version": 2}, "version 2 is not 1"),
        ({"seed": "gone"}, "header: fields seed are missing or too many"),
        ({"mood": 3}, "header: fields mood are missing or too many"),
        ({"rules": {"following": "never"}}, "following: 'never'"),
        ({"rules": {"colour": "red"}}, "rules: field 'colour'"),
        ({"rules": 3}, "rules: "),
        ({"layouts": "8"}, "layouts: expected a whole number"),
        ({"layouts": 2}, "no tails of 1 layouts"),
        ({"layouts": 600}, "counts: stored as uint8"),
        ({"num_players": True}, "num_players: expected a whole number"),
    ],
)
def test_a_file_with_another_header_is_refused(path, changes, message):
    _rewritten(path, header_json=_header(path, **changes))
    with pytest.raises(ValueError, match=message) as refused:
        Outcomes.load(path)
    assert str(path) in str(refused.value)


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"header_json": None}, "no outcome table: it has no header.json"),
        ({"counts_npy": None}, "no outcome table: it has no counts.npy"),
        ({"header_json": b"{"}, "table.npz"),
        ({"header_json": b"\xff"}, "table.npz"),
        ({"header_json": b"[]"}, "its format is not"),
        ({"counts_npy": b"counts"}, "table.npz"),
        ({"counts_npy": _npy(np.zeros(4, np.uint8))}, "counts: stored"),
        ({"counts_npy": _npy(np.zeros((7, 6, 9, 2), np.int64))}, "counts: stored as int64"),
        ({"counts_npy": _npy(np.zeros((7, 6, 5, 2), np.uint8))}, "counts: expected uint8"),
        ({"counts_npy": _npy(np.full((7, 6, 5, 2), 255, np.uint8))}, "no tails of 4 layouts"),
        ({"counts_npy": bytes(2**24 + 1)}, "counts.npy has 16,777,217 bytes"),
        ({"header_json": b"[" * 100_000}, "header.json is nested too deeply"),
        ({"counts_npy": _claim("(7, 6, 99999999, 2)")}, "has not the bytes of shape"),
        ({"counts_npy": _claim(f"({10**30},)")}, "no array of numbers"),
        ({"counts_npy": _claim("(7, 6, -1, 2)")}, "no array of numbers"),
        ({"counts_npy": _claim("-" * 9_000 + "1")}, "no array of numbers"),
    ],
)
def test_a_file_with_other_members_is_refused(path, members, message):
    _rewritten(path, **members)
    with pytest.raises(ValueError, match=message):
        Outcomes.load(path)


def test_a_file_that_claims_to_be_encrypted_is_refused(path):
    content = bytearray(path.read_bytes())
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(mark) + flags] |= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"table\.npz: no outcome table: .*encrypted"):
        Outcomes.load(path)


def test_a_file_compressed_in_another_way_is_refused(path):
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as file:
        for name, data in members.items():
            file.writestr(name, data)
    with pytest.raises(ValueError, match="compressed in another way"):
        Outcomes.load(path)


class _Trap:
    def __reduce__(self):
        return exec, ("raise SystemExit('executed')",)


def test_a_pickle_is_refused_and_never_loaded(path):
    trap = np.empty(1, object)
    trap[0] = _Trap()
    _rewritten(path, counts_npy=_npy(trap))
    with pytest.raises(ValueError, match=r"table\.npz"):
        Outcomes.load(path)
    path.write_bytes(pickle.dumps(_Trap()))
    with pytest.raises(ValueError, match="no outcome table"):
        Outcomes.load(path)


def test_a_damaged_file_is_refused_wherever_the_damage_is(path, table):
    whole = path.read_bytes()
    for place in range(10, len(whole), len(whole) // 40):
        damaged = bytearray(whole)
        damaged[place] ^= 0x55
        path.write_bytes(damaged)
        try:
            read = Outcomes.load(path)
        except ValueError:
            continue
        # Bytes that describe the zip and nobody reads may change; the table may not.
        assert np.array_equal(read.counts, table.counts)
        assert (read.rules, read.seed, read.source) == (table.rules, table.seed, table.source)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="no outcome table"):
        Outcomes.load(path)


def test_a_file_that_is_not_there_is_an_error_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        Outcomes.load(tmp_path / "nowhere.npz")


# Tables for other rules, and those that are shipped


def test_double_dummy_values_hold_for_rules_that_follow_alike(table):
    quota = (2, 2, 2, 2, 2, 2, 2)
    other = dataclasses.replace(INVENTOR, conference="open", deals_per_player=14, quota=quota)
    found = table.under(other)
    assert found.rules == other
    assert np.array_equal(found.counts, table.counts)
    without = table.under(dataclasses.replace(INVENTOR, no_trump=False))
    assert np.array_equal(without.counts, table.counts[:, :24_930])


def test_a_table_does_not_serve_rules_under_which_cards_are_played_otherwise(table):
    with pytest.raises(ValueError, match="rules: the table is for following='suit_then_trump'"):
        table.under(PyramidRules(following="suit"))
    plain = _table(PyramidRules())
    with pytest.raises(ValueError, match="no_trump"):
        plain.under(PyramidRules(no_trump=True))
    played = dataclasses.replace(table, source="basic-v1 against random")
    assert played.under(INVENTOR) is played
    with pytest.raises(ValueError, match="fits no other rules"):
        played.under(dataclasses.replace(INVENTOR, conference="open"))


def test_shipped_tables_are_found_by_what_double_dummy_values_depend_on(
    tmp_path, monkeypatch, saved, table
):
    monkeypatch.setattr(outcomes, "TABLES", tmp_path)
    shutil.copy(saved, tmp_path / "inventor-3p.npz")
    assert np.array_equal(outcomes.shipped(3, "inventor").counts, table.counts)
    asked = dataclasses.replace(INVENTOR, no_trump=False, conference="open")
    assert outcomes.shipped(3, asked).rules == asked
    missing = PyramidRules(following="suit", no_trump=True)
    with pytest.raises(ValueError, match="build one: bidwise outcomes --num-players 3") as refused:
        outcomes.shipped(3, missing)
    assert "--rule following=suit no_trump=true" in str(refused.value)
    with pytest.raises(ValueError, match="for 2 players"):
        outcomes.shipped(2, "inventor")
    with pytest.raises(ValueError, match="num_players: 5"):
        outcomes.shipped(5, "inventor")
    with pytest.raises(ValueError, match="preset 'house'"):
        outcomes.shipped(3, "house")
