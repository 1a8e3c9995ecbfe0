"""The yardstick that looks at all cards: what it declares, what it plays, where it is refused."""

import dataclasses
from random import Random

import numpy as np
import pytest
from order_tables import made_up_table
from sitting import some_rules

from bidwise import agents
from bidwise.agents.double_dummy import DoubleDummy
from bidwise.agents.double_dummy_matches import play_match, play_matches
from bidwise.agents.order.optimal import solve
from bidwise.agents.outcomes.hands import class_weights
from bidwise.agents.solvers import pyramid
from bidwise.envs import CardGameEnv, PyramidRules, Tables, get_game
from bidwise.envs.pyramid import decode_action
from bidwise.envs.pyramid.rules import FOLLOWING

INVENTOR = PyramidRules.preset("inventor")
SEATS = [(players, following) for players in (2, 3, 4) for following in FOLLOWING]


def masks_of(states):
    return states["hands"][:, : states["num_players"][0]].astype(np.uint32)


def scores_of(states, bids, denominations):
    """What the solver says of deals before the lead."""
    solved = pyramid.solve_batch(
        masks_of(states),
        trump=denominations,
        rules=get_game("pyramid").read_rules(states[0]),
        declarer=states["declarer"].astype(int),
    )
    return solved[np.arange(len(states)), bids]


def declared(actions):
    return np.divmod(actions - 24, 5)


def play_deals(tables, deciders):
    """Points of the declarers of one deal at each table, and what the declarations promised.

    Args:
        deciders: who declares and plays the declarer's cards, and who plays the defenders'.
    """
    assert (tables.states["decision"] == 1).all()
    promised = points = None
    while points is None:
        states = tables.states
        asked = [decide(tables, states) for decide in deciders]
        defends = states["player"] != states["declarer"]
        actions = np.where(defends, asked[1], asked[0])
        if promised is None:
            promised = scores_of(states, *declared(actions))
        rewards, finished = tables.step(actions)
        if finished.any():
            assert finished.all()
            points = rewards[np.arange(len(states)), states["declarer"]]
    return points, promised


def cheat(tables, states):
    return DoubleDummy().act_states(states)


def at_random(tables, states):
    return tables.sample_actions()


def deals_of(num_players, following, count, seed=0, **switches):
    rules = PyramidRules(following=following, **switches)
    where = {"rules": rules, "num_players": num_players, "threads": 1}
    return Tables("pyramid", count, seed=seed, deals=1, reward="points", **where)


def number_of_deals(num_players, following):
    return 4 if (num_players, following) == (4, "any") else 40


# ----------------------------------------------------------------- deals played to the end


@pytest.mark.parametrize("no_trump", [False, True])
@pytest.mark.parametrize(("num_players", "following"), SEATS)
def test_deals_end_at_the_score_that_the_solver_gives(num_players, following, no_trump):
    count = number_of_deals(num_players, following)
    tables = deals_of(num_players, following, count, no_trump=no_trump)
    states = tables.states
    points, promised = play_deals(tables, (cheat, cheat))
    np.testing.assert_array_equal(points, promised)
    # And what it declared is the best there was: of equal ones the first.
    scores = np.stack(
        [[scores_of(states, bid, trump) for trump in range(4 + no_trump)] for bid in range(7)]
    ).transpose(2, 0, 1)
    chosen = DoubleDummy().act_states(states)
    best = scores.reshape(count, -1).argmax(axis=1)
    np.testing.assert_array_equal(np.stack(declared(chosen)), np.divmod(best, 4 + no_trump))


@pytest.mark.parametrize(("num_players", "following"), SEATS)
def test_declarations_of_others_are_played_to_the_score_that_the_solver_gives(
    num_players, following
):
    """Bad bids too: they are missed by as much as must be, on either side of them."""
    tables = deals_of(num_players, following, number_of_deals(num_players, following), seed=1)

    def declare_at_random(tables, states):
        if (states["decision"] == 1).all():
            return tables.sample_actions()
        return cheat(tables, states)

    points, promised = play_deals(tables, (declare_at_random, cheat))
    np.testing.assert_array_equal(points, promised)
    assert len(np.unique(points)) > 1


@pytest.mark.parametrize(("num_players", "following"), SEATS)
def test_against_random_play_it_does_no_worse(num_players, following):
    count = number_of_deals(num_players, following)
    points, promised = play_deals(deals_of(num_players, following, count), (cheat, at_random))
    assert (points >= promised).all()
    points, promised = play_deals(deals_of(num_players, following, count), (at_random, cheat))
    assert (points <= promised).all()


def test_a_match_with_signals_ends_as_one_without():
    rules = {"following": "suit_then_trump", "deals_per_player": 2, "quota": (0, 1, 0, 1, 0, 0, 0)}
    silent = PyramidRules(conference="silent", **rules)
    signals = PyramidRules(conference="signals", **rules)
    assert play_match(5, rules=silent) == play_match(5, rules=signals)


# --------------------------------------------------------------------------- single decisions


def test_a_card_is_the_lowest_that_keeps_the_score():
    rules = PyramidRules(following="suit", no_trump=True, conference="silent")
    tables = Tables("pyramid", 60, rules=rules, num_players=3, seed=4, threads=1)
    rng = np.random.default_rng(0)
    beyond = 0
    for _ in range(40):
        states = tables.states
        chosen = DoubleDummy().act_states(states)
        row = int(rng.integers(60))
        state = states[row]
        if state["decision"] == 3:
            hands = [[c for c in range(24) if int(h) >> c & 1] for h in state["hands"][:3]]
            seats = [(int(state["leader"]) + k) % 3 for k in range(int(state["trick_size"]))]
            values = pyramid.solve_cards(
                hands,
                trump=int(state["denomination"]),
                rules=rules,
                declarer=int(state["declarer"]),
                leader=int(state["leader"]),
                trick=[int(state["trick"][seat]) - 1 for seat in seats],
            )
            wanted = int(state["bid"] - state["tricks_taken"][state["declarer"]])
            last = len(values.scores) - 1
            beyond += not 0 <= wanted <= last
            assert chosen[row] == values.keeping(min(max(wanted, 0), last))[0]
        tables.step(np.where(rng.random(60) < 0.5, tables.sample_actions(), chosen))
    assert beyond > 0


def test_short_hands_may_be_bid_beyond_their_tricks():
    env_hands = [[0, 13], [7, 20], [2, 9], [23, 4]]
    for bid in range(7):
        env = CardGameEnv("pyramid", rules="inventor", deals=1, reward="points")
        spent = list(INVENTOR.quota)
        spent[bid] -= 1
        env.reset(seed=0, options={"hands": env_hands, "dealer": 3, "spent": [spent] * 4})
        tables = Tables("pyramid", 1, rules="inventor", deals=1, reward="points", threads=1)
        tables.restore(env._states.copy())
        action = DoubleDummy().act_states(tables.states)
        what = decode_action(int(action[0]))
        assert what.bid == bid
        scores = [pyramid.solve(env_hands, trump=trump, rules="inventor") for trump in range(5)]
        expected = [int(one[min(bid, 2)]) - 2 * max(bid - 2, 0) for one in scores]
        assert what.denomination == int(np.argmax(expected))
        finished = False
        while not finished:
            rewards, ended = tables.step(action)
            finished = bool(ended[0])
            action = DoubleDummy().act_states(tables.states)
        assert rewards[0, 0] == max(expected)


def test_a_bid_beyond_a_short_hand_loses_for_each_trick_that_cannot_come():
    """Two aces that all must follow take both: a 0 misses by two, a 6 by four."""
    hands = [[23, 17], [12, 18], [13, 19], [14, 20]]
    spent = [left - (bid in (0, 6)) for bid, left in enumerate(INVENTOR.quota)]
    env = CardGameEnv("pyramid", rules="inventor", deals=2, reward="points")
    env.reset(seed=0, options={"hands": hands, "dealer": 3, "spent": [spent] * 4})
    for trump in range(5):
        assert pyramid.solve(hands, trump=trump, rules="inventor").tolist() == [6, 8, 10]
    assert decode_action(int(DoubleDummy().act_states(env._states)[0])).bid == 0


def test_rows_that_may_not_name_no_trump_do_not_beside_rows_that_may():
    """Only a 6 is left, for which no trump is often the best."""
    parts = []
    for no_trump in (True, False):
        states = deals_of(2, "any", 100, no_trump=no_trump).states
        states["spent"] = np.tile(states["quota"] - np.eye(7, dtype=int)[6], 4)
        parts.append(states)
    _, (free, bound) = (
        part.reshape(2, 100) for part in declared(DoubleDummy().act_states(np.concatenate(parts)))
    )
    assert (free == 4).any()
    assert (bound < 4).all()
    np.testing.assert_array_equal(bound, declared(DoubleDummy().act_states(parts[1]))[1])


def test_rows_of_any_tables_may_be_mixed():
    rng = Random(2)
    parts = []
    for _ in range(6):
        rules = dataclasses.replace(some_rules("pyramid", rng), following="suit_then_trump")
        tables = Tables("pyramid", 5, rules=rules, num_players=rng.randint(2, 4), threads=1)
        for _ in range(rng.randrange(20)):
            tables.step(tables.sample_actions())
        parts.append(tables.states)
    together = np.concatenate(parts)
    order = np.random.default_rng(0).permutation(len(together))
    alone = np.concatenate([DoubleDummy().act_states(part) for part in parts])
    np.testing.assert_array_equal(DoubleDummy().act_states(together[order]), alone[order])


# -------------------------------------------------------------------------- whole matches


@pytest.fixture(scope="module")
def optimal():
    table = made_up_table("inventor")
    return solve(table.option_scores(), class_weights(), INVENTOR.quota)


def test_a_match_may_be_declared_by_an_order(optimal):
    played = play_matches(2, rules="inventor", num_players=2, seed=3, order=optimal)
    assert played.bids.shape == (2, 2, 16)
    for bids in played.bids.reshape(-1, 16):
        assert np.bincount(bids, minlength=7).tolist() == list(INVENTOR.quota)
    # The same hands in the same order, bid by the agent that goes by the same optimal order.
    agent = agents.OrderingAgent(
        "ordering", optimal, agents.make("basic", game="pyramid", rules="inventor", num_players=2)
    )
    tables = Tables("pyramid", 2, rules="inventor", num_players=2, seed=3, threads=1)
    turn = np.zeros((2, 2), np.int64)
    rows = np.arange(2)
    while turn.min() < 16:
        states = tables.states
        actions = agent.act_batch(tables.observations, tables.action_masks)
        if (states["decision"] == 1).all():
            seats = states["declarer"]
            at = rows, seats, turn[rows, seats]
            bids, denominations = declared(actions)
            np.testing.assert_array_equal(played.bids[at], bids)
            np.testing.assert_array_equal(played.denominations[at], denominations)
            np.testing.assert_array_equal(played.hands[at], states["hands"][rows, seats])
            turn[rows, seats] += 1
        tables.step(actions)


def test_an_order_for_other_rules_never_names_what_they_forbid(optimal):
    tables = Tables("pyramid", 200, rules="piramida", num_players=2, threads=1)
    actions = DoubleDummy(optimal).act_states(tables.states)
    assert tables.action_masks[np.arange(200), actions].all()


def test_a_match_is_told_as_its_score_sheet():
    rules = PyramidRules(following="suit", deals_per_player=3, quota=(1, 0, 1, 1, 0, 0, 0))
    told = []
    where = {"rules": rules, "num_players": 3}
    played = play_matches(3, seed=6, progress=told.append, **where)
    assert told == [3] * 9
    assert played.bids.shape == played.taken.shape == played.denominations.shape == (3, 3, 3)
    assert (np.sort(played.bids, axis=2) == [0, 2, 3]).all()
    assert (np.bitwise_count(played.hands) == 6).all()
    sheet = play_match(6, **where)
    first = np.stack([played.bids[0], played.taken[0]], axis=2)
    assert np.array(sheet).tolist() == first.tolist()
    points = [sum(10 - 2 * abs(bid - taken) for bid, taken in seat) for seat in sheet]
    assert played.totals[0].tolist() == points
    again = play_matches(3, seed=6, threads=2, **where)
    for one, other in zip(played, again, strict=True):
        np.testing.assert_array_equal(one, other)


# ------------------------------------------------------------------------------ refusals


@pytest.mark.parametrize("name", ["double-dummy", "double-dummy:threads=2"])
def test_it_is_no_agent_to_be_made(name):
    with pytest.raises(ValueError, match=r"double-dummy: it looks at hidden cards.*DoubleDummy"):
        agents.make(name, game="pyramid")
    assert "double-dummy" not in agents.names()
    with pytest.raises(ValueError, match="is taken"):
        agents.register("double-dummy", lambda setting: None)
    assert not isinstance(DoubleDummy(), agents.Agent)


def test_records_that_do_not_fit_are_refused():
    states = Tables("pyramid", 3, threads=1).states
    states["decision"][1] = 0
    with pytest.raises(ValueError, match="the game of row 1 is over"):
        DoubleDummy().act_states(states)
    with pytest.raises(ValueError, match="expected records"):
        DoubleDummy().act_states(Tables("spades", 3, threads=1).states)
    with pytest.raises(ValueError, match="expected records"):
        DoubleDummy().act_states(states[0])
    assert DoubleDummy().act_states(states[:0]).shape == (0,)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"matches": 0}, "matches: 0 is not in"),
        ({"rules": "zone"}, "'zone' is not one of"),
        ({"num_players": 5}, "num_players: 5 is not in"),
        ({"seed": -1}, "seed: -1 is not in"),
        ({"threads": 0}, "threads: 0 is not in"),
    ],
)
def test_matches_that_cannot_be_are_refused(changes, reason):
    with pytest.raises(ValueError, match=reason):
        play_matches(**{"matches": 1, "num_players": 2, **changes})
