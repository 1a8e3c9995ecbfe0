from .actions import Action, action_name, decode_action, encode_action, parse_action
from .drawing import draw_pyramid, draw_table
from .game import GAME
from .observation import LAYOUT
from .rules import PyramidRules
from .scoring import declarer_points

__all__ = [
    "GAME",
    "LAYOUT",
    "Action",
    "PyramidRules",
    "action_name",
    "declarer_points",
    "decode_action",
    "draw_pyramid",
    "draw_table",
    "encode_action",
    "parse_action",
]
