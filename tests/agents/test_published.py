"""Publishing and loading; each reason for which a folder is refused."""

import hashlib
import json
import pickle
import struct

import numpy as np
import pytest
from safetensors.numpy import save
from trained import HIDDEN, card_of, edit_card, published, random_weights

from bidwise import agents
from bidwise.agents.card import actions_digest
from bidwise.envs import PyramidRules, SpadesRules, get_game


@pytest.fixture
def folder(tmp_path):
    return published(tmp_path / "agent", "spades")


def refused(folder, reason):
    with pytest.raises(ValueError, match=reason) as caught:
        agents.load(folder)
    assert str(folder) in str(caught.value)


# ---------------------------------------------------------------------------- round trip


@pytest.mark.parametrize(
    ("game", "values"),
    [
        ("spades", {}),
        ("spades", {"rules": SpadesRules(mercy=None, max_deals=7), "decide": "bids"}),
        ("pyramid", {"rules": PyramidRules.preset("inventor"), "num_players": 3}),
        ("pyramid", {"decide": "cards", "rest": "random", "activation": "relu", "hidden": ()}),
    ],
)
def test_what_was_published_is_loaded(tmp_path, game, values):
    card = card_of(game, **values)
    weights = random_weights(game, card.hidden)
    found = agents.load(agents.publish(tmp_path / "a" / "b", weights, card))
    assert found.card == card
    assert set(found.network.tensors) == set(weights)
    for name, tensor in weights.items():
        np.testing.assert_array_equal(found.network.tensors[name], tensor)


def test_a_folder_holds_weights_and_a_card_and_nothing_else(folder):
    assert sorted(path.name for path in folder.iterdir()) == ["card.json", "weights.safetensors"]
    card = json.loads((folder / "card.json").read_text())
    assert card["env_id"] == "bidwise/Spades-v0"
    assert card["rules"]["bid_order"] == "pairs"
    assert card["architecture"] == {"hidden": list(HIDDEN), "activation": "tanh"}
    assert card["observation_digest"] == get_game("spades").layout.digest
    assert card["actions_digest"] == actions_digest(get_game("spades"))
    assert card["training"] == {"seed": 3, "steps": 100}
    assert card["results"] == {"basic-v1": [1.5, 2.0]}


def test_publishing_again_replaces_the_agent(folder):
    agents.publish(folder, random_weights("spades", (3,)), card_of("spades", hidden=(3,), name="b"))
    assert agents.load(folder).card.name == "b"
    assert len(list(folder.iterdir())) == 2


def test_a_folder_left_half_rewritten_is_refused(folder, tmp_path):
    other = agents.publish(tmp_path / "b", random_weights("spades", seed=1), card_of("spades"))
    (folder / "weights.safetensors").write_bytes((other / "weights.safetensors").read_bytes())
    refused(folder, "weights.safetensors is not the file that card.json was written for")


def test_a_failed_write_leaves_the_old_agent(folder, monkeypatch):
    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        agents.publish(folder, random_weights("spades", seed=1), card_of("spades", name="b"))
    assert agents.load(folder).card.name == "learner"
    assert len(list(folder.iterdir())) == 2


def test_the_hash_of_the_actions_tells_the_games_apart():
    assert actions_digest(get_game("spades")) != actions_digest(get_game("pyramid"))


# ----------------------------------------------------------------------- refused: the card


def test_missing_files_are_refused(folder, tmp_path):
    refused(tmp_path / "nowhere", "card.json is missing")
    (folder / "weights.safetensors").unlink()
    refused(folder, "weights.safetensors is missing")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"{", "card.json: broken JSON: "),
        (b"[1]", "card.json: broken JSON: expected an object"),
        (b"\xff\xfe", "card.json is not UTF-8 text"),
        (b"{}", "card.json: format: None, this version reads 1"),
    ],
)
def test_a_broken_card_is_refused(folder, content, reason):
    (folder / "card.json").write_bytes(content)
    refused(folder, reason)


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("format", 2, "format: 2, this version reads 1"),
        ("game", "whist", "game: 'whist' is not one of pyramid, spades"),
        ("game", 4, "game: expected a name, got 4"),
        ("game", "pyramid", "env_id: made for 'bidwise/Spades-v0', here it is 'bidwise/Pyramid"),
        ("env_id", "bidwise/Spades-v1", "env_id: made for 'bidwise/Spades-v1', here it is"),
        ("observation_digest", "0" * 16, "observation_digest: made for '0000000000000000'"),
        ("actions_digest", "0" * 16, "actions_digest: made for '0000000000000000'"),
        ("features", "raw", "features: 'raw' is not one of scaled"),
        ("rules", {"target": 100}, "rules: expected every field of SpadesRules"),
        ("rules", "piki", "rules: expected every field of SpadesRules, got 'piki'"),
        ("num_players", 3, "num_players: 3 is not one of 4"),
        ("num_players", "4", "num_players: '4' is not one of 4"),
        ("decide", "leads", "decide: 'leads' is not one of all, bids, cards"),
        ("rest", None, "rest: expected a text, got None"),
        ("name", "", "name: expected a text, got ''"),
        ("architecture", [7], "architecture: expected hidden and activation"),
        ("architecture", {"hidden": 7, "activation": "tanh"}, "hidden: expected the layers' sizes"),
        ("architecture", {"hidden": [0], "activation": "tanh"}, "hidden: 0 is not in 1"),
        ("architecture", {"hidden": [7, 5], "activation": "gelu"}, "activation: 'gelu' is not one"),
        ("architecture", {"hidden": [7], "activation": "tanh"}, "weights: "),
        ("weights_sha256", "0" * 64, "weights.safetensors is not the file that card.json"),
        ("training", 3, "training: expected a mapping, got 3"),
        ("results", [], "results: expected a mapping"),
        ("author", "me", r"fields: missing \[\], unknown \['author'\]"),
    ],
)
def test_a_card_that_does_not_fit_is_refused(folder, key, value, reason):
    edit_card(folder, lambda card: card.update({key: value}))
    refused(folder, reason)


def test_a_card_without_a_field_is_refused(folder):
    edit_card(folder, lambda card: card.pop("training"))
    refused(folder, r"fields: missing \['training'\], unknown \[\]")


def test_rules_that_cannot_be_are_refused(folder):
    edit_card(folder, lambda card: card["rules"].update(bag_limit=0))
    refused(folder, "bag_limit: 0 is not in 1..100")


# -------------------------------------------------------------------- refused: the weights


def change_weights(folder, content):
    """Put other weights in, and the hash that goes with them."""
    (folder / "weights.safetensors").write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    edit_card(folder, lambda card: card.update(weights_sha256=digest))


def without(name):
    return {key: value for key, value in random_weights("spades").items() if key != name}


BIAS = np.zeros(68, np.float32)


@pytest.mark.parametrize(
    ("tensors", "reason"),
    [
        (without("hidden.1.bias"), "weights: hidden.1.bias missing"),
        ({}, "weights: hidden.0.weight, hidden.0.bias, .* missing"),
        (random_weights("spades") | {"value.bias": BIAS}, "weights: 'value.bias' is not one of"),
        (
            random_weights("spades") | {"logits.bias": BIAS[:67]},
            r"weights: logits.bias is float32 of shape \(67,\), expected float32 of shape \(68,\)",
        ),
        (
            random_weights("spades") | {"logits.bias": BIAS.astype(np.float64)},
            "weights: logits.bias is float64",
        ),
        (
            random_weights("spades") | {"logits.bias": BIAS + np.float32(np.nan)},
            "weights: logits.bias holds numbers that are not finite",
        ),
        (random_weights("pyramid"), "weights: hidden.0.weight is float32 of shape"),
    ],
)
def test_weights_that_do_not_fit_the_card_are_refused(folder, tensors, reason):
    change_weights(folder, save(tensors))
    refused(folder, reason)
    with pytest.raises(ValueError, match=reason):
        agents.publish(folder, tensors, card_of("spades"))


def test_an_agent_with_weights_that_are_not_finite_is_not_made(folder):
    change_weights(
        folder, save(random_weights("spades") | {"logits.bias": BIAS + np.float32(np.inf)})
    )
    reason = "weights.safetensors: weights: logits.bias holds numbers that are not finite"
    with pytest.raises(ValueError, match=reason) as caught:
        agents.make(folder, game="spades", rules="piki")
    assert str(folder) in str(caught.value)


def bfloat16_file():
    header = json.dumps(
        {"logits.bias": {"dtype": "BF16", "shape": [68], "data_offsets": [0, 136]}}
    ).encode()
    return struct.pack("<Q", len(header)) + header + bytes(136)


@pytest.mark.parametrize("content", [b"", b"not safetensors", bytes(64), bfloat16_file()])
def test_a_file_that_numpy_cannot_read_is_refused(folder, content):
    change_weights(folder, content)
    refused(folder, "weights.safetensors is broken: ")


def test_a_pickle_is_never_opened(folder):
    class Bomb:
        def __reduce__(self):
            return exec, ("raise SystemExit('unpickled')",)

    change_weights(folder, pickle.dumps(Bomb()))
    refused(folder, "weights.safetensors is broken")


def test_results_that_json_cannot_hold_are_refused(tmp_path):
    for results in ({"a": float("nan")}, {"a": np.float32(1)}):
        with pytest.raises(ValueError, match="card: "):
            published(tmp_path / "x", "spades", results=results)
    assert not (tmp_path / "x").exists()


# ------------------------------------------------------------------- refused: by make


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        ({"game": "pyramid", "rules": None}, "game: it plays spades, asked for pyramid"),
        ({"rules": "zone"}, "rules: it was trained with bid_order 'pairs', asked for 'clockwise'"),
        ({"rules": SpadesRules(mercy=None)}, "with mercy -200, asked for None"),
    ],
)
def test_an_agent_of_another_setting_is_refused(folder, wanted, reason):
    with pytest.raises(ValueError, match=reason) as caught:
        agents.make(folder, **{"game": "spades", "rules": "piki", **wanted})
    assert str(folder) in str(caught.value)


def test_an_agent_for_another_number_of_players_is_refused(tmp_path):
    folder = published(tmp_path, "pyramid", num_players=3)
    agents.make(folder, game="pyramid", num_players=3)
    with pytest.raises(ValueError, match="num_players: it plays with 3, asked for 4"):
        agents.make(folder, game="pyramid", num_players=4)


@pytest.mark.parametrize("rest", ["clever", "runs/other", "."])
def test_a_companion_must_be_known_by_name(tmp_path, rest):
    folder = published(tmp_path, "spades", decide="bids", rest=rest)
    known = ", ".join(agents.names())
    with pytest.raises(ValueError, match=f"rest '{rest}' is not one of {known}"):
        agents.make(folder, game="spades")
