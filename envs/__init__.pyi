from . import pyramid, records, spades
from .adapters.aec import CardGameEnv
from .adapters.factories import pyramid_env, seat_env, spades_env
from .adapters.seat import SeatEnv
from .adapters.vector import SeatVectorEnv
from .batch.policies import KernelPolicy
from .batch.seat_tables import SeatTables
from .batch.tables import Tables
from .game import Game, IllegalActionError, Policy
from .games import GAMES, get_game
from .pyramid.rules import PyramidRules
from .spades.rules import SpadesRules

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
    "records",
    "seat_env",
    "spades",
    "spades_env",
]
