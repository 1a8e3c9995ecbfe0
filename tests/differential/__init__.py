"""The product against the reference, and against OpenSpiel."""

import sys
from pathlib import Path

# pytest's importlib mode puts no folder of tests on the path, and the reference is a neighbour.
sys.path.append(str(Path(__file__).parents[1]))
