"""Plays the product and the reference side by side and stops at the first difference.

The product is looked at only through its documented surface: agents, masks, steps, rewards, and
the open view of the table (`hands`, `dealer`, `scores`, `bags`, `tricks_taken`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

from reference import pyramid, spades

Match = pyramid.Match | spades.Match
Choose = Callable[[Any, Random], int]

MOST_DEALS = 1000  # a match that goes on for longer is taken for one that never ends


class Difference(AssertionError):
    """The product and the reference disagree; says where."""


class Pair:
    """One match, played by the product's env and by the reference at once.

    `full_hand` is the number of cards the product deals a seat; `where` is what to quote to see
    a difference again (seed, rules, options).
    """

    def __init__(
        self, env: Any, match: Match, *, full_hand: int, reward: str, where: Any, deals: int | None
    ) -> None:
        self.env = env
        self.match = match
        self.full_hand = full_hand
        self.reward = reward
        self.where = where
        self.deals = deals
        self.ends: Counter[str] = Counter()

    def agree(self, fact: str, product: Any, reference: Any) -> None:
        if product != reference:
            raise Difference(
                f"{fact}: product {product}, reference {reference}; deal "
                f"{self.match.deals_played}, {self.where}, public {self.match.public()}"
            )

    def play(self, choose: Choose, rng: Random) -> None:
        """From the first deal, which both hold already, to the end of the episode."""
        self.check_table()
        while True:
            self.check_decision()
            action = choose(self.match, rng)
            self.env.step(action)
            self.match.play(action)
            if self.match.player is not None:
                self.check_table()
                self.check_rewards([0.0] * self.match.num_players)
            elif self.finish_deal():
                return

    def check_decision(self) -> None:
        agent = self.env.agent_selection
        self.agree("seat to act", agent, f"player_{self.match.player}")
        legal = legal_by_mask(self.env, agent)
        self.agree("legal actions", legal, self.match.legal())
        self.agree("decision", decision_by_ids(self.match, legal), self.match.decision)
        assert self.match.player is not None
        next_seat = (self.match.player + 1) % self.match.num_players
        self.agree("mask of a seat not to act", legal_by_mask(self.env, f"player_{next_seat}"), [])

    def check_table(self) -> None:
        env, match = self.env, self.match
        self.agree("hands", [[int(card) for card in hand] for hand in env.hands], match.hands)
        self.agree("dealer", int(env.dealer), match.dealer)
        self.agree("tricks taken", ints(env.tricks_taken), match.tricks_taken)
        self.check_sheet()
        for name, flags in (("terminations", env.terminations), ("truncations", env.truncations)):
            self.agree(name, any(flags.values()), False)

    def check_sheet(self) -> None:
        self.agree("scores", ints(self.env.scores), self.match.scores)
        if isinstance(self.match, spades.Match):
            self.agree("bags", ints(self.env.bags), self.match.bags)

    def check_rewards(self, expected: list[float]) -> None:
        earned = [float(self.env.rewards[f"player_{seat}"]) for seat in range(len(expected))]
        close = all(abs(a - b) <= 1e-4 for a, b in zip(earned, expected, strict=True))
        self.agree(f"rewards ({self.reward})", earned, earned if close else expected)

    def finish_deal(self) -> bool:
        """Compares what a deal brought; True at the end of the episode, else both deal on."""
        match, env = self.match, self.env
        self.ends.update(what_a_deal_ended(match))
        episode_over = match.result is not None or match.deals_played == self.deals
        self.check_rewards(rewards_of_a_deal(match, self.reward, episode_over))
        if episode_over:
            terminated = match.result != "truncated"
            self.check_sheet()
            for name, flags, expected in (
                ("terminations", env.terminations, terminated),
                ("truncations", env.truncations, not terminated),
            ):
                expected_flags = {f"player_{seat}": expected for seat in range(match.num_players)}
                self.agree(name, {a: bool(flag) for a, flag in flags.items()}, expected_flags)
            return True
        if match.deals_played >= MOST_DEALS:
            raise Difference(f"no end after {MOST_DEALS} deals: {self.where}")
        hands = [[int(card) for card in hand] for hand in env.hands]
        sizes = [len(hand) for hand in hands]
        self.agree("cards dealt to each seat", sizes, [self.full_hand] * match.num_players)
        match.deal(hands)
        self.check_table()
        return False


def ints(values: Any) -> list[int]:
    return [int(value) for value in values]


def legal_by_mask(env: Any, agent: str) -> list[int]:
    mask = env.observe(agent)["action_mask"]
    return [action for action, bit in enumerate(mask.tolist()) if bit]


def decision_by_ids(match: Match, legal: list[int]) -> str:
    """The kind of decision a set of legal action ids is for."""
    ids = set(legal)
    if isinstance(match, pyramid.Match):
        kinds = {"card": range(24), "declare": range(24, 59), "signal": range(59, 67)}
    else:
        kinds = {"card": range(52), "bid": range(52, 66), "look": range(66, 68)}
    return next((kind for kind, span in kinds.items() if ids and ids <= set(span)), "mixed")


def what_a_deal_ended(match: Match) -> list[str]:
    """Which ends the deal just played met, by name."""
    if isinstance(match, pyramid.Match):
        if match.result is None:
            return []
        return ["shared win" if len(match.winners) > 1 else "sole win"]
    target, mercy = match.rules["target"], match.rules["mercy"]
    at_target = max(match.scores) >= target
    at_mercy = mercy is not None and min(match.scores) <= mercy
    level = match.scores[0] == match.scores[1]
    if match.result == "truncated":
        return ["max_deals", "max_deals, level"] if level else ["max_deals"]
    if match.result == "terminated":
        return [name for name, met in (("target", at_target), ("mercy", at_mercy)) if met]
    return ["level at the end, played on"] if at_target or at_mercy else []


def rewards_of_a_deal(match: Match, reward: str, episode_over: bool) -> list[float]:
    """What each seat earns by the last card of a deal."""
    points = [float(value) for value in match.deal_points]
    seats = range(match.num_players)
    in_pairs = isinstance(match, spades.Match)
    if reward == "points":
        return points
    if reward == "relative":
        if in_pairs:
            return [points[seat] - points[(seat + 1) % 4] for seat in seats]
        declarer_points = sum(points)
        share = declarer_points / (match.num_players - 1)
        return [declarer_points if seat == match.declarer else -share for seat in seats]
    if not episode_over:
        return [0.0 for _ in seats]
    totals = [match.scores[seat % 2] if in_pairs else match.scores[seat] for seat in seats]
    at_the_top = [seat for seat in seats if totals[seat] == max(totals)]
    if match.result is not None:
        assert at_the_top == match.winners
    alone = len(at_the_top) == (2 if in_pairs else 1)
    return [(1.0 if alone else 0.0) if seat in at_the_top else -1.0 for seat in seats]
