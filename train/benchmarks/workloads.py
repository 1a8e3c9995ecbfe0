"""What `bidwise bench` runs: loops over our envs, and the same loops over named peers."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwise.envs import Tables
from bidwise.envs.adapters.aec import CardGameEnv
from bidwise.train.benchmarks.timing import Unavailable, Workload
from bidwise.train.learning.config import TrainConfig
from bidwise.train.run.provenance import console

__all__ = [
    "aec_loop",
    "openspiel_loop",
    "openspiel_policy_loop",
    "play_out_loop",
    "policy_loop",
    "tables_loop",
    "tictactoe_loop",
    "training_share",
    "vec_env_loop",
]

NUM_TABLES = 4096
VEC_ENV_TABLES = 1024

_PLAY_OUT_STEPS = 1000
_BETWEEN_LOOKS = 64
"""Steps of a Python loop between two looks at the clock."""


def _timed(some_steps: Callable[[], int]) -> Workload:
    """Repeat `some_steps`, which returns how many it did, for so many seconds."""

    def workload(seconds: float) -> tuple[int, float]:
        steps = 0
        began = time.perf_counter()
        while True:
            steps += some_steps()
            elapsed = time.perf_counter() - began
            if elapsed >= seconds:
                return steps, elapsed

    return workload


def _spent(one_step: Callable[[], tuple[int, float]]) -> Workload:
    """Repeat `one_step`, which returns its steps and the time that counts, for so many seconds."""

    def workload(seconds: float) -> tuple[int, float]:
        steps, spent = 0, 0.0
        while True:
            done, took = one_step()
            steps += done
            spent += took
            if spent >= seconds:
                return steps, spent

    return workload


def _random_policy() -> Callable[[NDArray[Any]], NDArray[np.int64]]:
    """A uniformly random legal action a row of masks (B, A), by numpy."""
    generator = np.random.default_rng(0)

    def choose(masks: NDArray[Any]) -> NDArray[np.int64]:
        # From 1 down to more than 0: a draw of 0 would make a single legal action none.
        lots = 1 - generator.random(masks.shape, np.float32)
        chosen: NDArray[np.int64] = (masks * lots).argmax(axis=1)
        return chosen

    return choose


def tables_loop(game: str, threads: int | None, num_tables: int = NUM_TABLES) -> Workload:
    """`Tables`: a random legal action, its observation and mask at every table."""
    tables = Tables(game, num_tables, threads=threads)

    def some_steps() -> int:
        tables.step(tables.sample_actions())
        return num_tables

    return _timed(some_steps)


def policy_loop(game: str, threads: int | None, num_tables: int = NUM_TABLES) -> Workload:
    """`Tables` driven by a user's own policy in numpy, which reads the masks and takes its time.

    Counted is the time in `step` and in handing out observations and masks, not the policy's;
    but what a policy does to the caches, and to threads that wait meanwhile, shows.
    """
    tables = Tables(game, num_tables, threads=threads)
    choose = _random_policy()

    def one_step() -> tuple[int, float]:
        actions = choose(tables.action_masks)
        began = time.perf_counter()
        tables.step(actions)
        _ = tables.observations, tables.action_masks
        return num_tables, time.perf_counter() - began

    return _spent(one_step)


def play_out_loop(game: str, threads: int | None, num_tables: int = NUM_TABLES) -> Workload:
    """Random play to the end, nothing observed."""
    tables = Tables(game, num_tables, threads=threads)

    def some_steps() -> int:
        tables.play_out(_PLAY_OUT_STEPS)
        return num_tables * _PLAY_OUT_STEPS

    return _timed(some_steps)


def _aec_steps(env: Any) -> Workload:
    """The loop of PettingZoo's documentation, with one cheap choice of a legal action."""
    uniform = random.Random(0).random
    env.reset(seed=0)

    def some_steps() -> int:
        steps = 0
        while steps < _BETWEEN_LOOKS:
            observation, _reward, terminated, truncated, _info = env.last()
            if terminated or truncated:
                env.reset()
                continue
            legal = observation["action_mask"].nonzero()[0]
            env.step(int(legal[int(uniform() * len(legal))]))
            steps += 1
        return steps

    return _timed(some_steps)


def aec_loop(game: str) -> Workload:
    """Our AEC env, which has no wrappers."""
    return _aec_steps(CardGameEnv(game))


def tictactoe_loop() -> Workload:
    """PettingZoo's tictactoe, as `tictactoe_v3.env()` makes it: wrapped three times.

    `pettingzoo.make` makes the same without that factory's deprecation warning.
    """
    import pettingzoo

    try:
        env = pettingzoo.make("aec", "classic/tictactoe-v3")
    except ImportError as error:
        raise Unavailable(f"PettingZoo's tictactoe needs {error.name}") from None
    return _aec_steps(env)


def openspiel_loop(tensor: bool) -> Workload:
    """OpenSpiel's Spades from Python on one core; what is dealt is not counted as steps."""
    state = _openspiel_spades()
    uniform = random.Random(0).random

    def some_steps() -> int:
        nonlocal state
        steps = 0
        while steps < _BETWEEN_LOOKS:
            legal = state.legal_actions()
            if not legal:
                state = _openspiel_spades()
                continue
            if not state.is_chance_node():
                steps += 1
                if tensor:
                    state.observation_tensor()
            state.apply_action(legal[int(uniform() * len(legal))])
        return steps

    return _timed(some_steps)


def openspiel_policy_loop() -> Workload:
    """OpenSpiel's Spades as :func:`policy_loop`: applying, legal actions and tensor are counted."""
    state = _openspiel_spades()
    uniform = random.Random(0).random
    legal = state.legal_actions()

    def one_step() -> tuple[int, float]:
        nonlocal state, legal
        decides = not state.is_chance_node()
        action = legal[int(uniform() * len(legal))]
        began = time.perf_counter()
        state.apply_action(action)
        if state.is_terminal():
            state = _openspiel_spades()
        legal = state.legal_actions()
        if not state.is_chance_node():
            state.observation_tensor()
        return int(decides), time.perf_counter() - began

    return _spent(one_step)


def _openspiel_spades() -> Any:
    try:
        import pyspiel
    except ImportError:
        raise Unavailable("OpenSpiel is not installed (open-spiel)") from None
    return pyspiel.load_game("spades").new_initial_state()


def vec_env_loop(game: str, num_tables: int = VEC_ENV_TABLES) -> Workload:
    """The stable-baselines3 VecEnv: step and masks; choosing an action is not counted."""
    try:
        from bidwise.train.learning.vec_env import SeatVecEnv
    except ImportError as error:
        raise Unavailable(f"the VecEnv needs {error.name}") from None
    env = SeatVecEnv(game, num_tables)
    choose = _random_policy()
    env.reset()
    masks = _masks_of(env)

    def one_step() -> tuple[int, float]:
        nonlocal masks
        actions = choose(masks)
        began = time.perf_counter()
        env.step(actions)
        masks = _masks_of(env)
        return num_tables, time.perf_counter() - began

    return _spent(one_step)


def _masks_of(env: Any) -> NDArray[np.bool_]:
    return np.stack(env.env_method("action_masks"))


def training_share(game: str, decide: str, others: str, steps: int) -> tuple[float, float]:
    """The tables' part of the time of learning, 0..1, and decisions a second.

    1,024 tables and hidden layers of 256 and 256, as is the default of `bidwise train`.
    """
    try:
        from bidwise.train.learning.training import train
    except ImportError as error:
        raise Unavailable(f"training needs {error.name}") from None
    with tempfile.TemporaryDirectory(prefix="bidwise-bench-") as folder:
        settings = TrainConfig(
            out=Path(folder) / "run",
            game=game,
            decide=decide,
            opponents=others,
            partner=others,
            own=others,
            steps=steps,
            baselines=(),
            eval_every=0,
            checkpoint_every=0,
        )
        quiet, console.quiet = console.quiet, True
        try:
            trained = train(settings)
        finally:
            console.quiet = quiet
    if trained.interrupted:
        raise KeyboardInterrupt
    return trained.env_share, trained.steps / trained.seconds
