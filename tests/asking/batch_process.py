"""A process that submits or collects batches: what to do, URL, wire, ledger, questions."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from asking.test_batches import step

if __name__ == "__main__":
    what, url, wire, folder, n = sys.argv[1:]
    print(json.dumps(step(what, url, wire, Path(folder), int(n))))
