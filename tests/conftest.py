"""Makes ``tests/`` importable, so that ``from reference.x import y`` finds the slow twins."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
