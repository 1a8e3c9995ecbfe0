"""Agents for Pyramid and Spades: they see observations and masks and return legal actions.

>>> from bidwise import agents
>>> agents.make("basic", game="spades", rules="piki", seed=0)
<spades agent basic-v1>
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
