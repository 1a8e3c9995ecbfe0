from .actions import Action, action_name, decode_action, encode_action, parse_action
from .drawing import draw_table
from .game import GAME
from .observation import LAYOUT
from .rules import SpadesRules
from .scoring import pair_score

__all__ = [
    "GAME",
    "LAYOUT",
    "Action",
    "SpadesRules",
    "action_name",
    "decode_action",
    "draw_table",
    "encode_action",
    "pair_score",
    "parse_action",
]
