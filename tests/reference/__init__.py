"""Both games a second time: slow, plain Python, written from the rules and from nothing else.

Nothing here imports the product, so that a disagreement with the engine means something.
"""
