"""A published network plays what its weights say, and nothing else."""

import math

import numpy as np
import pytest
from sitting import mixed_play
from trained import plain_logits, published, random_weights

from bidwise import agents
from bidwise.envs import Tables, get_game

GAMES = ("pyramid", "spades")


def positions(game, steps=60, tables=3):
    seen = list(mixed_play(Tables(game, tables, threads=1, seed=4), steps))
    return np.concatenate([row for row, _ in seen]), np.concatenate([mask for _, mask in seen])


@pytest.mark.parametrize("activation", ["tanh", "relu"])
@pytest.mark.parametrize("game", GAMES)
def test_it_plays_the_best_legal_action_of_an_independent_forward_pass(tmp_path, game, activation):
    folder = published(tmp_path / "agent", game, activation=activation)
    agent = agents.make(folder, game=game)
    rows, masks = positions(game)
    actions = agent.act_batch(rows, masks)
    weights = random_weights(game)
    logits = agent.network.forward(rows)
    assert logits.dtype == np.float32
    for i in range(len(rows)):
        expected = plain_logits(game, weights, activation, rows[i])
        np.testing.assert_allclose(logits[i], expected, rtol=1e-4, atol=1e-4)
        legal = np.flatnonzero(masks[i])
        assert actions[i] == max(legal, key=lambda action: expected[action])


@pytest.mark.parametrize("game", GAMES)
def test_bytes_are_scaled_by_the_range_of_their_field(game):
    layout = get_game(game).layout
    scale = agents.scale(layout)
    assert (scale.shape, scale.dtype) == ((layout.size,), np.float32)
    for field in layout.fields:
        start = layout.offsets[field.name]
        factors = scale[start : start + field.size]
        np.testing.assert_allclose(factors, 1 / (field.high or 1), rtol=1e-7)


@pytest.mark.parametrize("hidden", [(), (1,), (9, 8, 7)])
def test_any_number_of_layers(tmp_path, hidden):
    agent = agents.make(published(tmp_path, "pyramid", hidden=hidden), game="pyramid")
    rows, masks = positions("pyramid", 10)
    weights = random_weights("pyramid", hidden)
    expected = plain_logits("pyramid", weights, "tanh", rows[0])
    np.testing.assert_allclose(agent.network.forward(rows)[0], expected, rtol=1e-4, atol=1e-4)
    assert masks[np.arange(len(rows)), agent.act_batch(rows, masks)].all()


# ------------------------------------------------------------------------------- sampling


def test_sampled_actions_come_as_often_as_the_network_says(tmp_path):
    folder = published(tmp_path, "spades")
    rows, masks = positions("spades", 30, tables=1)
    i = int(masks.sum(axis=1).argmax())
    draws = 20_000
    agent = agents.make(f"{folder}:sample=true", game="spades", seed=1)
    actions = agent.act_batch(
        np.repeat(rows[i : i + 1], draws, 0), np.repeat(masks[i : i + 1], draws, 0)
    )
    logits = plain_logits("spades", random_weights("spades"), "tanh", rows[i])
    legal = np.flatnonzero(masks[i])
    total = sum(math.exp(logits[action]) for action in legal)
    for action in range(68):
        p = math.exp(logits[action]) / total if action in legal else 0.0
        deviation = math.sqrt(p * (1 - p) / draws)
        assert abs((actions == action).mean() - p) <= 4 * deviation


def test_a_sampling_agent_draws_from_its_own_stream(tmp_path):
    folder = published(tmp_path, "spades")
    rows, masks = positions("spades", 40)

    def draws(seed):
        agent = agents.make(f"{folder}:sample=true", game="spades", seed=seed)
        return agent.act_batch(rows, masks).tolist()

    assert draws(0) == draws(0) != draws(1)
    agent = agents.make(f"{folder}:sample=true", game="spades", seed=0)
    assert [agent.act(row, mask) for row, mask in zip(rows, masks, strict=True)] == draws(0)
    best = agents.make(folder, game="spades", seed=0).act_batch(rows, masks).tolist()
    assert best != draws(0)


# ----------------------------------------------------------------------- parts of the game


@pytest.mark.parametrize("rest", ["basic-v1", "random"])
@pytest.mark.parametrize("decide", ["bids", "cards"])
@pytest.mark.parametrize("game", GAMES)
def test_the_rest_is_decided_by_the_agent_that_the_card_names(tmp_path, game, decide, rest):
    folder = published(tmp_path / "part", game, decide=decide, rest=rest)
    whole = agents.make(published(tmp_path / "whole", game), game=game)
    rows, masks = positions(game)
    actions = agents.make(folder, game=game, seed=8).act_batch(rows, masks)
    decision = rows[:, get_game(game).layout.offsets["decision"]]
    is_bid = np.isin(decision, get_game(game).bid_decisions)
    assert 0 < is_bid.sum() < len(rows)
    mine = is_bid if decide == "bids" else ~is_bid
    np.testing.assert_array_equal(actions[mine], whole.act_batch(rows[mine], masks[mine]))
    companion = agents.make(rest, game=game, seed=8).act_batch(rows[~mine], masks[~mine])
    np.testing.assert_array_equal(actions[~mine], companion)


def test_a_part_of_the_game_needs_a_companion(tmp_path):
    network = agents.load(published(tmp_path, "spades")).network
    with pytest.raises(ValueError, match="rest: a network that decides bids needs an agent"):
        agents.NetworkAgent("x", network, decide="bids")
    other = agents.make("basic", game="pyramid")
    with pytest.raises(ValueError, match="rest: "):
        agents.NetworkAgent("x", network, decide="cards", rest=other)
