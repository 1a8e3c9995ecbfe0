"""Gymnasium vector env over a batch of tables, one learning seat each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from bidwise.envs.adapters.aec import observation_space
from bidwise.envs.batch.seat_tables import SeatTables

__all__ = ["SeatVectorEnv"]

Observations = dict[str, NDArray[np.int8]]


class SeatVectorEnv(VectorEnv[Observations, NDArray[np.int64], NDArray[Any]]):
    """`num_envs` tables stepped together; autoreset is SAME_STEP.

    In the step that ends an episode the observation is the next episode's first; infos then
    hold ``final_obs`` (a dict of (B, F) and (B, A) arrays) and ``final_info`` (``scores``,
    (B, T)), with the masks ``_final_obs`` and ``_final_info`` (B,) telling for which tables.

    Args:
        num_envs: B.
        game and all others: as :class:`~bidwise.envs.adapters.seat.SeatEnv`; `threads`, `seed` and
            `keep_records` as :class:`~bidwise.envs.batch.tables.Tables`.

    All arrays handed out are copies.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # as Gymnasium has it
        "autoreset_mode": AutoresetMode.SAME_STEP,
        "render_modes": [],
    }

    def __init__(
        self,
        num_envs: int = 1,
        *,
        game: str,
        render_mode: str | None = None,
        seed: int | None = None,
        **arguments: Any,
    ) -> None:
        if render_mode is not None:
            raise ValueError(f"render_mode: {render_mode!r}; a vector env draws nothing")
        self.tables = SeatTables(game, num_envs, seed=seed, **arguments)
        self.game = self.tables.game
        self.rules = self.tables.rules
        self.num_envs = num_envs
        self.render_mode = None
        self.single_observation_space = observation_space(self.game)
        self.single_action_space = spaces.Discrete(self.game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Observations, dict[str, Any]]:
        """Begin an episode at every table; one seed for all (table t plays its stream t), or
        one a table."""
        if isinstance(seed, Sequence) and any(one is None for one in seed):
            raise ValueError("seed: give a seed for every table, or one for all")
        self.tables.reset(seed, options)  # type: ignore[arg-type]  # no None is left
        return self._observations(), {"seat": self.tables.seats.copy()}

    def step(
        self, actions: Any
    ) -> tuple[
        Observations,
        NDArray[np.float64],
        NDArray[np.bool_],
        NDArray[np.bool_],
        dict[str, Any],
    ]:
        """One decision at every table."""
        tables = self.tables
        rewards, finished = tables.step(actions)
        infos: dict[str, Any] = {"seat": tables.seats.copy()}
        if finished.any():
            over = finished.copy()
            infos["final_obs"] = {
                "observation": tables.final_observations.copy(),
                "action_mask": np.zeros_like(tables.action_masks),
            }
            infos["final_info"] = {
                "seat": tables.final_seats.copy(),
                "scores": tables.final_scores.copy(),
            }
            infos["_final_obs"] = infos["_final_info"] = over
        truncated = tables.truncated.copy()
        return self._observations(), rewards.copy(), finished & ~truncated, truncated, infos

    def _observations(self) -> Observations:
        return {
            "observation": self.tables.observations.copy(),
            "action_mask": self.tables.action_masks.copy(),
        }

    def record(self, table: int = 0) -> str:
        """The match now on a table as text; needs ``keep_records=True``."""
        return self.tables.record(table)

    def close_extras(self, **kwargs: Any) -> None:
        """Nothing is held that would need closing."""
