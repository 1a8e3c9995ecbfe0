"""Pyramid's record: one table's whole state, at most 512 bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bidwise.envs.core.cards import DECK_24
from bidwise.envs.core.checks import check_int, check_names
from bidwise.envs.core.options import whole_numbers, write_hands
from bidwise.envs.core.vocabulary import OVER
from bidwise.envs.game import common_fields
from bidwise.envs.pyramid.rules import (
    CONFERENCE,
    FOLLOWING,
    MAX_DEALS_PER_PLAYER,
    NUM_BIDS,
    PyramidRules,
)

__all__ = [
    "CARD",
    "DECISIONS",
    "DECLARE",
    "DTYPE",
    "HAND_SIZE",
    "NUM_CARDS",
    "NUM_RANKS",
    "OPTIONS",
    "SIGNAL",
    "SLOTS",
    "apply_options",
    "read_rules",
    "write_rules",
]

NUM_CARDS = DECK_24.num_cards
NUM_RANKS = DECK_24.num_ranks
HAND_SIZE = 6
SLOTS = MAX_DEALS_PER_PLAYER

DECLARE, SIGNAL, CARD = 1, 2, 3
DECISIONS = ("over", "declare", "signal", "card")
assert DECISIONS[OVER] == "over"

# `announced` and `taken` hold, for seat s and its k-th announcement, the number plus one at
# s * SLOTS + k; a `taken` of 0 beside an announcement is a result not known (yet).
DTYPE = np.dtype(
    [
        *common_fields(NUM_CARDS),
        ("declarer", np.int8),
        ("bid", np.int8),  # -1 before the declaration
        ("denomination", np.int8),  # trump suit 0..3, 4 no trump, -1 before
        ("points", np.int32),  # the declarer's, of the deal that ended last
        ("totals", np.int32, (4,)),
        ("num_announced", np.int8, (4,)),
        ("spent", np.int8, (4 * NUM_BIDS,)),
        ("announced", np.int8, (4 * SLOTS,)),
        ("taken", np.int8, (4 * SLOTS,)),
        ("signals", np.int8, (HAND_SIZE * 4,)),  # token plus one, by trick and seat
        ("following", np.int8),
        ("no_trump", np.int8),
        ("conference", np.int8),
        ("deals_per_player", np.int8),
        ("quota", np.int8, (NUM_BIDS,)),
    ],
    align=True,
)

OPTIONS = ("hands", "dealer", "spent", "totals")


def write_rules(state: Any, rules: PyramidRules, num_players: int) -> None:
    """Write the switches into a record."""
    state["num_players"] = num_players
    state["following"] = FOLLOWING.index(rules.following)
    state["no_trump"] = rules.no_trump
    state["conference"] = CONFERENCE.index(rules.conference)
    state["deals_per_player"] = rules.deals_per_player
    state["quota"] = rules.quota


def read_rules(state: Any) -> PyramidRules:
    """The switches that a record plays by."""
    return PyramidRules(
        following=FOLLOWING[state["following"]],
        no_trump=bool(state["no_trump"]),
        conference=CONFERENCE[state["conference"]],
        deals_per_player=int(state["deals_per_player"]),
        quota=tuple(int(count) for count in state["quota"]),
    )


def write_spent(state: Any, spent: Sequence[Sequence[int]], dealer: int | None) -> int | None:
    """Put used bids into a record, results unknown; the dealer that they force, or None.

    The declaration passes clockwise, so the counts of announcements, read from the next
    declarer on, are k, …, k, k+1, …, k+1.
    """
    num_players = int(state["num_players"])
    quota = [int(count) for count in state["quota"]]
    if not isinstance(spent, Sequence) or len(spent) != num_players:
        raise ValueError(f"spent: expected {NUM_BIDS} counts for each of {num_players} players")
    spent = [whole_numbers("spent", counts, NUM_BIDS, 0, MAX_DEALS_PER_PLAYER) for counts in spent]
    for seat, counts in enumerate(spent):
        for bid, count in enumerate(counts):
            if count > quota[bid]:
                raise ValueError(
                    f"spent: player {seat} bid {bid} {count} times, the quota is {quota[bid]}"
                )
    done = [int(sum(counts)) for counts in spent]
    if sum(done) >= num_players * int(state["deals_per_player"]):
        raise ValueError("spent: every pyramid is spent, the match is already over")
    fitting = []
    for declarer in range(num_players):
        turns = [done[(declarer + k) % num_players] for k in range(num_players)]
        if turns == sorted(turns) and turns[-1] - turns[0] <= 1:
            fitting.append((declarer - 1) % num_players)
    if not fitting or (dealer is not None and dealer not in fitting):
        raise ValueError(
            f"spent: announcements {done} do not fit a declaration that passes clockwise"
            + ("" if dealer is None else f" with player {dealer} dealing next")
        )
    state["deal_number"] = sum(done)
    state["num_announced"] = done + [0] * (4 - num_players)
    for seat, counts in enumerate(spent):
        state["spent"][seat * NUM_BIDS : (seat + 1) * NUM_BIDS] = counts
        bids = [bid for bid, count in enumerate(counts) for _ in range(count)]
        for slot, bid in enumerate(bids):
            state["announced"][seat * SLOTS + slot] = bid + 1
    return fitting[0] if len(fitting) == 1 else None


def apply_options(state: Any, options: Mapping[str, Any]) -> None:
    """Change a freshly started record to what reset's `options` ask for.

    The caller has the engine begin the deal anew. Raises ValueError, naming the option, for
    what cannot be; the record is then worthless.
    """
    check_names(list(options), OPTIONS, "options")
    num_players = int(state["num_players"])
    dealer = options.get("dealer")
    if dealer is not None:
        check_int("dealer", dealer, 0, num_players - 1)
    if options.get("spent") is not None:
        forced = write_spent(state, options["spent"], dealer)
        dealer = forced if dealer is None else dealer
    if dealer is not None:
        state["dealer"] = dealer
    if options.get("totals") is not None:
        state["totals"][:num_players] = whole_numbers(
            "totals", options["totals"], num_players, -1_000_000, 1_000_000
        )
    if options.get("hands") is not None:
        write_hands(state, options["hands"], DECK_24, HAND_SIZE)
