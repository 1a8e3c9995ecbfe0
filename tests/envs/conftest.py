"""Puts the neighbours that these tests share on the path."""

import sys
from pathlib import Path

# pytest's importlib mode puts no folder of tests on the path. `tabletop` lies here, the
# reference one folder up. (No relative imports: the bare name of this folder is banned.)
for folder in (Path(__file__).parent, Path(__file__).parents[1]):
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
