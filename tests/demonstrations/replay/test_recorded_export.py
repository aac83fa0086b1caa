"""Replay tables become a recording in the official layout, and come back from it."""

import dataclasses
import gzip
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from polars.testing import assert_frame_equal

from enact_assets.demonstrations.replay.recorded import read_recorded
from enact_assets.demonstrations.replay.recorded_export import FLAVOURS, Flavour, write_recorded
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.engine.errors import (
    ExistenceError,
    IntervalError,
    OutputError,
    ReplayError,
    UnknownNameError,
)

from reference.conformance import TASKS, replay_path, task
from reference.recorded_tables import tables_from_frames
from reference.small_recordings import CAMERA, Recording, recordings

NAME = "try_7"
FULL_TASK, DIFF_TASK = TASKS
KEPT = ("facts", "objects", "later_parents")


def read(recording: dict[str, Any], folder: Path) -> ReplayTables:
    path = folder / "read.json"
    path.write_text(json.dumps(recording))
    return read_recorded(path, NAME)


def again(tables: ReplayTables, folder: Path, flavour: Flavour = "full") -> ReplayTables:
    path = folder / "written.json"
    write_recorded(tables, path, flavour=flavour)
    return read_recorded(path, NAME)


def node(name: str, *states: str, pixels: int = 0) -> dict[str, Any]:
    visibility = {CAMERA: [pixels, 1, 2, 3, 4, 512, 512]} if pixels else {}
    return {"name": name, "category": name, "states": list(states), "visibility": visibility}


def edge(a: str, b: str, *states: str) -> dict[str, Any]:
    return {"from": a, "to": b, "states": list(states)}


def full(*nodes: dict[str, Any], edges: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    return {"nodes": list(nodes), "edges": list(edges), "type": "full"}


def assert_same_but_for_the_file(a: ReplayTables, b: ReplayTables) -> None:
    assert_frame_equal(a.demonstrations.drop("world_sha"), b.demonstrations.drop("world_sha"))
    for name in (*KEPT, "observability"):
        assert_frame_equal(getattr(a, name), getattr(b, name))


@given(recording=recordings())
def test_any_recording_comes_back_from_full_frames(recording: Recording, tmp_path: Path) -> None:
    """Ids, facts, categories, parents null and empty, and every box."""
    tables = read(recording, tmp_path)
    assert_same_but_for_the_file(again(tables, tmp_path), tables)


@given(recording=recordings())
def test_facts_come_back_from_differences(recording: Recording, tmp_path: Path) -> None:
    """What is seen is as the release would reconstruct it from what was written."""
    tables = read(recording, tmp_path)
    found = again(tables, tmp_path, "diff")
    for name in KEPT:
        assert_frame_equal(getattr(found, name), getattr(tables, name))
    written = json.loads((tmp_path / "written.json").read_text())
    expected = tables_from_frames(NAME, written)
    assert_frame_equal(found.observability, expected.observability)


def test_the_recorded_tasks_come_back(tmp_path: Path) -> None:
    """The full one with every byte of its size, as names, states and boxes are all kept."""
    tables = read_recorded(replay_path(FULL_TASK), NAME)
    assert_same_but_for_the_file(again(tables, tmp_path), tables)
    original = len(gzip.decompress(replay_path(FULL_TASK).read_bytes()))
    assert (tmp_path / "written.json").stat().st_size == original


def test_differences_are_those_of_the_public_writer(tmp_path: Path) -> None:
    """Which frames are full, empty or differ, and what each difference holds."""
    write_recorded(read_recorded(replay_path(DIFF_TASK), NAME), tmp_path / "d.json", flavour="diff")
    written, original = json.loads((tmp_path / "d.json").read_text()), task(DIFF_TASK)[0]
    assert list(written) == list(original)

    def parts(frame: dict[str, Any]) -> Any:
        if frame["type"] != "diff":
            return frame["type"]
        return [
            (
                sorted((n["name"], n["category"], sorted(n["states"])) for n in frame[p]["nodes"]),
                sorted((e["from"], e["to"], sorted(e["states"])) for e in frame[p]["edges"]),
            )
            for p in ("add", "remove", "update")
        ]

    assert [parts(f) for f in written.values()] == [parts(f) for f in original.values()]


def test_a_difference_says_what_was_seen_the_frame_before(tmp_path: Path) -> None:
    """The public writer updates states only: a change of view alone is not written at all."""
    recording = {
        "5": full(node("cup", pixels=10)),
        "6": full(node("cup", pixels=20)),
        "7": full(node("cup", "Open", pixels=30), node("lid", pixels=5)),
        "8": full(node("lid", pixels=6), edges=(edge("lid", "cup"),)),
    }
    write_recorded(read(recording, tmp_path), tmp_path / "d.json", flavour="diff")
    assert json.loads((tmp_path / "d.json").read_text()) == {
        "5": recording["5"],
        "6": {"type": "empty"},
        "7": {
            "type": "diff",
            "add": {"nodes": [node("lid", pixels=5)], "edges": []},
            "remove": {"nodes": [], "edges": []},
            "update": {"nodes": [node("cup", "Open", pixels=20)], "edges": []},
        },
        "8": {
            "type": "diff",
            "add": {"nodes": [], "edges": [edge("lid", "cup")]},
            "remove": {"nodes": [node("cup", "Open", pixels=30)], "edges": []},
            "update": {"nodes": [], "edges": []},
        },
    }


def test_other_parents_are_written_where_they_begin(tmp_path: Path) -> None:
    """Of an object that comes back, and of one that stays, with or without another change."""

    def made(*parents: str, states: tuple[str, ...] = ()) -> dict[str, Any]:
        return {**node("dice", *states), "parent": list(parents)}

    cup, nothing = node("cup"), {"nodes": [], "edges": []}
    recording = {
        "5": full(cup, made("a")),
        "6": full(cup),
        "7": full(cup, made("b")),
        "8": full(cup, made("b", "c")),
        "9": full(cup, made("d", states=("Hot",))),
    }
    tables = read(recording, tmp_path)
    write_recorded(tables, tmp_path / "f.json")
    assert json.loads((tmp_path / "f.json").read_text()) == recording
    assert again(tables, tmp_path, "diff").later_parents.equals(tables.later_parents)

    def diff(**parts: dict[str, Any]) -> dict[str, Any]:
        parts = {key: {"nodes": [value], "edges": []} for key, value in parts.items()}
        return {"type": "diff", "add": nothing, "remove": nothing, "update": nothing, **parts}

    assert json.loads((tmp_path / "written.json").read_text()) == {
        "5": recording["5"],
        "6": diff(remove=made("a")),
        "7": diff(add=made("b")),
        "8": diff(update=made("b", "c")),
        "9": diff(update=made("d", states=("Hot",))),
    }


def test_what_is_seen_comes_back_at_full_frames(tmp_path: Path) -> None:
    """Frames 0, 1 (after id 0), 199, 399: there the view of a recording of differences is true."""
    recording = {str(k): full(node("cup", pixels=1 + k)) for k in range(450)}
    found = again(read(recording, tmp_path), tmp_path, "diff").observability
    assert found.select("frame_from", "pixels").rows() == [(0, 1), (1, 2), (199, 200), (399, 400)]


def test_the_same_tables_give_the_same_bytes(tmp_path: Path) -> None:
    """Compressed or not: a hash of the file is the hash of what is in it."""
    tables = read({"0": full(node("cup")), "9": full(node("cup", "Open"))}, tmp_path)
    paths = [tmp_path / "a.json.gz", tmp_path / "other.json.gz", tmp_path / "plain.json"]
    for path in paths:
        write_recorded(tables, path)
    packed, other, plain = (path.read_bytes() for path in paths)
    assert packed == other
    assert gzip.decompress(packed) == plain


def test_only_the_camera_that_is_asked_for_is_written(tmp_path: Path) -> None:
    """A view of another camera under this one's name would be wrong for every object."""
    tables = read({"0": full(node("cup", pixels=9))}, tmp_path)
    write_recorded(tables, tmp_path / "o.json", camera="wrist")
    assert json.loads((tmp_path / "o.json").read_text()) == {"0": full(node("cup"))}


def test_tables_that_no_recording_can_hold_are_refused(tmp_path: Path) -> None:
    """Else the file would say something else than the tables, and nobody would know."""
    path = tmp_path / "never.json"
    recording = {"0": full(node("cup", "Open", pixels=9), edges=(edge("cup", "cup", "OnTop"),))}
    tables = read(recording, tmp_path)
    exists = pl.col("predicate") == "Exists"
    gone = dataclasses.replace(tables, facts=tables.facts.filter(~exists))
    with pytest.raises(ExistenceError, match=r"Open\(cup\).*does not exist"):
        write_recorded(gone, path)
    nothing = dataclasses.replace(tables, facts=tables.facts.filter(pl.col("object").is_not_null()))
    with pytest.raises(ExistenceError, match="'cup' is seen at frame 0, at which it does not"):
        write_recorded(nothing, path)
    related = tables.facts.filter(pl.col("predicate") == "OnTop")
    related = related.with_columns(predicate=pl.lit("Related"))
    both = dataclasses.replace(tables, facts=pl.concat([tables.facts, related]))
    with pytest.raises(ReplayError, match=r"'cup' and 'cup' at frame 0: Related .* but OnTop"):
        write_recorded(both, path)
    twice = dataclasses.replace(tables, facts=pl.concat([tables.facts, tables.facts]))
    with pytest.raises(IntervalError, match="overlap"):
        write_recorded(twice, path)
    two = dataclasses.replace(tables, demonstrations=pl.concat([tables.demonstrations] * 2))
    with pytest.raises(ReplayError, match="the tables hold 2"):
        write_recorded(two, path)
    with pytest.raises(UnknownNameError, match="flavour of recordings 'half'"):
        write_recorded(tables, path, flavour="half")  # type: ignore[arg-type] # on purpose
    assert not path.exists()
    assert FLAVOURS == ("full", "diff")


def test_a_place_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    """A file stands where a folder should be."""
    tables = read({"0": full(node("cup"))}, tmp_path)
    with pytest.raises(OutputError, match=r"read.json.*cannot be written"):
        write_recorded(tables, tmp_path / "read.json" / "out.json")
