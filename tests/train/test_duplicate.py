"""Duplicate play: the same deals, true intervals, and figures that a plain loop confirms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bidwise.envs import SpadesRules, Tables, get_game, pyramid_env, spades_env
from bidwise.envs.batch.policies import KernelPolicy, choose_uniformly
from bidwise.envs.core.compilation import compiled
from bidwise.envs.states import begin_one
from bidwise.train.compare import duplicate as duplicates
from bidwise.train.compare.duplicate import duplicate
from bidwise.train.compare.intervals import mean_interval, share_interval, student_t


@compiled
def _uniform(observation, action_mask, bits):
    return choose_uniformly(action_mask, bits)


class Lowest:
    """Always the lowest legal action."""

    def act_batch(self, observations, action_masks):
        return action_masks.argmax(axis=1)


class Highest:
    """Always the highest legal action."""

    def act_batch(self, observations, action_masks):
        return action_masks.shape[1] - 1 - action_masks[:, ::-1].argmax(axis=1)


def _random(seed=0):
    return KernelPolicy(_uniform, seed)


# Intervals


@pytest.mark.parametrize(
    ("degrees", "quantile"),
    [(1, 12.7062), (2, 4.30265), (10, 2.22814), (29, 2.04523), (99, 1.98422), (10_000, 1.96020)],
)
def test_student_quantiles_are_those_of_the_printed_table(degrees, quantile):
    assert student_t(degrees) == pytest.approx(quantile, rel=1e-5)


def test_the_interval_of_equal_sizes_is_the_plain_student_interval():
    values = np.array([3.0, -1.0, 4.0, 1.0, -5.0])
    half = 2.776445 * values.std(ddof=1) / math.sqrt(5)
    estimate = mean_interval(values * 16, np.full(5, 16))
    assert estimate.mean == pytest.approx(values.mean())
    assert estimate.high - estimate.mean == pytest.approx(half, rel=1e-6)
    assert estimate.low == pytest.approx(values.mean() - half, rel=1e-6)
    assert estimate.units == 5


def _coverage(make, truth, repeats=3000):
    generator = np.random.default_rng(20)
    hits = 0
    for _ in range(repeats):
        estimate = make(generator)
        hits += estimate.low <= truth <= estimate.high
    return hits / repeats


def test_intervals_of_independent_deals_cover_the_mean_95_times_in_100():
    for size in (2, 6, 40):
        covered = _coverage(lambda g, n=size: mean_interval(g.normal(1.5, 3.2, n)), 1.5)
        assert covered == pytest.approx(0.95, abs=0.012), size


def test_intervals_hold_where_deals_of_one_match_hang_together():
    def matches(g):
        sizes = g.integers(2, 12, 60)
        luck = g.normal(0.0, 2.0, 60)
        return mean_interval(sizes * (1.0 + luck) + np.sqrt(sizes) * g.normal(0, 3, 60), sizes)

    assert _coverage(matches, 1.0) == pytest.approx(0.95, abs=0.02)


@pytest.mark.parametrize("share", [0.5, 0.8, 0.97])
def test_shares_of_pairs_cover_the_truth(share):
    def pairs(g):
        return share_interval((g.random((80, 2)) < share).mean(axis=1))

    covered = _coverage(pairs, share)
    assert 0.93 <= covered <= 0.985


def test_a_share_of_all_matches_still_has_an_interval():
    estimate = share_interval(np.ones(50))
    assert estimate.mean == estimate.high == 1.0
    assert 0.90 < estimate.low < 0.95


def test_one_unit_gives_no_interval():
    with pytest.raises(ValueError, match="2 independent units"):
        mean_interval([1.0])


# Equal agents


@pytest.mark.parametrize("much", [{"deals": 40}, {"matches": 6}])
@pytest.mark.parametrize("game", ["pyramid", "spades"])
def test_a_deterministic_agent_differs_from_itself_by_exactly_nothing(game, much):
    found = duplicate(Lowest(), Lowest(), game=game, **much)
    for estimate in found.differences.values():
        assert (estimate.mean, estimate.low, estimate.high) == (0.0, 0.0, 0.0)
    levels = {(e.mean, e.low, e.high) for e in found.levels.values()}
    assert len(levels) == 1


@pytest.mark.parametrize("game", ["pyramid", "spades"])
def test_the_interval_of_two_random_agents_covers_zero_about_95_times_in_100(game):
    name = "points" if game == "spades" else "together"
    covered = 0
    for seed in range(120):
        found = duplicate(
            _random(2 * seed), _random(2 * seed + 1), game=game, deals=20, seed=seed
        ).differences[name]
        covered += found.low <= 0 <= found.high
    assert 107 <= covered <= 119


@pytest.mark.parametrize("much", [{"deals": 30}, {"matches": 5}])
@pytest.mark.parametrize("game", ["pyramid", "spades"])
def test_exchanging_the_agents_turns_the_sign(game, much):
    name = "points" if game == "spades" else "together"
    one = duplicate(Lowest(), Highest(), game=game, **much).differences[name]
    other = duplicate(Highest(), Lowest(), game=game, **much).differences[name]
    assert one.mean != 0
    assert (one.mean, one.low, one.high) == (-other.mean, -other.high, -other.low)


@pytest.mark.parametrize("much", [{"deals": 23}, {"matches": 9}])
@pytest.mark.parametrize("game", ["pyramid", "spades"])
def test_the_result_does_not_depend_on_the_batch(game, much):
    def play(batch):
        return duplicate(Lowest(), Highest(), game=game, seed=3, batch=batch, **much)

    assert play(4) == play(1024)


def test_another_seed_plays_other_deals():
    one, other = (
        duplicate(Lowest(), Highest(), game="spades", deals=20, seed=seed) for seed in (0, 1)
    )
    assert one.differences != other.differences


# Figures that a plain loop over the AEC env confirms


def _act(policy, env):
    seen = env.observe(env.agent_selection)
    return int(policy.act_batch(seen["observation"][None], seen["action_mask"][None])[0])


def _play(env, state, seated):
    """Final totals of one episode; `seated(env)` gives who is to act."""
    env.reset(seed=0)
    env.state = state
    deals = 0
    while not (any(env.terminations.values()) or any(env.truncations.values())):
        before = int(env.state["deals_played"])
        env.step(_act(seated(env), env))
        deals += int(env.state["deals_played"]) - before
    return env.scores, deals


@pytest.mark.parametrize("num_players", [2, 4])
def test_pyramid_matches_by_role_agree_with_a_plain_loop(num_players):
    a, b = Highest(), Lowest()
    found = duplicate(a, b, game="pyramid", num_players=num_players, matches=3, seed=8)
    begun = Tables("pyramid", 3, num_players=num_players, seed=8).states
    env = pyramid_env(num_players=num_players)

    def points(declarer, defender):
        def seated(env):
            mine = env.agent_selection == f"player_{env.state['declarer']}"
            return declarer if mine else defender

        return [sum(_play(env, begun[u], seated)[0]) / (16 * num_players) for u in range(3)]

    ab, bb, ba = (np.array(points(*roles)) for roles in ((a, b), (b, b), (b, a)))
    assert [e.mean for e in found.levels.values()] == pytest.approx(
        [ab.mean(), bb.mean(), ba.mean()]
    )
    assert found.differences["declaring"].mean == pytest.approx((ab - bb).mean())
    assert found.differences["defending"].mean == pytest.approx((bb - ba).mean())
    assert found.differences["together"].mean == pytest.approx((ab - ba).mean())
    half = student_t(2) * (ab - bb).std(ddof=1) / math.sqrt(3)
    low = found.differences["declaring"].low
    assert low == pytest.approx((ab - bb).mean() - half)
    assert (found.unit, found.units, found.deals) == ("match", 3, 3 * 3 * 16 * num_players)


@pytest.mark.parametrize("rules", ["piki", SpadesRules(mercy=None, max_deals=12)])
def test_spades_matches_with_sides_swapped_agree_with_a_plain_loop(rules):
    a, b = Highest(), Lowest()
    found = duplicate(a, b, game="spades", rules=rules, matches=2, seed=8)
    begun = Tables("spades", 2, rules=rules, seed=8).states
    env = spades_env(rules=rules)

    own = other = deals = wins = 0
    for u in range(2):
        for even, odd in ((a, b), (b, a)):
            totals, played = _play(
                env, begun[u], lambda env, e=even, o=odd: (e, o)[env.state["player"] % 2]
            )
            mine, theirs = totals if even is a else totals[::-1]
            own, other, deals = own + mine, other + theirs, deals + played
            wins += 1 if mine > theirs else 0.5 if mine == theirs else 0
    assert found.deals == deals
    assert found.differences["points"].mean == pytest.approx((own - other) / deals)
    assert [e.mean for e in found.levels.values()] == pytest.approx([own / deals, other / deals])
    assert found.wins is not None
    assert found.wins.mean == pytest.approx(wins / 4)
    assert (found.unit, found.units) == ("pair of matches", 2)


def test_single_pyramid_deals_are_declared_by_every_seat():
    states = duplicates._begin(get_game("pyramid"), 5, 2, None, 3, 7, False)
    assert states["declarer"].tolist() == [1, 2, 0, 1, 2, 0]
    assert states["table"].tolist() == [5, 5, 5, 6, 6, 6]
    for rows in (states[:3], states[3:]):
        assert np.array_equal(rows["hands"][0], rows["hands"][1])
        assert np.array_equal(rows["hands"][0], rows["hands"][2])
    assert not np.array_equal(states["hands"][0], states["hands"][3])
    again = Tables("pyramid", 7, num_players=3, seed=7, deals=1).states[5:6]
    begin_one(again)
    assert np.array_equal(again["hands"][0], states["hands"][0])


# What agents do wrong


class Wild:
    """Answers what no mask allows."""

    def __init__(self, action):
        self.action = action
        self.asked = 0

    def act_batch(self, observations, action_masks):
        self.asked += len(action_masks)
        return np.full(len(action_masks), self.action)


@pytest.mark.parametrize("action", [-1, 10_000])
def test_illegal_actions_are_counted_and_replaced(action):
    wild = Wild(action)
    found = duplicate(Lowest(), wild, game="spades", deals=10)
    assert found.illegal == {"A": 0, "B": wild.asked}
    assert wild.asked > 200
    assert found == duplicate(Lowest(), Wild(action), game="spades", deals=10)


def test_an_answer_of_the_wrong_shape_is_refused_by_name():
    class Short:
        def act_batch(self, observations, action_masks):
            return np.zeros(1, np.int64)

    with pytest.raises(ValueError, match="agent Shorty: act_batch gave int64"):
        duplicate(Short(), Lowest(), game="pyramid", deals=9, names=("Shorty", "Lowest"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "either deals or matches"),
        ({"deals": 5, "matches": 5}, "either deals or matches"),
        ({"deals": 1}, "deals: 1 is not in 2"),
        ({"deals": 5, "rules": "zone"}, "preset 'zone'"),
        ({"deals": 5, "num_players": 5}, "num_players: 5"),
        ({"deals": 5, "seed": -1}, "seed: -1"),
        ({"deals": 5, "names": ("x", "x")}, "both agents are called 'x'"),
    ],
)
def test_bad_input_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        duplicate(Lowest(), Lowest(), game="pyramid", **arguments)
