"""A batch of tables as stable-baselines3 wants it: one VecEnv, one learning seat a table."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import Wrapper, spaces
from numpy.typing import NDArray
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv

from bidwise.agents import scale
from bidwise.envs import SeatTables

__all__ = ["SeatVecEnv"]

Indices = int | Iterable[int] | None
Infos = list[dict[str, Any]]


class _NoNews(dict[str, Any]):
    """The info of a table whose episode goes on: one object for all of them, never written."""

    def __setitem__(self, key: str, value: Any) -> None:
        raise TypeError("tables whose episode goes on share this info: copy it before writing")

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


_NO_NEWS = _NoNews({"TimeLimit.truncated": False})


class SeatVecEnv(VecEnv):
    """`num_tables` tables stepped together, one learning seat each.

    Observations are (B, F) float32, each byte scaled by the `high` of its field as published
    networks scale it; masks, through ``env_method("action_masks")``, one (B, A) bool array.
    Both are fresh arrays at every step: MaskablePPO stores an observation and its mask only
    after the next step.

    Where an episode ended, infos hold ``terminal_observation`` (F,), ``TimeLimit.truncated``
    and ``episode`` (``r`` in unscaled reward, ``l`` decisions, ``t`` seconds since the start),
    as SB3's Monitor would. All other tables share one info, which cannot be written.

    Args:
        game, num_tables: as :class:`~bidwise.envs.SeatTables`, like every other keyword.
        reward_scale: what rewards are multiplied by for the learner.

    Attributes:
        seconds: wall time spent in :meth:`step_wait` so far.
    """

    def __init__(
        self, game: str, num_tables: int, *, reward_scale: float = 1.0, **arguments: Any
    ) -> None:
        self.tables = SeatTables(game, num_tables, **arguments)
        self.game = self.tables.game
        self.rules = self.tables.rules
        self.reward_scale = reward_scale
        self.render_mode = None  # asked for by the base class while it is constructed
        self.seconds = 0.0
        layout = self.game.layout
        self._factors = scale(layout)
        self._returns = np.zeros(num_tables, np.float64)
        self._lengths = np.zeros(num_tables, np.int64)
        self._began = time.perf_counter()
        self._actions: NDArray[np.int64] | None = None
        super().__init__(
            num_tables,
            spaces.Box(self._scaled(layout.low), self._scaled(layout.high)),
            spaces.Discrete(self.game.num_actions),
        )

    def _scaled(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        scaled: NDArray[np.float32] = np.multiply(observations, self._factors, dtype=np.float32)
        return scaled

    def reset(self) -> NDArray[np.float32]:
        """Begin an episode at every table, with the seeds and options set for it, once."""
        options = self._options[0]
        if any(other != options for other in self._options):
            raise ValueError("options: every table gets the same; these differ")
        seeds = [seed for seed in self._seeds if seed is not None]
        if seeds and len(seeds) < self.num_envs:
            raise ValueError("seed: give a seed for every table, or for none")
        self.tables.reset(seeds or None, options or None)
        self._reset_seeds()
        self._reset_options()
        self.reset_infos = [{} for _ in range(self.num_envs)]
        self._returns[:] = 0.0
        self._lengths[:] = 0
        return self._scaled(self.tables.observations)

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Take the actions; :meth:`step_wait` plays them."""
        self._actions = actions

    def step_wait(
        self,
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], Infos]:
        """One decision at every table; finished tables show their next episode."""
        if self._actions is None:
            raise RuntimeError("step_wait() without step_async()")
        begun = time.perf_counter()
        rewards, finished = self.tables.step(self._actions)
        self._actions = None
        self._returns += rewards
        self._lengths += 1
        infos: Infos = [_NO_NEWS] * self.num_envs
        if finished.any():
            self._report(np.flatnonzero(finished), infos)
        result = (
            self._scaled(self.tables.observations),
            (rewards * self.reward_scale).astype(np.float32),
            finished.copy(),
            infos,
        )
        self.seconds += time.perf_counter() - begun
        return result

    def _report(self, ended: NDArray[np.int64], infos: Infos) -> None:
        """Write the infos of tables whose episode has just ended."""
        elapsed = round(time.perf_counter() - self._began, 6)
        final = self._scaled(self.tables.final_observations[ended])
        for row, table in enumerate(ended):
            infos[table] = {
                "terminal_observation": final[row],
                "TimeLimit.truncated": bool(self.tables.truncated[table]),
                "episode": {
                    "r": round(float(self._returns[table]), 6),
                    "l": int(self._lengths[table]),
                    "t": elapsed,
                },
            }
        self._returns[ended] = 0.0
        self._lengths[ended] = 0

    def action_masks(self) -> NDArray[np.bool_]:
        """(B, A) bool: what each learner may do now."""
        masks: NDArray[np.bool_] = self.tables.action_masks != 0
        return masks

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """The tables' snapshot, and what the episodes under way have brought."""
        tables = {f"tables.{name}": array for name, array in self.tables.snapshot().items()}
        return tables | {"returns": self._returns.copy(), "lengths": self._lengths.copy()}

    def restore(self, snapshot: Mapping[str, NDArray[Any]]) -> NDArray[np.float32]:
        """Go on where another one, made by the same arguments, stood; returns observations.

        Raises:
            ValueError: a snapshot of other tables.
        """
        own = {"returns": self._returns, "lengths": self._lengths}
        for name, array in own.items():
            given = snapshot.get(name)
            if given is None or given.shape != array.shape or given.dtype != array.dtype:
                raise ValueError(f"snapshot: {name} is not {array.dtype} of shape {array.shape}")
        self.tables.restore(
            {name.removeprefix("tables."): a for name, a in snapshot.items() if name not in own}
        )
        for name, array in own.items():
            array[:] = snapshot[name]
        self._reset_seeds()
        self._reset_options()
        return self._scaled(self.tables.observations)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> Any:
        """Masks of all tables, or of some, as one array; tables have no other method."""
        if method_name != "action_masks":
            raise AttributeError(f"env_method: tables have no method {method_name!r}")
        masks = self.action_masks()
        return masks if indices is None else masks[list(self._get_indices(indices))]

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """An attribute once for each table: all share it."""
        value = getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Refused: the tables are one object, made by its constructor."""
        raise AttributeError(f"set_attr: {attr_name!r} cannot be set for single tables")

    def env_is_wrapped(
        self, wrapper_class: type[Wrapper[Any, Any, Any, Any]], indices: Indices = None
    ) -> list[bool]:
        """True for Monitor, whose report every ended episode carries; else False."""
        reports = wrapper_class is Monitor
        return [reports for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """None for every table: nothing is drawn."""
        return [None] * self.num_envs

    def close(self) -> None:
        """Nothing is held that would need closing."""
