"""What one outcome table is to be, and the command that says so."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from bidwise.envs.pyramid.rules import PyramidRules
from bidwise.train.run.provenance import to_json

__all__ = ["DEFAULT_LAYOUTS", "SHIPPED_LAYOUTS", "Plan"]

DEFAULT_LAYOUTS = 64

SHIPPED_LAYOUTS = {
    ("inventor", 2): 256,
    ("inventor", 3): 256,
    ("inventor", 4): 256,
    ("piramida", 2): 256,
    ("piramida", 3): 256,
    ("piramida", 4): 64,
}
"""Layouts of the tables that come with bidwise, in the order of building.

Where any card may be played by four, a deal takes some thirty times as long as the next."""


@dataclass(frozen=True)
class Plan:
    """What one table is to be."""

    num_players: int
    rules: PyramidRules
    layouts: int
    seed: int
    declarer: str | None = None
    defenders: str | None = None

    def command(self) -> str:
        """The command that builds it, apart from where and how fast."""
        names = PyramidRules.presets()
        preset = next((n for n in names if PyramidRules.preset(n) == self.rules), names[0])
        words = f"bidwise outcomes --num-players {self.num_players} --rules {preset}"
        own = dataclasses.asdict(PyramidRules.preset(preset))
        switches = [
            f"{name}={_switch(value)}"
            for name, value in dataclasses.asdict(self.rules).items()
            if value != own[name]
        ]
        if switches:
            words += f" --rule {' '.join(switches)}"
        words += f" --layouts {self.layouts} --seed {self.seed}"
        if self.declarer is not None:
            agents = to_json((self.declarer, self.defenders))
            words += " --declarer {} --defenders {}".format(*agents)
        return words


def _switch(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
