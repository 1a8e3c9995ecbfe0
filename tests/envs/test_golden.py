"""Two deals of each game, from the seed on, as a text that a person can check by hand.

A change of the deals of a seed, of the rules or of the scores shows as a difference in
``tests/golden/*_deals.txt``. ``python tests/envs/test_golden.py`` writes the files anew.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from bidwise import envs
from bidwise.envs import CardGameEnv

GOLDEN = Path(__file__).parents[1] / "golden"

SETTINGS = {"pyramid": ("inventor", 1979), "spades": ("zone", 7)}
"""Rules and seed. In Spades a seed by which random bids do not end the match at once."""


def told_deals(game: str) -> str:
    """The text of two random deals."""
    make = envs.pyramid_env if game == "pyramid" else envs.spades_env
    rules, seed = SETTINGS[game]
    env = make(rules=rules, deals=2, reward="points")
    env.reset(seed=seed)
    rng = Random(seed)
    lines = [f"{env.game.env_id}, rules {rules}, seed {seed}"]
    for number in (1, 2):
        lines += ["", f"deal {number}, dealer {env.dealer}"]
        for seat, hand in enumerate(env.hands):
            lines.append(f"  seat {seat}: {env.game.deck.names(hand)}")
        lines += one_deal(env, rng)
    return "\n".join(lines) + "\n"


def one_deal(env: CardGameEnv, rng: Random) -> list[str]:
    lines, spoken, trick, number = [], [], [], 0
    left = sum(map(len, env.hands))
    while left:
        seat = int(env.agent_selection[-1])
        mask = env.observe(env.agent_selection)["action_mask"]
        action = rng.choice(mask.nonzero()[0].tolist())
        before = env.tricks_taken
        env.step(action)
        name = env.game.action_name(action)
        if action >= env.game.deck.num_cards:
            spoken.append(f"{seat} {name}")
            continue
        left -= 1
        trick.append(f"{seat} {name}")
        if len(trick) == env.num_players:
            number += 1
            taken = env.tricks_taken
            if left:
                winner = next(s for s in range(4) if taken[s] != before[s])
                lines.append(f"  trick {number:2}: {', '.join(trick)}; {winner} takes it")
            else:
                lines.append(f"  trick {number:2}: {', '.join(trick)}")
            trick = []
    sheet = f"  totals {env.scores}"
    if env.game.name == "spades":
        sheet += f", bags {env.bags}"
    return [f"  said: {', '.join(spoken)}", *lines, sheet]


@pytest.mark.parametrize("game", ["pyramid", "spades"])
def test_two_deals_are_told_as_they_were(game: str) -> None:
    expected = (GOLDEN / f"{game}_deals.txt").read_text(encoding="utf-8")
    assert told_deals(game) == expected


if __name__ == "__main__":
    for name in SETTINGS:
        (GOLDEN / f"{name}_deals.txt").write_text(told_deals(name), encoding="utf-8")
