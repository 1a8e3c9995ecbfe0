"""Training, and measuring what it came to.

>>> from bidwise import train
>>> config = train.TrainConfig(game="pyramid", minutes=3)
>>> trained = train.train(config)  # doctest: +SKIP

Everything is loaded when it is first asked for: PyTorch only where something is trained.
"""

import sys
from os.path import basename

if basename(sys.argv[0]).partition(".")[0] == "bidwise":  # the command: Ctrl-C from the start
    from bidwise.train.interrupt import leave_at_once

    leave_at_once()

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
