"""The rule sheets of ``basic-v1`` once more, plainly, from their text and without the engine.

A card is (suit, rank); a decision is read from an observation's fields and its legal actions.
"""

from __future__ import annotations

from typing import Any

Card = tuple[int, int]
Fields = dict[str, Any]


def cards_of(flags: list[int]) -> list[Card]:
    per_suit = len(flags) // 4
    return [divmod(card, per_suit) for card, flag in enumerate(flags) if flag]


def lowest(cards: list[Card], trump: int) -> Card:
    return min(cards, key=lambda card: (card[0] == trump, card[1], card[0]))


def highest(cards: list[Card], trump: int) -> Card:
    return max(cards, key=lambda card: (card[0] == trump, card[1], card[0]))


def table_of(f: Fields, num_players: int, per_suit: int) -> list[tuple[int, Card]]:
    """(relative seat, card) in the order played."""
    seats = [(f["leader"] + k) % num_players for k in range(num_players)]
    return [(seat, divmod(f["trick"][seat] - 1, per_suit)) for seat in seats if f["trick"][seat]]


def holder_of(table: list[tuple[int, Card]], trump: int) -> tuple[int, Card]:
    led = table[0][1][0]
    eligible = [(card[0] == trump, card[1], seat, card) for seat, card in table
                if card[0] in (led, trump)]  # fmt: skip
    _, _, seat, card = max(eligible)
    return seat, card


def beats(card: Card, best: Card, trump: int) -> bool:
    if card[0] == best[0]:
        return card[1] > best[1]
    return card[0] == trump


def cheapest_winner(
    legal: list[Card], table: list[tuple[int, Card]], seen: list[Card], trump: int, per_suit: int
) -> Card:
    """... or the lowest card, if nothing wins."""
    if table:
        best = holder_of(table, trump)[1]
        winning = [card for card in legal if beats(card, best, trump)]
    else:
        winning = [
            (suit, rank)
            for suit, rank in legal
            if all((suit, higher) in seen for higher in range(rank + 1, per_suit))
        ]
    return lowest(winning or legal, trump)


def pyramid(f: Fields, legal_actions: list[int]) -> int:
    if f["decision"] == 2:
        return 59
    hand = cards_of(f["hand"])
    if f["decision"] == 1:
        lengths = [sum(suit == trump for suit, _ in hand) for trump in range(4)]

        def expected(trump: int) -> float:
            side = {5: 0.5, 4: 0.25}
            return sum(
                (1.0 if rank >= 4 else 0.75) if suit == trump else side.get(rank, 0.0)
                for suit, rank in hand
            )

        def from_the_top(suit: int) -> list[int]:
            return sorted((rank for s, rank in hand if s == suit), reverse=True)

        trump = max(range(4), key=lambda suit: (lengths[suit], from_the_top(suit), -suit))
        bids = [(a - 24) // 5 for a in legal_actions if (a - 24) % 5 == trump]
        bid = min(bids, key=lambda bid: (abs(bid - expected(trump)), bid))
        return 24 + 5 * bid + trump
    legal = [divmod(action, 6) for action in legal_actions]
    trump, declarer = f["denomination"] - 1, f["declarer"]
    table = table_of(f, f["num_players"], 6)
    card = lowest(legal, trump)
    short = f["tricks_taken"][declarer] < f["bid"] - 1
    fellow_holds = declarer != 0 and bool(table) and holder_of(table, trump)[0] != declarer
    if short and not fellow_holds:
        shown = [card for flags in f["shared_hands"] for card in cards_of(flags)]
        seen = hand + shown + cards_of(f["played_by"])
        card = cheapest_winner(legal, table, seen, trump, 6)
    return card[0] * 6 + card[1]


def spades(f: Fields, legal_actions: list[int]) -> int:
    if f["decision"] == 1:
        return 66
    hand = cards_of(f["hand"])
    if f["decision"] == 2:
        count = 0.0
        for suit in range(3):
            ranks = [rank for s, rank in hand if s == suit]
            count += (12 in ranks) + 0.75 * (11 in ranks and len(ranks) >= 2)
        spades = [rank for s, rank in hand if s == 3]
        for honour in (12, 11, 10):
            higher_elsewhere = sum(rank not in spades for rank in range(honour + 1, 13))
            below = sum(rank < honour for rank in spades)
            count += honour in spades and below >= higher_elsewhere
        count += max(len(spades) - 3, 0)
        return max(min(52 + max(int(count), 1), max(legal_actions)), min(legal_actions))
    legal = [divmod(action, 13) for action in legal_actions]
    table = table_of(f, 4, 13)
    card = _spades_card(f, legal, table, hand)
    return card[0] * 13 + card[1]


def _spades_card(
    f: Fields, legal: list[Card], table: list[tuple[int, Card]], hand: list[Card]
) -> Card:
    all_count = f["failed_nil_tricks"] == 1
    mine, partner = f["bids"][0] - 1, f["bids"][2] - 1
    taken, partner_taken = f["tricks_taken"][0], f["tricks_taken"][2]
    holder, best = holder_of(table, 3) if table else (-1, (-1, -1))
    if mine == 0 and not (all_count and taken):
        losing = [card for card in legal if not beats(card, best, 3)] if table else []
        return highest(losing, 3) if losing else lowest(legal, 3)
    if holder == 2 and partner == 0 and partner_taken == 0:
        return cheapest_winner(legal, table, [], 3, 13)
    partner_helps = partner > 0 or all_count
    have = taken + (partner_taken if partner_helps else 0)
    if have >= mine + partner or (holder == 2 and partner_helps):
        return lowest(legal, 3)
    return cheapest_winner(legal, table, hand + cards_of(f["played_by"]), 3, 13)
