"""The agent that spends its bids by the dynamic program of a table."""

import dataclasses
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from order_tables import made_up_table
from sitting import mixed_play, position

from bidwise import agents
from bidwise.agents.order import agent as ordering
from bidwise.agents.order.agent import (
    OrderingAgent,
    declaration_actions,
    optimal_order_of,
    suit_order,
)
from bidwise.agents.order.optimal import solve
from bidwise.agents.outcomes import hands
from bidwise.agents.outcomes import table as outcomes
from bidwise.envs import CardGameEnv, PyramidRules, Tables, seat_env
from bidwise.envs.core.cards import DECK_24
from bidwise.envs.pyramid import decode_action
from bidwise.envs.pyramid.observation import LAYOUT

INVENTOR = PyramidRules.preset("inventor")
QUOTA = INVENTOR.quota


@pytest.fixture(scope="module")
def table():
    return made_up_table()


@pytest.fixture(scope="module")
def file(tmp_path_factory, table):
    path = tmp_path_factory.mktemp("tables") / "inventor-4p.npz"
    table.save(path)
    return path


@pytest.fixture(scope="module")
def optimal(table):
    return solve(table.option_scores(), hands.class_weights(), QUOTA)


def ordering_agent(file, options="", rules="inventor", num_players=4, seed=0):
    name = f"ordering:table={file}" + (f",{options}" if options else "")
    return agents.make(name, game="pyramid", rules=rules, num_players=num_players, seed=seed)


def declaration(agent, hand, spent, rules="inventor"):
    """(bid, denomination) that seat 0 names with a hand and bids spent alike by everyone."""
    others = [card for card in range(24) if card not in hand]
    env = CardGameEnv("pyramid", rules=rules, num_players=4)
    dealt = [hand, *(others[k : k + len(hand)] for k in (0, 6, 12))]
    env.reset(seed=0, options={"hands": dealt, "dealer": 3, "spent": [spent] * 4})
    seen = env.observe("player_0")
    action = decode_action(agent.act(seen["observation"], seen["action_mask"]))
    return action.bid, action.denomination


# ------------------------------------------------------------------------------ its bids


def test_suits_of_a_hand_stand_as_those_of_its_class():
    rng = np.random.default_rng(0)
    masks = np.array([DECK_24.mask(rng.permutation(24)[:6].tolist()) for _ in range(3000)])
    order = suit_order(masks)
    assert (np.sort(order, axis=1) == np.arange(4)).all()
    classes = hands.class_of(masks)
    for suit in range(4):
        np.testing.assert_array_equal(
            hands.trump_class_of(masks, order[:, suit]), hands.trump_classes()[classes, suit]
        )
    np.testing.assert_array_equal(suit_order(hands.class_hands()), [[0, 1, 2, 3]] * 6907)


def test_it_names_the_bid_and_the_trump_with_the_most_points(file, table, optimal):
    """Recomputed over every bid and denomination of the very hand it holds."""
    agent = ordering_agent(file)
    scores = table.scores()
    states = optimal.states
    rng = np.random.default_rng(1)
    for _ in range(60):
        hand = rng.permutation(24)[:6].tolist()
        spent = rng.multivariate_hypergeometric(QUOTA, rng.integers(0, 16)).tolist()
        bid, denomination = declaration(agent, hand, spent)
        mask = DECK_24.mask(hand)
        rows = [*(hands.trump_class_of(mask, suit) for suit in range(4))]
        rows.append(outcomes.NUM_TRUMP_CLASSES + hands.class_of(mask))
        left = np.array(QUOTA) - spent
        worth = {
            (b, d): scores[rows[d], b] + optimal.values[states.index(left - np.eye(7)[b])]
            for b in range(7)
            if left[b] > 0
            for d in range(5)
        }
        assert worth[bid, denomination] == pytest.approx(max(worth.values()), abs=1e-12)


def test_it_spends_every_bid_of_the_quota_and_no_other(file):
    tables = Tables("pyramid", 20, rules="inventor", threads=1)
    agent = ordering_agent(file)
    for _ in range(64 * 25):
        _, finished = tables.step(agent.act_batch(tables.observations, tables.action_masks))
        if finished.any():
            break
    announced = LAYOUT.views(tables.final_observations)["announced"]
    assert finished.all()
    for bid, count in enumerate(QUOTA):
        assert ((announced == bid + 1).sum(axis=2) == count).all()


def test_another_quota_is_solved_for(file, table):
    rules = dataclasses.replace(INVENTOR, deals_per_player=3, quota=(0, 0, 0, 1, 1, 0, 1))
    agent = ordering_agent(file, rules=rules)
    expected = solve(table.option_scores(), hands.class_weights(), rules.quota)
    np.testing.assert_array_equal(agent.order.values, expected.values)
    hand = list(range(6))
    spent = [0, 0, 0, 1, 0, 0, 0]
    assert declaration(agent, hand, spent, rules)[0] in (4, 6)


def test_cards_signals_and_short_hands_are_the_other_agents(file):
    rules = dataclasses.replace(INVENTOR, conference="signals")
    agent = ordering_agent(file, rules=rules)
    basic = agents.make("basic", game="pyramid", rules=rules)
    tables = Tables("pyramid", 40, rules=rules, threads=1)
    kinds = set()
    for observations, masks in mixed_play(tables, 60):
        decision = LAYOUT.views(observations)["decision"][:, 0]
        kinds |= set(decision.tolist())
        rest = decision != 1
        np.testing.assert_array_equal(
            agent.act_batch(observations, masks)[rest], basic.act_batch(observations, masks)[rest]
        )
    assert kinds == {1, 2, 3}
    short = position("pyramid", ["AS KS", "9C TC", "QD KD", "AH KH"], rules="inventor")
    assert ordering_agent(file).act(*short) == basic.act(*short)


def test_cards_may_be_another_named_agents(file):
    agent = ordering_agent(file, "play=random", seed=4)
    assert agent.name == f"ordering:play=random,table={file.name}"
    tables = Tables("pyramid", 300, rules="inventor", threads=1)
    tables.step(agent.act_batch(tables.observations, tables.action_masks))
    seen = tables.observations, tables.action_masks
    random = agents.make("random", game="pyramid", rules="inventor", seed=4)
    np.testing.assert_array_equal(agent.act_batch(*seen), random.act_batch(*seen))


def test_what_the_order_does_not_know_is_left_to_the_other_agent(optimal):
    left = np.tile(QUOTA, (5, 1))
    masks = np.array([0b111111, 0b11111, 0b111111, 0b111111, 0b111111])
    left[2] = 0
    left[3, 0] = 2
    left[4, 0] = -1
    actions = declaration_actions(optimal, masks, left)
    assert actions[0] >= 24
    assert actions[1:].tolist() == [-1] * 4
    basic = agents.make("basic", game="pyramid", rules="inventor")
    agent = OrderingAgent("ordering", optimal, basic)
    # Rules it was not made for: no trump is forbidden, and there are more bids than it knows.
    for rules in ("piramida", PyramidRules(deals_per_player=9, quota=(9, 0, 0, 0, 0, 0, 0))):
        tables = Tables("pyramid", 500, rules=rules, threads=1)
        for _ in range(3):
            tables.step(agent.act_batch(tables.observations, tables.action_masks))


# ------------------------------------------------------------------------ like any agent


def test_rows_of_a_batch_are_decided_as_one_by_one(file):
    tables = Tables("pyramid", 32, rules="inventor", threads=1)
    whole, single = (ordering_agent(file, "play=random", seed=9) for _ in range(2))
    for observations, masks in mixed_play(tables, 30):
        alone = [single.act(row, mask) for row, mask in zip(observations, masks, strict=True)]
        assert whole.act_batch(observations, masks).tolist() == alone
    assert whole.act_batch(observations[:0], masks[:0]).shape == (0,)


def test_a_pickled_copy_plays_on_alike(file):
    tables = Tables("pyramid", 100, rules="inventor", threads=1)
    agent = ordering_agent(file)
    copied = pickle.loads(pickle.dumps(agent))
    assert copied.name == agent.name
    seen = tables.observations, tables.action_masks
    np.testing.assert_array_equal(copied.act_batch(*seen), agent.act_batch(*seen))


def test_it_sits_among_opponents(file):
    agent = ordering_agent(file, rules="inventor")
    env = seat_env("pyramid", rules="inventor", opponents=agent, own=agent, decide="bids", deals=4)
    seen, _ = env.reset(seed=1)
    over = False
    while not over:
        action = agent.act(seen["observation"], seen["action_mask"])
        seen, _, terminated, truncated, _ = env.step(action)
        over = terminated or truncated


def test_importing_agents_reads_no_table_and_builds_no_classes():
    program = (
        "from bidwise import agents\n"
        "from bidwise.agents.order import agent as ordering\n"
        "from bidwise.agents.outcomes import hands\n"
        "agents.make('basic', game='pyramid')\n"
        "print(hands._numbering.cache_info().currsize, ordering._solved.cache_info().currsize)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ,
    )
    assert (done.returncode, done.stdout.split()) == (0, ["0", "0"]), done.stderr


# ---------------------------------------------------------------------------- its table


def test_a_shipped_table_is_the_default(monkeypatch, tmp_path, table, optimal):
    monkeypatch.setattr(outcomes, "TABLES", tmp_path)
    ordering._solved.cache_clear()
    with pytest.raises(ValueError, match=r"ordering: rules: no outcome table .* bidwise outcomes"):
        agents.make("ordering", game="pyramid", rules="inventor")
    table.save(tmp_path / outcomes.table_name(4, "inventor"))
    agent = agents.make("ordering", game="pyramid", rules="inventor")
    assert agent.name == "ordering"
    np.testing.assert_array_equal(agent.order.values, optimal.values)
    ordering._solved.cache_clear()


def test_a_table_is_solved_once_and_a_new_file_anew(file, tmp_path):
    assert optimal_order_of(INVENTOR, 4, file) is optimal_order_of(INVENTOR, 4, file)
    path = tmp_path / "table.npz"
    made_up_table(seed=1).save(path)
    first = optimal_order_of(INVENTOR, 4, path)
    made_up_table(seed=2).save(path)
    assert optimal_order_of(INVENTOR, 4, path).value != first.value


@pytest.mark.parametrize(
    ("name", "where", "reason"),
    [
        ("{}", {"num_players": 3}, "is for 4 players, asked for 3"),
        ("{}", {"rules": "piramida"}, "table is for following='suit_then_trump'"),
        ("missing.npz", {"num_players": 3}, "missing.npz cannot be read; build one: bidwise out.*"),
        ("{},play=bassic", {}, "'bassic' is not one of"),
        ("{},play=4", {}, "play is a name, not 4"),
        ("4", {}, "table is a name, not 4"),
        ("{},plays=basic", {}, "option 'plays' is not one of play, table"),
        ("{},play=double-dummy", {}, "looks at hidden cards"),
    ],
)
def test_what_does_not_fit_is_refused(file, name, where, reason):
    where = {"game": "pyramid", "rules": "inventor", **where}
    with pytest.raises(ValueError, match=reason):
        agents.make(f"ordering:table={name.format(file)}", **where)


def test_a_missing_table_names_a_command_that_would_build_it(tmp_path):
    with pytest.raises(ValueError, match="--num-players 2 --rule following=any no_trump=false"):
        optimal_order_of(PyramidRules(), 2, tmp_path / "none.npz")


def test_a_file_that_is_no_table_is_refused(tmp_path):
    path = tmp_path / "table.npz"
    path.write_text("cards")
    with pytest.raises(ValueError, match=r"ordering: .*no outcome table"):
        agents.make(f"ordering:table={path}", game="pyramid")


def test_it_plays_no_spades():
    with pytest.raises(ValueError, match="ordering: it orders Pyramid's bids, asked for spades"):
        agents.make("ordering", game="spades")


def test_an_order_of_other_hands_is_refused(optimal):
    rng = np.random.default_rng(0)
    small = solve(rng.random((10, 4, 7)), np.ones(10), QUOTA)
    basic = agents.make("basic", game="pyramid")
    with pytest.raises(ValueError, match="expected 6907 hand classes and 7 bids"):
        OrderingAgent("ordering", small, basic)
    with pytest.raises(ValueError, match="an agent of spades cannot play pyramid"):
        OrderingAgent("ordering", optimal, agents.make("basic", game="spades"))
