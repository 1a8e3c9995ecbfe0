"""``basic-v1`` is frozen: whole deals that it played on the day of its release.

Strengths are quoted against it, so that a change of even one card needs a new name. The file
is written anew by nobody; `played` says how it came about.
"""

from pathlib import Path

import pytest
from sitting import PRESETS

from bidwise import agents
from bidwise.envs import CardGameEnv, PyramidRules

GOLDEN = Path(__file__).parent / "golden" / "basic_v1.txt"
SIGNALS = PyramidRules(conference="signals", following="suit")
SITTINGS = {
    **{f"{game} {preset}": (game, preset, 4) for game, preset in PRESETS},
    "pyramid piramida, 2 players": ("pyramid", "piramida", 2),
    "pyramid inventor, 3 players": ("pyramid", "inventor", 3),
    "pyramid signals, 3 players": ("pyramid", SIGNALS, 3),
}


def played(title):
    """Three deals of seed 0 by name, a line a deal."""
    game, rules, num_players = SITTINGS[title]
    env = CardGameEnv(game, rules=rules, num_players=num_players, deals=3)
    basic = agents.make("basic-v1", game=game, rules=rules, num_players=num_players)
    env.reset(seed=0)
    lines = [f"[{title}]", ""]
    while not any(env.terminations.values()):
        seen = env.observe(env.agent_selection)
        action = basic.act(seen["observation"], seen["action_mask"])
        last = env.hands.count([]) == num_players - 1
        env.step(action)
        lines[-1] += env.game.action_name(action) + " "
        if last and action < env.game.deck.num_cards:
            lines.append("")
    return [line.rstrip() for line in lines]


@pytest.mark.parametrize("title", SITTINGS)
def test_basic_v1_plays_as_on_the_day_of_its_release(title):
    text = GOLDEN.read_text(encoding="utf-8")
    assert "\n".join(played(title)) in text
