"""Pyramid, written from the rule sheet: plain lists of cards, one deal after another.

Action ids: 0..23 cards (`6 * suit + rank`), `24 + 5 * bid + denomination` declarations (♣ ♦ ♥ ♠
and no trump are 0..4), 59..66 signals.
"""

from __future__ import annotations

from typing import Any, NamedTuple

SUITS = "CDHS"
RANKS = "9TJQKA"
HAND_SIZE = 6
NO_TRUMP = 4
FIRST_DECLARATION = 24
FIRST_SIGNAL = 59
NUM_SIGNALS = 8

PRESETS: dict[str, dict[str, Any]] = {
    "piramida": {
        "following": "any",
        "no_trump": False,
        "conference": "open",
        "deals_per_player": 16,
        "quota": (1, 2, 3, 4, 3, 2, 1),
    },
    "inventor": {
        "following": "suit_then_trump",
        "no_trump": True,
        "conference": "silent",
        "deals_per_player": 16,
        "quota": (1, 2, 3, 4, 3, 2, 1),
    },
}


class Card(NamedTuple):
    suit: str
    rank: int  # 0 is the nine, 5 the ace


def card_of(card_id: int) -> Card:
    return Card(SUITS[card_id // len(RANKS)], card_id % len(RANKS))


def id_of(card: Card) -> int:
    return len(RANKS) * SUITS.index(card.suit) + card.rank


def parse_card(text: str) -> int:
    """The id of a card written rank first: `"9C"` is 0, `"AS"` is 23."""
    return id_of(Card(text[1], RANKS.index(text[0])))


def playable(hand: list[Card], led: Card | None, trump: str | None, following: str) -> list[Card]:
    """The cards of `hand` that its player may put on the table (items 3 and 4)."""
    if led is None or following == "any":
        return list(hand)
    if following not in ("suit", "suit_then_trump"):
        raise ValueError(f"no such rule for followers: {following!r}")
    of_the_led_suit = [card for card in hand if card.suit == led.suit]
    if of_the_led_suit:
        return of_the_led_suit
    if following == "suit_then_trump":
        trumps = [card for card in hand if card.suit == trump]
        if trumps:
            return trumps
    return list(hand)


def winning_place(cards: list[Card], trump: str | None) -> int:
    """Which card of a trick wins it, by its place; the first card was led (item 5)."""
    contenders = [card for card in cards if card.suit == trump]
    if not contenders:
        contenders = [card for card in cards if card.suit == cards[0].suit]
    return cards.index(max(contenders, key=lambda card: card.rank))


def declarer_score(bid: int, taken: int) -> int:
    return 10 - 2 * abs(bid - taken)


class Match:
    """A match of Pyramid. `deal` starts each deal; the dealer moves on by itself.

    `scores` and `spent` (for each player, how often each bid 0..6 has been announced) may be set
    before a deal. A bid counts as spent once it is announced.
    """

    def __init__(self, rules: dict[str, Any], num_players: int = 4, *, dealer: int) -> None:
        if num_players not in (2, 3, 4):
            raise ValueError(f"Pyramid is for 2, 3 or 4 players, not {num_players}")
        if sum(rules["quota"]) != rules["deals_per_player"]:
            raise ValueError("the quota must sum to deals_per_player")
        self.rules = rules
        self.num_players = num_players
        self.dealer = dealer
        self.scores = [0] * num_players
        self.spent = [[0] * 7 for _ in range(num_players)]
        self.announcements: list[list[tuple[int, int]]] = [[] for _ in range(num_players)]
        self.deals_played = 0
        self.deal_points = [0] * num_players
        self.result: str | None = None
        self.winners: list[int] = []
        self.player: int | None = None
        self.decision: str | None = None
        self.leader: int | None = None
        self.declarer: int | None = None
        self.declaration: tuple[int, int] | None = None
        self.tricks_taken = [0] * num_players
        self._hands: list[list[Card]] = [[] for _ in range(num_players)]
        self._table: list[Card] = []
        self._plays: list[tuple[int, int, int, int]] = []
        self._signals: list[tuple[int, int, int]] = []

    # ------------------------------------------------------------------ what can be seen

    @property
    def hands(self) -> list[list[int]]:
        return [sorted(id_of(card) for card in hand) for hand in self._hands]

    @property
    def trick(self) -> list[int]:
        return [id_of(card) for card in self._table]

    def public(self) -> dict[str, Any]:
        """Everything all players know, as a plain dict.

        `declaration` is (bid, denomination) or None; `plays` holds (seat, card, trick, place) and
        `signals` (trick, seat, token 0..7) in order; `announcements` holds each player's (bid,
        taken) of the deals played out in this match, oldest first; `spent` counts all bids
        announced, this deal's and those set from outside included.
        """
        return {
            "dealer": self.dealer,
            "declarer": self.declarer,
            "declaration": self.declaration,
            "plays": list(self._plays),
            "signals": list(self._signals),
            "tricks_taken": list(self.tricks_taken),
            "leader": self.leader,
            "player": self.player,
            "decision": self.decision,
            "totals": list(self.scores),
            "spent": [list(counts) for counts in self.spent],
            "announcements": [list(column) for column in self.announcements],
        }

    def private(self, seat: int) -> set[int]:
        """The cards still held that `seat` may know by right, beyond what is public (item 9)."""
        known = set(self.hands[seat])
        if self.rules["conference"] == "open" and seat != self.declarer:
            for other in range(self.num_players):
                if other != self.declarer:
                    known |= set(self.hands[other])
        return known

    # ------------------------------------------------------------------ the deal

    def deal(self, hands: list[list[int]]) -> None:
        if self.result is not None:
            raise ValueError("the match is over")
        if self.player is not None:
            raise ValueError("the last deal is not played out")
        every_card = [card for hand in hands for card in hand]
        if len(hands) != self.num_players or len({len(hand) for hand in hands}) != 1:
            raise ValueError("every seat gets the same number of cards")
        if not 1 <= len(hands[0]) <= HAND_SIZE:
            raise ValueError(f"a hand is 1 to {HAND_SIZE} cards")
        if len(set(every_card)) != len(every_card) or not set(every_card) <= set(range(24)):
            raise ValueError("each card is dealt once at most")
        if self.deals_played > 0:
            self.dealer = (self.dealer + 1) % self.num_players
        self._hands = [[card_of(card) for card in sorted(hand)] for hand in hands]
        self._table = []
        self._plays = []
        self._signals = []
        self.tricks_taken = [0] * self.num_players
        self.deal_points = [0] * self.num_players
        self.declaration = None
        self.declarer = (self.dealer + 1) % self.num_players
        self.leader = self.declarer
        self.player = self.declarer
        self.decision = "declare"
        if not self.legal():
            raise ValueError("the declarer has no bid left")

    # ------------------------------------------------------------------ what is legal

    def legal(self) -> list[int]:
        if self.player is None:
            return []
        if self.decision == "declare":
            left = [
                quota - spent
                for quota, spent in zip(self.rules["quota"], self.spent[self.player], strict=True)
            ]
            denominations = [0, 1, 2, 3] + ([NO_TRUMP] if self.rules["no_trump"] else [])
            return [
                FIRST_DECLARATION + 5 * bid + denomination
                for bid in range(7)
                if left[bid] > 0
                for denomination in denominations
            ]
        if self.decision == "signal":
            return [FIRST_SIGNAL + token for token in range(NUM_SIGNALS)]
        led = self._table[0] if self._table else None
        cards = playable(self._hands[self.player], led, self._trump(), self.rules["following"])
        return sorted(id_of(card) for card in cards)

    def _trump(self) -> str | None:
        assert self.declaration is not None
        denomination = self.declaration[1]
        return None if denomination == NO_TRUMP else SUITS[denomination]

    # ------------------------------------------------------------------ what happens

    def play(self, action: int) -> None:
        if action not in self.legal():
            raise ValueError(f"action {action} is not legal for seat {self.player}")
        assert self.player is not None
        seat = self.player
        if self.decision == "declare":
            bid, denomination = divmod(action - FIRST_DECLARATION, 5)
            self.declaration = (bid, denomination)
            self.spent[seat][bid] += 1
            self._turn_to_play(seat)
        elif self.decision == "signal":
            trick_index = len(self._plays) // self.num_players
            self._signals.append((trick_index, seat, action - FIRST_SIGNAL))
            self.decision = "card"
        else:
            self._put_on_the_table(seat, card_of(action))

    def _turn_to_play(self, seat: int) -> None:
        self.player = seat
        signals_are_said = self.rules["conference"] == "signals" and self.num_players >= 3
        self.decision = "signal" if signals_are_said and seat != self.declarer else "card"

    def _put_on_the_table(self, seat: int, card: Card) -> None:
        assert self.leader is not None
        trick_index, place = divmod(len(self._plays), self.num_players)
        self._plays.append((seat, id_of(card), trick_index, place))
        self._hands[seat].remove(card)
        self._table.append(card)
        if len(self._table) < self.num_players:
            self._turn_to_play((seat + 1) % self.num_players)
            return
        winner = (self.leader + winning_place(self._table, self._trump())) % self.num_players
        self.tricks_taken[winner] += 1
        self._table = []
        self.leader = winner
        if self._hands[winner]:
            self._turn_to_play(winner)
        else:
            self._finish_deal()

    def _finish_deal(self) -> None:
        assert self.declarer is not None
        assert self.declaration is not None
        bid, taken = self.declaration[0], self.tricks_taken[self.declarer]
        self.deal_points[self.declarer] = declarer_score(bid, taken)
        self.scores[self.declarer] += self.deal_points[self.declarer]
        self.announcements[self.declarer].append((bid, taken))
        self.deals_played += 1
        self.player = None
        self.decision = None
        if all(sum(counts) == self.rules["deals_per_player"] for counts in self.spent):
            self.result = "terminated"
            self.winners = [
                seat for seat in range(self.num_players) if self.scores[seat] == max(self.scores)
            ]

    # ------------------------------------------------------------------ for counting

    def copy(self) -> Match:
        twin = Match.__new__(Match)
        twin.__dict__.update(self.__dict__)
        for name in ("scores", "deal_points", "tricks_taken", "winners"):
            setattr(twin, name, list(getattr(self, name)))
        for name in ("spent", "announcements", "_hands"):
            setattr(twin, name, [list(row) for row in getattr(self, name)])
        for name in ("_table", "_plays", "_signals"):
            setattr(twin, name, list(getattr(self, name)))
        return twin


def count_sequences(match: Match) -> int:
    """In how many ways, action by action, the deal can still go to its end."""
    if match.player is None:
        return 1
    total = 0
    for action in match.legal():
        next_match = match.copy()
        next_match.play(action)
        total += count_sequences(next_match)
    return total
