"""What was played: the record a match began with, and every action since."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bidwise.envs.batch.kernels import Logs

__all__ = ["ActionLog"]

_FIRST_ROOM = 4096


class ActionLog:
    """The current match of each table, as its first record and its actions.

    With `keep` false nothing is kept, and ``actions`` has no columns. The engine's loops
    write ``actions`` (B, L) int8, ``lengths`` (B,) int64 and ``starts`` (B,) themselves; a
    length of -1 says that this match's beginning is not known.
    """

    def __init__(self, states: NDArray[np.void], keep: bool) -> None:
        self.keep = keep
        rows = len(states) if keep else 1
        self.starts = np.zeros_like(states[:rows])
        self.actions = np.zeros((rows, _FIRST_ROOM if keep else 0), np.int8)
        self.lengths = np.zeros(rows, np.int64)
        self._used = 0

    @property
    def logs(self) -> Logs:
        """The arrays, as the engine's loops take them."""
        return Logs(self.starts, self.actions, self.lengths)

    def restart(self, states: NDArray[np.void], beginning: bool = True) -> None:
        """Every table stands where `states` say; `beginning`: of a match."""
        if self.keep:
            self.starts[:] = states
            self.lengths[:] = 0 if beginning else -1
            self._used = 0

    def make_room(self, count: int) -> None:
        """Before a loop that appends at most `count` actions to any table."""
        if not self.keep:
            return
        self._used += count
        room = self.actions.shape[1]
        if self._used > room:
            self._used = max(int(self.lengths.max()), 0) + count
            if self._used > room // 2:
                wider = np.zeros((len(self.actions), 2 * max(room, self._used)), np.int8)
                wider[:, :room] = self.actions
                self.actions = wider

    def read(self, table: int) -> tuple[np.void, list[int]]:
        """The record that a table's match began with, and its actions since."""
        if not self.keep:
            raise ValueError("record: nothing was kept; construct with keep_records=True")
        if self.lengths[table] < 0:
            raise ValueError("record: the state was set, so the match's beginning is not known")
        actions = self.actions[table, : self.lengths[table]]
        return self.starts[table].copy(), [int(action) for action in actions]
