"""Pyramid (Piramida): 24 cards, one declarer a deal, sixteen bids to spend."""

from ..cards import DECK_24
from ..game import Game, register
from .actions import (
    NUM_ACTIONS,
    Action,
    action_name,
    decode_action,
    encode_action,
    parse_action,
)
from .drawing import draw_table
from .engine import begin_deal, deal, legal, play, start
from .observation import LAYOUT, observe
from .refusals import why_illegal
from .rules import PyramidRules
from .scoring import declarer_points, reward
from .state import (
    DECISIONS,
    DECLARE,
    DTYPE,
    OPTIONS,
    apply_options,
    read_rules,
    write_rules,
)

__all__ = [
    "GAME",
    "LAYOUT",
    "Action",
    "PyramidRules",
    "action_name",
    "declarer_points",
    "decode_action",
    "encode_action",
    "parse_action",
]

GAME = Game(
    name="pyramid",
    env_id="bidwise/Pyramid-v0",
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
