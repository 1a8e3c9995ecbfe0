"""Agents by name: what is known, options, refusals."""

import os

import numpy as np
import pytest
from trained import published

from bidwise import agents
from bidwise.agents import registry
from bidwise.envs import PyramidRules


@pytest.fixture(autouse=True)
def own_registry(monkeypatch):
    monkeypatch.setattr(registry, "_FACTORIES", dict(registry._FACTORIES))


class Search(agents.Agent):
    def __init__(self, setting, worlds, weight, deep, book):
        super().__init__("search", setting.game, setting.seed)
        self.options = worlds, weight, deep, book
        self.setting = setting

    def _decide(self, observations, action_masks):
        return action_masks.argmax(axis=1)


def make_search(setting, worlds=10, weight=0.5, deep=False, book="small"):
    return Search(setting, worlds, weight, deep, book)


@pytest.mark.parametrize("game", ["pyramid", "spades"])
@pytest.mark.parametrize(
    ("name", "full"), [("random", "random"), ("basic", "basic-v1"), ("basic-v1", "basic-v1")]
)
def test_known_names(game, name, full):
    agent = agents.make(name, game=game, num_players=4, seed=3)
    assert (agent.name, agent.game.name) == (full, game)
    assert repr(agent) == f"<{game} agent {full}>"


def test_names_are_listed():
    assert agents.names() == ("basic", "basic-v1", "ordering", "random")


def test_an_unknown_name_lists_the_known_ones():
    known = "basic, basic-v1, ordering, random"
    for name in ("bassic", "runs/nothing", "bassic:worlds=3", "", ":", "Random"):
        with pytest.raises(ValueError, match=f"not one of {known}, nor a published"):
            agents.make(name, game="spades")


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ({"game": "whist"}, "game: 'whist' is not one of"),
        ({"game": "spades", "num_players": 3}, "num_players: 3 is not one of 4"),
        ({"game": "pyramid", "num_players": 5}, "num_players: 5 is not one of 2, 3, 4"),
        ({"game": "spades", "rules": "piramida"}, "rules: preset 'piramida' is not one of"),
        ({"game": "spades", "rules": PyramidRules()}, "rules: expected .* SpadesRules"),
        ({"game": "spades", "seed": -1}, "seed: -1 is not in"),
        ({"game": "spades", "seed": 2**64}, "seed: "),
        ({"game": "spades", "seed": 0.5}, "seed: expected a whole number"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(setting, reason):
    with pytest.raises(ValueError, match=reason):
        agents.make("basic", **setting)


def test_a_registered_agent_is_made_with_its_options():
    agents.register("search", make_search)
    assert "search" in agents.names()
    plain = agents.make("search", game="spades", rules="zone", seed=5)
    assert plain.options == (10, 0.5, False, "small")
    assert (plain.setting.rules.bid_order, plain.setting.seed) == ("clockwise", 5)
    assert plain.kernel is None
    agent = agents.make("search:worlds=50,weight=1e-3,deep=true,book=runs/b:1", game="pyramid")
    assert agent.options == (50, 0.001, True, "runs/b:1")
    mask = np.zeros(67, np.int8)
    mask[9] = 1
    assert agent.act(np.zeros(agent.game.layout.size, np.int8), mask) == 9


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("search:world=5", "search: option 'world' is not one of worlds, weight, deep, book"),
        ("search:5", "search: option '5' is not written key=value"),
        ("search:worlds=", "option 'worlds=' is not written key=value"),
        ("search:worlds=1,", "option '' is not written key=value"),
        ("search:worlds=1,worlds=2", "option 'worlds' is given twice"),
        ("random:seed=5", "random: option 'seed' is one too many: it has none"),
    ],
)
def test_options_that_cannot_be_are_refused(name, reason):
    agents.register("search", make_search)
    with pytest.raises(ValueError, match=reason):
        agents.make(name, game="spades")


@pytest.mark.parametrize(
    ("name", "reason"),
    [("random", "is taken"), ("Big", "lower-case"), ("a b", "lower-case"), ("a:b", "lower-case")],
)
def test_a_name_is_registered_once_and_plainly(name, reason):
    with pytest.raises(ValueError, match=reason):
        agents.register(name, make_search)


def test_a_folder_is_a_name(tmp_path):
    folder = published(tmp_path / "agent", "spades")
    assert agents.make(folder, game="spades").name == "learner"
    assert agents.make(str(folder), game="spades").sample is False
    assert agents.make(f"{folder}:sample=true", game="spades").sample is True
    with pytest.raises(ValueError, match="option 'samples' is not one of sample"):
        agents.make(f"{folder}:samples=true", game="spades")
    with pytest.raises(ValueError, match="sample is true or false, not 3"):
        agents.make(f"{folder}:sample=3", game="spades")


@pytest.mark.skipif(os.name == "nt", reason="Windows allows no colon in a name")
def test_a_colon_may_belong_to_the_folder(tmp_path):
    folder = published(tmp_path / "random:run=1", "spades")
    assert agents.make(folder, game="spades").name == "learner"
    assert agents.make(f"{folder}:sample=true", game="spades").sample is True


def test_a_folder_without_an_agent_says_what_is_missing(tmp_path):
    with pytest.raises(ValueError, match=r"card\.json is missing"):
        agents.make(tmp_path, game="spades")
