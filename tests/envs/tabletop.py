"""What the tests of the environments share: tables to sit at, play, and what to expect.

Nothing here asks the engine what is right: rewards are computed from the score sheet, hidden
cards from the rule sheet.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwise import envs
from bidwise.envs import KernelPolicy, PyramidRules, SpadesRules
from bidwise.envs.core.compilation import compiler

GAMES = ("pyramid", "spades")
REWARDS = ("points", "relative", "win")

Observation = dict[str, NDArray[np.int8]]


# ---------------------------------------------------------------------- tables and play


def aec(game: str, **keywords: Any) -> envs.CardGameEnv:
    """The AEC env of a game by its name."""
    if game == "pyramid":
        return envs.pyramid_env(**keywords)
    keywords.pop("num_players", None)
    return envs.spades_env(**keywords)


def seat_to_act(env: Any) -> int:
    return int(env.agent_selection.removeprefix("player_"))


def mask_of(env: Any, seat: int) -> NDArray[np.int8]:
    return env.observe(f"player_{seat}")["action_mask"]


def legal(env: Any) -> list[int]:
    """The legal actions of the agent to act."""
    mask = env.observe(env.agent_selection)["action_mask"]
    return np.flatnonzero(mask).tolist()


def is_over(env: Any) -> bool:
    return any(env.terminations.values()) or any(env.truncations.values())


def any_legal(env: Any, rng: Random) -> int:
    actions = legal(env)
    return actions[int(rng.random() * len(actions))]


def play(env: Any, rng: Random, steps: int | None = None) -> list[tuple[int, int]]:
    """Random legal play, for so many steps or to the end: (seat, action) of each."""
    played = []
    while not is_over(env) and (steps is None or len(played) < steps):
        seat, action = seat_to_act(env), any_legal(env, rng)
        env.step(action)
        played.append((seat, action))
    return played


def deals_of(env: Any, rng: Random) -> Iterator[list[tuple[int, int]]]:
    """Random play to the end of the episode, one deal's (seat, action) after another."""
    played: list[tuple[int, int]] = []
    while not is_over(env):
        cards = sum(map(len, env.hands))
        played.extend(play(env, rng, 1))
        if cards == 1 and played[-1][1] < env.game.deck.num_cards:
            yield played
            played = []


def a_deal(game: str, rng: Random, size: int, num_players: int = 4) -> list[list[int]]:
    """Random hands of `size` cards."""
    deck = list(range(24 if game == "pyramid" else 52))
    rng.shuffle(deck)
    return [sorted(deck[size * seat : size * (seat + 1)]) for seat in range(num_players)]


# ---------------------------------------------------------------------- rules at random


def some_rules(game: str, rng: Random, **fixed: Any) -> Any:
    """Rules with every switch drawn at random."""
    if game == "pyramid":
        bids = [rng.randrange(7) for _ in range(rng.randint(1, 16))]
        values: dict[str, Any] = {
            "following": rng.choice(("any", "suit", "suit_then_trump")),
            "no_trump": rng.random() < 0.5,
            "conference": rng.choice(("open", "signals", "silent")),
            "deals_per_player": len(bids),
            "quota": tuple(bids.count(bid) for bid in range(7)),
        }
        return PyramidRules(**{**values, **fixed})
    values = {
        "bid_order": rng.choice(("pairs", "clockwise")),
        "double_nil": rng.choice(("blind", "off")),
        "first_lead": rng.choice(("right", "left", "two_of_clubs")),
        "spade_leads": rng.choice(("broken", "last_resort")),
        "overtrick_points": rng.choice((-100, -7, -1, 0, 1, 9, 100)),
        "bag_limit": rng.choice((1, 2, 5, 10, 11, 37, 100, None)),
        "bag_after": rng.choice(("zero", "carry")),
        "failed_nil_tricks": rng.choice(("bag", "contract")),
        "target": rng.choice((1, 99, 100, 500, 1234, 12_000)),
        "mercy": rng.choice((None, -1, -99, -200, -350, -12_000)),
        "max_deals": rng.choice((1, 2, 3, 20)),
        "pair_bid_cap": (cap := rng.choice((0, 1, 5, 13, 14, 26))),
        "pair_bid_min": min(cap, rng.choice((0, 0, 3, 13))),
        "nil_points": rng.choice((0, 50, 100, 1000)),
        "double_nil_points": rng.choice((0, 99, 200, 1000)),
        "double_nil_behind": rng.choice((0, 0, 1, 100, 12_000)),
        "bag_fine": rng.choice((0, 50, 100, 1000)),
        "first_trick_spades": rng.random() < 0.5,
    }
    return SpadesRules(**{**values, **fixed})


# ---------------------------------------------------------------------- what seats earn


def total_of(game: str, totals: Sequence[int], seat: int) -> int:
    return int(totals[seat % 2] if game == "spades" else totals[seat])


def earned(
    game: str, reward: str, before: Sequence[int], after: Sequence[int], num_players: int
) -> list[float]:
    """What each seat is to earn over an episode that took the score sheet from `before` to
    `after`: the contract's formulas, applied to the change of the totals."""
    seats = range(num_players)
    ends = [total_of(game, after, seat) for seat in seats]
    gains = [ends[seat] - total_of(game, before, seat) for seat in seats]
    if reward == "points":
        return [float(gain) for gain in gains]
    if reward == "relative":
        if game == "spades":
            return [float(gains[seat] - gains[(seat + 1) % 4]) for seat in seats]
        share = [gain / (num_players - 1) for gain in gains]
        return [gains[seat] + share[seat] - sum(share) for seat in seats]
    top = [seat for seat in seats if ends[seat] == max(ends)]
    alone = len(top) == (2 if game == "spades" else 1)
    return [(1.0 if alone else 0.0) if seat in top else -1.0 for seat in seats]


# ---------------------------------------------------------------------- policies


@compiler(Path(__file__).parent)
def weigh(observation: Any, action_mask: Any, bits: Any) -> int:
    """A legal action that depends on every byte of the observation, and on nothing else."""
    weight = 0
    for k in range(len(observation)):
        weight += (7 * k % 31 + 1) * int(observation[k])
    count = 0
    for action in range(len(action_mask)):
        count += int(action_mask[action])
    left = (weight % 1_000_003) % count
    for action in range(len(action_mask)):
        if action_mask[action] != 0:
            if left == 0:
                return action
            left -= 1
    return -1


def weighed(observation: NDArray[np.int8], action_mask: NDArray[np.int8]) -> int:
    """The same choice as :func:`weigh`, in numpy."""
    factors = 7 * np.arange(len(observation)) % 31 + 1
    actions = np.flatnonzero(action_mask)
    weight = int(factors @ observation.astype(np.int64))
    return int(actions[weight % 1_000_003 % len(actions)])


class Weigher:
    """An external policy that plays as :func:`weigh` does and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[NDArray[np.int8], NDArray[np.int8]]] = []

    def act_batch(
        self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        pairs = list(zip(observations.copy(), action_masks.copy(), strict=True))
        self.asked.extend(pairs)
        return np.array([weighed(*pair) for pair in pairs], np.int64)


# ---------------------------------------------------------------------- states and digests


def values_of(states: Any) -> bytes:
    """The bytes of every field of a record or an array of them, without the padding."""
    states = np.asarray(states)
    return b"".join(np.ascontiguousarray(states[name]).tobytes() for name in states.dtype.names)


def digests_of_short_matches() -> list[str]:
    """One line for each of some short random games: a hash of every state and every seat's
    observation and mask on the way, then of learners and of a batch by the same rules."""
    lines = []
    cases: list[tuple[str, dict[str, Any]]] = [
        ("pyramid", {"rules": "piramida", "num_players": 2}),
        ("pyramid", {"rules": "inventor", "num_players": 4}),
        ("pyramid", {"rules": PyramidRules(conference="signals", following="suit")}),
        ("spades", {"rules": "piki"}),
        ("spades", {"rules": "openspiel"}),
        (
            "spades",
            {
                "rules": SpadesRules(
                    first_lead="two_of_clubs",
                    bag_limit=None,
                    pair_bid_min=4,
                    double_nil_behind=1,
                    first_trick_spades=False,
                )
            },
        ),
    ]
    for number, (game, keywords) in enumerate(cases):
        seen = hashlib.sha256()
        env = aec(game, deals=2, reward="points", **keywords)
        env.reset(seed=number)
        rng = Random(number)
        while not is_over(env):
            seen.update(values_of(env.state))
            for agent in env.possible_agents:
                view = env.observe(agent)
                seen.update(view["observation"].tobytes() + view["action_mask"].tobytes())
            env.step(any_legal(env, rng))
        seen.update(values_of(env.state))
        learner = envs.seat_env(game, seat=1, deals=1, **keywords)
        view, _ = learner.reset(seed=number)
        over = False
        while not over:
            action = rng.choice(np.flatnonzero(view["action_mask"]).tolist())
            view, reward, over, _, _ = learner.step(action)
            seen.update(view["observation"].tobytes() + np.float64(reward).tobytes())
        tables = envs.Tables(game, 3, deals=1, seed=number, **keywords)
        for _ in range(40):
            tables.step(tables.sample_actions())
            seen.update(tables.observations.tobytes() + tables.action_masks.tobytes())
        seen.update(tables.play_out(45).tobytes() + values_of(tables.states))
        vector = envs.SeatVectorEnv(
            2, game=game, seat="random", opponents=KernelPolicy(weigh), deals=1, **keywords
        )
        views, infos = vector.reset(seed=number)
        for _ in range(9):
            views, rewards, over, _, infos = vector.step(views["action_mask"].argmax(axis=1))
            seen.update(views["observation"].tobytes() + rewards.tobytes() + over.tobytes())
            seen.update(infos["seat"].tobytes())
        lines.append(f"{game} {number} {seen.hexdigest()}")
    return lines
