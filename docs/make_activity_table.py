"""Write the table of what comes of twenty seeds of each activity, or of those named:
``python docs/make_activity_table.py [NAME ...]``. Each row is written when it is there.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from enact_assets.commands.activity_check import COLUMNS, errands_of, figures, try_activity
from enact_assets.simulator.activities import SHIPPED
from enact_assets.simulator.activities.declared.composed import declared_activity

PAGE = Path(__file__).parent / "activities.md"
BEGIN, END = "<!-- made by docs/make_activity_table.py -->\n", "<!-- end -->"
SEEDS = range(20)
HEAD = (f"| activity | {' | '.join(COLUMNS)} |", f"| ---{' | ---:' * len(COLUMNS)} |")


def row(name: str) -> tuple[str, str]:
    """The row of an activity, and why which seeds failed."""
    path = SHIPPED[name]
    tried = list(try_activity(declared_activity(path), SEEDS, errands_of(path)))
    failures = (f"  seed {one.seed}: {why}" for one in tried for why in one.failures)
    return f"| {name} | {' | '.join(figures(tried))} |", "\n".join(failures)


def write(name: str, text: str) -> None:
    """Put a row into the table, in the place of the one that was there."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    table, _, after = rest.partition(END)
    rows = {line.split(" | ")[0][2:]: line for line in table.splitlines()[len(HEAD) :]}
    kept = {key: line for key, line in (rows | {name: text}).items() if key in SHIPPED}
    lines = "\n".join([*HEAD, *(kept[key] for key in sorted(kept))])
    PAGE.write_text(f"{before}{BEGIN}{lines}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these (default: all)")
    names = parser.parse_args().names or sorted(SHIPPED)
    if unknown := sorted({*names} - {*SHIPPED}):
        parser.error(
            f"no activity is called {', '.join(unknown)}; `enact-assets activities` lists all"
        )
    with ProcessPoolExecutor(max_tasks_per_child=1) as pool:
        asked = {pool.submit(row, name): name for name in names}
        for done in as_completed(asked):
            text, failures = done.result()
            write(asked[done], text)
            print(text, failures, sep="\n", flush=True)
