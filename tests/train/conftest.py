"""Puts the neighbours that these tests share with those of the agents on the path."""

import sys
from pathlib import Path

folder = str(Path(__file__).parents[1] / "agents")
if folder not in sys.path:
    sys.path.append(folder)
