"""Spades (Пики): 52 cards, two pairs, nil, double nil and bags."""

from bidwise.envs.core.cards import DECK_52
from bidwise.envs.game import Game, register
from bidwise.envs.spades.actions import (
    NUM_ACTIONS,
    action_name,
    parse_action,
)
from bidwise.envs.spades.drawing import draw_table
from bidwise.envs.spades.engine import begin_deal, deal, legal, play, start
from bidwise.envs.spades.observation import LAYOUT, observe
from bidwise.envs.spades.refusals import why_illegal
from bidwise.envs.spades.rules import SpadesRules
from bidwise.envs.spades.scoring import reward
from bidwise.envs.spades.state import (
    BID,
    DECISIONS,
    DTYPE,
    LOOK,
    OPTIONS,
    apply_options,
    read_rules,
    write_rules,
)

__all__ = ["GAME"]

GAME = Game(
    name="spades",
    module=__name__,
    deck=DECK_52,
    dtype=DTYPE,
    layout=LAYOUT,
    num_actions=NUM_ACTIONS,
    player_counts=(4,),
    rules=SpadesRules,
    default_preset="piki",
    decisions=DECISIONS,
    bid_decisions=(LOOK, BID),
    pairs=True,
    start=start,
    deal=deal,
    begin_deal=begin_deal,
    play=play,
    legal=legal,
    observe=observe,
    reward=reward,
    write_rules=write_rules,
    read_rules=read_rules,
    apply_options=apply_options,
    option_names=OPTIONS,
    action_name=action_name,
    parse_action=parse_action,
    why_illegal=why_illegal,
    draw_table=draw_table,
)

register(GAME)
