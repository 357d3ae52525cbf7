"""Run with `python3 -m unittest discover -s kit-python/tests -t kit-python`."""

import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src"
sys.path.insert(0, str(SOURCE))
