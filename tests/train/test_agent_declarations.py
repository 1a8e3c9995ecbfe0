"""What agents bid when they are dealt given sequences of hand classes."""

import dataclasses
import os
import subprocess
import sys

import numpy as np
import pytest

from bidwise import agents
from bidwise.agents.order.agent import OrderingAgent, suit_order
from bidwise.agents.order.optimal import solve
from bidwise.agents.order.sequences import sample_sequences, value_declarations
from bidwise.agents.outcomes.hands import NUM_CLASSES, class_hands, class_of, class_weights
from bidwise.envs import CardGameEnv, PyramidRules, get_game
from bidwise.envs.pyramid import decode_action
from bidwise.envs.pyramid.observation import LAYOUT
from bidwise.train.studies.analysis.agent_declarations import agent_declarations

INVENTOR = PyramidRules.preset("inventor")
SEQUENCES = sample_sequences(class_weights(), 16, 40, seed=3)


class Witness(agents.Agent):
    """Plays at random and keeps what it was shown."""

    def __init__(self, rules, num_players):
        self.inner = agents.make("random", game="pyramid", rules=rules, num_players=num_players)
        super().__init__("witness", self.inner.game)
        self.seen = []

    def _decide(self, observations, action_masks):
        self.seen.append((observations.copy(), action_masks.copy()))
        return self.inner.act_batch(observations, action_masks)


def basic_agent(**setting):
    return agents.make("basic", game="pyramid", **setting)


@pytest.mark.parametrize("rules", ["piramida", "inventor"])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_basic_bids_as_in_an_env_set_to_the_same_hand_and_spent_bids(num_players, rules):
    agent = basic_agent(rules=rules, num_players=num_players)
    declarations = agent_declarations(agent, SEQUENCES[:6], num_players=num_players, rules=rules)
    env = CardGameEnv("pyramid", rules=rules, num_players=num_players)
    for sequence, chosen in zip(SEQUENCES[:6], declarations, strict=True):
        spent = [0] * 7
        for hand, (bid, denomination) in zip(sequence, chosen, strict=True):
            mask = int(class_hands()[hand])
            held = [card for card in range(24) if mask >> card & 1]
            rest = [card for card in range(24) if card not in held]
            dealt = [held, rest[:6], rest[6:12], rest[12:]][:num_players]
            options = {"hands": dealt, "dealer": num_players - 1, "spent": [spent] * num_players}
            env.reset(seed=0, options=options)
            seen = env.observe("player_0")
            action = decode_action(agent.act(seen["observation"], seen["action_mask"]))
            assert (action.bid, action.denomination) == (bid, denomination)
            spent[bid] += 1


@pytest.mark.parametrize("denominations", [4, 5])
def test_an_ordering_agent_makes_exactly_the_programmes_choices(denominations):
    rng = np.random.default_rng(denominations)
    rules = PyramidRules(no_trump=denominations == 5)
    # Equal suits score alike in a real table; here whatever is named first must come back.
    scores = rng.normal(6, 2, (NUM_CLASSES, denominations, 7)).round(1)
    optimal = solve(scores, class_weights(), rules.quota)
    agent = OrderingAgent("ordering", optimal, basic_agent(rules=rules))
    declarations = agent_declarations(agent, SEQUENCES, num_players=4, rules=rules, seed=5)
    np.testing.assert_array_equal(declarations, optimal.play(SEQUENCES))
    assert set(np.unique(declarations[:, :, 1])) == set(range(denominations))


def test_random_chooses_uniformly_among_what_is_unspent():
    random = agents.make("random", game="pyramid", rules="inventor", seed=1)
    sequences = np.repeat(sample_sequences(class_weights(), 16, 1, seed=0), 40_000, axis=0)
    declarations = agent_declarations(random, sequences, num_players=3, rules="inventor")
    for turn in range(16):
        spent = (declarations[:, :turn, 0, None] == np.arange(7)).sum(axis=1)
        left = np.array(INVENTOR.quota) - spent
        unspent = left > 0
        cells = 5 * unspent.sum(axis=1)
        for bid in range(7):
            for denomination in range(5):
                named = (declarations[:, turn] == (bid, denomination)).all(axis=1)
                chance = unspent[:, bid] / cells
                deviation = np.sqrt((chance * (1 - chance)).sum())
                assert not named[~unspent[:, bid]].any()
                assert abs(named.sum() - chance.sum()) <= 5 * deviation + 1e-9
    # All is spent in the end, so that every row is a whole pyramid.
    assert value_declarations(
        declarations, sequences, np.ones((NUM_CLASSES, 5, 7)), INVENTOR.quota
    ).min()


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_what_an_agent_is_shown(num_players):
    rules = dataclasses.replace(PyramidRules(), no_trump=True)
    witness = Witness(rules, num_players)
    declarations = agent_declarations(
        witness, SEQUENCES, num_players=num_players, rules=rules, seed=8
    )
    assert len(witness.seen) == 16
    suits = set()
    for turn, (observations, masks) in enumerate(witness.seen):
        assert (observations >= LAYOUT.low).all()
        assert (observations <= LAYOUT.high).all()
        seen = {name: view.copy() for name, view in LAYOUT.views(observations).items()}
        hands = seen.pop("hand").astype(np.int64) @ (1 << np.arange(24))
        np.testing.assert_array_equal(class_of(hands), SEQUENCES[:, turn])
        suits |= set(suit_order(hands)[:, 3].tolist())
        announced = seen.pop("announced")
        for seat in range(num_players):
            # As many as the rotation has it, none beyond the quota; one's own in their order.
            assert ((announced[:, seat] > 0).sum(axis=1) == turn).all()
            counts = (announced[:, seat, :, None] == np.arange(1, 8)).sum(axis=1)
            assert (counts <= rules.quota).all()
            legal = masks[:, 24:59].reshape(-1, 7, 5).any(axis=2)
            assert seat > 0 or ((counts < rules.quota) == legal).all()
        np.testing.assert_array_equal(announced[:, 0, :turn], declarations[:, :turn, 0] + 1)
        assert not announced[:, :, turn:].any()
        # All else is what reset's options show of the same deal.
        env = CardGameEnv("pyramid", rules=rules, num_players=num_players)
        spent = [(announced[0, 0, :, None] == np.arange(1, 8)).sum(axis=0).tolist()] * num_players
        env.reset(seed=0, options={"spent": spent, "dealer": num_players - 1})
        expected = LAYOUT.views(env.observe("player_0")["observation"])
        for name, view in seen.items():
            np.testing.assert_array_equal(view, np.broadcast_to(expected[name], view.shape), name)
    assert suits == {0, 1, 2, 3}


def test_every_suit_is_shown_and_other_seats_bids_are_all_met():
    witness = Witness(INVENTOR, 2)
    weakest = np.zeros((4000, 16), np.int64)  # a class of few cards a suit, the same throughout
    agent_declarations(witness, weakest, num_players=2, rules=INVENTOR)
    first = LAYOUT.views(witness.seen[0][0])["hand"].astype(np.int64) @ (1 << np.arange(24))
    counts = np.unique(first, return_counts=True)[1]
    assert len(counts) == class_weights()[0]
    assert abs(counts - counts.mean()).max() < 5 * np.sqrt(counts.mean())
    others = LAYOUT.views(witness.seen[1][0])["announced"][:, 1, 0]
    share = np.bincount(others, minlength=8)[1:] / 4000
    assert np.abs(share - np.array(INVENTOR.quota) / 16).max() < 0.04


def test_the_result_depends_on_the_seed_and_not_on_the_batch():
    agent = basic_agent(rules="inventor")
    weights = {
        "hidden.0.weight": np.random.default_rng(0).normal(0, 1, (4, LAYOUT.size)),
        "hidden.0.bias": np.zeros(4),
        "logits.weight": np.random.default_rng(1).normal(0, 1, (67, 4)),
        "logits.bias": np.zeros(67),
    }
    tensors = {name: tensor.astype(np.float32) for name, tensor in weights.items()}
    network = agents.Network(get_game("pyramid"), (4,), "tanh", tensors)
    learner = agents.NetworkAgent("learner", network, decide="bids", rest=agent)

    def declarations(seed, batch):
        where = {"num_players": 4, "rules": "inventor"}
        return agent_declarations(learner, SEQUENCES, seed=seed, batch=batch, **where)

    np.testing.assert_array_equal(declarations(1, 4096), declarations(1, 7))
    assert (declarations(1, 4096) != declarations(2, 4096)).any()
    largest = declarations(2**64 - 1, 4096)
    assert (np.sort(largest[:, :, 0]) == np.repeat(np.arange(7), INVENTOR.quota)).all()


def test_another_quota_has_other_turns():
    rules = PyramidRules(deals_per_player=3, quota=(0, 0, 2, 0, 0, 0, 1))
    declarations = agent_declarations(
        basic_agent(rules=rules), SEQUENCES[:, :3], num_players=4, rules=rules
    )
    assert declarations.shape == (40, 3, 2)
    assert (np.sort(declarations[:, :, 0]) == [2, 2, 6]).all()
    assert (
        agent_declarations(basic_agent(), SEQUENCES[:0], num_players=4, rules="piramida").shape[0]
        == 0
    )


class Cheat(agents.Agent):
    """Names an action of its choosing, legal or not."""

    def __init__(self, action):
        super().__init__("cheat", get_game("pyramid"))
        self.action = action

    def _decide(self, observations, action_masks):
        return np.full(len(observations), self.action)


@pytest.mark.parametrize("action", [-1, 0, 28, 67])
def test_a_choice_that_the_rules_forbid_is_named(action):
    with pytest.raises(ValueError, match=f"cheat chose action {action} at turn 0 of sequence 0"):
        agent_declarations(Cheat(action), SEQUENCES, num_players=4, rules="piramida")
    with pytest.raises(ValueError, match="cheat chose action 24 at turn 1"):
        agent_declarations(Cheat(24), SEQUENCES, num_players=4, rules="piramida")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"sequences": SEQUENCES[:, :5]}, r"shape \(count, 16\)"),
        ({"sequences": SEQUENCES + NUM_CLASSES}, "hand classes not all in 0..6906"),
        ({"num_players": 5}, "num_players: 5 is not in"),
        ({"rules": "zone"}, "preset 'zone' is not one of"),
        ({"seed": -1}, "seed: -1 is not in"),
        ({"batch": 0}, "batch: 0 is not in"),
        ({"agent": agents.make("basic", game="spades")}, "basic-v1 plays spades, not pyramid"),
    ],
)
def test_what_cannot_be_is_refused(changes, reason):
    values = {"agent": basic_agent(), "sequences": SEQUENCES, "num_players": 4, "rules": "piramida"}
    values |= changes
    with pytest.raises(ValueError, match=reason):
        agent_declarations(values.pop("agent"), values.pop("sequences"), **values)


def test_interpreted_and_compiled_choices_are_the_same():
    program = (
        "from bidwise import agents\n"
        "from bidwise.train.studies.analysis.agent_declarations import agent_declarations\n"
        "agent = agents.make('random', game='pyramid', rules='inventor', num_players=3)\n"
        "sequences = [[k] * 16 for k in (0, 3000, 6906)]\n"
        "named = {'num_players': 3, 'rules': 'inventor', 'seed': 2**64 - 1}\n"
        "chosen = agent_declarations(agent, sequences, **named)\n"
        "print(chosen.tolist())"
    )
    told = []
    for disabled in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", program],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        told.append(done.stdout)
    assert told[0] == told[1]
