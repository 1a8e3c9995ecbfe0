"""`bidwise outcomes`: the layouts it deals, what it counts on them, and how it goes on."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import shutil
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
import tyro
from reference.pyramid import FIRST_DECLARATION, Match

from bidwise import agents, envs
from bidwise.agents import registry
from bidwise.agents.outcomes import hands
from bidwise.agents.outcomes.table import NUM_ROWS, TABLES, Outcomes, num_rows, table_name
from bidwise.agents.solvers import pyramid
from bidwise.envs import PyramidRules
from bidwise.envs.batch.policies import choose_uniformly
from bidwise.envs.core.cards import DECK_24
from bidwise.envs.core.rng import draw, stream
from bidwise.train.outcomes import command, playouts
from bidwise.train.outcomes.command import BuildOutcomes, DoubleDummy, build_outcomes
from bidwise.train.outcomes.layouts import count_distances, deal_layouts, row_hands, row_trumps
from bidwise.train.outcomes.playouts import PlayOuts
from bidwise.train.outcomes.table_spec import Plan
from bidwise.train.run.chunks import Chunks

INVENTOR = PyramidRules.preset("inventor")
SILENT = PyramidRules(following="suit", no_trump=True, conference="silent")
SIGNALS = PyramidRules(following="any", no_trump=True, conference="signals")


def _nothing(count):
    """Nobody watches the progress."""


# Layouts


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_a_layout_is_a_deal_with_the_rows_hand_at_seat_0(num_players):
    rows = np.array([0, 12_345, 24_929, 24_930, NUM_ROWS - 1])
    deals = deal_layouts(rows, 20, num_players, seed=3)
    assert deals.shape == (5, 20, num_players)
    assert (deals[:, :, 0] == row_hands(rows)[:, None]).all()
    assert (np.bitwise_count(deals) == 6).all()
    assert (np.bitwise_count(np.bitwise_or.reduce(deals, axis=2)) == 6 * num_players).all()
    assert all(len(np.unique(one[:, 1])) == 20 for one in deals)


def test_rows_are_the_trump_classes_and_then_the_classes_with_no_trump():
    rows = np.array([0, 24_929, 24_930, NUM_ROWS - 1])
    assert row_trumps(rows).tolist() == [3, 3, 4, 4]
    masks = row_hands(rows)
    assert hands.trump_class_of(masks[:2], 3).tolist() == [0, 24_929]
    assert hands.class_of(masks[2:]).tolist() == [0, 6_906]


def test_a_layout_depends_on_seed_row_and_number_alone():
    many = deal_layouts(np.arange(100, 140), 12, 4, seed=2**64 - 1)
    few = deal_layouts(np.array([139, 101]), 5, 4, seed=2**64 - 1)
    assert np.array_equal(few, many[[39, 1], :5])
    assert not np.array_equal(few, deal_layouts(np.array([139, 101]), 5, 4, seed=2**64 - 2))


@pytest.mark.parametrize("num_players", [2, 4])
def test_every_other_card_is_as_likely_at_every_other_seat(num_players):
    row = np.array([7_000])
    deals = deal_layouts(row, 30_000, num_players, seed=11)[0]
    others = [card for card in range(24) if not row_hands(row)[0] >> card & 1]
    for seat in range(1, num_players):
        share = [(deals[:, seat] >> card & 1).mean() for card in others]
        # One card lies at one seat or not: five standard deviations are 0.014.
        assert np.allclose(share, 1 / 3, atol=0.014)
        # Two given cards lie at one seat together as often as in a fair deal: 6·5 / (18·17).
        pair = (deals[:, seat] >> others[0] & deals[:, seat] >> others[17] & 1).mean()
        assert pair == pytest.approx(30 / 306, abs=0.009)


def test_distances_are_counted_by_fold():
    distances = np.random.default_rng(1).integers(0, 7, (3, 10, 7))
    counts = count_distances(distances)
    assert counts.shape == (2, 3, 7, 7)
    for row, layout, bid in itertools.product(range(3), range(10), range(7)):
        counts[layout % 2, row, bid, distances[row, layout, bid]] -= 1
    assert not counts.any()


# Double dummy


def _taken(deal, trump):
    """Tricks by no rule of any game, but by all of a deal and the trump."""
    return (np.bitwise_count(deal[..., 0] & 0xE38E38) + deal[..., 1] % 3 + trump) % 7


class _Solver:
    """Stands in for the solver, at its interface: it looks at every argument, and counts."""

    def __init__(self, interrupt_at=None):
        self.calls, self.interrupt_at = 0, interrupt_at

    def __call__(self, hands, *, trump, rules, threads, progress):
        if self.calls == self.interrupt_at:
            raise KeyboardInterrupt
        self.calls += 1
        assert hands.dtype == np.uint32
        assert len(trump) == len(hands)
        assert threads >= 1
        progress(len(hands))
        shift = 0 if rules.following == "any" else 1
        taken = (_taken(hands, trump) + shift) % 7
        return (10 - 2 * np.abs(np.arange(7) - taken[:, None])).astype(np.int8)


def test_scores_become_distances_of_the_rows_own_layouts():
    plan = Plan(3, PyramidRules(no_trump=True), layouts=6, seed=9)
    rows = np.array([24_929, 24_930, 5])
    done = []
    counts = DoubleDummy(plan, 1, _Solver()).count(rows, done.append)
    assert sum(done) == 18
    deals = deal_layouts(rows, 6, 3, seed=9)
    for i, trump in enumerate((3, 4, 3)):
        for layout, bid in itertools.product(range(6), range(7)):
            distance = abs(bid - int(_taken(deals[i, layout], trump)))
            counts[layout % 2, i, bid, distance] -= 1
    assert not counts.any()


@pytest.mark.parametrize(("rules", "num_players"), [(INVENTOR, 3), (PyramidRules(), 2)])
def test_the_solver_is_asked_about_each_layout(rules, num_players):
    plan = Plan(num_players, rules, layouts=4, seed=1)
    rows = np.array([100, 24_000] + [30_000] * rules.no_trump)
    counts = DoubleDummy(plan, 1).count(rows, _nothing)
    deals = deal_layouts(rows, 4, num_players, seed=1)
    for i, layout in itertools.product(range(len(rows)), range(4)):
        held = [DECK_24.cards(hand) for hand in deals[i, layout]]
        scores = pyramid.solve(held, trump=int(row_trumps(rows)[i]), rules=rules)
        for bid, score in enumerate(scores):
            counts[layout % 2, i, bid, (10 - int(score)) // 2] -= 1
    assert not counts.any()


@pytest.mark.parametrize("path", sorted(TABLES.glob("*.npz")), ids=lambda path: path.stem)
def test_a_shipped_table_is_what_the_solver_finds(path):
    table = Outcomes.load(path)
    assert path.name == table_name(table.num_players, path.name.split("-")[0])
    assert table.rules == PyramidRules.preset(path.name.split("-")[0])
    assert table.source == "double dummy"
    assert table.layouts >= (16 if path.name == table_name(4, "piramida") else 64)
    assert path.stat().st_size < 750_000
    plan = Plan(table.num_players, table.rules, table.layouts, table.seed)
    assert table.provenance["command"] == plan.command()
    rows = np.linspace(0, num_rows(table.rules) - 1, 5).astype(np.int64)
    found = DoubleDummy(plan, 1).count(rows, _nothing)
    assert np.array_equal(found, table.counts[:, rows])


@pytest.fixture
def wide_blocks(monkeypatch):
    """A whole table in five blocks."""
    monkeypatch.setattr(command, "BLOCK", 7_000)


def _settings(path, **changes):
    values = {"out": path, "num_players": 2, "rules": "inventor", "layouts": 2, "threads": 1}
    return BuildOutcomes(**{**values, **changes})


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """The bytes of a table that was built in one go."""
    path = tmp_path_factory.mktemp("fresh") / "t.npz"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(command, "BLOCK", 7_000)
        build_outcomes(_settings(path), solve=_Solver())
    return path.read_bytes()


def test_a_table_says_where_it_comes_from(tmp_path, fresh):
    path = tmp_path / "t.npz"
    path.write_bytes(fresh)
    table = Outcomes.load(path)
    assert table.counts.shape == (2, NUM_ROWS, 7, 7)
    assert (table.counts.sum(axis=-1) == 1).all()
    assert (table.num_players, table.rules, table.layouts) == (2, INVENTOR, 2)
    assert (table.source, table.seed) == ("double dummy", 0)
    assert table.provenance == {
        "bidwise": metadata.version("bidwise"),
        "command": "bidwise outcomes --num-players 2 --rules inventor --layouts 2 --seed 0",
    }


def test_only_denominations_that_the_rules_allow_have_rows(tmp_path, wide_blocks):
    (table,) = build_outcomes(_settings(tmp_path / "t.npz", rules="piramida"), solve=_Solver())
    assert table.counts.shape == (2, 24_930, 7, 7)


@pytest.mark.parametrize("block", [0, 3])
def test_an_interrupted_build_goes_on_and_ends_with_the_same_bytes(
    tmp_path, wide_blocks, fresh, capsys, block
):
    path = tmp_path / "t.npz"
    with pytest.raises(KeyboardInterrupt):
        build_outcomes(_settings(path), solve=_Solver(interrupt_at=block))
    assert f"{block} of 5 blocks are kept" in capsys.readouterr().out
    assert not path.exists()
    again = _Solver()
    build_outcomes(_settings(path, threads=2), solve=again)
    assert again.calls == 5 - block
    assert path.read_bytes() == fresh
    assert list(tmp_path.iterdir()) == [path]


def _interrupted(path, block=5, **changes):
    """Chunks of a build, cut off before the given block; all of them when there is none."""
    with pytest.MonkeyPatch.context() as patch:
        if block == 5:
            patch.setattr(Outcomes, "save", _stop)
        with pytest.raises(KeyboardInterrupt):
            build_outcomes(_settings(path, **changes), solve=_Solver(interrupt_at=block))
    return sorted(path.with_name("t.npz.chunks").iterdir())


def _stop(self, path):
    raise KeyboardInterrupt


def _spoilt(data):
    return data[:-1] + bytes([data[-1] ^ 1])


@pytest.mark.parametrize("spoil", [_spoilt, lambda data: data[:40], lambda data: b""])
def test_a_damaged_chunk_is_computed_again(tmp_path, wide_blocks, fresh, spoil):
    path = tmp_path / "t.npz"
    chunks = _interrupted(path)
    assert len(chunks) == 5
    chunks[2].write_bytes(spoil(chunks[2].read_bytes()))
    again = _Solver()
    build_outcomes(_settings(path), solve=again)
    assert again.calls == 1
    assert path.read_bytes() == fresh


def test_a_chunk_under_another_blocks_name_is_computed_again(tmp_path, wide_blocks, fresh):
    path = tmp_path / "t.npz"
    chunks = _interrupted(path)
    chunks[1].write_bytes(chunks[2].read_bytes())
    again = _Solver()
    build_outcomes(_settings(path), solve=again)
    assert again.calls == 1
    assert path.read_bytes() == fresh


@pytest.mark.parametrize(
    "changes",
    [
        {"seed": 1},
        {"num_players": 3},
        {"layouts": 4},
        {"rule": ("following=suit",)},
        {"rule": ("conference=open",)},
    ],
)
def test_chunks_of_other_settings_are_never_mixed_in(tmp_path, wide_blocks, fresh, changes):
    path = tmp_path / "t.npz"
    others = _interrupted(path, **changes)
    solver = _Solver()
    build_outcomes(_settings(path), solve=solver)
    assert solver.calls == 5
    assert path.read_bytes() == fresh
    # Whoever wants the other table does not begin anew.
    assert sorted(path.with_name("t.npz.chunks").iterdir()) == others


def test_chunks_under_the_names_of_other_settings_are_not_taken(tmp_path, wide_blocks, fresh):
    path = tmp_path / "t.npz"
    others = [chunk.read_bytes() for chunk in _interrupted(path, seed=1)]
    own = [p for p in _interrupted(path) if p.read_bytes() not in others]
    for chunk, other in zip(own, others, strict=True):
        chunk.write_bytes(other)
    solver = _Solver()
    build_outcomes(_settings(path), solve=solver)
    assert solver.calls == 5
    assert path.read_bytes() == fresh


def test_a_table_that_stands_is_not_built_again(tmp_path, fresh):
    path = tmp_path / "t.npz"
    path.write_bytes(fresh)
    solver = _Solver()
    (table,) = build_outcomes(_settings(path), solve=solver)
    assert solver.calls == 0
    assert table.layouts == 2


def test_another_table_is_replaced_only_on_demand(tmp_path, wide_blocks, fresh):
    path = tmp_path / "t.npz"
    path.write_bytes(fresh)
    with pytest.raises(ValueError, match=r"out: .* is a table of another seed; --overwrite"):
        build_outcomes(_settings(path, seed=1), solve=_Solver())
    with pytest.raises(ValueError, match="is a table of another layouts"):
        build_outcomes(_settings(path, layouts=4), solve=_Solver())
    assert path.read_bytes() == fresh
    build_outcomes(_settings(path, seed=1, overwrite=True), solve=_Solver())
    assert Outcomes.load(path).seed == 1
    path.write_bytes(fresh[:-200])
    with pytest.raises(ValueError, match="no outcome table"):
        build_outcomes(_settings(path), solve=_Solver())
    build_outcomes(_settings(path, overwrite=True), solve=_Solver())
    assert path.read_bytes() == fresh


def test_a_table_of_the_same_settings_stands_even_if_it_may_be_replaced(tmp_path, fresh):
    path = tmp_path / "t.npz"
    path.write_bytes(fresh)
    solver = _Solver()
    build_outcomes(_settings(path, overwrite=True), solve=solver)
    assert solver.calls == 0


def test_a_folder_in_the_place_of_the_table_is_refused_before_the_work(tmp_path):
    (tmp_path / "t.npz").mkdir()
    solver = _Solver()
    for overwrite in (False, True):
        with pytest.raises(ValueError, match=r"out: .*t\.npz is a folder"):
            build_outcomes(_settings(tmp_path / "t.npz", overwrite=overwrite), solve=solver)
    assert solver.calls == 0


def test_two_builds_of_one_output_do_not_stop_each_other(tmp_path, wide_blocks, fresh):
    path = tmp_path / "t.npz"

    class Other(_Solver):
        def __call__(self, *arguments, **keywords):
            scores = super().__call__(*arguments, **keywords)
            if self.calls == 3:  # the other build is done and removes the chunks of both
                shutil.rmtree(path.with_name("t.npz.chunks"))
            return scores

    build_outcomes(_settings(path), solve=Other())
    assert path.read_bytes() == fresh
    ours, theirs = Chunks(path, {"a": 1}), Chunks(path, {"a": 1})
    with pytest.MonkeyPatch.context() as patch:

        def moved(partial, place):
            patch.undo()
            shutil.rmtree(theirs.folder)
            os.replace(partial, place)

        patch.setattr(os, "replace", moved)
        ours.write("0", {"x": np.arange(3)})
    kept = theirs.read("0")
    assert kept is not None
    assert np.array_equal(kept["x"], np.arange(3))
    theirs.remove()
    ours.remove()
    assert [one.name for one in tmp_path.iterdir()] == ["t.npz"]


def test_names_with_brackets_are_no_markup(tmp_path, wide_blocks, capsys):
    path = tmp_path / "[b" / "x].npz"
    build_outcomes(_settings(path), solve=_Solver())
    assert "[b/x].npz: 31,837 rows" in capsys.readouterr().out
    build_outcomes(_settings(path), solve=_Solver())
    assert "[b/x].npz stands already." in capsys.readouterr().out


def test_all_shipped_tables_are_built_by_one_command(tmp_path, wide_blocks):
    settings = BuildOutcomes(out=tmp_path / "tables", shipped=True, layouts=2, threads=1)
    built = build_outcomes(settings, solve=_Solver())
    names = {path.name: Outcomes.load(path) for path in (tmp_path / "tables").iterdir()}
    assert sorted(names) == sorted(
        f"{rules}-{players}p.npz" for rules in ("piramida", "inventor") for players in (2, 3, 4)
    )
    assert len(built) == 6
    for name, table in names.items():
        assert table.rules == PyramidRules.preset(name.split("-")[0])
        assert name.endswith(f"-{table.num_players}p.npz")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_players": 5}, "num_players: 5"),
        ({"rules": "house"}, "preset 'house'"),
        ({"rule": ("following=never",)}, "following: 'never'"),
        ({"layouts": 3}, "layouts: 3 is odd"),
        ({"layouts": 0}, "layouts: 0"),
        ({"seed": -1}, "seed: -1"),
        ({"threads": 0}, "threads: 0"),
        ({"declarer": "basic"}, "declarer, defenders: name both agents or neither"),
        ({"out": Path("table.csv")}, r"out: 'table\.csv' does not end in \.npz"),
        ({"shipped": True}, "shipped: its tables are of every preset"),
    ],
)
def test_settings_that_cannot_be_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        _settings(Path("t.npz"), **changes)


def test_the_command_line_gives_the_settings():
    words = "--num-players 3 --rules inventor --rule following=suit no_trump=false --layouts 8"
    config = tyro.cli(BuildOutcomes, args=[*words.split(), "--seed", "4", "--out", "a/t.npz"])
    assert config == BuildOutcomes(
        out=Path("a/t.npz"),
        num_players=3,
        rules="inventor",
        rule=("following=suit", "no_trump=false"),
        layouts=8,
        seed=4,
    )


@pytest.mark.parametrize(
    "rules", [INVENTOR, SIGNALS, PyramidRules(deals_per_player=7, quota=(1,) * 7)]
)
def test_the_command_in_the_provenance_is_one_that_builds_the_table(rules):
    plan = Plan(2, rules, layouts=4, seed=8, declarer="basic", defenders="random")
    program, name, *arguments = plan.command().split()
    assert (program, name) == ("bidwise", "outcomes")
    config = tyro.cli(BuildOutcomes, args=[*arguments, "--out", "t.npz"])
    assert command.chosen_rules("pyramid", config.rules, config.rule) == rules
    assert (config.num_players, config.layouts, config.seed) == (2, 4, 8)
    assert (config.declarer, config.defenders) == ("basic", "random")


# Play-outs

ROWS = np.array([3, 24_000, 24_929, 25_500, NUM_ROWS - 1])


def _play_outs(declarer, defenders, rules=INVENTOR, num_players=4, layouts=2, seed=5, **keywords):
    return PlayOuts(
        (declarer, defenders),
        rules=rules,
        num_players=num_players,
        layouts=layouts,
        seed=seed,
        **keywords,
    )


def _slow_deal(deal, rules, trump, bid, key):
    """Tricks that the declarer takes in random play, by the reference; each action is drawn as
    the deal's own stream has it."""
    match = Match(dataclasses.asdict(rules), len(deal), dealer=len(deal) - 1)
    match.deal([DECK_24.cards(hand) for hand in deal])
    match.play(FIRST_DECLARATION + 5 * bid + trump)
    for number in itertools.count():
        if match.player is None:
            return match.tricks_taken[0]
        mask = np.zeros(67, np.int8)
        mask[match.legal()] = 1
        bits = draw(np.uint64(key), np.uint64(number))
        match.play(int(choose_uniformly(mask, np.uint64(bits))))
    raise AssertionError


@pytest.mark.parametrize(
    ("rules", "num_players"), [(INVENTOR, 4), (SILENT, 3), (SIGNALS, 3), (SIGNALS, 2)]
)
def test_play_outs_are_the_references(rules, num_players):
    counts = _play_outs("random", "random", rules, num_players).count(ROWS, _nothing)
    deals = deal_layouts(ROWS, 2, num_players, seed=5)
    seed = np.uint64(5) ^ playouts._PLAY
    for i, row in enumerate(ROWS):
        trump = int(row_trumps(ROWS)[i])
        for layout, bid in itertools.product(range(2), range(7)):
            key = stream(seed, np.uint64(row), np.uint64(layout), np.uint64(bid))
            taken = _slow_deal(deals[i, layout], rules, trump, bid, key)
            counts[layout % 2, i, bid, abs(bid - taken)] -= 1
    assert not counts.any()


class _Spy(agents.Agent):
    """The lowest legal card; it notes what it was shown."""

    def __init__(self, setting):
        super().__init__("spy", setting.game, setting.seed)
        self.setting, self.seen = setting, []

    def _decide(self, observations, action_masks):
        self.seen += zip(observations.copy(), action_masks.copy(), strict=True)
        return action_masks.argmax(axis=1)


@pytest.fixture
def spies(monkeypatch):
    """Every agent by the name of "spy", in the order of making."""
    made, make = [], agents.make

    def making(name, **keywords):
        if name != "spy":
            return make(name, **keywords)
        game = envs.get_game(keywords.pop("game"))
        made.append(_Spy(agents.Setting(game, **keywords)))
        return made[-1]

    monkeypatch.setattr(agents, "make", making)
    return made


@pytest.mark.parametrize(
    ("rules", "num_players"), [(INVENTOR, 4), (PyramidRules(), 3), (SIGNALS, 3)]
)
def test_agents_see_what_a_table_of_these_rules_shows(spies, rules, num_players):
    rows = ROWS[:2]
    counts = _play_outs("spy", "spy", rules, num_players).count(rows, _nothing)
    shown = {0: [], 1: []}
    for role in (0, 1):
        for row, mask in spies[-2 + role].seen:
            shown[role].append((row.tobytes(), mask.tobytes()))
    expected = {0: [], 1: []}
    env = envs.CardGameEnv("pyramid", num_players=num_players, rules=rules, deals=1)
    deals = deal_layouts(rows, 2, num_players, seed=5)
    for i, layout, bid in itertools.product(range(2), range(2), range(7)):
        given = [DECK_24.cards(hand) for hand in deals[i, layout]]
        env.reset(seed=0, options={"hands": given, "dealer": num_players - 1})
        env.step(FIRST_DECLARATION + 5 * bid + 3)
        while not any(env.terminations.values()):
            role = 0 if env.agent_selection == "player_0" else 1
            observed = env.observe(env.agent_selection)
            mask = observed["action_mask"]
            expected[role].append((observed["observation"].tobytes(), mask.tobytes()))
            env.step(int(mask.argmax()))
    for role in (0, 1):
        assert sorted(shown[role]) == sorted(expected[role])
    assert (counts.sum(axis=-1) == 1).all()


@pytest.mark.parametrize("rules", [INVENTOR, PyramidRules()])
def test_agents_of_both_kinds_are_played_alike(monkeypatch, rules):
    """``basic-v1`` draws nothing, so that one way of asking it must do as the other."""
    play = _play_outs("basic", "basic", rules)
    expected = play.count(ROWS, _nothing)
    monkeypatch.setattr(play, "_addresses", [])
    monkeypatch.setattr(playouts, "_BATCH", 30)
    done = []
    assert np.array_equal(play.count(ROWS, done.append), expected)
    assert sum(done) == len(ROWS) * 2


def test_the_declarer_is_the_first_agent():
    misses = [
        (_play_outs(*names, layouts=8).count(np.arange(0, 24_930, 100), _nothing) @ np.arange(7))
        for names in (("basic", "random"), ("random", "basic"))
    ]
    assert misses[0].sum() < 0.9 * misses[1].sum()


def test_a_table_by_play_outs_is_the_same_whatever_threads(tmp_path, wide_blocks):
    made = []
    for threads in (1, 2):
        path = tmp_path / f"{threads}.npz"
        play = {"declarer": "basic", "defenders": "random", "rules": "piramida"}
        build_outcomes(_settings(path, threads=threads, **play))
        made.append(path.read_bytes())
    assert made[0] == made[1]
    table = Outcomes.load(tmp_path / "1.npz")
    assert table.source == "basic-v1 against random"
    assert (table.counts.sum(axis=-1) == 1).all()
    assert table.provenance["command"].endswith("--declarer basic --defenders random")


def test_play_outs_depend_on_the_seed_and_the_row_alone():
    for names in (("random", "basic"), ("spread", "spread")):
        counts = _play_outs(*names).count(ROWS, _nothing)
        assert np.array_equal(counts, _play_outs(*names).count(ROWS, _nothing))
        assert not np.array_equal(counts, _play_outs(*names, seed=6).count(ROWS, _nothing))
    apart = np.concatenate(
        [_play_outs("random", "basic").count(ROWS[k : k + 1], _nothing) for k in range(5)], axis=1
    )
    assert np.array_equal(apart, _play_outs("random", "basic").count(ROWS, _nothing))


class _Spread(agents.Agent):
    """A random agent without a compiled function."""

    def __init__(self, setting):
        super().__init__("spread", setting.game, setting.seed)

    def _decide(self, observations, action_masks):
        bits = self._bits(len(observations))
        return np.array(
            [choose_uniformly(mask, b) for mask, b in zip(action_masks, bits, strict=True)]
        )


@pytest.fixture(autouse=True, scope="module")
def _spread():
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(registry._FACTORIES, "spread", _Spread)
        patch.setitem(registry._FACTORIES, "cheat", _Cheat)
        yield


class _Cheat(agents.Agent):
    """It plays the ace of spades, held or not."""

    def __init__(self, setting):
        super().__init__("cheat", setting.game, setting.seed)

    def _decide(self, observations, action_masks):
        return np.full(len(action_masks), 23)


def test_an_illegal_action_ends_the_build_with_the_agents_and_the_row():
    with pytest.raises(ValueError, match=r"random against cheat: an illegal action .* of row 3"):
        _play_outs("random", "cheat").count(ROWS, _nothing)


def test_every_bid_must_be_one_that_can_be_declared():
    rules = PyramidRules(deals_per_player=6, quota=(0, 1, 1, 1, 1, 1, 1))
    with pytest.raises(ValueError, match="quota: the bid 0 is never to be spent"):
        _play_outs("random", "random", rules)


def test_a_published_agent_is_told_by_its_files(tmp_path):
    assert playouts._digest("basic") is None
    folder = tmp_path / "agent"
    folder.mkdir()
    (folder / "card.json").write_text(json.dumps({"a": 1}))
    digest = playouts._digest(str(folder))
    assert digest is not None
    assert playouts._digest(f"{folder}:sample=true") == digest
    (folder / "card.json").write_text(json.dumps({"a": 2}))
    assert playouts._digest(str(folder)) != digest
