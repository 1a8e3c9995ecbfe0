"""Pyramid (Piramida): 24 cards, one declarer a deal, sixteen bids to spend."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
