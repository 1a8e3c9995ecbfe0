"""PettingZoo AEC over any game: one table, every seat an agent.

Agents are ``player_0``.. clockwise. Observations are ``{"observation": (F,) int8,
"action_mask": (A,) int8}``; fields, actions and rewards are those of the game's package. An
episode is a match, or `deals` deals. When a deal ends, the same step deals the next.

Version history: v0, the first.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from bidwise.envs.batch.action_log import ActionLog
from bidwise.envs.batch.kernels import observe_one, step_one
from bidwise.envs.core.checks import check_int, check_names
from bidwise.envs.core.rng import fresh_seed
from bidwise.envs.core.vocabulary import OVER, REWARDS, RUNNING, TERMINATED, TRUNCATED
from bidwise.envs.game import Game, IllegalActionError
from bidwise.envs.games import get_game
from bidwise.envs.records.matches import write_match
from bidwise.envs.states import apply_reset, new_states

__all__ = ["ILLEGAL", "CardGameEnv", "observation_space", "whole_number"]

ILLEGAL = ("raise", "terminate", "penalise")
_PENALTY = -1.0


def observation_space(game: Game) -> spaces.Dict:
    """The space of one seat's observations and masks."""
    layout = game.layout
    return spaces.Dict(
        {
            "observation": spaces.Box(layout.low, layout.high, dtype=np.int8),
            "action_mask": spaces.Box(0, 1, (game.num_actions,), np.int8),
        }
    )


def whole_number(action: Any) -> int:
    """An action from outside as an int; anything but a whole number is refused."""
    if isinstance(action, np.ndarray) and action.ndim == 0:
        action = action[()]
    if isinstance(action, bool | np.bool_) or not isinstance(action, int | np.integer):
        raise ValueError(f"action: expected a whole number, got {action!r}")
    # Whatever no 64-bit number holds is as far out of range as the last that one holds.
    return max(min(int(action), 2**63 - 1), -(2**63))


class CardGameEnv(AECEnv):  # type: ignore[misc]  # PettingZoo is untyped
    """One table of a game.

    Args:
        game: ``"pyramid"`` or ``"spades"``.
        num_players: for games that leave a choice.
        rules: a preset's name or a rules dataclass.
        deals: an episode is a ``"match"``, or ends after so many deals.
        reward: ``"points"``: what the score sheet gives; ``"relative"``: the same, zero-sum;
            ``"win"``: at the end by totals, the sole winner +1, sharers of the top 0, others -1.
        illegal: ``"raise"`` IllegalActionError and change nothing; ``"terminate"``: the offender
            gets -1, others 0; ``"penalise"``: -1, the state unchanged, the same seat again.
        render_mode: None or ``"ansi"``.

    ``reset(seed=...)`` begins match 0 of that seed; without a seed the next match of the same.
    Its options: ``hands`` (equal lengths; shorter than a full hand for endings), ``dealer``
    (of the first deal), ``totals``, Pyramid's ``spent`` (each player's bids used so far, a list
    of 7 counts), Spades' ``bags``. What cannot be raises a ValueError, and the game at the
    table goes on.
    """

    metadata: dict[str, Any]

    def __init__(
        self,
        game: str,
        *,
        num_players: int | None = None,
        rules: Any = None,
        deals: str | int = "match",
        reward: str = "relative",
        illegal: str = "raise",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.game = get_game(game)
        check_names([reward], list(REWARDS), "reward")
        check_names([illegal], ILLEGAL, "illegal")
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode: {render_mode!r} is neither None nor 'ansi'")
        self.metadata = {
            "name": self.game.env_id,
            "render_modes": ["ansi"],
            "render_fps": 1,
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self.illegal = illegal
        self._mode = REWARDS[reward]
        self._states = new_states(self.game, 1, rules, num_players, 0, deals)
        self.rules = self.game.read_rules(self._states[0])
        self.num_players = int(self._states["num_players"][0])
        self.possible_agents = [f"player_{seat}" for seat in range(self.num_players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        space = observation_space(self.game)
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = {
            agent: spaces.Discrete(self.game.num_actions) for agent in self.possible_agents
        }
        self._earned = np.zeros(self.num_players, np.float32)
        self._log = ActionLog(self._states, keep=True)
        self._begun = False
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin an episode; see the class."""
        states = self._states.copy()
        if seed is not None:
            check_int("seed", seed, 0, 2**64 - 1)
            states["seed"] = np.uint64(seed)
            states["match"] = np.uint64(0)
        elif not self._begun:
            states["seed"] = np.uint64(fresh_seed())
        else:
            states["match"] += np.uint64(1)
        self._states[:] = apply_reset(self.game, states, options)
        self._begun = True
        self._log.restart(self._states)
        self._seat_agents()

    def _seat_agents(self) -> None:
        status = int(self._states["status"][0])
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, status == TERMINATED)
        self.truncations = dict.fromkeys(self.agents, status == TRUNCATED)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[int(self._states["player"][0])]
        self._skip_agent_selection = None
        self._rewarded = False

    def observe(self, agent: str) -> dict[str, NDArray[np.int8]]:
        """What an agent sees now, whoever is to act; its mask is zero unless it is. Copies."""
        row = np.empty(self.game.layout.size, np.int8)
        mask = np.empty(self.game.num_actions, np.int8)
        self._require_reset()
        observe_one(self._states, self._seats[agent], row, mask)
        return {"observation": row, "action_mask": mask}

    def step(self, action: int | None) -> None:
        """The selected agent acts; a finished agent takes None."""
        self._require_reset()
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        chosen = whole_number(action)
        outcome = step_one(self._states, chosen, self._mode, self._earned)
        if outcome < 0:
            self._offend(agent, chosen)
            return
        log = self._log
        log.make_room(1)
        if log.lengths[0] >= 0:
            log.actions[0, log.lengths[0]] = chosen
            log.lengths[0] += 1
        if self._rewarded:
            self._clear_rewards()
            self._rewarded = False
        self._cumulative_rewards[agent] = 0.0
        if outcome < 4:
            self.agent_selection = self.possible_agents[outcome]
            return
        self.agent_selection = self.possible_agents[outcome - 4]
        self._give(dict(zip(self.possible_agents, self._earned.tolist(), strict=True)))
        status = self._states["status"][0]
        if status != RUNNING:
            self._end(truncated=bool(status == TRUNCATED))

    def _give(self, rewards: dict[str, float]) -> None:
        self.rewards = rewards
        self._rewarded = True
        self._accumulate_rewards()

    def _end(self, truncated: bool) -> None:
        for agent in self.agents:
            self.terminations[agent] = not truncated
            self.truncations[agent] = truncated

    def _offend(self, agent: str, action: int) -> None:
        if self.illegal == "raise":
            why = self.game.why_illegal(self._states[0], action)
            raise IllegalActionError(f"{agent}: {why}")
        self._cumulative_rewards[agent] = 0.0
        self._give({name: _PENALTY if name == agent else 0.0 for name in self.agents})
        if self.illegal == "terminate":
            self._states["status"] = TERMINATED
            self._states["decision"] = OVER
            self._end(truncated=False)

    def _require_reset(self) -> None:
        if not self._begun:
            raise RuntimeError("nothing is dealt yet: call reset()")

    def render(self) -> str | None:
        """The table as text; without a render mode, a warning and None."""
        if self.render_mode is None:
            warnings.warn(
                "render() without a render_mode: construct with render_mode='ansi'", stacklevel=2
            )
            return None
        self._require_reset()
        return self.game.draw_table(self._states[0])

    def close(self) -> None:
        """Nothing is held that would need closing."""

    def record(self) -> str:
        """The match so far as text; see :mod:`bidwise.envs.records.reading`."""
        self._require_reset()
        return write_match(self.game, *self._log.read(0))

    @property
    def state(self) -> np.void:
        """The table's whole state, a copy; assign one to continue from it."""
        self._require_reset()
        record: np.void = self._states[0].copy()
        return record

    @state.setter
    def state(self, value: np.void) -> None:
        if getattr(value, "dtype", None) != self.game.dtype:
            raise ValueError(f"state: not a record of {self.game.name}")
        if int(value["num_players"]) != self.num_players:
            raise ValueError(f"state: of {value['num_players']} players, not {self.num_players}")
        self._states[0] = value
        self.rules = self.game.read_rules(value)
        self._begun = True
        self._log.restart(self._states, beginning=False)
        self._seat_agents()

    @property
    def hands(self) -> list[list[int]]:
        """Sorted ids of the cards that each seat still holds, hidden from nobody."""
        hands = self._states["hands"][0]
        return [self.game.deck.cards(int(hands[seat])) for seat in range(self.num_players)]

    @property
    def dealer(self) -> int:
        """The seat that dealt this deal."""
        return int(self._states["dealer"][0])

    @property
    def scores(self) -> list[int]:
        """Totals: a player's, in Spades a pair's."""
        totals = self._states["totals"][0]
        return [int(total) for total in totals[: 2 if self.game.pairs else self.num_players]]

    @property
    def bags(self) -> list[int]:
        """Tricks in each pair's bag (Spades)."""
        if "bags" not in (self.game.dtype.names or ()):
            raise AttributeError(f"{self.game.name} has no bags")
        return [int(bag) for bag in self._states["bags"][0]]

    @property
    def tricks_taken(self) -> list[int]:
        """Tricks that each seat has taken in this deal."""
        return [int(taken) for taken in self._states["tricks_taken"][0][: self.num_players]]

    def __copy__(self) -> CardGameEnv:
        return copy.deepcopy(self)

    def __str__(self) -> str:
        return self.game.env_id
