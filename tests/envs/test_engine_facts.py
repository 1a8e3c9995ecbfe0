"""What holds in every deal and match, whatever the rules, the cards and the play."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tabletop import aec, any_legal, deals_of, is_over, play, seat_to_act

from bidwise import envs
from bidwise.envs import CardGameEnv, PyramidRules, SpadesRules
from bidwise.envs.core.cards import nth_bit

# Compilation falls into the first example.
some = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)

seeds = st.integers(0, 2**64 - 1)


@st.composite
def pyramid_rules(draw: Any, most: int = 16) -> PyramidRules:
    bids = draw(st.lists(st.integers(0, 6), min_size=1, max_size=most))
    return PyramidRules(
        following=draw(st.sampled_from(("any", "suit", "suit_then_trump"))),
        no_trump=draw(st.booleans()),
        conference=draw(st.sampled_from(("open", "signals", "silent"))),
        deals_per_player=len(bids),
        quota=tuple(bids.count(bid) for bid in range(7)),
    )


@st.composite
def spades_rules(draw: Any) -> SpadesRules:
    return SpadesRules(
        bid_order=draw(st.sampled_from(("pairs", "clockwise"))),
        double_nil=draw(st.sampled_from(("blind", "off"))),
        first_lead=draw(st.sampled_from(("right", "left", "two_of_clubs"))),
        spade_leads=draw(st.sampled_from(("broken", "last_resort"))),
        overtrick_points=draw(st.integers(-100, 100)),
        bag_limit=draw(st.none() | st.integers(1, 100)),
        bag_after=draw(st.sampled_from(("zero", "carry"))),
        failed_nil_tricks=draw(st.sampled_from(("bag", "contract"))),
        target=draw(st.integers(1, 12_000)),
        mercy=draw(st.none() | st.integers(-12_000, -1)),
        max_deals=draw(st.integers(1, 4)),
        pair_bid_cap=(cap := draw(st.integers(0, 26))),
        pair_bid_min=draw(st.integers(0, min(cap, 13))),
        nil_points=draw(st.integers(0, 1000)),
        double_nil_points=draw(st.integers(0, 1000)),
        double_nil_behind=draw(st.integers(0, 300)),
        bag_fine=draw(st.integers(0, 1000)),
        first_trick_spades=draw(st.booleans()),
    )


def play_and_check_cards(env: CardGameEnv, rng: Random) -> None:
    """One deal: each step moves at most one card, from the mover's hand to the table."""
    deck = env.game.deck.num_cards
    full = len(env.hands[0])
    held = [set(hand) for hand in env.hands]
    assert len(set().union(*held)) == full * env.num_players
    assert all(len(hand) == full for hand in held)
    played: set[int] = set()
    while sum(map(len, held)):
        before, tricks = env.hands, env.tricks_taken
        assert env.hands == [sorted(hand) for hand in held]
        assert sum(tricks) == len(played) // env.num_players
        seat, action = seat_to_act(env), any_legal(env, rng)
        env.step(action)
        if action < deck:
            assert action in held[seat]
            held[seat].remove(action)
            played.add(action)
            moved = [len(a) - len(b) for a, b in zip(before, env.hands, strict=True)]
            if sum(map(len, held)):
                assert moved == [int(s == seat) for s in range(env.num_players)]
        else:
            assert env.hands == before
    assert len(played) == full * env.num_players


@some
@given(rules=pyramid_rules(), players=st.sampled_from((2, 3, 4)), seed=seeds)
def test_cards_are_conserved_in_every_pyramid_deal(
    rules: PyramidRules, players: int, seed: int
) -> None:
    env = aec("pyramid", rules=rules, num_players=players, deals=2)
    env.reset(seed=seed)
    rng = Random(seed)
    while not is_over(env):
        play_and_check_cards(env, rng)
    assert sum(env.tricks_taken) == 6


@some
@given(rules=spades_rules(), seed=seeds)
def test_cards_are_conserved_in_every_spades_deal(rules: SpadesRules, seed: int) -> None:
    env = aec("spades", rules=rules, deals=2)
    env.reset(seed=seed)
    rng = Random(seed)
    while not is_over(env):
        play_and_check_cards(env, rng)
    assert sum(env.tricks_taken) == 13


@some
@given(rules=pyramid_rules(6), players=st.sampled_from((2, 3, 4)), seed=seeds)
def test_a_pyramid_match_spends_every_quota_and_each_deal_is_worth_minus_2_to_10(
    rules: PyramidRules, players: int, seed: int
) -> None:
    env = aec("pyramid", rules=rules, num_players=players, reward="points")
    env.reset(seed=seed)
    rng = Random(seed)
    bids: list[list[int]] = [[] for _ in range(players)]
    declarers, totals = [], [0] * players
    for deal in deals_of(env, rng):
        seat, declaration = deal[0]
        declarers.append(seat)
        bids[seat].append((declaration - 24) // 5)
        gains = [after - before for before, after in zip(totals, env.scores, strict=True)]
        assert gains[seat] in (-2, 0, 2, 4, 6, 8, 10)
        assert not any(gain for s, gain in enumerate(gains) if s != seat)
        assert [env.rewards[f"player_{s}"] for s in range(players)] == gains
        totals = env.scores
    for spent in bids:
        assert tuple(spent.count(bid) for bid in range(7)) == rules.quota
    # The deal passes clockwise, and the player left of the dealer declares.
    assert all((b - a) % players == 1 for a, b in pairwise(declarers))
    worst = sum(n * (10 - 2 * max(bid, 6 - bid)) for bid, n in enumerate(rules.quota))
    for total in env.scores:
        assert total % 2 == 0
        assert worst <= total <= 10 * rules.deals_per_player


def test_full_pyramids_score_between_24_and_160() -> None:
    tables = envs.Tables("pyramid", 256, seed=5)
    finals: list[int] = []
    for _ in range(64 * 25):
        _, finished = tables.step(tables.sample_actions())
        finals += tables.final_scores[finished].ravel().tolist()
    assert len(finals) == 256 * 4
    assert all(24 <= total <= 160 and total % 2 == 0 for total in finals)


@some
@given(rules=spades_rules(), seed=seeds)
def test_totals_of_spades_are_the_sums_of_deals_recomputed_by_the_rules_page(
    rules: SpadesRules, seed: int
) -> None:
    env = aec("spades", rules=rules)
    env.reset(seed=seed)
    rng = Random(seed)
    totals, bags, deals = [0, 0], [0, 0], 0
    while not is_over(env):
        takes = [0] * 4
        played = one_deal(env, rng, takes)
        bids = {seat: action for seat, action in played if action >= 52 and action != 66}
        deals += 1
        for pair in range(2):
            points, bags[pair] = worth(rules, pair, bids, takes, bags[pair])
            totals[pair] += points
        assert env.scores == totals
        assert env.bags == bags
        assert all(bag >= 0 and (not rules.bag_limit or bag < rules.bag_limit) for bag in bags)
        reached = max(totals) >= rules.target
        fallen = rules.mercy is not None and min(totals) <= rules.mercy
        over = (reached or fallen) and totals[0] != totals[1]
        assert all(env.terminations.values()) == over
        assert all(env.truncations.values()) == (not over and deals == rules.max_deals)


def one_deal(env: CardGameEnv, rng: Random, takes: list[int]) -> list[tuple[int, int]]:
    """Play a deal at random; `takes` becomes each seat's tricks, judged here."""
    played, trick = [], []
    for _ in range(60):
        seat, action = seat_to_act(env), any_legal(env, rng)
        env.step(action)
        played.append((seat, action))
        if action < 52:
            trick.append((seat, action))
        if len(trick) == 4:
            suit = 3 if any(card >= 39 for _, card in trick) else trick[0][1] // 13
            takes[max((c, s) for s, c in trick if c // 13 == suit)[1]] += 1
            trick = []
        if sum(takes) == 13:
            break
    return played


def worth(
    rules: SpadesRules, pair: int, bids: dict[int, int], takes: list[int], bag: int
) -> tuple[int, int]:
    """Items 7 to 9 of the rules page, for a pair's deal; bids are actions."""
    points = contract = towards = 0
    for seat in (pair, pair + 2):
        if bids[seat] in (52, 67):
            nil = rules.double_nil_points if bids[seat] == 67 else rules.nil_points
            points += nil if takes[seat] == 0 else -nil
            if rules.failed_nil_tricks == "contract":
                towards += takes[seat]
            else:
                bag += takes[seat]
        else:
            contract += bids[seat] - 52
            towards += takes[seat]
    if towards >= contract:
        points += 10 * contract + rules.overtrick_points * (towards - contract)
        bag += towards - contract
    else:
        points -= 10 * contract
    if rules.bag_limit is not None and bag >= rules.bag_limit:
        if rules.bag_after == "zero":
            return points - rules.bag_fine, 0
        return points - rules.bag_fine * (bag // rules.bag_limit), bag % rules.bag_limit
    return points, bag


@some
@given(rules=spades_rules(), seed=seeds)
def test_pairs_bid_from_their_minimum_to_their_cap_in_any_order(
    rules: SpadesRules, seed: int
) -> None:
    env = aec("spades", rules=rules, deals=1)
    env.reset(seed=seed)
    rng = Random(seed)
    bids: dict[int, int] = {}
    while len(bids) < 4:
        seat, action = seat_to_act(env), any_legal(env, rng)
        if action != 66:
            bids[seat] = 0 if action == 67 else action - 52
        env.step(action)
    left, right = (env.dealer + 1) % 4, (env.dealer + 3) % 4
    partner = (env.dealer + 2) % 4
    order = [left, right, partner] if rules.bid_order == "pairs" else [left, partner, right]
    assert list(bids) == [*order, env.dealer]
    assert all(bids[pair] + bids[pair + 2] <= rules.pair_bid_cap for pair in (0, 1))
    assert all(bids[pair] + bids[pair + 2] >= rules.pair_bid_min for pair in (0, 1))
    leader = right if rules.first_lead == "right" else left
    if rules.first_lead == "two_of_clubs":
        leader = next(seat for seat in range(4) if 0 in env.hands[seat])
    assert seat_to_act(env) == leader


@pytest.mark.parametrize("game", ["pyramid", "spades"])
def test_a_batch_and_a_single_table_play_the_same_game(game: str) -> None:
    """`Tables` steps as the AEC env does: same seats, masks, observations, rewards."""
    for deals in (2, "match"):
        tables = envs.Tables(game, 1, seed=12, deals=deals, reward="relative")
        env = aec(game, deals=deals, reward="relative")
        env.reset(seed=12)
        rng = Random(1)
        for _ in range(400):
            seen = env.observe(env.agent_selection)
            np.testing.assert_array_equal(tables.observations[0], seen["observation"])
            np.testing.assert_array_equal(tables.action_masks[0], seen["action_mask"])
            assert tables.current_player[0] == seat_to_act(env)
            action = any_legal(env, rng)
            rewards, finished = tables.step([action])
            env.step(action)
            earned = list(env.rewards.values())
            np.testing.assert_allclose(rewards[0], earned, rtol=0, atol=1e-5)
            assert finished[0] == is_over(env)
            if finished[0]:
                assert tables.final_scores[0].tolist() == env.scores
                env.reset()


@pytest.mark.parametrize("game", ["pyramid", "spades"])
def test_sampled_actions_are_legal_and_use_every_legal_action(game: str) -> None:
    tables = envs.Tables(game, 512, seed=1)
    chosen = np.zeros(tables.num_actions, int)
    for _ in range(60):
        actions = tables.sample_actions()
        assert tables.action_masks[np.arange(512), actions].all()
        np.add.at(chosen, actions, 1)
        tables.step(actions)
    possible = set(range(tables.num_actions))
    if game == "pyramid":
        possible -= {28 + 5 * bid for bid in range(7)} | set(range(59, 67))
    assert set(np.flatnonzero(chosen).tolist()) == possible


@pytest.mark.parametrize("game", ["pyramid", "spades"])
def test_a_record_is_at_most_512_bytes(game: str) -> None:
    """So that a batch stays in the caches, and a copy for search is one assignment."""
    env = aec(game)
    assert env.game.dtype.itemsize <= 512
    env.reset(seed=1)
    kept = np.zeros(2, env.game.dtype)
    kept[0] = env.state
    play(env, Random(1), 5)
    kept[1] = kept[0]
    env.state = kept[1]
    assert env.state == kept[0]


def test_the_nth_bit_is_the_nth_card_of_a_hand() -> None:
    rng = Random(4)
    for _ in range(2_000):
        word = rng.getrandbits(64) & rng.getrandbits(64) | 1 << rng.randrange(64)
        cards = [card for card in range(64) if word >> card & 1]
        n = rng.randrange(len(cards))
        assert nth_bit(np.uint64(word), n) == cards[n]
    assert nth_bit(np.uint64(2**64 - 1), 63) == 63
