"""What a pyramid is worth under other rules and with more players, on one scale.

A mark of the scale is the exact order's mean points for one double-dummy table. Two marks whose
tables differ in one thing tell what that thing costs the declarer:

- another player: the same rules with one player more;
- the duty to follow: ``any`` card against ``suit_then_trump``, both without no trump;
- no trump: whether it may be declared, the duty to follow being the same.

What conferring costs cannot be read off it, for double dummy opens all hands to everybody; see
:mod:`bidwise.train.studies.analysis.conferring`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bidwise.agents.order.optimal import cross_fit
from bidwise.agents.outcomes.hands import class_weights
from bidwise.agents.outcomes.table import DOUBLE_DUMMY, Outcomes, shipped
from bidwise.envs.pyramid.rules import PyramidRules

__all__ = ["Cost", "Mark", "Scale", "mark_of", "scale_of"]

_DUTIES = {
    "any": "any card",
    "suit": "follow suit",
    "suit_then_trump": "follow suit, else trump",
}
"""Of followers, in words."""


@dataclass(frozen=True)
class Mark:
    """The exact order's worth for one table, points a pyramid.

    With endless layouts it would lie between `value` and `in_sample`: an order that few layouts
    decided is not quite the best, and the layouts that decided flatter it.
    """

    num_players: int
    following: str
    no_trump: bool
    source: str
    layouts: int
    value: float
    """Each half of the layouts valuing what the other decided."""
    in_sample: float
    """Each half valuing what it decided itself."""

    @property
    def rules(self) -> str:
        """The rules that matter, in words."""
        return f"{_DUTIES[self.following]}, {_trumps(self.no_trump)}"


@dataclass(frozen=True)
class Cost:
    """What one thing costs the declarer, all else being equal."""

    what: str
    where: str
    """What is equal on both sides."""
    before: Mark
    after: Mark

    @property
    def points(self) -> float:
        """Points a pyramid that the declarer loses; negative where it is a gain."""
        return self.before.value - self.after.value

    @property
    def in_sample(self) -> float:
        """The same by what the layouts that decided claim."""
        return self.before.in_sample - self.after.in_sample


@dataclass(frozen=True)
class Scale:
    """All marks that could be set, and the costs that can be read off them."""

    marks: tuple[Mark, ...]
    costs: tuple[Cost, ...]
    missing: tuple[str, ...]
    """Which tables are not there."""


def _trumps(no_trump: bool) -> str:
    return "suits or no-trump" if no_trump else "suits only"


def mark_of(outcomes: Outcomes) -> Mark:
    """The mark of a table."""
    scores = (outcomes.option_scores(0), outcomes.option_scores(1))
    fit = cross_fit(*scores, class_weights(), outcomes.rules.quota)
    return Mark(
        outcomes.num_players,
        outcomes.rules.following,
        outcomes.no_trump,
        outcomes.source,
        outcomes.layouts,
        fit.value,
        fit.in_sample,
    )


def scale_of(
    rules: PyramidRules,
    *,
    more: Sequence[Outcomes] = (),
    progress: Callable[[int, int], object] | None = None,
) -> Scale:
    """Set the marks of all shipped tables, and of more.

    Args:
        rules: their quota counts in every mark.
        more: further tables; those of another quota are left out.
        progress: called with tables done and tables in all.
    """
    tables, missing = _shipped(rules)
    tables += [table for table in more if table.rules.quota == rules.quota]
    marks: list[Mark] = []
    for done, table in enumerate(tables, start=1):
        mark = mark_of(table)
        if mark not in marks:
            marks.append(mark)
        if progress is not None:
            progress(done, len(tables))
    return Scale(tuple(marks), tuple(_costs(marks)), tuple(missing))


def _shipped(rules: PyramidRules) -> tuple[list[Outcomes], list[str]]:
    """Every shipped table, those with no trump once more without; and what is missing."""
    tables: list[Outcomes] = []
    missing: list[str] = []
    for preset in PyramidRules.presets():
        its_rules = dataclasses.replace(
            PyramidRules.preset(preset), deals_per_player=rules.deals_per_player, quota=rules.quota
        )
        for players in (2, 3, 4):
            try:
                table = shipped(players, its_rules)
            except ValueError:
                missing.append(f"{preset}, {players} players")
                continue
            tables.append(table)
            if table.no_trump:
                tables.append(table.under(dataclasses.replace(its_rules, no_trump=False)))
    return tables, missing


_CHANGES: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...] = (
    ("a third player", {"num_players": 2}, {"num_players": 3}),
    ("a fourth player", {"num_players": 3}, {"num_players": 4}),
    ("the duty to follow", {"following": "any"}, {"following": "suit_then_trump"}),
    ("doing without no trump", {"no_trump": True}, {"no_trump": False}),
)
"""What is told, and the one field in which two marks must differ."""


def _costs(marks: Sequence[Mark]) -> list[Cost]:
    """Every pair of marks that differ in one thing only."""
    keyed: dict[tuple[tuple[str, Any], ...], Mark] = {}
    for mark in marks:
        keyed.setdefault(_key(mark), mark)
    costs = []
    for what, old, new in _CHANGES:
        for before in keyed.values():
            key = dict(_key(before))
            if any(key[name] != value for name, value in old.items()):
                continue
            after = keyed.get(tuple((key | new).items()))
            if after is not None:
                costs.append(Cost(what, _where(before, new), before, after))
    return costs


def _key(mark: Mark) -> tuple[tuple[str, Any], ...]:
    names = ("num_players", "following", "no_trump", "source")
    return tuple((name, getattr(mark, name)) for name in names)


def _where(mark: Mark, changed: dict[str, Any]) -> str:
    parts = {
        "num_players": f"{mark.num_players} players",
        "following": _DUTIES[mark.following],
        "no_trump": _trumps(mark.no_trump),
        "source": mark.source if mark.source != DOUBLE_DUMMY else "",
    }
    return ", ".join(text for name, text in parts.items() if text and name not in changed)
