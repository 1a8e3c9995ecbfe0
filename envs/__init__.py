"""Environments for Pyramid and Spades.

The flow of data is one way: cards and tricks, then a game's folder (rules, state, engine),
then the adapters: :class:`Tables` (a batch), the AEC env, the seat env, the vector env.
"""

from . import pyramid, spades
from .aec import CardGameEnv
from .game import GAMES, Game, IllegalActionError, Policy, get_game
from .policies import KernelPolicy
from .pyramid.rules import PyramidRules
from .registration import (
    pyramid_env,
    register_gymnasium,
    register_pettingzoo,
    seat_env,
    spades_env,
)
from .seat import SeatEnv
from .seats import SeatTables
from .spades.rules import SpadesRules
from .tables import Tables
from .vector import SeatVectorEnv

__all__ = [
    "GAMES",
    "CardGameEnv",
    "Game",
    "IllegalActionError",
    "KernelPolicy",
    "Policy",
    "PyramidRules",
    "SeatEnv",
    "SeatTables",
    "SeatVectorEnv",
    "SpadesRules",
    "Tables",
    "get_game",
    "pyramid",
    "pyramid_env",
    "seat_env",
    "spades",
    "spades_env",
]

register_pettingzoo()
register_gymnasium()
