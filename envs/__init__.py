"""Environments for Pyramid and Spades.

The flow of data is one way: `core` (cards, tricks, random numbers), then a game's folder (rules,
state, engine), then `records` (text) and `batch` (:class:`Tables`), then `adapters` (PettingZoo,
Gymnasium). Importing this registers the ids; all else is loaded when it is first asked for.
"""

import lazy_loader

from bidwise.envs.adapters.registration import register_gymnasium, register_pettingzoo

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

register_pettingzoo()
register_gymnasium()
