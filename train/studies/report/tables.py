"""The tables of a study, each as CSV and as JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwise.agents.outcomes.hands import class_hands
from bidwise.envs.core.files import write_bytes
from bidwise.train.run.provenance import to_json
from bidwise.train.studies.analysis.findings import (
    Findings,
    bid_scores,
    kind_of_value,
    tricks_wanted,
)
from bidwise.train.studies.analysis.requirements import denomination_text, hand_text

__all__ = ["StudyTable", "tables_of"]

_DIGITS = 6


@dataclass(frozen=True)
class StudyTable:
    """Named columns, and what they are."""

    name: str
    about: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Any]]

    def write(self, folder: Path) -> None:
        """Write ``name.csv`` and ``name.json`` (about, columns, a row a line)."""
        rows = [[_told(value) for value in row] for row in self.rows]
        sheet = io.StringIO()
        writer = csv.writer(sheet, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(["" if value is None else value for value in row] for row in rows)
        write_bytes(folder / f"{self.name}.csv", sheet.getvalue().encode())
        head = json.dumps({"about": self.about, "columns": self.columns}, ensure_ascii=False)
        lines = ",\n".join(json.dumps(row, ensure_ascii=False, allow_nan=False) for row in rows)
        text = f'{head[:-1]}, "rows": [\n{lines}\n]}}\n'
        write_bytes(folder / f"{self.name}.json", text.encode())


def _told(value: Any) -> Any:
    """A cell, to six digits after the point; None for what does not exist."""
    plain = to_json(value)
    return round(plain, _DIGITS) if isinstance(plain, float) else plain


def tables_of(found: Findings) -> list[StudyTable]:
    """All tables of a study."""
    return [
        _states(found),
        _policy(found),
        _hands(found),
        _spending(found),
        _totals(found),
        _strategies(found),
    ]


def _by_bid(name: str) -> tuple[str, ...]:
    return tuple(f"{name}_{bid}" for bid in range(7))


def _rows(*columns: NDArray[Any] | Sequence[Any]) -> list[list[Any]]:
    """Rows of columns, of which some are (n, 7)."""
    parts = [np.asarray(column, object) for column in columns]
    return np.column_stack([part if part.ndim == 2 else part[:, None] for part in parts]).tolist()  # type: ignore[no-any-return]


def _states(found: Findings) -> StudyTable:
    states = found.states
    return StudyTable(
        "states",
        "Every state of a pyramid. left_b: unspent bids; value: points still to come; price_b: "
        "value less the value without one b, so what spending it now must bring; reach: share of "
        f"pyramids that pass through the state. {_kind(found)}",
        ("state", "deals_left", *_by_bid("left"), "value", "reach", *_by_bid("price")),
        _rows(
            np.arange(len(states.left)),
            states.deals_left,
            states.left,
            found.fit.values,
            found.occupancy.reach,
            found.prices,
        ),
    )


def _policy(found: Findings) -> StudyTable:
    states, shares = found.states, found.occupancy.shares
    spent = np.where(states.left > 0, shares, np.nan)
    return StudyTable(
        "policy",
        "How to follow the exact order: of the bids left, spend the one with the largest "
        "score_b - price_b, score_b (and trump_b) by the hand from hands.csv, price_b by the state "
        "from states.csv. Each half of the layouts decides an order of its own, and this one lies "
        "between them. spent_b: the share of all hands on which they spend a b in a state, mean "
        "of both; likeliest: the bid that is spent on most.",
        ("state", "deals_left", *_by_bid("left"), *_by_bid("spent"), "likeliest"),
        _rows(
            np.arange(len(states.left)),
            states.deals_left,
            states.left,
            spent,
            shares.argmax(axis=1),
        )[1:],
    )


def _hands(found: Findings) -> StudyTable:
    scores = (found.scores[0] + found.scores[1]) / 2
    points = bid_scores(found)
    prices = found.prices[found.states.full]
    first_bid = np.where(np.isnan(prices), -np.inf, points - prices).argmax(axis=1)
    trumps = scores.argmax(axis=1)
    return StudyTable(
        "hands",
        "Every class of hands. hands: how many hands it has of 134,596; tricks: what it takes on "
        "average if it bids 6, by score_6; score_b: points of bid b, its trump chosen on one half "
        "of the layouts and valued on the other; trump_b: the trump that all layouts together "
        "like best; first_bid: what the exact order bids at the first deal by these scores. "
        f"{_kind(found)}",
        (
            "class",
            "hand",
            "hands",
            "tricks",
            *_by_bid("score"),
            *_by_bid("trump"),
            "first_bid",
        ),
        _rows(
            np.arange(len(points)),
            [hand_text(int(mask)) for mask in class_hands()],
            found.weights,
            tricks_wanted(points),
            points,
            np.array([[denomination_text(int(one)) for one in row] for row in trumps], object),
            first_bid,
        ),
    )


def _spending(found: Findings) -> StudyTable:
    occupancy = found.occupancy
    return StudyTable(
        "spending",
        "spent_b: chance that the exact order spends a b at this deal; price_b and spare_b: mean "
        "shadow price and spare value over the states met before it that hold a b. "
        f"{_kind(found)}",
        ("deal", *_by_bid("spent"), *_by_bid("price"), *_by_bid("spare")),
        _rows(
            np.arange(1, found.states.turns + 1),
            occupancy.spending,
            occupancy.at_turn(found.prices),
            occupancy.at_turn(found.spares),
        ),
    )


def _totals(found: Findings) -> StudyTable:
    totals = np.unique(np.concatenate([one.totals for one in found.totals.values()]))
    names = list(found.totals)
    return StudyTable(
        "totals",
        "Chance of each final total by strategy or agent; hindsight is none that can be kept. "
        f"{_kind(found)}",
        ("total", *names),
        [[int(total), *(one.at(int(total)) for one in found.totals.values())] for total in totals],
    )


def _strategies(found: Findings) -> StudyTable:
    return StudyTable(
        "strategies",
        "Points of a pyramid and ordering skill index (random 0, dp 1) on the same sequences of "
        "hands, with 95 % intervals over sequences; exact: over all sequences there are. "
        f"{_kind(found)}",
        ("strategy", "mean", "low", "high", "index", "index_low", "index_high", "exact"),
        [
            [
                name,
                standing.points.mean,
                standing.points.low,
                standing.points.high,
                standing.index.mean,
                standing.index.low,
                standing.index.high,
                standing.exact,
            ]
            for name, standing in found.standings.items()
        ],
    )


def _kind(found: Findings) -> str:
    return f"Figures are {kind_of_value(found.outcomes)}."
