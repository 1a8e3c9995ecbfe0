"""What happens beside learning: the clock, the progress bar, evaluations, checkpoints, Ctrl-C."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Mapping
from types import FrameType, TracebackType
from typing import Any

from rich.progress import Progress, TaskID
from stable_baselines3.common.callbacks import BaseCallback

from bidwise.train.compare.duplicate import Comparison
from bidwise.train.learning.state import Arrays, take
from bidwise.train.learning.vec_env import SeatVecEnv
from bidwise.train.run.provenance import console

__all__ = ["Budget", "Interrupt", "Watch"]


class Interrupt:
    """Within it the first Ctrl-C only sets `asked`; the second one ends the process as usual."""

    def __init__(self) -> None:
        self.asked = False
        self._before: Any = None

    def __enter__(self) -> Interrupt:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._give_back()

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        self._give_back()
        console.print("Interrupted: finishing up (Ctrl-C again to give up everything) ...")

    def _give_back(self) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            self._before = None


class Budget:
    """How much of a run is done, by decisions or by time, whichever is further.

    Args:
        steps: decisions, in all.
        minutes: of learning in this process; None: no matter.
    """

    def __init__(self, steps: int, minutes: float | None) -> None:
        self.steps = steps
        self.minutes = minutes
        self.begin(0)

    def begin(self, seen: int) -> None:
        """Start the clock, with so many decisions seen by an earlier process."""
        self.seen = seen
        self.aside = 0.0
        self._began = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Of learning: what evaluations took does not count."""
        return time.perf_counter() - self._began - self.aside

    @property
    def done(self) -> float:
        """0 at the start to 1."""
        share = self.seen / self.steps
        if self.minutes is not None:
            share = max(share, self.seconds / (60 * self.minutes))
        return min(share, 1.0)


class Watch(BaseCallback):
    """Looks after a run between two updates, when the network is that of whole updates.

    Logged are ``time/env_share`` (the tables' part of the time of learning) and, for every
    baseline, ``eval/<baseline>/<difference>`` with its 95 % interval.

    Args:
        env: the tables.
        budget: when to stop; told how far the run is.
        interrupt: when to stop as well.
        evaluate: compares the network of so many steps with each baseline.
        save: writes a checkpoint of so many steps.
        check: called with the model before the network of an update is used; raises if it is
            not fit to be.
        check_rollout: the same for what was collected.
        eval_every, checkpoint_every: decisions between two; 0: never.
        checkpoint_seconds: between two checkpoints, if that is sooner; 0: no matter.
        evaluated: decisions at the last evaluation of an earlier process.

    Attributes:
        moving: the state of tables and streams when the collection under way began.
        cut_short: learning ended within a collection, so that `moving` is what belongs to the
            network, not what stands at the tables now.
    """

    def __init__(
        self,
        env: SeatVecEnv,
        budget: Budget,
        interrupt: Interrupt,
        evaluate: Callable[[int], Mapping[str, Comparison]],
        save: Callable[[int], Any],
        *,
        check: Callable[[Any], None],
        check_rollout: Callable[[Any], None],
        eval_every: int,
        checkpoint_every: int,
        checkpoint_seconds: float,
        evaluated: int = 0,
        bar: Progress,
    ) -> None:
        super().__init__()
        self.env = env
        self.budget = budget
        self.interrupt = interrupt
        self._evaluate = evaluate
        self._save = save
        self._every = {"evaluate": eval_every, "save": checkpoint_every}
        self._last: dict[str, int] = {}
        self._check = check
        self._check_rollout = check_rollout
        self._seconds = checkpoint_seconds
        self._evaluated = evaluated
        self.moving: Arrays | None = None
        self.cut_short = False
        self._bar = bar
        self._task: TaskID | None = None

    @property
    def env_share(self) -> float:
        """The tables' part of the time of learning so far."""
        return self.env.seconds / max(self.budget.seconds, 1e-9)

    def _on_training_start(self) -> None:
        self.budget.begin(self.model.num_timesteps)
        self._last = {"evaluate": self._evaluated, "save": self.model.num_timesteps}
        self._saved = time.perf_counter()
        self._task = self._bar.add_task("learning", total=self.budget.steps)

    def _on_rollout_start(self) -> None:
        self._check(self.model)
        steps = self.budget.seen = self.model.num_timesteps
        self.moving = take(self.model)
        if steps >= self.budget.steps:
            return
        if self._due("evaluate", steps):
            begun = time.perf_counter()
            self.record(self._evaluate(steps), steps)
            self.budget.aside += time.perf_counter() - begun
        # After the evaluation, whose lines the checkpoint then counts among its own.
        if self._due("save", steps) or self._late():
            self._last["save"] = steps
            self._save(steps)
            self._saved = time.perf_counter()

    @property
    def evaluated(self) -> int:
        """Decisions at the last evaluation on the way."""
        return self._last.get("evaluate", self._evaluated)

    def _late(self) -> bool:
        new = self.model.num_timesteps > self._last["save"]
        return new and 0 < self._seconds <= time.perf_counter() - self._saved

    def _due(self, what: str, steps: int) -> bool:
        every = self._every[what]
        if not every or steps - self._last[what] < every:
            return False
        self._last[what] = steps
        return True

    def record(self, comparisons: Mapping[str, Comparison], steps: int) -> None:
        """Log the differences to every baseline."""
        for name, comparison in comparisons.items():
            for kind, estimate in comparison.differences.items():
                self.logger.record(f"eval/{name}/{kind}", estimate.mean)
                self.logger.record(f"eval/{name}/{kind}_low", estimate.low)
                self.logger.record(f"eval/{name}/{kind}_high", estimate.high)
        self.logger.dump(steps)

    def _on_step(self) -> bool:
        steps = self.model.num_timesteps
        if self._task is not None:
            self._bar.update(self._task, completed=steps)
        if self.interrupt.asked or self.budget.done >= 1.0:
            # What was collected since the last update is dropped, and not counted.
            self.model.num_timesteps = self.budget.seen
            self.cut_short = True
            return False
        return True

    def _on_rollout_end(self) -> None:
        self._check_rollout(self.model)
        self.logger.record("time/env_share", self.env_share)
