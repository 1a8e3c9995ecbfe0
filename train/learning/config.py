"""What a training run is told: one frozen dataclass, checked before anything is built."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from bidwise.envs.core.checks import check_int, check_names
from bidwise.envs.core.vocabulary import DECIDE, REWARDS
from bidwise.envs.game import Game
from bidwise.envs.games import get_game
from bidwise.train.run.rule_options import chosen_rules

__all__ = ["ACTIVATIONS", "EPISODES", "REWARD_SCALES", "TrainConfig"]

ACTIVATIONS = ("tanh", "relu")

REWARD_SCALES = {"pyramid": 0.1, "spades": 0.01}
"""What points are multiplied by, so that the critic's targets are of order 1 to 10. A Pyramid
deal is worth -2..10, a Spades deal some ±100 and a match 500."""

EPISODES = {"pyramid": "match", "spades": "1"}
"""What an episode is unless `deals` says otherwise."""

_DEFAULT_STEPS = 2_000_000
_MOST = 2**31 - 1


@dataclass(frozen=True)
class TrainConfig:
    """Train a network by MaskablePPO: what one seat decides, against agents that do not learn.

    A step is one decision of the learner. With `decide` ``"bids"`` that is a whole deal and
    more: the engine plays on until the learner is to bid again.

    Raises:
        ValueError: a value that is unknown or out of range; it names the field.
    """

    out: Path = Path("runs/train")
    """Folder for everything the run leaves; the agent is published in its `agent`."""
    overwrite: bool = False
    """Replace a run that stands in `out`."""
    resume: Path | None = None
    """Such a folder: continue its run from the checkpoint, with the weights it would have had
    without a break, if `steps` and threads are the same and `minutes` is not given. All settings
    are that run's, apart from `minutes`, `torch_threads`, `threads` and, if given, `steps`."""

    game: str = "pyramid"
    """pyramid or spades."""
    rules: str | None = None
    """A preset; the game's default if not given."""
    rule: Annotated[tuple[str, ...], tyro.conf.arg(metavar="FIELD=VALUE")] = ()
    """Switches that differ from the preset: following=suit no_trump=true ..."""
    num_players: int | None = None
    """For Pyramid: 2, 3 or 4; as many as the game allows if not given."""

    decide: str = "bids"
    """What the network decides: bids, cards or all."""
    seat: str = "random"
    """The learner's seat, 0.. or random: drawn anew for each episode."""
    opponents: str = "basic-v1"
    """The agent at the other seats: a name, or the folder of a published agent."""
    partner: str = "basic-v1"
    """The learner's partner in Spades."""
    own: str = "basic-v1"
    """Who decides what `decide` leaves of the learner's own seat."""
    deals: str | None = None
    """An episode: match, or so many deals. If not given a match in Pyramid, whose bids are spent
    over a match, and 1 in Spades, where a match ends early at `mercy`: over whole matches a
    beginner learned to lose them fast."""
    reward: str = "points"
    """points, relative or win. Other seats' points are noise to a bidder: points learns faster."""
    reward_scale: float | None = None
    """What the learner's rewards are multiplied by; if not given 1 for win, and for points
    0.1 in Pyramid, 0.01 in Spades."""

    steps: int | None = None
    """Stop after so many decisions, in all; 2,000,000 if not given."""
    minutes: float | None = None
    """Stop after so many minutes of training, if that is sooner."""
    num_tables: int = 1024
    """Tables stepped together. A wide batch is what makes learning fast."""
    n_steps: int = 16
    """Decisions a table between two updates; a Pyramid bidder has 16 a match."""
    batch_size: int = 1024
    """Decisions a gradient step."""
    n_epochs: int = 4
    """Passes over the decisions of one update."""
    learning_rate: float = 1e-3
    """Adam's, at the start; it falls linearly to a tenth at the end."""
    gamma: float = 1.0
    """Discount. A match is finite, and its points count alike wherever they are won."""
    gae_lambda: float = 0.98
    """How far the advantage trusts rewards over the critic, 0..1. Episodes are short and few
    decisions decide much: with 0.8 a Pyramid bidder learned clearly less."""
    clip: float = 0.2
    """How far an update may move an action's probability, as a ratio."""
    ent_coef: float = 0.005
    """Weight of the entropy bonus."""
    hidden: tuple[int, ...] = (256, 256)
    """Sizes of the hidden layers, of policy and critic each."""
    activation: str = "relu"
    """relu or tanh, which learns as well and takes a sixth more time."""

    seed: int = 0
    """Of the network, the deals and the agents' own streams."""
    baselines: tuple[str, ...] = ("basic-v1", "random")
    """Frozen agents against which the network is measured."""
    eval_every: int = 500_000
    """Decisions between two evaluations; 0: only at the end."""
    eval_matches: int = 64
    """Duplicate matches of each evaluation."""
    final_matches: int = 400
    """Duplicate matches of the evaluation at the end."""
    eval_seed: int = 20_260_101
    """Of the evaluations' deals: always the same ones, and not those of training."""
    checkpoint_every: int = 500_000
    """Decisions between two checkpoints; 0: only at the end."""
    checkpoint_seconds: float = 60.0
    """And seconds of learning between two, if that is sooner; 0: no matter."""
    torch_threads: int = 1
    """Threads of the learner. More than one fights with whatever else is running."""
    threads: int | None = None
    """Threads of the tables; every core if not given."""

    def __post_init__(self) -> None:
        game = self.the_game
        chosen_rules(self.game, self.rules, self.rule)
        if self.num_players is not None and self.num_players not in game.player_counts:
            known = ", ".join(map(str, game.player_counts))
            raise ValueError(f"num_players: {self.num_players!r} is not one of {known}")
        check_names([self.decide], DECIDE, "decide")
        check_names([self.reward], list(REWARDS), "reward")
        check_names([self.activation], ACTIVATIONS, "activation")
        if self.seat != "random":
            check_int("seat", _whole("seat", self.seat, "random"), 0, self.players - 1)
        if self.episode != "match":
            check_int("deals", _whole("deals", self.episode, "match"), 1, 1_000_000)
        self._check_counts()
        self._check_amounts()

    def _check_counts(self) -> None:
        if self.steps is not None:
            check_int("steps", self.steps, 1, 2**62)
        for name in ("num_tables", "n_steps", "n_epochs", "torch_threads"):
            check_int(name, getattr(self, name), 1, _MOST)
        check_int("batch_size", self.batch_size, 2, _MOST)
        decisions = self.num_tables * self.n_steps
        if decisions % self.batch_size:
            raise ValueError(
                f"batch_size: {self.batch_size} does not divide the {decisions} decisions of an "
                f"update (num_tables {self.num_tables} × n_steps {self.n_steps})"
            )
        if not self.hidden:
            raise ValueError("hidden: give the size of one layer at least")
        for size in self.hidden:
            check_int("hidden", size, 1, 65_536)
        check_int("seed", self.seed, 0, 2**32 - 1)
        check_int("eval_seed", self.eval_seed, 0, 2**64 - 1)
        for name in ("eval_every", "checkpoint_every"):
            check_int(name, getattr(self, name), 0, 2**62)
        for name in ("eval_matches", "final_matches"):
            check_int(name, getattr(self, name), 2, 10_000_000)

    def _check_amounts(self) -> None:
        for name in ("gamma", "gae_lambda"):
            _check_amount(name, getattr(self, name), 0.0, 1.0)
        _check_amount("checkpoint_seconds", self.checkpoint_seconds, 0.0, math.inf)
        _check_amount("ent_coef", self.ent_coef, 0.0, math.inf)
        for name in ("learning_rate", "clip", "reward_scale", "minutes"):
            value = getattr(self, name)
            if value is not None:
                _check_amount(name, value, 0.0, math.inf)
                if value == 0:
                    raise ValueError(f"{name}: 0 is not positive")

    @property
    def the_game(self) -> Game:
        return get_game(self.game)

    @property
    def the_rules(self) -> Any:
        """The rules dataclass in force."""
        return chosen_rules(self.game, self.rules, self.rule)

    @property
    def players(self) -> int:
        return self.num_players or self.the_game.player_counts[-1]

    @property
    def all_steps(self) -> int:
        return self.steps or _DEFAULT_STEPS

    @property
    def episode(self) -> str:
        """`deals`, or what stands for it."""
        return self.deals or EPISODES.get(self.game, "match")

    @property
    def scale(self) -> float:
        """`reward_scale`, or what stands for it."""
        if self.reward_scale is not None:
            return self.reward_scale
        return 1.0 if self.reward == "win" else REWARD_SCALES.get(self.game, 1.0)


def _whole(name: str, text: str, word: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{name}: {text!r} is neither {word!r} nor a whole number") from None


def _check_amount(name: str, value: Any, low: float, high: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise ValueError(f"{name}: expected a number in {low:g}..{high:g}, got {value!r}")
    if math.isinf(value):
        raise ValueError(f"{name}: {value!r} is not finite")
