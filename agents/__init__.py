"""Agents for Pyramid and Spades: they see observations and masks and return legal actions.

>>> from bidwise import agents
>>> agents.make("basic", game="spades", rules="piki", seed=0)
<spades agent basic-v1>
"""

from bidwise.agents.base import Agent, KernelAgent, Setting
from bidwise.agents.card import Card
from bidwise.agents.network import Network, NetworkAgent, scale
from bidwise.agents.ordering import OrderingAgent
from bidwise.agents.published import Published, load, publish
from bidwise.agents.registry import make, names, register

__all__ = [
    "Agent",
    "Card",
    "KernelAgent",
    "Network",
    "NetworkAgent",
    "OrderingAgent",
    "Published",
    "Setting",
    "load",
    "make",
    "names",
    "publish",
    "register",
    "scale",
]
