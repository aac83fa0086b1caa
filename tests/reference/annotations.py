"""Replay tables written down as a person would annotate the video, and the documented examples."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import polars as pl

_EXAMPLE = r"<!-- example: (\S+), 300 frames -->\n```\w+\n(.*?)```"
_DOCS = (Path(__file__).parents[2] / "docs" / "sources.md").read_text(encoding="utf-8")
EXAMPLES = {
    name: text.replace("300 210 340 236", "30 21 34 23").replace(
        "300, 210, 340, 236", "30,21,34,23"
    )
    for name, text in re.findall(_EXAMPLE, _DOCS, re.DOTALL)
}
"""Name of the file -> its text, with boxes in a picture of 48 x 32 px."""
COLUMNS = ("frame", "change", "predicate", "subject", "object", "category", "parents")


def changes_of(facts: pl.DataFrame, n_frames: int) -> list[dict[str, Any]]:
    """One row per beginning and end; existence only where it is not that of the whole video."""
    rows = []
    columns = ("predicate", "subject", "object", "frame_from", "frame_to")
    for predicate, subject, other, start, stop in facts.select(columns).iter_rows():
        row = {"predicate": predicate, "subject": subject, "object": other or ""}
        if predicate != "Exists" or start > 0:
            rows.append({"frame": start, "change": "add", **row})
        if stop < n_frames:
            rows.append({"frame": stop, "change": "remove", **row})
    return sorted(rows, key=lambda row: row["frame"])


def as_csv(facts: pl.DataFrame, objects: pl.DataFrame, n_frames: int) -> str:
    """The annotation as CSV."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, restval="")
    writer.writeheader()
    for name, category, parents in objects.select("object_name", "category", "parents").rows():
        thing = {"change": "object", "subject": name, "category": category}
        writer.writerow(thing | {"parents": ";".join(parents or [])})
    for row in changes_of(facts, n_frames):
        writer.writerow(row)
    return out.getvalue()


def as_json(facts: pl.DataFrame, objects: pl.DataFrame, n_frames: int) -> str:
    """The same as JSON."""
    things = [
        {"name": name, "category": category, "parents": parents or []}
        for name, category, parents in objects.select("object_name", "category", "parents").rows()
    ]
    changes = [
        {
            "frame": row["frame"],
            row["change"]: [[v for v in (row["predicate"], row["subject"], row["object"]) if v]],
        }
        for row in changes_of(facts, n_frames)
    ]
    return json.dumps({"objects": things, "changes": changes}, indent=1)
