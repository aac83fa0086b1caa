"""``python tests/campaign --kills 1000 --faults 200 --cases 1000000 --keep FOLDER``.

Kills, faults and fuzz cases until there are so many in all. What was done is in FOLDER, and the
same command goes on with it: counts, findings, and the examples that found something. A unit (a
chain of kills, a fault, a run of a fuzz target) draws from the seed and its number; the machine's
speed alone shifts the moments.
"""

import argparse
import hashlib
import re
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1])]

from campaign.faults import Faults
from campaign.fuzzing import Fuzzing
from campaign.kills import ORDER, SHARES, Kills
from campaign.small_roots import SMALL, Roots, asked_server
from campaign.tally import Tally, as_text, read_tally


def main() -> int:
    """Exit code 1 if something was found."""
    given = _arguments()
    # Whoever ends this ends what it started, too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if given.scratch:
        given.scratch.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=given.scratch)))
        keep = given.keep or folder / "kept"
        tally = read_tally(keep, given.seed)
        roots_at = _kept_roots(given.scratch) if given.scratch else folder
        server = stack.enter_context(asked_server(_port_in(roots_at))).url
        roots = Roots(roots_at, server, _say)
        kills = Kills(folder, tally, roots, server, _say, kinds=given.kinds)
        faults = Faults(folder, tally, partial(roots.of, SMALL), server, _say)
        fuzzing = Fuzzing(folder, keep / "corpus", tally, _say)
        until = time.monotonic() + 60 * given.minutes
        work: dict[str, tuple[Callable[[], bool], Callable[[], None]]] = {
            "kills": (lambda: tally.n_kills < given.kills, lambda: kills.chain(given.kills)),
            "faults": (lambda: tally.units["faults"] < given.faults, faults.one),
            "fuzz": (lambda: tally.n_cases < given.cases, fuzzing.one),
        }
        for kind, (is_left, unit) in work.items():
            while is_left() and time.monotonic() < until:
                _counted(kind, tally, unit)
                tally.write(keep)
    print(as_text(tally, ORDER))
    return 1 if tally.findings else 0


def _counted(kind: str, tally: Tally, unit: Callable[[], None]) -> None:
    began, n_found = time.monotonic(), len(tally.findings)
    unit()
    tally.seconds[kind] += round(time.monotonic() - began)
    for finding in tally.findings[n_found:]:
        _say(f"FOUND {finding.kind} {finding.unit}: {finding.what}")


def _kept_roots(scratch: Path) -> Path:
    """Where roots stay from run to run: those of this code alone."""
    code = hashlib.sha256()
    for path in sorted((HERE.parents[1] / "enact_assets").rglob("*.py")):
        code.update(path.read_bytes())
    return scratch / f"campaign_roots_{code.hexdigest()[:12]}"


def _port_in(roots: Path) -> int:
    """That which the models of kept roots name; new ones take a free one."""
    for models in roots.glob("*/inputs/models.yaml"):
        return int(re.findall(r"127\.0\.0\.1:(\d+)/", models.read_text())[0])
    return 0


def _say(line: str) -> None:
    print(line, flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python tests/campaign", description=__doc__)
    parser.add_argument("--kills", type=int, default=0, help="in all, with those of before")
    about = "what is killed (default: each in its share)"
    parser.add_argument("--kinds", nargs="+", choices=SHARES, default=list(SHARES), help=about)
    parser.add_argument("--faults", type=int, default=0, help="in all")
    parser.add_argument("--cases", type=int, default=0, help="of fuzzing, in all")
    parser.add_argument("--seed", type=int, default=0, help="of all that is drawn")
    parser.add_argument("--minutes", type=float, default=1e6, help="begin nothing after so many")
    parser.add_argument("--keep", type=Path, help="folder to go on with (default: none)")
    parser.add_argument(
        "--scratch", type=Path, help="where data roots lie; undisturbed ones stay there"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
