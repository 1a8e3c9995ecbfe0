from . import order, solvers
from .base import Agent, KernelAgent, Setting
from .builtin import make, names, register
from .card import Card
from .double_dummy import DoubleDummy
from .network import Network, NetworkAgent, scale
from .order.agent import OrderingAgent
from .published import Published, load, publish

__all__ = [
    "Agent",
    "Card",
    "DoubleDummy",
    "KernelAgent",
    "Network",
    "NetworkAgent",
    "OrderingAgent",
    "Published",
    "Setting",
    "load",
    "make",
    "names",
    "order",
    "publish",
    "register",
    "scale",
    "solvers",
]
