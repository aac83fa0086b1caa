"""Make generated pictures and pages of the documentation anew: ``python docs/make_all.py``.

``make pictures`` runs it on the data root of ``make demo``. It makes what it can, says what it
could not make and why, and records in ``docs/generated.toml`` what each thing shows. ``--older``
makes nothing and lists those whose code, settings or files have changed since. Look at pictures
before you commit them.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from anew.declared import ROOT, CannotMakeError, Place, Thing
from anew.record import RECORD, changed_since, note, read_record, report
from anew.things import ENACT, NAMES, named

from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import BASELINE, load_registry


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code 1 if something could not be made that a command makes."""
    arguments = _parser().parse_args(argv)
    things = named(arguments.only)
    if arguments.list:
        for thing in things:
            print(_line(thing))
        return 0
    if arguments.older:
        print("\n".join(report(things, read_record())))
        return 0
    if arguments.confirm:
        note(named(arguments.confirm))
        print(f"Recorded as current, nothing was made: {', '.join(arguments.confirm)}")
        return 0
    if arguments.only_older:
        record = read_record()
        things = [thing for thing in things if changed_since(thing, record) != []]
    return _make(things, arguments.data)


def _make(things: Sequence[Thing], data: Path) -> int:
    print(f"Data root: {data}. Things that need none are made without it.", flush=True)
    failed, by_hand = [], []
    for thing in things:
        if thing.make is None:
            by_hand.append(f"{thing.name}: {thing.by_hand}")
            continue
        began = time.monotonic()
        try:
            found = make(thing, data)
        except Exception as error:  # noqa: BLE001 - of browsers, servers and tests: others go on
            kind = "" if isinstance(error, CannotMakeError) else f"{type(error).__name__}: "
            failed.append(f"{thing.name}: {kind}{error}")
            print(f"{thing.name}: could not be made", flush=True)
            continue
        note([thing])
        took = time.monotonic() - began
        print(f"{thing.name}: {found} ({took:.0f} s)", flush=True)
        if thing.look_at and found != "the same as before":
            print(f"  Look at: {thing.look_at}", flush=True)
    for title, lines in (("Could not be made", failed), ("No command makes", by_hand)):
        if lines:
            print(f"{title}:")
            print("\n".join(f"  {line}" for line in lines))
    return 1 if failed else 0


def make(thing: Thing, data: Path) -> str:
    """Make one thing; says whether its files changed. Errors: :class:`CannotMakeError`."""
    if thing.make is None:
        raise CannotMakeError(thing.by_hand)
    if thing.needs_data:
        _check_fresh(thing, data)
    files = [ROOT / name for name in thing.files]
    before = [path.read_bytes() if path.exists() else b"" for path in files]
    with tempfile.TemporaryDirectory() as folder:
        place = Place(data, Path(folder, "made"), Path(folder, "scratch"))
        place.output.mkdir()
        place.scratch.mkdir()
        thing.make(place)
        made = sorted(place.output.iterdir())
        wanted = {path.name for path in files}
        if made and {path.name for path in made} != wanted:
            raise CannotMakeError(f"made {[p.name for p in made]} instead of {sorted(wanted)}")
        for path in made:
            shutil.copyfile(path, next(f for f in files if f.name == path.name))
    changed = [
        path.name
        for path, content in zip(files, before, strict=True)
        if path.read_bytes() != content
    ]
    return f"changed: {', '.join(changed)}" if changed else "the same as before"


def _check_fresh(thing: Thing, data: Path) -> None:
    """A picture of a stale table would be recorded as current."""
    if not data.is_dir():
        raise CannotMakeError(f"{data} is no data root: `make demo`, or --data")
    activity = thing.shows.activity
    for step in thing.shows.steps:
        stale = _stale(data).get(step, [])
        if activity is not None:
            stale = [partition for partition in stale if _is_shown(str(partition), activity)]
        if stale:
            raise CannotMakeError(
                f"{step} is stale in {data} ({len(stale)} partitions, the first {stale[0]}): "
                f"`enact-assets materialize --data {data}`"
            )


def _is_shown(partition: str, activity: str) -> bool:
    """Whether a picture of one activity shows ``partition``: it is of that, and of the baseline."""
    demonstration, *of = partition.split("|")
    shown = {BASELINE, load_registry().variant(BASELINE).gating}
    return demonstration.startswith(f"{activity}-") and shown.issuperset(of)


@cache
def _stale(data: Path) -> dict[str, list[str | None]]:
    """Step -> partitions in the scope of ``data`` that are stale or may become so."""
    command = [str(ENACT), "plan", "--json", "--data", str(data)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise CannotMakeError(f"`enact-assets plan --data {data}`: {done.stderr.strip()}")
    plan = json.loads(done.stdout)
    found: dict[str, list[str | None]] = dict(plan["may_follow"])
    for row in plan["stale"]:
        found.setdefault(row["step"], []).append(row["partition"])
    return found


def _line(thing: Thing) -> str:
    how = f"about {thing.minutes:g} min" if thing.make else "by hand"
    data = ", needs the data root" if thing.make and thing.needs_data else ""
    return f"{thing.name} ({how}{data}): {', '.join(thing.files)}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    default = DataRoot.from_environment().root
    about = f"data root of the demo (default: {default})"
    parser.add_argument("--data", type=Path, default=default, help=about)
    parser.add_argument("--only", nargs="+", choices=NAMES, metavar="NAME", help="only these")
    parser.add_argument("--only-older", action="store_true", help="only what --older lists")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--list", action="store_true", help="list the things; make none")
    which.add_argument("--older", action="store_true", help="list what is older; make none")
    about = f"record in {RECORD.name} that these are right as they are; make none"
    which.add_argument("--confirm", nargs="+", choices=NAMES, metavar="NAME", help=about)
    return parser


if __name__ == "__main__":
    sys.exit(main())
