"""Spades (Пики), written from the rule sheet: plain lists of cards, one deal after another.

Action ids: 0..51 cards (`13 * suit + rank`), 52..65 bids 0..13, 66 look, 67 double nil. Seats 0
and 2 are pair 0, seats 1 and 3 are pair 1.
"""

from __future__ import annotations

from typing import Any, NamedTuple

SUITS = "CDHS"
RANKS = "23456789TJQKA"
HAND_SIZE = 13
NUM_SEATS = 4
FIRST_BID = 52
HIGHEST_BID = 13
LOOK = 66
SAY_DOUBLE_NIL = 67

NIL = 0
DOUBLE_NIL = "double nil"
Bid = int | str  # 1..13 tricks, NIL or DOUBLE_NIL

PRESETS: dict[str, dict[str, Any]] = {
    "piki": {
        "bid_order": "pairs",
        "double_nil": "blind",
        "first_lead": "right",
        "spade_leads": "broken",
        "overtrick_points": -1,
        "bag_limit": 11,
        "bag_after": "zero",
        "failed_nil_tricks": "bag",
        "target": 500,
        "mercy": -200,
        "max_deals": 100,
        "pair_bid_cap": 13,
        "pair_bid_min": 0,
        "nil_points": 100,
        "double_nil_points": 200,
        "double_nil_behind": 0,
        "bag_fine": 100,
        "first_trick_spades": True,
    },
    "zone": {
        "bid_order": "clockwise",
        "double_nil": "blind",
        "first_lead": "left",
        "spade_leads": "broken",
        "overtrick_points": 1,
        "bag_limit": 10,
        "bag_after": "zero",
        "failed_nil_tricks": "bag",
        "target": 500,
        "mercy": -200,
        "max_deals": 100,
        "pair_bid_cap": 13,
        "pair_bid_min": 0,
        "nil_points": 100,
        "double_nil_points": 200,
        "double_nil_behind": 0,
        "bag_fine": 100,
        "first_trick_spades": True,
    },
    "standard": {
        "bid_order": "clockwise",
        "double_nil": "off",
        "first_lead": "left",
        "spade_leads": "broken",
        "overtrick_points": 1,
        "bag_limit": 10,
        "bag_after": "carry",
        "failed_nil_tricks": "bag",
        "target": 500,
        "mercy": None,
        "max_deals": 100,
        "pair_bid_cap": 13,
        "pair_bid_min": 0,
        "nil_points": 100,
        "double_nil_points": 200,
        "double_nil_behind": 0,
        "bag_fine": 100,
        "first_trick_spades": True,
    },
    "openspiel": {
        "bid_order": "clockwise",
        "double_nil": "off",
        "first_lead": "left",
        "spade_leads": "last_resort",
        "overtrick_points": 1,
        "bag_limit": 10,
        "bag_after": "carry",
        "failed_nil_tricks": "contract",
        "target": 500,
        "mercy": -350,
        "max_deals": 100,
        "pair_bid_cap": 13,
        "pair_bid_min": 0,
        "nil_points": 100,
        "double_nil_points": 200,
        "double_nil_behind": 0,
        "bag_fine": 100,
        "first_trick_spades": True,
    },
}

CHOICES = {
    "bid_order": ("pairs", "clockwise"),
    "double_nil": ("blind", "off"),
    "first_lead": ("right", "left", "two_of_clubs"),
    "spade_leads": ("broken", "last_resort"),
    "bag_after": ("zero", "carry"),
    "failed_nil_tricks": ("bag", "contract"),
    "first_trick_spades": (True, False),
}


class Card(NamedTuple):
    suit: str
    rank: int  # 0 is the two, 12 the ace


TWO_OF_CLUBS = Card("C", 0)


def card_of(card_id: int) -> Card:
    return Card(SUITS[card_id // len(RANKS)], card_id % len(RANKS))


def id_of(card: Card) -> int:
    return len(RANKS) * SUITS.index(card.suit) + card.rank


def parse_card(text: str) -> int:
    """The id of a card written rank first: `"2C"` is 0, `"AS"` is 51."""
    return id_of(Card(text[1], RANKS.index(text[0])))


def playable(
    rules: dict[str, Any], hand: list[Card], led: Card | None, broken: bool, first_trick: bool
) -> list[Card]:
    """The cards of `hand` that its player may put on the table (item 5)."""
    not_spades = [card for card in hand if card.suit != "S"]
    if led is not None:
        of_the_led_suit = [card for card in hand if card.suit == led.suit]
        if of_the_led_suit:
            return of_the_led_suit
        if first_trick and not rules["first_trick_spades"]:
            return not_spades or list(hand)
        return list(hand)
    if first_trick and rules["first_lead"] == "two_of_clubs" and TWO_OF_CLUBS in hand:
        return [TWO_OF_CLUBS]
    if rules["spade_leads"] == "broken" and broken:
        return list(hand)
    return not_spades or list(hand)


def winning_place(cards: list[Card]) -> int:
    """Which card of a trick wins it, by its place; the first card was led (item 6)."""
    contenders = [card for card in cards if card.suit == "S"]
    if not contenders:
        contenders = [card for card in cards if card.suit == cards[0].suit]
    return cards.index(max(contenders, key=lambda card: card.rank))


def tricks_of(bid: Bid | None) -> int:
    """What a bid adds to its pair's contract: a nil of either kind, or none yet, nothing."""
    return bid if isinstance(bid, int) else 0


def score_pair(
    rules: dict[str, Any], bids: tuple[Bid, Bid], taken: tuple[int, int], bag: int
) -> tuple[int, int]:
    """One deal's score of a pair, and its bag afterwards (items 7 to 9)."""
    points = 0
    for_the_contract = 0
    contract = tricks_of(bids[0]) + tricks_of(bids[1])
    for bid, tricks in zip(bids, taken, strict=True):
        if bid not in (NIL, DOUBLE_NIL):
            for_the_contract += tricks
            continue
        worth = rules["double_nil_points"] if bid == DOUBLE_NIL else rules["nil_points"]
        points += worth if tricks == 0 else -worth
        if rules["failed_nil_tricks"] == "contract":
            for_the_contract += tricks
        else:
            bag += tricks
    if for_the_contract < contract:
        points -= 10 * contract
    else:
        overtricks = for_the_contract - contract
        points += 10 * contract + rules["overtrick_points"] * overtricks
        bag += overtricks
    if rules["bag_limit"] is not None and bag >= rules["bag_limit"]:
        if rules["bag_after"] == "zero":
            points -= rules["bag_fine"]
            bag = 0
        else:
            points -= rules["bag_fine"] * (bag // rules["bag_limit"])
            bag = bag % rules["bag_limit"]
    return points, bag


class Match:
    """A match of Spades. `deal` starts each deal; the dealer moves on by itself.

    `scores` and `bags` (a pair's) may be set before a deal.
    """

    def __init__(self, rules: dict[str, Any], num_players: int = 4, *, dealer: int) -> None:
        if num_players != NUM_SEATS:
            raise ValueError(f"Spades is for four players, not {num_players}")
        for field, declarations in CHOICES.items():
            if rules[field] not in declarations:
                raise ValueError(f"{field} is one of {declarations}, not {rules[field]!r}")
        self.rules = rules
        self.num_players = NUM_SEATS
        self.dealer = dealer
        self.scores = [0, 0]
        self.bags = [0, 0]
        self.deals_played = 0
        self.deal_points = [0] * NUM_SEATS
        self.result: str | None = None
        self.winners: list[int] = []
        self.player: int | None = None
        self.decision: str | None = None
        self.leader: int | None = None
        self.bids: list[Bid | None] = [None] * NUM_SEATS
        self.tricks_taken = [0] * NUM_SEATS
        self._looked: list[bool] = [False] * NUM_SEATS
        self._still_to_bid: list[int] = []
        self._hands: list[list[Card]] = [[] for _ in range(NUM_SEATS)]
        self._table: list[Card] = []
        self._plays: list[tuple[int, int, int, int]] = []

    # ------------------------------------------------------------------ what can be seen

    @property
    def hands(self) -> list[list[int]]:
        return [sorted(id_of(card) for card in hand) for hand in self._hands]

    @property
    def trick(self) -> list[int]:
        return [id_of(card) for card in self._table]

    def public(self) -> dict[str, Any]:
        """Everything all players know, as a plain dict.

        `bids` holds for each seat 1..13, "nil", "double nil" or None; `plays` holds (seat, card,
        trick, place) in order. `leader` leads or led the current trick; during the bids it is the
        seat that will lead first, but for the holder of the two of clubs, whom nobody may know
        yet: there it is the left of the dealer.
        """
        return {
            "dealer": self.dealer,
            "bids": ["nil" if bid == NIL else bid for bid in self.bids],
            "plays": list(self._plays),
            "tricks_taken": list(self.tricks_taken),
            "leader": self.leader,
            "player": self.player,
            "decision": self.decision,
            "totals": list(self.scores),
            "bags": list(self.bags),
        }

    def private(self, seat: int) -> set[int]:
        """The cards still held that `seat` may know by right, beyond what is public (item 3)."""
        return set(self.hands[seat]) if self._looked[seat] else set()

    # ------------------------------------------------------------------ the deal

    def deal(self, hands: list[list[int]]) -> None:
        if self.result is not None or self._end_is_reached():
            raise ValueError("the match is over")
        if self.player is not None:
            raise ValueError("the last deal is not played out")
        every_card = [card for hand in hands for card in hand]
        if len(hands) != NUM_SEATS or len({len(hand) for hand in hands}) != 1:
            raise ValueError("every seat gets the same number of cards")
        if not 1 <= len(hands[0]) <= HAND_SIZE:
            raise ValueError(f"a hand is 1 to {HAND_SIZE} cards")
        if len(set(every_card)) != len(every_card) or not set(every_card) <= set(range(52)):
            raise ValueError("each card is dealt once at most")
        if self.deals_played > 0:
            self.dealer = (self.dealer + 1) % NUM_SEATS
        left, partner, right = [(self.dealer + step) % NUM_SEATS for step in (1, 2, 3)]
        self._hands = [[card_of(card) for card in sorted(hand)] for hand in hands]
        self._table = []
        self._plays = []
        self.tricks_taken = [0] * NUM_SEATS
        self.deal_points = [0] * NUM_SEATS
        self.bids = [None] * NUM_SEATS
        self._looked = [not self._may_bid_blind(seat) for seat in range(NUM_SEATS)]
        self.leader = right if self.rules["first_lead"] == "right" else left
        if self.rules["bid_order"] == "pairs":
            self._still_to_bid = [left, right, partner, self.dealer]
        else:
            self._still_to_bid = [left, partner, right, self.dealer]
        self._next_bid_or_lead()

    # ------------------------------------------------------------------ what is legal

    def legal(self) -> list[int]:
        if self.player is None:
            return []
        if self.decision == "look":
            return [LOOK, SAY_DOUBLE_NIL] if self._lifts_enough(DOUBLE_NIL) else [LOOK]
        if self.decision == "bid":
            partners_bid = tricks_of(self.bids[(self.player + 2) % NUM_SEATS])
            return [
                FIRST_BID + bid
                for bid in range(HIGHEST_BID + 1)
                if bid == NIL or partners_bid + bid <= self.rules["pair_bid_cap"]
                if self._lifts_enough(bid)
            ]
        led = self._table[0] if self._table else None
        broken = any(card_of(card).suit == "S" for _, card, _, _ in self._plays)
        first_trick = len(self._plays) < NUM_SEATS
        cards = playable(self.rules, self._hands[self.player], led, broken, first_trick)
        return sorted(id_of(card) for card in cards)

    def _may_bid_blind(self, seat: int) -> bool:
        """Whether a seat is asked before it looks: where behind counts, only far enough behind."""
        if self.rules["double_nil"] == "off":
            return False
        needed = self.rules["double_nil_behind"]
        return needed == 0 or self.scores[(seat + 1) % 2] - self.scores[seat % 2] >= needed

    def _lifts_enough(self, bid: Bid) -> bool:
        """Whether this bid of the seat in turn leaves its pair at its minimum, or to be lifted."""
        assert self.player is not None
        partners_bid = self.bids[(self.player + 2) % NUM_SEATS]
        if partners_bid is None:
            return True
        return tricks_of(partners_bid) + tricks_of(bid) >= self.rules["pair_bid_min"]

    # ------------------------------------------------------------------ what happens

    def play(self, action: int) -> None:
        if action not in self.legal():
            raise ValueError(f"action {action} is not legal for seat {self.player}")
        assert self.player is not None
        seat = self.player
        if action == LOOK:
            self._looked[seat] = True
            self.decision = "bid"
        elif action == SAY_DOUBLE_NIL:
            self._looked[seat] = True
            self.bids[seat] = DOUBLE_NIL
            self._next_bid_or_lead()
        elif action >= FIRST_BID:
            self.bids[seat] = action - FIRST_BID
            self._next_bid_or_lead()
        else:
            self._put_on_the_table(seat, card_of(action))

    def _next_bid_or_lead(self) -> None:
        if self._still_to_bid:
            self.player = self._still_to_bid.pop(0)
            self.decision = "bid" if self._looked[self.player] else "look"
        else:
            if self.rules["first_lead"] == "two_of_clubs":
                for seat in range(NUM_SEATS):
                    if TWO_OF_CLUBS in self._hands[seat]:
                        self.leader = seat
            self.player = self.leader
            self.decision = "card"

    def _put_on_the_table(self, seat: int, card: Card) -> None:
        assert self.leader is not None
        trick_index, place = divmod(len(self._plays), NUM_SEATS)
        self._plays.append((seat, id_of(card), trick_index, place))
        self._hands[seat].remove(card)
        self._table.append(card)
        if len(self._table) < NUM_SEATS:
            self.player = (seat + 1) % NUM_SEATS
            return
        winner = (self.leader + winning_place(self._table)) % NUM_SEATS
        self.tricks_taken[winner] += 1
        self._table = []
        self.leader = winner
        self.player = winner
        if not self._hands[winner]:
            self._finish_deal()

    def _finish_deal(self) -> None:
        for pair in (0, 1):
            first, second = self.bids[pair], self.bids[pair + 2]
            assert first is not None
            assert second is not None
            taken = (self.tricks_taken[pair], self.tricks_taken[pair + 2])
            points, bag = score_pair(self.rules, (first, second), taken, self.bags[pair])
            self.deal_points[pair] = self.deal_points[pair + 2] = points
            self.scores[pair] += points
            self.bags[pair] = bag
        self.deals_played += 1
        self.player = None
        self.decision = None
        if self._end_is_reached():
            self.result = "terminated"
        elif self.deals_played == self.rules["max_deals"]:
            self.result = "truncated"
        if self.result is not None:
            best = max(self.scores)
            self.winners = [seat for seat in range(NUM_SEATS) if self.scores[seat % 2] == best]

    def _end_is_reached(self) -> bool:
        """Whether the totals end the match; equal totals never do (item 10)."""
        target, mercy = self.rules["target"], self.rules["mercy"]
        a_pair_is_there = max(self.scores) >= target or (
            mercy is not None and min(self.scores) <= mercy
        )
        return a_pair_is_there and self.scores[0] != self.scores[1]

    # ------------------------------------------------------------------ for counting

    def copy(self) -> Match:
        twin = Match.__new__(Match)
        twin.__dict__.update(self.__dict__)
        for name, value in self.__dict__.items():
            if isinstance(value, list):
                setattr(twin, name, list(value))
        twin._hands = [list(hand) for hand in self._hands]
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
