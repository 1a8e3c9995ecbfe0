"""What a training run is told: one frozen dataclass, checked before anything is built."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from bidwise.envs.core.checks import check_int, check_names
from bidwise.envs.core.vocabulary import DECIDE, REWARDS
from bidwise.envs.game import Game
from bidwise.envs.games import get_game
from bidwise.train.run.options import (
    AgentName,
    AgentNames,
    Decide,
    Folder,
    GameName,
    Players,
    Preset,
    Reward,
    Switches,
    Threads,
    Whole,
    check_table,
    check_threads,
    choices,
    option,
)
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
    """Train a network to bid, to play cards or both, against agents that do not learn.

    The learner is MaskablePPO. A step is one decision of the learner. If it decides bids only,
    a step is a whole deal and more: the engine plays on until the learner is to bid again.

    Raises:
        ValueError: a value that is unknown or out of range; it names the field.
    """

    out: Folder = Path("runs/train")
    """Folder for everything the run leaves. The trained agent is published in its subfolder
    agent."""
    overwrite: bool = False
    """Replace a run that already stands in the folder --out."""
    resume: Annotated[Path | None, option("FOLDER", "start a new run")] = None
    """Folder of an earlier run, which is continued from its last checkpoint and ends with the
    weights that it would have had without a break, if steps and threads are the same and
    --minutes is not given. All settings are that run's, except --minutes, --torch-threads,
    --threads and, if given, --steps."""

    game: GameName = "pyramid"
    """The game to be learned."""
    rules: Preset = None
    """Preset of rules: piramida or inventor in Pyramid, the others in Spades. The command
    bidwise rules shows them."""
    rule: Switches = ()
    """Single rules that differ from the preset, for example following=suit no_trump=true."""
    num_players: Players = None
    """Number of players at a table: 2, 3 or 4 in Pyramid, always 4 in Spades."""

    decide: Decide = "bids"
    """What the network decides of its own seat. The rest is left to the agent --own."""
    seat: Annotated[str, option("{random,0,1,2,3}")] = "random"
    """Seat of the learner, counted from 0, or random: drawn anew for each episode."""
    opponents: AgentName = "basic-v1"
    """Agent at the other seats: a name, or the folder of a published agent."""
    partner: AgentName = "basic-v1"
    """Agent that is the learner's partner in Spades: a name, or the folder of a published
    agent."""
    own: AgentName = "basic-v1"
    """Agent that takes those decisions at the learner's seat which --decide leaves: a name, or
    the folder of a published agent."""
    deals: Annotated[str | None, option("{match,N}", "match in Pyramid, 1 in Spades")] = None
    """Length of an episode: a whole match, or this many deals. A Pyramid match is one episode
    because bids are spent over it. In Spades, over whole matches, a beginner learned to lose
    fast by falling to the limit mercy."""
    reward: Reward = "points"
    """What the learner is rewarded with: its points, its points relative to the others', or the
    win of the match. Other seats' points are noise to a bidder, so points learns faster."""
    reward_scale: Annotated[
        float | None, option("FACTOR", "1 for win, otherwise 0.1 in Pyramid and 0.01 in Spades")
    ] = None
    """Factor by which the learner's rewards are multiplied."""

    steps: Annotated[int | None, option("N", f"{_DEFAULT_STEPS:,}")] = None
    """Stop after this many decisions of the learner, counted over all tables."""
    minutes: Annotated[float | None, option("MINUTES", "no limit")] = None
    """Stop after this many minutes of training, if that is sooner than --steps."""
    num_tables: Whole = 1024
    """Number of tables that are stepped together. Many tables make learning fast."""
    n_steps: Whole = 16
    """Decisions at each table between two updates. A Pyramid bidder has 16 in a match."""
    batch_size: Whole = 1024
    """Decisions in each gradient step. It divides --num-tables times --n-steps."""
    n_epochs: Whole = 4
    """Number of passes over the decisions of one update."""
    learning_rate: Annotated[float, option("RATE")] = 1e-3
    """Learning rate of the optimiser Adam at the start. It falls linearly to a tenth at the
    end."""
    gamma: Annotated[float, option("FACTOR")] = 1.0
    """Discount of each later decision, 0 to 1. A match is finite and its points count alike
    wherever they are won, so 1 discounts nothing."""
    gae_lambda: Annotated[float, option("FACTOR")] = 0.98
    """How far the advantage trusts rewards over the critic, 0 to 1. Episodes are short and few
    decisions decide much: with 0.8 a Pyramid bidder learned clearly less."""
    clip: Annotated[float, option("RATIO")] = 0.2
    """How far one update may move the probability of an action, as a ratio."""
    ent_coef: Annotated[float, option("WEIGHT")] = 0.005
    """Weight of the entropy bonus, which keeps the learner trying different actions."""
    hidden: Annotated[tuple[int, ...], option("N [N ...]")] = (256, 256)
    """Number of units in each hidden layer; policy and critic have their own layers."""
    activation: Annotated[str, option(choices(ACTIVATIONS))] = "relu"
    """Activation function of the hidden layers. With tanh a network learns as well and takes a
    sixth more time."""

    seed: Whole = 0
    """Seed of the network and the deals, 0 to 4294967295. The agents' own random streams are
    derived from it."""
    baselines: AgentNames = ("basic-v1", "random")
    """Agents against which the network is measured: names, or folders of published agents."""
    eval_every: Whole = 500_000
    """Decisions between two evaluations. With 0 there is one evaluation, at the end."""
    eval_matches: Whole = 64
    """Number of duplicate matches in each evaluation."""
    final_matches: Whole = 400
    """Number of duplicate matches in the evaluation at the end."""
    eval_seed: Whole = 20_260_101
    """Seed of the deals of evaluations, which are always the same and not those of training."""
    checkpoint_every: Whole = 500_000
    """Decisions between two checkpoints. With 0 only time decides."""
    checkpoint_seconds: Annotated[float, option("SECONDS")] = 60.0
    """Seconds of learning between two checkpoints, if that is sooner. With 0 only decisions
    decide; with both 0 there is one checkpoint, at the end."""
    torch_threads: Whole = 1
    """Number of threads of the learner. More than one compete with whatever else is running."""
    threads: Threads = None
    """Number of threads of the tables."""

    def __post_init__(self) -> None:
        check_table(self.game, self.num_players)
        chosen_rules(self.game, self.rules, self.rule)
        check_threads(self.threads)
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
            _check_amount(name, getattr(self, name), most=1.0)
        for name in ("checkpoint_seconds", "ent_coef"):
            _check_amount(name, getattr(self, name))
        for name in ("learning_rate", "clip", "reward_scale", "minutes"):
            if getattr(self, name) is not None:
                _check_amount(name, getattr(self, name), positive=True)

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
        return EPISODES.get(self.game, "match") if self.deals is None else self.deals

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


def _check_amount(
    name: str, value: Any, *, most: float = sys.float_info.max, positive: bool = False
) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 <= value <= most or (positive and value == 0):
        least = "above 0" if positive else "of 0 or more"
        allowed = f"a number in 0..{most:g}" if most == 1 else f"a finite number {least}"
        raise ValueError(f"{name}: expected {allowed}, got {value!r}")
