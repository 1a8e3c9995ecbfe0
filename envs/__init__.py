"""Environments for Pyramid and Spades."""
from . import pyramid, spades
