"""``docs/generated.toml``: what each generated thing showed when it was made."""

import json
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

from anew.declared import ROOT, Thing
from anew.shown import hashes

RECORD = ROOT / "docs" / "generated.toml"
HEAD = """\
# What generated pictures and pages showed when they were made: hashes of code, settings and files.
# `make pictures` writes this file; `python docs/make_all.py --older` compares.
"""
Record = Mapping[str, Mapping[str, str]]


def read_record(path: Path = RECORD) -> Record:
    """Thing -> what it shows -> hash."""
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def note(things: Iterable[Thing], path: Path = RECORD) -> None:
    """Record that ``things`` show what there is now."""
    found = {**read_record(path), **{thing.name: hashes(thing.shows) for thing in things}}
    parts = [HEAD]
    for name in sorted(found):
        lines = [f"{json.dumps(key)} = {json.dumps(sha)}\n" for key, sha in found[name].items()]
        parts.append(f"\n[{name}]\n{''.join(lines)}")
    path.write_text("".join(parts), encoding="utf-8")


def changed_since(thing: Thing, record: Record) -> list[str] | None:
    """What changed since ``thing`` was made, or None if nothing says when that was."""
    if thing.name not in record:
        return None
    then, now = record[thing.name], hashes(thing.shows)
    return [key for key in {**then, **now} if then.get(key) != now.get(key)]


def report(things: Iterable[Thing], record: Record) -> list[str]:
    """Lines about things that are older than what they show, or of unknown age."""
    older, unknown, n_things = [], [], 0
    for thing in things:
        n_things += 1
        changed = changed_since(thing, record)
        if changed is None:
            unknown.append(thing.name)
        elif changed:
            older.append(f"  {thing.name}: {', '.join(changed)}")
    lines = [f"Generated pictures and pages: {len(older)} of {n_things} older than what they show."]
    lines += older
    if unknown:
        lines.append(f"  Age unknown, made before ages were kept: {', '.join(unknown)}")
    if older or unknown:
        lines.append("  `python docs/make_all.py --only NAME` makes one anew.")
    return lines
