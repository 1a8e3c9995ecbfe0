"""From one observation alone the public history can be rebuilt: who played what when, bids,
tricks, signals, results, totals. It is compared with a log kept beside the game."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
import pytest
from tabletop import aec, any_legal, is_over, seat_to_act, some_rules

from bidwise.envs import CardGameEnv, PyramidRules, SpadesRules

FIRST_DECLARATION, FIRST_SIGNAL = 24, 59
FIRST_BID, LOOK, DOUBLE_NIL = 52, 66, 67


@dataclass
class Log:
    """What was seen to happen at the table since the deal began, in absolute seats."""

    plays: list[tuple[int, int, int, int]] = field(default_factory=list)  # seat, card, trick, place
    signals: list[tuple[int, int, int]] = field(default_factory=list)  # trick, seat, token
    bids: dict[int, Any] = field(default_factory=dict)
    declaration: tuple[int, int] | None = None

    def add(self, env: CardGameEnv, action: int) -> None:
        seat = seat_to_act(env)
        trick, place = divmod(len(self.plays), env.num_players)
        if action < env.game.deck.num_cards:
            self.plays.append((seat, action, trick, place))
        elif env.game.name == "pyramid":
            if action < FIRST_SIGNAL:
                self.declaration = divmod(action - FIRST_DECLARATION, 5)
            else:
                self.signals.append((trick, seat, action - FIRST_SIGNAL))
        elif action == DOUBLE_NIL:
            self.bids[seat] = "double nil"
        elif action != LOOK:
            self.bids[seat] = "nil" if action == FIRST_BID else action - FIRST_BID


def number(part: np.ndarray) -> int:
    """A total from its two fields, or a single byte."""
    return int(part[0])


def total(hundreds: Any, rest: Any) -> int:
    return 100 * int(hundreds) + int(rest)


class Rebuilt:
    """A reader of observations: it knows the fields' meanings and nothing of the table."""

    def __init__(self, env: CardGameEnv, observation: np.ndarray, observer: int) -> None:
        self.fields = env.game.layout.views(observation)
        self.observer = observer
        self.num_players = number(self.fields["num_players"]) if env.game.name == "pyramid" else 4

    def seat(self, relative: int) -> int:
        return (self.observer + relative) % self.num_players

    def one_seat(self, name: str) -> int:
        return self.seat(number(self.fields[name]))

    def by_seat(self, name: str) -> list[Any]:
        """A field's rows in the order of absolute seats."""
        rows = self.fields[name]
        return [rows[(seat - self.observer) % self.num_players] for seat in range(self.num_players)]

    def plays(self) -> list[tuple[int, int, int, int]]:
        by, trick, place = (
            self.fields[name] for name in ("played_by", "played_trick", "played_place")
        )
        assert ((by == 0) == (trick == 0)).all()
        assert ((by == 0) == (place == 0)).all()
        found = [
            (int(trick[card]) - 1, int(place[card]) - 1, self.seat(int(by[card]) - 1), card)
            for card in np.flatnonzero(by).tolist()
        ]
        return [(seat, card, t, p) for t, p, seat, card in sorted(found)]

    def on_the_table(self) -> dict[int, int]:
        cards = self.fields["trick"]
        return {self.seat(k): int(cards[k]) - 1 for k in range(4) if cards[k]}


def check_common(env: CardGameEnv, log: Log, seen: Rebuilt) -> None:
    assert seen.plays() == log.plays
    whole = len(log.plays) // env.num_players
    table = log.plays[whole * env.num_players :]
    if not is_over(env):
        assert seen.on_the_table() == {seat: card for seat, card, _, _ in table}
        assert seen.one_seat("player") == seat_to_act(env)
        assert number(seen.fields["decision"]) == int(env.state["decision"])
        if table:
            assert seen.one_seat("leader") == table[0][0]
        elif log.plays:
            assert seen.one_seat("leader") == seat_to_act(env)
    assert [int(taken) for taken in seen.by_seat("tricks_taken")] == env.tricks_taken
    # A trick's taker leads the next: the same fact read from the plays.
    leads = [seat for seat, _, _, place in log.plays if place == 0][1:]
    takers = [leads.count(seat) for seat in range(env.num_players)]
    if not is_over(env):
        if not table and log.plays:
            takers[seat_to_act(env)] += 1
        assert takers == env.tricks_taken
    assert seen.one_seat("dealer") == env.dealer


# ---------------------------------------------------------------------- Pyramid


def check_pyramid(
    env: CardGameEnv, log: Log, results: list[list[tuple[int, int]]], observer: int
) -> None:
    seen = Rebuilt(env, env.observe(f"player_{observer}")["observation"], observer)
    check_common(env, log, seen)
    fields, declarer = seen.fields, (env.dealer + 1) % env.num_players
    assert seen.one_seat("declarer") == declarer
    bid, denomination = number(fields["bid"]), number(fields["denomination"])
    assert (bid == 0) == (denomination == 0)
    assert (None if bid == 0 else (bid - 1, denomination - 1)) == log.declaration
    tokens = fields["signals"]
    assert tokens.shape == (6, 4)
    assert [
        (trick, seat, int(tokens[trick, (seat - observer) % env.num_players]) - 1)
        for trick, seat, _ in log.signals
    ] == log.signals
    assert np.count_nonzero(tokens) == len(log.signals)
    totals = [
        total(hundreds, rest)
        for hundreds, rest in zip(
            seen.by_seat("totals_hundreds"), seen.by_seat("totals_rest"), strict=True
        )
    ]
    assert totals == env.scores
    for seat in range(env.num_players):
        announced, taken = seen.by_seat("announced")[seat], seen.by_seat("taken")[seat]
        told = [(int(b) - 1, int(t) - 1) for b, t in zip(announced, taken, strict=True) if b]
        expected = list(results[seat])
        if seat == declarer and log.declaration is not None and not is_over(env):
            expected.append((log.declaration[0], -1))  # this deal's result is not known yet
        assert told == expected
        assert (announced[len(told) :] == 0).all()
    rules = env.rules
    assert number(fields["following"]) == ("any", "suit", "suit_then_trump").index(rules.following)
    assert number(fields["no_trump"]) == rules.no_trump
    assert number(fields["conference"]) == ("open", "signals", "silent").index(rules.conference)
    assert number(fields["deals_per_player"]) == rules.deals_per_player
    assert tuple(fields["quota"].tolist()) == rules.quota
    assert number(fields["num_players"]) == env.num_players


@pytest.mark.parametrize("number_of_players", [2, 3, 4])
def test_a_pyramid_observation_rebuilds_the_public_history(number_of_players: int) -> None:
    rng = Random(number_of_players)
    for case in range(6):
        rules = some_rules("pyramid", rng, conference=("open", "signals", "silent")[case % 3])
        env = aec("pyramid", rules=rules, num_players=number_of_players)
        totals = [rng.randrange(-2000, 2000) for _ in range(number_of_players)] if case else None
        env.reset(seed=case, options={"totals": totals})
        results: list[list[tuple[int, int]]] = [[] for _ in range(number_of_players)]
        log, deals = Log(), 0
        while not is_over(env) and deals < 9:
            for observer in range(number_of_players):
                check_pyramid(env, log, results, observer)
            action = any_legal(env, rng)
            log.add(env, action)
            before, declarer = env.tricks_taken, (env.dealer + 1) % number_of_players
            env.step(action)
            if len(log.plays) == 6 * number_of_players:
                deals += 1
                assert log.declaration is not None
                # The declarer took what it had, and the last trick if it leads no longer …
                taken = results_of_last_trick(log, before, declarer, rules)
                results[declarer].append((log.declaration[0], taken))
                if not is_over(env):
                    log = Log()
        for observer in range(number_of_players):
            check_pyramid(env, log, results, observer)


def results_of_last_trick(log: Log, before: list[int], declarer: int, rules: PyramidRules) -> int:
    """Tricks of the declarer, the last one judged here by the rule sheet."""
    trick = [play for play in log.plays if play[2] == 5]
    assert log.declaration is not None
    trump = log.declaration[1]
    suits = [play[1] // 6 for play in trick]
    deciding = trump if trump in suits else suits[0]
    winner = max((play for play in trick if play[1] // 6 == deciding), key=lambda play: play[1])[0]
    return before[declarer] + (winner == declarer)


# ---------------------------------------------------------------------- Spades


def check_spades(env: CardGameEnv, log: Log, deals: int, observer: int) -> None:
    seen = Rebuilt(env, env.observe(f"player_{observer}")["observation"], observer)
    check_common(env, log, seen)
    fields = seen.fields
    bids: dict[int, Any] = {}
    for seat in range(4):
        bid = int(seen.by_seat("bids")[seat]) - 1
        double = bool(seen.by_seat("double_nils")[seat])
        assert not double or bid == 0
        if bid >= 0:
            bids[seat] = ("double nil" if double else "nil") if bid == 0 else bid
    assert bids == log.bids
    mine, others = observer % 2, 1 - observer % 2
    totals = [
        total(*pair) for pair in zip(fields["totals_hundreds"], fields["totals_rest"], strict=True)
    ]
    assert totals == [env.scores[mine], env.scores[others]]
    bags = [total(*pair) for pair in zip(fields["bags_hundreds"], fields["bags"], strict=True)]
    assert bags == [env.bags[mine], env.bags[others]]
    assert number(fields["broken"]) == any(card >= 39 for _, card, _, _ in log.plays)
    assert total(*fields["deal_number"]) == deals
    if not log.plays:
        side = 3 if env.rules.first_lead == "right" else 1
        leader = (env.dealer + side) % 4
        if env.rules.first_lead == "two_of_clubs" and len(log.bids) == 4:
            leader = next((seat for seat, hand in enumerate(env.hands) if 0 in hand), leader)
        assert seen.one_seat("leader") == leader
    rules = env.rules
    assert number(fields["bid_order"]) == ("pairs", "clockwise").index(rules.bid_order)
    assert number(fields["double_nil"]) == ("off", "blind").index(rules.double_nil)
    assert number(fields["first_lead"]) == ("left", "right", "two_of_clubs").index(rules.first_lead)
    assert number(fields["spade_leads"]) == ("broken", "last_resort").index(rules.spade_leads)
    assert number(fields["overtrick_points"]) == rules.overtrick_points
    assert number(fields["bag_limit"]) == (rules.bag_limit or 0)
    assert number(fields["bag_after"]) == ("zero", "carry").index(rules.bag_after)
    assert number(fields["failed_nil_tricks"]) == ("bag", "contract").index(rules.failed_nil_tricks)
    assert number(fields["pair_bid_cap"]) == rules.pair_bid_cap
    assert number(fields["pair_bid_min"]) == rules.pair_bid_min
    assert number(fields["first_trick_spades"]) == rules.first_trick_spades
    for name in ("nil_points", "double_nil_points", "double_nil_behind", "bag_fine"):
        assert total(*fields[name]) == getattr(rules, name)
    assert total(*fields["target"]) == rules.target
    assert total(*fields["mercy"]) == -(rules.mercy or 0)
    assert total(*fields["max_deals"]) == (rules.max_deals or 0)


def test_a_spades_observation_rebuilds_the_public_history() -> None:
    rng = Random(5)
    presets = [SpadesRules.preset(name) for name in SpadesRules.presets()]
    for case, rules in enumerate(presets + [some_rules("spades", rng) for _ in range(5)]):
        env = aec("spades", rules=rules)
        options: dict[str, Any] = {"dealer": case % 4}
        if rules.target >= 500 and rules.mercy != -1:
            options["totals"] = [rng.randrange(-90, 90), 477]
            options["bags"] = [rng.randrange(rules.bag_limit or 10_000), 0]
        env.reset(seed=case, options=options)
        log, deals = Log(), 0
        while not is_over(env) and deals < 3:
            for observer in range(4):
                check_spades(env, log, deals, observer)
            action = any_legal(env, rng)
            log.add(env, action)
            env.step(action)
            if len(log.plays) == 52 and not is_over(env):
                log = Log()
                deals += 1
        if is_over(env):
            for observer in range(4):
                check_spades(env, log, deals, observer)


# ---------------------------------------------------------------------- totals


@pytest.mark.parametrize(
    ("sum_", "hundreds", "rest"),
    [
        (0, 0, 0),
        (99, 0, 99),
        (100, 1, 0),
        (-1, 0, -1),
        (-99, 0, -99),
        (-100, -1, 0),
        (-101, -1, -1),
        (-1234, -12, -34),
        (12_699, 126, 99),
        (12_700, 127, 0),
        (-12_799, -127, -99),
        (12_800, 127, 0),
        (-12_801, -127, -1),
        (99_950, 127, 50),
        (-99_950, -127, -50),
    ],
)
def test_totals_are_hundreds_towards_zero_clipped_to_127_and_the_rest(
    sum_: int, hundreds: int, rest: int
) -> None:
    env = aec("pyramid", num_players=3)
    env.reset(options={"totals": [sum_, -sum_, 0]})
    assert env.scores == [sum_, -sum_, 0]
    for seat in range(3):
        fields = env.game.layout.views(env.observe(f"player_{seat}")["observation"])
        own, negated = (0 - seat) % 3, (1 - seat) % 3
        assert fields["totals_hundreds"][[own, negated]].tolist() == [hundreds, -hundreds]
        assert fields["totals_rest"][[own, negated]].tolist() == [rest, -rest]
    rules = SpadesRules(target=12_000, mercy=None)
    spades = aec("spades", rules=rules)
    level = abs(sum_) >= 12_000  # only level totals are still open so high up
    totals = [sum_, sum_ if level else -50]
    spades.reset(options={"totals": totals})
    assert spades.scores == totals
    fields = spades.game.layout.views(spades.observe("player_0")["observation"])
    assert (fields["totals_hundreds"][0], fields["totals_rest"][0]) == (hundreds, rest)
    fields = spades.game.layout.views(spades.observe("player_3")["observation"])
    assert (fields["totals_hundreds"][1], fields["totals_rest"][1]) == (hundreds, rest)


def test_bids_spent_before_the_first_deal_are_announced_without_results() -> None:
    spent = [[1, 0, 0, 2, 0, 0, 0], [0, 0, 0, 0, 0, 2, 1], [0, 1, 0, 0, 1, 0, 0]]
    env = aec("pyramid", num_players=3)
    env.reset(options={"spent": spent})
    assert env.dealer == 1  # the third declares next
    for seat in range(3):
        seen = Rebuilt(env, env.observe(f"player_{seat}")["observation"], seat)
        for player in range(3):
            announced = seen.by_seat("announced")[player]
            counts = [int((announced == bid + 1).sum()) for bid in range(7)]
            assert counts == spent[player]
            assert not seen.by_seat("taken")[player].any()


@pytest.mark.parametrize("game", ["pyramid", "spades"])
def test_the_hand_size_of_a_short_deal_is_told_and_the_next_deal_is_a_full_one(game: str) -> None:
    # Rules by which two deals of any bids cannot end the match.
    rules = SpadesRules(mercy=None, target=12_000) if game == "spades" else PyramidRules()
    env = aec(game, rules=rules, deals=2)
    hands = [[1, 2], [3, 4], [5, 6], [7, 8]]
    env.reset(seed=1, options={"hands": hands})
    full = 6 if game == "pyramid" else 13
    sizes = []
    rng = Random(0)
    while not is_over(env):
        fields = env.game.layout.views(env.observe("player_0")["observation"])
        sizes.append(int(fields["hand_size"][0]))
        env.step(any_legal(env, rng))
    assert list(dict.fromkeys(sizes)) == [2, full]
