"""Environments for Pyramid and Spades.

The flow of data is one way: cards and tricks, then a game's folder (rules, state, engine),
then the adapters: :class:`Tables` (a batch), the AEC env, the seat env, the vector env.
"""

from bidwise.envs import pyramid, spades
from bidwise.envs.aec import CardGameEnv
from bidwise.envs.game import GAMES, Game, IllegalActionError, Policy, get_game
from bidwise.envs.policies import KernelPolicy
from bidwise.envs.pyramid.rules import PyramidRules
from bidwise.envs.registration import (
    pyramid_env,
    register_gymnasium,
    register_pettingzoo,
    seat_env,
    spades_env,
)
from bidwise.envs.seat import SeatEnv
from bidwise.envs.seats import SeatTables
from bidwise.envs.spades.rules import SpadesRules
from bidwise.envs.tables import Tables
from bidwise.envs.vector import SeatVectorEnv

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
