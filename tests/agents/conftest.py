"""Puts the neighbours that these tests share on the path."""

import sys
from pathlib import Path

folder = str(Path(__file__).parent)
if folder not in sys.path:
    sys.path.append(folder)
