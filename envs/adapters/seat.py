"""Gymnasium env of one learning seat; policies play the others."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from bidwise.envs.adapters.aec import observation_space, whole_number
from bidwise.envs.batch.seat_tables import SeatTables
from bidwise.envs.game import Policy

__all__ = ["SeatEnv"]

Observation = dict[str, NDArray[np.int8]]


class SeatEnv(gymnasium.Env[Observation, np.int64]):
    """One seat of a game as a single-agent env; every step is one decision of that seat.

    What the seat earns while others act reaches it at its next decision or at the end.

    Args:
        game: ``"pyramid"`` or ``"spades"``.
        seat: 0.., or ``"random"``: drawn anew for each episode.
        decide: ``"all"``, ``"bids"`` or ``"cards"``: what the learner decides; the policy `own`
            decides the rest.
        opponents: a policy for all others, or a sequence of them from the learner's left on;
            None plays uniformly random legal actions, as for `partner` (Spades) and `own`.
        rules, num_players, deals, reward, illegal, render_mode: as in the AEC env.

    Observations and actions are the game's; infos hold ``seat`` and ``scores`` (totals).

    Version history: v0, the first.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012  # as Gymnasium has it

    def __init__(
        self,
        game: str,
        *,
        seat: int | str = 0,
        decide: str = "all",
        opponents: Policy | Sequence[Policy | None] | None = None,
        partner: Policy | None = None,
        own: Policy | None = None,
        rules: Any = None,
        num_players: int | None = None,
        deals: str | int = "match",
        reward: str = "relative",
        illegal: str = "raise",
        render_mode: str | None = None,
    ) -> None:
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode: {render_mode!r} is neither None nor 'ansi'")
        self.render_mode = render_mode
        self._tables = SeatTables(
            game,
            1,
            seat=seat,
            decide=decide,
            opponents=opponents,
            partner=partner,
            own=own,
            rules=rules,
            num_players=num_players,
            seed=None,
            deals=deals,
            reward=reward,
            illegal=illegal,
            threads=1,
            keep_records=True,
            autoreset=False,
        )
        self.game = self._tables.game
        self.rules = self._tables.rules
        self.observation_space = observation_space(self.game)  # type: ignore[assignment]
        self.action_space = spaces.Discrete(self.game.num_actions)
        self._over = False

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; seeds and options as in the AEC env."""
        super().reset(seed=seed)
        self._tables.reset(seed, options)
        self._over = False
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """The learner's decision, and play on to its next one."""
        if self._over:
            raise RuntimeError("the episode is over: call reset()")
        rewards, finished = self._tables.step(np.array([whole_number(action)]))
        self._over = bool(finished[0])
        truncated = bool(self._tables.truncated[0])
        return (
            self._observation(),
            float(rewards[0]),
            self._over and not truncated,
            truncated,
            self._info(),
        )

    def _observation(self) -> Observation:
        return {
            "observation": self._tables.observations[0].copy(),
            "action_mask": self._tables.action_masks[0].copy(),
        }

    def _info(self) -> dict[str, Any]:
        totals = self._tables.states["totals"][0]
        count = 2 if self.game.pairs else self._tables.num_players
        return {
            "seat": int(self._tables.seats[0]),
            "scores": [int(total) for total in totals[:count]],
        }

    def action_masks(self) -> NDArray[np.bool_]:
        """The mask as sb3-contrib asks for it: (A,) bool."""
        self._tables.require_reset()
        masks: NDArray[np.bool_] = self._tables.action_masks[0] != 0
        return masks

    def render(self) -> str | None:
        """The table as text; without a render mode, a warning and None."""
        if self.render_mode is None:
            warnings.warn(
                "render() without a render_mode: construct with render_mode='ansi'", stacklevel=2
            )
            return None
        self._tables.require_reset()
        return self.game.draw_table(self._tables.states[0])

    def record(self) -> str:
        """The match so far as text; see :mod:`bidwise.envs.records.reading`."""
        return self._tables.record(0)
