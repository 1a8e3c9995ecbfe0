"""What players and rules cost the declarer, and what aiming at the win changes: the answers that
need more than one table or one objective."""

from __future__ import annotations

from bidwise.agents.outcomes.table import DOUBLE_DUMMY
from bidwise.train.compare.intervals import Estimate
from bidwise.train.studies.analysis.conferring import Conferring
from bidwise.train.studies.analysis.findings import DP, Findings
from bidwise.train.studies.analysis.rule_costs import Cost, Scale
from bidwise.train.studies.analysis.win import Win
from bidwise.train.studies.report.answers import Answer, markdown_table

__all__ = ["costs_answer", "win_answer"]


def costs_answer(found: Findings, scale: Scale, conferring: Conferring | None) -> Answer:
    """What do conferring, the following rule and a fourth player cost the declarer?"""
    parts = [_in_short(found, scale, conferring)]
    if scale.costs:
        parts.append(
            "On the scale of whole pyramids, each spent in the exact order of its own "
            "double-dummy table; a cost is what the declarer loses, a gain is negative:\n\n"
            + markdown_table(
                ["what", "all else equal", "without", "with", "cost", "by the claims"],
                [
                    [
                        cost.what,
                        cost.where,
                        f"{cost.before.value:.1f}",
                        f"{cost.after.value:.1f}",
                        _signed(cost.points),
                        _signed(cost.in_sample),
                    ]
                    for cost in scale.costs
                ],
            )
        )
    if scale.marks:
        parts.append(
            "The marks of that scale. With endless layouts a value would lie between the two "
            "figures: an order decided by few layouts is not quite the best, and the layouts that "
            "decided flatter it. So each cost is given by the values and by the claims.\n\n"
            + markdown_table(
                ["rules", "players", "layouts", "value", "its own claim"],
                [
                    [
                        mark.rules + ("" if mark.source == DOUBLE_DUMMY else f"; {mark.source}"),
                        str(mark.num_players),
                        str(mark.layouts),
                        f"{mark.value:.1f}",
                        f"{mark.in_sample:.1f}",
                    ]
                    for mark in scale.marks
                ],
            )
        )
    if scale.missing:
        parts.append(
            "Not on the scale, for want of a table (`bidwise outcomes` builds one, "
            f"`--compare FILE.npz` adds it): {'; '.join(scale.missing)}."
        )
    parts += _conferring_text(found, conferring)
    return Answer(
        "costs",
        "What do conferring, the following rule and a fourth player cost the declarer?",
        "\n\n".join(part for part in parts if part),
        {"scale": scale, "conferring": conferring},
    )


def _in_short(found: Findings, scale: Scale, conferring: Conferring | None) -> str:
    """The costs that touch the study's own players and rules, in a sentence."""
    outcomes = found.outcomes
    told = []
    for cost in scale.costs:
        one, other = cost.before, cost.after
        if one.source != DOUBLE_DUMMY or outcomes.num_players not in (
            one.num_players,
            other.num_players,
        ):
            continue
        mine = [
            mark
            for mark in (one, other)
            if mark.following == outcomes.rules.following and mark.no_trump == outcomes.no_trump
        ]
        if mine or cost.what == "the duty to follow":
            told.append(f"{cost.what} {_verdict(cost)}")
    if conferring is not None:
        player = _player(conferring)
        told.append(f"conferring {_gain(conferring.cost)}, as far as {player} can use it")
    if not told:
        return ""
    sentence = "; ".join(told)
    return f"In short, in points of a pyramid for the declarer: {sentence}."


def _player(conferring: Conferring) -> str:
    return conferring.source.partition(" against ")[0]


def _verdict(cost: Cost) -> str:
    """A cost, from the lower to the higher of the two ways to reckon it."""
    if cost.points * cost.in_sample <= 0:
        return f"makes no difference that is settled ({cost.points:+.1f}, {cost.in_sample:+.1f})"
    low, high = (f"{points:.1f}" for points in sorted(map(abs, (cost.points, cost.in_sample))))
    return f"{'costs' if cost.points > 0 else 'brings'} {low}" + (
        f" to {high}" if high != low else ""
    )


def _conferring_text(found: Findings, conferring: Conferring | None) -> list[str]:
    """What is compared, and what cannot be told apart."""
    outcomes = found.outcomes
    sight = (
        "**Conferring** cannot be read off double-dummy values: there all hands are open to "
        "everybody, the declarer included, whatever the rules say."
    )
    if outcomes.num_players == 4 and outcomes.source == DOUBLE_DUMMY:
        sight += (
            " Only where three defenders confer (conference `open`, four players) do they really "
            "see every card, and only there is the value, sampling apart, an upper bound for "
            "every declarer who meets the best defence."
        )
        if outcomes.rules.conference != "open":
            sight += f" Under the rules studied, `{outcomes.rules.conference}`, it is no bound."
    if conferring is None:
        return [sight + (" With two players nobody confers." if outcomes.num_players < 3 else "")]
    cost = conferring.cost
    player = _player(conferring)
    played = (
        f"So the bids and trumps of this study were kept and {player} played all cards, on the "
        f"same {conferring.layouts} layouts a row (intervals are over sequences of hands and over "
        "layouts). With silent defenders the bids earn "
        f"{_with_interval(conferring.silent)}, with defenders who see each other's hands "
        f"{_with_interval(conferring.open)}: conferring {_gain(cost)}. All else is equal, but this "
        f"is what {player} makes of it"
        + (
            "; that it helps the declarer shows that it does not know how to use what it sees."
            if cost.high < 0
            else "; better players may make more of it."
        )
    )
    apart = (
        f"By the table of the study the same bids earn {_with_interval(conferring.studied)}. The "
        "difference to play is no cost of conferring: who sees what, and how well both sides "
        "play, change together there and cannot be told apart."
    )
    return [sight, played, apart] if outcomes.source == DOUBLE_DUMMY else [sight, played]


def _gain(cost: Estimate) -> str:
    """What conferring does, with its interval."""
    low, high = sorted((abs(cost.low), abs(cost.high)))
    if cost.low < 0 < cost.high:
        return (
            f"makes no difference that shows ({cost.low:+.2f} to {cost.high:+.2f} points, paired)"
        ).replace("-", "−")
    verb = "costs" if cost.mean > 0 else "brings"
    return f"{verb} the declarer {abs(cost.mean):.2f} points ({low:.2f} to {high:.2f}, paired)"


def win_answer(found: Findings, win: Win) -> Answer:
    """How does play differ if the win is the aim?"""
    own = found.totals[DP]
    change = win.spending - found.occupancy.spending
    rivals = "one rival" if win.num_rivals == 1 else f"{win.num_rivals} rivals"
    turns = found.states.turns
    rows = []
    for bid in range(7):
        if found.states.quota[bid]:
            third = max(1, turns // 3)
            parts = (change[:third, bid], change[third:-third, bid], change[-third:, bid])
            rows.append([str(bid), *(_signed(100 * float(part.sum())) for part in parts)])
    text = (
        f"Against {rivals} whose totals average {win.rivals.mean:.1f} ± "
        f"{win.rivals.deviation:.1f}, whatever else is bid, the order for points wins "
        f"{100 * win.by_points:.1f} %, the order for the win {100 * win.by_win:.1f} % (equal "
        "totals count one half; the layouts that decided claim "
        f"{100 * win.in_sample:.1f} %). Its pyramids earn {win.totals.mean:.2f} points instead of "
        f"{own.mean:.2f}, and its totals spread by {win.totals.deviation:.2f} instead "
        f"of {own.deviation:.2f}.\n\n"
        "How often a bid is spent by the order for the win, less how often by the order for "
        "points, in a hundred pyramids:\n\n"
        + markdown_table(
            ["bid", "first third of the deals", "middle", "last third"],
            rows,
        )
    )
    return Answer(
        "win",
        "How does play differ if only the win counts?",
        text,
        {
            "by_points": win.by_points,
            "by_win": win.by_win,
            "claimed": win.in_sample,
            "rivals": {"number": win.num_rivals, "mean": win.rivals.mean},
            "points": {"by_points": own.mean, "by_win": win.totals.mean},
            "deviation": {"by_points": own.deviation, "by_win": win.totals.deviation},
            "spending": win.spending,
        },
    )


def _with_interval(estimate: Estimate) -> str:
    return f"{estimate.mean:.1f} ({estimate.low:.1f} to {estimate.high:.1f})"


def _signed(value: float) -> str:
    # Adding zero turns a rounded -0.0 into 0.0.
    return f"{round(value, 1) + 0.0:+.1f}".replace("-", "−")
