"""`bidwise train`: MaskablePPO on what one seat of a game decides. Read it from the top.

A run leaves in its folder: ``agent/`` (the published network), ``checkpoint.safetensors`` and the
one before it, ``progress.jsonl`` and ``tensorboard/`` (learning curves), ``evaluations.jsonl`` and
``run.json``.
"""

from __future__ import annotations

import dataclasses
import shutil
from dataclasses import dataclass
from pathlib import Path

import torch
from sb3_contrib import MaskablePPO
from torch import nn

from bidwise.envs.core.files import require_writable
from bidwise.train.compare.duplicate import Comparison
from bidwise.train.learning.baselines import EVALUATIONS, check_agents, make_agent, measure
from bidwise.train.learning.callbacks import Budget, Interrupt, Watch
from bidwise.train.learning.checkpoint import (
    CHECKPOINT,
    PREVIOUS,
    Checkpoint,
    load_checkpoint,
    save_checkpoint,
)
from bidwise.train.learning.config import TrainConfig
from bidwise.train.learning.curves import PROGRESS, curves, cut, sizes
from bidwise.train.learning.health import (
    Diverged,
    Jumps,
    explain,
    require_health,
    require_healthy_rollout,
)
from bidwise.train.learning.publishing import publish_model
from bidwise.train.learning.vec_env import SeatVecEnv
from bidwise.train.run.provenance import Run, console, progress_bar

__all__ = ["EVALUATIONS", "Trained", "make_env", "make_model", "train"]

_LINES = (PROGRESS, EVALUATIONS)
"""The files that grow by lines."""

_LAST_RATE = 0.1
"""What the learning rate has fallen to in the end, as a part of the first."""


@dataclass(frozen=True)
class Trained:
    """What a run came to.

    Attributes:
        agent: the published agent's folder.
        steps: decisions learned from, in all.
        seconds: of learning in this process, evaluations apart.
        rate: decisions a second.
        env_share: the tables' part of the time of learning.
        interrupted: ended by Ctrl-C; the command then exits with 130.
        warning: why the network is probably of no use, if there is a reason.
        results: the published network against each baseline; empty if not measured.
    """

    agent: Path
    steps: int
    seconds: float
    rate: float
    env_share: float
    interrupted: bool
    warning: str | None
    results: dict[str, Comparison]


def train(config: TrainConfig) -> Trained:
    """Run the command: learn, evaluate, publish."""
    run = Run("train", config)
    torch.set_num_threads(config.torch_threads)
    checkpoint = load_checkpoint(config.resume) if config.resume else None
    if checkpoint is not None:
        config = _continued(config, checkpoint)
    check_agents(config)
    require_writable(config.out, "out")
    _prepare(config, fresh=checkpoint is None)
    measured: dict[int, dict[str, Comparison]] = {}
    with Interrupt() as interrupt, progress_bar() as bar:
        env = make_env(config)
        budget = Budget(config.all_steps, config.minutes)
        model = make_model(config, env, budget)
        if checkpoint is not None:
            checkpoint.restore(model)
            cut(config.out, checkpoint.curves)
        model.set_logger(curves(config.out, checkpoint.steps if checkpoint else None))
        for name, value in checkpoint.pending.items() if checkpoint else ():
            model.logger.record(name, value)
        first = model.num_timesteps
        jumps = Jumps(config, checkpoint.warning if checkpoint else None)

        def check(model: MaskablePPO) -> None:
            require_health(model, config)
            jumps.look(model)

        def evaluate(steps: int, matches: int = config.eval_matches) -> dict[str, Comparison]:
            measured[steps] = measure(config, model, steps, matches)
            return measured[steps]

        def save(steps: int, complete: bool = False) -> None:
            save_checkpoint(
                config.out,
                model,
                config,
                steps,
                evaluated=watch.evaluated,
                complete=complete,
                curves=sizes(config.out, _LINES),
                moving=watch.moving if watch.cut_short else None,
                warning=jumps.warning,
            )

        watch = Watch(
            env,
            budget,
            interrupt,
            evaluate,
            save,
            check=check,
            check_rollout=lambda model: require_healthy_rollout(model, config),
            eval_every=config.eval_every,
            checkpoint_every=config.checkpoint_every,
            checkpoint_seconds=config.checkpoint_seconds,
            evaluated=checkpoint.evaluated if checkpoint else 0,
            bar=bar,
        )
        _learn(config, model, watch, config.all_steps - first, fresh=checkpoint is None)
        check(model)
        steps, seconds, env_share = model.num_timesteps, budget.seconds, watch.env_share
        save(steps)
        if not interrupt.asked:
            watch.record(evaluate(steps, config.final_matches), steps)
        results = measured.get(steps, {})
        agent = publish_model(config, model, steps, results)
        if not interrupt.asked and steps >= config.all_steps:
            save(steps, complete=True)
        model.logger.close()
    trained = Trained(
        agent=agent,
        steps=steps,
        seconds=seconds,
        rate=(steps - first) / max(seconds, 1e-9),
        env_share=env_share,
        interrupted=interrupt.asked,
        warning=jumps.warning,
        results=results,
    )
    run.write(config.out, trained, seed=config.seed, rules=config.the_rules)
    _tell(config, trained)
    return trained


def _learn(config: TrainConfig, model: MaskablePPO, watch: Watch, steps: int, fresh: bool) -> None:
    """So many steps more; an error that stems from divergence says so."""
    try:
        model.learn(steps, watch, reset_num_timesteps=fresh)
    except Diverged:
        raise
    except (ArithmeticError, ValueError, RuntimeError) as error:
        # What torch says of a distribution of NaNs fills pages.
        diverged = explain(error, model, config)
        if diverged is None:
            raise
        raise diverged from error


def make_env(config: TrainConfig) -> SeatVecEnv:
    """The tables, with everyone who does not learn seated."""
    partner = make_agent(config, config.partner, 1) if config.the_game.pairs else None
    own = make_agent(config, config.own, 2) if config.decide != "all" else None
    return SeatVecEnv(
        config.game,
        config.num_tables,
        reward_scale=config.scale,
        seat="random" if config.seat == "random" else int(config.seat),
        decide=config.decide,
        opponents=make_agent(config, config.opponents, 0),
        partner=partner,
        own=own,
        rules=config.the_rules,
        num_players=config.players,
        deals="match" if config.episode == "match" else int(config.episode),
        reward=config.reward,
        seed=config.seed,
        threads=config.threads,
    )


def make_model(config: TrainConfig, env: SeatVecEnv, budget: Budget) -> MaskablePPO:
    """The learner: policy and critic side by side, two networks of the same shape."""
    layers = list(config.hidden)
    return MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=lambda _: config.learning_rate * (1 - (1 - _LAST_RATE) * budget.done),
        n_steps=config.n_steps,
        batch_size=config.batch_size,
        n_epochs=config.n_epochs,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip,
        ent_coef=config.ent_coef,
        stats_window_size=config.num_tables,
        policy_kwargs={
            "net_arch": {"pi": layers, "vf": layers},
            "activation_fn": {"tanh": nn.Tanh, "relu": nn.ReLU}[config.activation],
        },
        seed=config.seed,
        device="cpu",
    )


def _continued(asked: TrainConfig, checkpoint: Checkpoint) -> TrainConfig:
    """The checkpoint's settings, with those that a continuation may change."""
    assert asked.resume is not None
    steps = asked.steps or checkpoint.config.all_steps
    # A run that was killed in its last evaluation has that left to do.
    if steps < checkpoint.steps or (steps == checkpoint.steps and checkpoint.complete):
        raise ValueError(
            f"steps: {asked.resume} has learned from {checkpoint.steps:,} decisions already; "
            f"give more than these, not {steps:,}"
        )
    return dataclasses.replace(
        checkpoint.config,
        out=asked.resume,
        resume=asked.resume,
        steps=steps,
        minutes=asked.minutes,
        threads=asked.threads,
        torch_threads=asked.torch_threads,
    )


def _prepare(config: TrainConfig, fresh: bool) -> None:
    """The run's folder; a run that stands there is replaced only when told so."""
    config.out.mkdir(parents=True, exist_ok=True)
    if not fresh:
        return
    held = any((config.out / name).exists() for name in (CHECKPOINT, PREVIOUS))
    if held and not config.overwrite:
        raise ValueError(
            f"out: {config.out} holds a run; continue it with --resume, replace it with "
            f"--overwrite, or give another folder"
        )
    for name in (CHECKPOINT, PREVIOUS, *_LINES):
        (config.out / name).unlink(missing_ok=True)
    shutil.rmtree(config.out / "tensorboard", ignore_errors=True)


def _tell(config: TrainConfig, trained: Trained) -> None:
    if trained.interrupted:
        console.print(
            f"Interrupted after {trained.steps:,} decisions. Saved: "
            f"go on with `bidwise train --resume {config.out}`."
        )
    console.print(
        f"Learned in {trained.seconds:.1f} s, {trained.rate:,.0f} decisions/s, "
        f"{100 * trained.env_share:.1f} % of it in the tables. Published: {trained.agent}"
    )
