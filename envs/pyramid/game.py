"""Pyramid (Piramida): 24 cards, one declarer a deal, sixteen bids to spend."""

from bidwise.envs.core.cards import DECK_24
from bidwise.envs.game import Game, register
from bidwise.envs.pyramid.actions import (
    NUM_ACTIONS,
    action_name,
    parse_action,
)
from bidwise.envs.pyramid.drawing import draw_table
from bidwise.envs.pyramid.engine import begin_deal, deal, legal, play, start
from bidwise.envs.pyramid.observation import LAYOUT, observe
from bidwise.envs.pyramid.refusals import why_illegal
from bidwise.envs.pyramid.rules import PyramidRules
from bidwise.envs.pyramid.scoring import reward
from bidwise.envs.pyramid.state import (
    DECISIONS,
    DECLARE,
    DTYPE,
    OPTIONS,
    apply_options,
    read_rules,
    write_rules,
)

__all__ = ["GAME"]

GAME = Game(
    name="pyramid",
    module=__name__,
    deck=DECK_24,
    dtype=DTYPE,
    layout=LAYOUT,
    num_actions=NUM_ACTIONS,
    player_counts=(2, 3, 4),
    rules=PyramidRules,
    default_preset="piramida",
    decisions=DECISIONS,
    bid_decisions=(DECLARE,),
    pairs=False,
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
