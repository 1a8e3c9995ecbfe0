"""The questions that the game's players ask, and what a study answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bidwise.agents.order.optimal import exchange_values
from bidwise.agents.order.totals import best_of
from bidwise.agents.outcomes.table import DOUBLE_DUMMY
from bidwise.train.studies.analysis.findings import DP, RANDOM, Findings
from bidwise.train.studies.analysis.requirements import Requirement, quantiles, requirements_of

__all__ = ["Answer", "good_total", "markdown_table", "share_text", "spare_bid", "when_to_spend"]

_EDGE_BIDS = (0, 6)


@dataclass(frozen=True)
class Answer:
    """A question, the answer as Markdown, and its figures."""

    name: str
    """A word for it."""
    question: str
    text: str
    figures: dict[str, Any]

    def markdown(self) -> str:
        """Both, under a heading."""
        return f"## {self.question}\n\n{self.text}\n"


def share_text(share: float) -> str:
    """A share in per cent, with as many digits as it bears."""
    per_cent = 100 * share
    if per_cent in (0, 100):
        return f"{per_cent:.0f} %"
    if 0 < per_cent < 0.1:
        return "under 0.1 %"
    if 99.9 < per_cent < 100:
        return "over 99.9 %"
    return f"{per_cent:.1f} %" if per_cent < 10 or per_cent > 90 else f"{per_cent:.0f} %"


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table, its first column to the left and all others to the right."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


_AGAINST_ALL = (
    " All of these totals are won from defenders who see every card and never err; against others "
    "the same bids can bring much more."
)


def good_total(found: Findings, total: int) -> Answer:
    """How good is a pyramid of so many points?"""
    rivals = found.outcomes.num_players - 1
    rows, figures = [], {}
    for name, totals in found.totals.items():
        best = best_of([totals] * rivals)
        wins = best.below(total) + best.at(total) / 2
        below, at = totals.below(total), totals.at(total)
        figures[name] = {
            "below": below,
            "at": at,
            "above": max(0.0, 1 - below - at),
            "wins": wins,
            "mean": totals.mean,
            "deviation": totals.deviation,
        }
        rows.append(
            [
                name,
                share_text(below),
                share_text(at),
                share_text(figures[name]["above"]),
                share_text(wins),
                f"{totals.mean:.1f}",
                f"{totals.quantile(0.25)}…{totals.quantile(0.75)}",
            ]
        )
    own, blind = figures[DP], figures[RANDOM]
    opponents, s = ("another player", "s") if rivals == 1 else (f"{rivals} other players", "")
    text = (
        f"Of the pyramids that are spent in the exact order {share_text(own['below'])} end below "
        f"{total} and {share_text(own['above'])} above; of those spent at random "
        f"{share_text(blind['below'] + blind['at'])} end at {total} or below. A player who has "
        f"{total} beats {opponents} who keep{s} the exact order with a chance of "
        f"{share_text(own['wins'])}, and {opponents} who spend{s} at random with "
        f"{share_text(blind['wins'])} (equal totals count one half)."
        + (_AGAINST_ALL if found.outcomes.source == DOUBLE_DUMMY else "")
        + "\n\n"
        + markdown_table(
            [
                "spent by",
                f"below {total}",
                "equal",
                "above",
                f"{total} wins against {rivals} such",
                "mean",
                "middle half",
            ],
            rows,
        )
    )
    return Answer("total", f"How good is a pyramid of {total}?", text, figures)


def spare_bid(found: Findings, bid: int, after: int) -> Answer | None:
    """What is a spare bid worth after so many deals? None if it cannot be left then."""
    states, occupancy = found.states, found.occupancy
    if not 0 <= after < states.turns or not states.quota[bid]:
        return None
    met = states.deals_left == states.turns - after
    holding = met & (states.left[:, bid] > 0)
    held = float(occupancy.reach[holding].sum())
    if held <= 0:
        return None
    prices = occupancy.at_turn(found.prices)[after]
    spares = occupancy.at_turn(found.spares)[after]
    # [s, c]: the pyramid with one more of the bid instead of a c.
    exchanged = occupancy.at_turn(exchange_values(found.fit.values, states)[:, bid, :])[after]
    low, high = quantiles(found.spares[holding, bid], occupancy.reach[holding], (0.25, 0.75))
    worth = f"{abs(spares[bid]):.2f} points {'more' if spares[bid] >= 0 else 'less'}"
    rows = [
        [
            str(other),
            share_text(float(occupancy.reach[met & (states.left[:, other] > 0)].sum())),
            f"{prices[other]:.2f}",
            _signed(spares[other]),
            _signed(exchanged[other]) if other != bid else "",
        ]
        for other in range(7)
        if not np.isnan(prices[other])
    ]
    text = (
        f"After {_count(after, 'deal')}, with {states.turns - after} to come, a spare {bid} is "
        f"worth {worth} than the mean of all bids unspent then: by so much more it would hurt to "
        f"lose a {bid} than to lose one of them drawn at random. In half of all pyramids that "
        f"still hold a {bid} it is between {_signed(low)} and {_signed(high)}. With the deal that "
        f"goes with it a {bid} brings {prices[bid]:.2f} points: spend it on hands that promise "
        "more.\n\n"
        + markdown_table(
            [
                "bid",
                "pyramids that hold it",
                "price",
                "worth beside the mean",
                f"a {bid} instead of it",
            ],
            rows,
        )
    )
    return Answer(
        "spare",
        f"What is a spare {bid} worth after {_count(after, 'deal')}?",
        text,
        {
            "worth": float(spares[bid]),
            "middle_half": [low, high],
            "held": held,
            "prices": prices,
            "spares": spares,
            "instead_of": exchanged,
        },
    )


def when_to_spend(found: Findings, bids: Sequence[int] = _EDGE_BIDS) -> Answer | None:
    """When should the precious bids go, and how good a hand do they need?"""
    turns, spending = found.states.turns, found.occupancy.spending
    bids = [bid for bid in bids if found.states.quota[bid]]
    if not bids:
        return None
    sentences, rows = [], []
    figures: dict[str, Any] = {}
    quarters = np.array_split(np.arange(turns), min(4, turns))
    for bid in bids:
        shares = spending[:, bid] / found.states.quota[bid]
        early, median, late = quantiles(np.arange(1.0, turns + 1), shares, (0.25, 0.5, 0.75))
        likeliest = int(shares.argmax()) + 1
        figures[str(bid)] = {
            "median": median,
            "middle_half": [early, late],
            "by_deal": shares,
        }
        sentences.append(
            f"The {bid} goes at deal {median:.0f} in the middle case, in half of all pyramids "
            f"between deals {early:.0f} and {late:.0f}; its likeliest deal is number "
            f"{likeliest}, with {share_text(float(shares[likeliest - 1]))}."
        )
        rows.append([str(bid), *(share_text(float(shares[quarter].sum())) for quarter in quarters)])
    deals = sorted({1, (turns + 1) // 2, max(1, turns - 1)})
    requirements = requirements_of(found, bids, deals)
    figures["needs"] = requirements
    spans = [_span(quarter) for quarter in quarters]
    text = (
        " ".join(sentences)
        + "\n\n"
        + markdown_table(["bid", *spans], rows)
        + "\n\nHow good a hand it takes, by the points that the hand expects with that bid:\n\n"
        + markdown_table(
            ["bid, deal", "still held", "then spent", "expected", "nine in ten above", "such as"],
            [_requirement_row(requirement) for requirement in requirements],
        )
    )
    return Answer("timing", f"When should the {_joined(bids)} go?", text, figures)


def _requirement_row(requirement: Requirement) -> list[str]:
    return [
        f"{requirement.bid}, deal {requirement.deal}",
        share_text(requirement.held),
        share_text(requirement.spent),
        f"{requirement.points:.1f}",
        f"{requirement.least:.1f}",
        f"{requirement.example}, {requirement.trump}",
    ]


def _span(deals: Any) -> str:
    first, last = int(deals[0]) + 1, int(deals[-1]) + 1
    return f"deal {first}" if first == last else f"deals {first}–{last}"


def _joined(bids: Sequence[int]) -> str:
    return " and the ".join(str(bid) for bid in bids)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _signed(value: float) -> str:
    return "" if np.isnan(value) else f"{value:+.2f}".replace("-", "−")
