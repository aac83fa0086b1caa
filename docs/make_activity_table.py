"""Write the tables of docs/activities.md: what comes of twenty seeds of each activity, or of those
named, and which constructs seed 0 exercises: ``python docs/make_activity_table.py [NAME ...]``.
``--constructs`` writes the latter alone. Each row is written when it is there.
"""

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from anew import constructs

from enact_assets.commands.activity_check import (
    COLUMNS,
    Tried,
    errands_of,
    figures,
    try_activity,
)
from enact_assets.simulator.activities import SHIPPED
from enact_assets.simulator.activities.declared.composed import declared_activity

PAGE = Path(__file__).parent / "activities.md"
BEGIN = "<!-- made by docs/make_activity_table.py -->\n"
HEAD = (f"| activity | {' | '.join(COLUMNS)} |", f"| ---{' | ---:' * len(COLUMNS)} |")
N_SEEDS = 20


def tried(name: str, n_seeds: int) -> list[Tried]:
    """What comes of the first seeds."""
    path = SHIPPED[name]
    return list(try_activity(declared_activity(path), range(n_seeds), errands_of(path)))


def write(begin: str, head: Sequence[str], name: str, row: str) -> None:
    """Put a row into its table."""
    page = constructs.with_row(PAGE.read_text(encoding="utf-8"), begin, head, name, row)
    PAGE.write_text(page, encoding="utf-8")
    print(row, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these (default: all)")
    about = "seed 0 alone, and the table of constructs"
    parser.add_argument("--constructs", action="store_true", help=about)
    arguments = parser.parse_args()
    names = arguments.names or sorted(SHIPPED)
    if unknown := sorted({*names} - {*SHIPPED}):
        parser.error(
            f"no activity is called {', '.join(unknown)}; `enact-assets activities` lists all"
        )
    n_seeds = 1 if arguments.constructs else N_SEEDS
    with ProcessPoolExecutor(max_tasks_per_child=1) as pool:
        asked = {pool.submit(tried, name, n_seeds): name for name in names}
        for done in as_completed(asked):
            name, found = asked[done], done.result()
            if found[0].attempts is not None:  # else nothing came of it that could be counted
                row = constructs.construct_row(name, found[0])
                write(constructs.BEGIN, constructs.HEAD, name, row)
            if not arguments.constructs:
                write(BEGIN, HEAD, name, f"| {name} | {' | '.join(figures(found))} |")
            for one in found:
                print(*(f"  seed {one.seed}: {why}" for why in one.failures), sep="\n", flush=True)
