"""What any agent bids when it is dealt given sequences of hand classes.

Each sequence is one pyramid: turn by turn the agent declares with what it has left, so that its
bids can be valued by an outcome table, never by sampled play. Nothing is played out. The record
it is shown is that of a match in which

- it sits at seat 0, declares first in each round, and has spent what it has declared so far, in
  that order;
- its hand is the class's representative with the suits renamed at random, anew each turn, so
  that an agent which treats suits unequally is shown them all; the answer is told in the names
  of the representative;
- the others hold random cards of the rest, and have announced as often as the rotation has it:
  each turn any of their unspent bids is equally likely;
- no result is known and all totals are 0, as where reset's option ``spent`` sets up a match.

Hands and the others' bids depend on (seed, sequence, turn) alone. The agent draws from its own
stream in the order in which it is asked, so that one which draws differs with `batch`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bidwise.agents import Agent
from bidwise.agents.order.agent import suit_order
from bidwise.agents.order.compilation import compiled
from bidwise.agents.order.sequences import checked_sequences
from bidwise.agents.order.states import states_of
from bidwise.agents.outcomes.hands import NUM_CLASSES, class_hands
from bidwise.envs import game
from bidwise.envs.batch.kernels import write_mask
from bidwise.envs.core.checks import check_int
from bidwise.envs.core.rng import below, draw, stream
from bidwise.envs.core.vocabulary import EVERYTHING
from bidwise.envs.pyramid import GAME, PyramidRules
from bidwise.envs.pyramid.actions import FIRST_DECLARATION, NUM_ACTIONS, NUM_DENOMINATIONS
from bidwise.envs.pyramid.observation import LAYOUT
from bidwise.envs.pyramid.rules import NUM_BIDS
from bidwise.envs.pyramid.state import HAND_SIZE, NUM_CARDS, NUM_RANKS, SLOTS
from bidwise.envs.states import new_states
from bidwise.train.run.chunks import Chunks

__all__ = ["agent_declarations"]

_CHOICES = np.uint64(0x63686F69636573)
"""Sets these streams apart from those of other deals."""

_NONE = np.uint64(0)
_BIT = np.uint64(1)
_SUIT = np.uint64((1 << NUM_RANKS) - 1)


def agent_declarations(
    agent: Agent,
    sequences: ArrayLike,
    *,
    num_players: int,
    rules: str | PyramidRules,
    seed: int = 0,
    batch: int = 4096,
    chunks: Chunks | None = None,
    key: str = "bids",
) -> NDArray[np.int8]:
    """What an agent bids on each hand of the sequences.

    Args:
        agent: any of Pyramid, made for these rules and so many players.
        sequences: (count, turns) classes of :mod:`bidwise.agents.outcomes.hands`; as many turns as
            the quota has bids.
        num_players: 2, 3 or 4.
        rules: a preset's name or PyramidRules.
        seed: 0..2**64-1, of all that is random about the tables.
        batch: sequences bid side by side.
        chunks: where finished batches are kept, under keys that begin with `key`; their settings
            must name all that the bids depend on.
        key: letters, digits and hyphens.

    Returns:
        (count, turns, 2) int8: bid and denomination, 0..3 a suit of the class's representative,
        4 no trump.

    Raises:
        ValueError: sequences that do not fit, an agent of another game, or one that chose what
            the rules forbid.
    """
    if agent.game is not GAME:
        raise ValueError(f"agent: {agent.name} plays {agent.game.name}, not {GAME.name}")
    the_rules = GAME.get_rules(rules)
    hands = checked_sequences(sequences, states_of(the_rules.quota), NUM_CLASSES)
    check_int("batch", batch, 1, 1_000_000)
    declarations = np.empty((*hands.shape, 2), np.int8)
    fresh = new_states(GAME, 1, the_rules, num_players, seed, "match")
    for first in range(0, len(hands), batch):
        some = slice(first, first + batch)
        name = f"{key}-{first:08d}"
        kept = None if chunks is None else chunks.read(name)
        if kept is not None:
            declarations[some] = kept["declarations"]
            agent.draw_on(kept["drawn"].tolist())
            continue
        _choose(agent, hands[some], np.repeat(fresh, len(hands[some])), first, declarations[some])
        if chunks is not None:
            drawn = np.array(agent.drawn, np.int64)
            chunks.write(name, {"declarations": declarations[some], "drawn": drawn})
    return declarations


def _choose(
    agent: Agent,
    sequences: NDArray[np.int64],
    states: NDArray[np.void],
    first: int,
    declarations: NDArray[np.int8],
) -> None:
    """Fill choices (B, turns, 2) of sequences `first`.. on fresh records (B,)."""
    count = len(sequences)
    rows = np.arange(count)
    observations = np.zeros((count, LAYOUT.size), np.int8)
    masks = np.zeros((count, NUM_ACTIONS), np.int8)
    hands = class_hands()[sequences].astype(np.uint64)
    for turn in range(sequences.shape[1]):
        _set_up(states, np.ascontiguousarray(hands[:, turn]), turn, first, observations, masks)
        actions = np.asarray(agent.act_batch(observations, masks))
        legal = (actions >= 0) & (actions < NUM_ACTIONS)
        legal &= masks[rows, np.where(legal, actions, 0)] == 1
        if not legal.all():
            row = int(legal.argmin())
            raise ValueError(
                f"agent: {agent.name} chose action {actions[row]} at turn {turn} of sequence "
                f"{first + row}, which the rules forbid"
            )
        bids, named = np.divmod(actions - FIRST_DECLARATION, NUM_DENOMINATIONS)
        _announce(states, bids, turn, first)
        # The representative's suits stand in the order of their holdings.
        order = suit_order(states["hands"][:, 0])
        suits = (order == named[:, None]).argmax(axis=1)
        declarations[:, turn, 0] = bids
        declarations[:, turn, 1] = np.where(named == NUM_DENOMINATIONS - 1, named, suits)


@compiled
def _set_up(states: Any, hands: Any, turn: int, first: int, observations: Any, masks: Any) -> None:
    """Deal turn `turn` to the tables and have seat 0 look.

    Args:
        states: (B,) records with all announcements of the turns before.
        hands: (B,) uint64 representatives that seat 0 is dealt, suits renamed.
        first: number of the first table's sequence.
    """
    suits = np.empty(4, np.int64)
    free = np.empty(4, np.int64)
    for i in range(len(states)):
        state = states[i]
        num_players = int(state.num_players)
        key = stream(state.seed ^ _CHOICES, np.uint64(first + i), np.uint64(turn), _NONE)
        for suit in range(4):
            suits[suit] = suit
        own = _NONE
        for suit in range(4):
            bits = draw(key, np.uint64(NUM_CARDS + suit))
            other = suit + int(below(bits, np.uint64(4 - suit)))
            suits[suit], suits[other] = suits[other], suits[suit]
            held = (hands[i] >> np.uint64(NUM_RANKS * suit)) & _SUIT
            own |= held << np.uint64(NUM_RANKS * suits[suit])
        for seat in range(4):
            state.hands[seat] = _NONE
            free[seat] = HAND_SIZE
        state.hands[0] = own
        left = NUM_CARDS - HAND_SIZE
        for card in range(NUM_CARDS):
            bit = _BIT << np.uint64(card)
            if own & bit != _NONE:
                continue
            place = int(below(draw(key, np.uint64(card)), np.uint64(left)))
            left -= 1
            for seat in range(1, num_players):
                if place < free[seat]:
                    free[seat] -= 1
                    state.hands[seat] |= bit
                    break
                place -= free[seat]
        state.hand_size = HAND_SIZE
        state.dealer = num_players - 1
        state.deal_number = turn * num_players
        state.deals_played = turn * num_players
        game.begin_deal(state)
        game.observe(state, 0, observations[i], EVERYTHING)
        write_mask(state, masks[i])


@compiled
def _announce(states: Any, bids: Any, turn: int, first: int) -> None:
    """Spend bids (B,) of seat 0, and one at random of every other seat."""
    for i in range(len(states)):
        state = states[i]
        key = stream(state.seed ^ _CHOICES, np.uint64(first + i), np.uint64(turn), _BIT)
        for seat in range(int(state.num_players)):
            bid = int(bids[i])
            if seat > 0:
                left = int(state.deals_per_player) - turn
                place = int(below(draw(key, np.uint64(seat)), np.uint64(left)))
                bid = 0
                while True:
                    unspent = int(state.quota[bid]) - int(state.spent[seat * NUM_BIDS + bid])
                    if place < unspent:
                        break
                    place -= unspent
                    bid += 1
            state.spent[seat * NUM_BIDS + bid] += 1
            state.announced[seat * SLOTS + turn] = bid + 1
            state.num_announced[seat] = turn + 1
