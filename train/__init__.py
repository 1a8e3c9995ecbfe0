"""Training, and measuring what it came to.

Nothing is imported here: :mod:`bidwise.train.training` needs torch, the others do not.
:mod:`~bidwise.train.duplicate` compares two agents over the same deals,
:mod:`~bidwise.train.bench` measures speed, :mod:`~bidwise.train.cli` is the command `bidwise`.
"""
