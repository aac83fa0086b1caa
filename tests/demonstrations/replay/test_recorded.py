"""The recorded source gives, at every frame, the graph that the public release reconstructs."""

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any
from unittest.mock import patch

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from enact_assets.demonstrations.replay import frame_stream, timeline
from enact_assets.demonstrations.replay.recorded import read_recorded
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.demonstrations.replay.tables import States
from enact_assets.demonstrations.replay.validation import check_replay
from enact_assets.settings.frame_ids import FrameIds

from reference.conformance import TASKS, replay_path, task
from reference.recorded_tables import tables_from_frames, task_tables
from reference.small_recordings import CAMERA, Recording, recordings, texts

NAME = "try_7"
FULL: dict[str, Any] = {
    "nodes": [
        {
            "name": "apple",
            "category": "apple",
            "states": ["Cooked"],
            "visibility": {CAMERA: [50, 1, 2, 3, 4, 512, 512]},
        },
        {"name": "table", "category": "table", "states": [], "visibility": {}},
    ],
    "edges": [{"from": "apple", "to": "table", "states": ["OnTop", "Touching"]}],
    "type": "full",
}
NOTHING: dict[str, Any] = {"nodes": [], "edges": []}
EMPTY = {"type": "empty"}


def read(recording: Recording | str, folder: Path, **settings: Any) -> ReplayTables:
    path = folder / "recording.json"
    path.write_text(recording if isinstance(recording, str) else json.dumps(recording))
    return read_recorded(path, NAME, **settings)


def diff(**parts: Any) -> dict[str, Any]:
    return {"type": "diff", "add": NOTHING, "remove": NOTHING, "update": NOTHING, **parts}


def intervals(tables: ReplayTables) -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = {}
    for predicate, subject, other, *frames in tables.facts.drop("demonstration").iter_rows():
        found.setdefault(" ".join(filter(None, (predicate, subject, other))), []).append(
            tuple(frames)
        )
    return found


def pixels(tables: ReplayTables) -> list[tuple[str, int, int, int]]:
    columns = ("object_name", "frame_from", "frame_to", "pixels")
    return tables.observability.select(columns).rows()


@pytest.mark.parametrize("name", TASKS)
def test_a_recording_becomes_the_tables_of_the_slow_twin(name: str) -> None:
    """Both flavours: every frame of 11,000 has the graph the release would reconstruct."""
    tables, expected = read_recorded(replay_path(name), name), task_tables(name)
    for table in ("facts", "objects", "observability", "later_parents"):
        assert_frame_equal(getattr(tables, table), getattr(expected, table))
    assert tables.later_parents.height == 0
    check_replay(tables.demonstrations, tables.facts, tables.objects, tables.later_parents)
    ids = [int(key) for key in task(name)[0]]
    runs = FrameIds(tuple(tables.demonstrations["frame_id_runs"].item()))
    assert runs.at(range(len(ids))).tolist() == ids


@given(
    recording=recordings(),
    write=texts,
    chunk_bytes=st.sampled_from([8, 100, 1000, frame_stream.CHUNK_BYTES]),
)
def test_any_small_recording_becomes_the_tables_of_the_slow_twin(
    recording: Recording, write: Any, chunk_bytes: int, tmp_path: Path
) -> None:
    """However it is written down, and wherever a chunk of the file happens to end."""
    with patch.object(frame_stream, "CHUNK_BYTES", chunk_bytes):
        tables = read(write(recording), tmp_path)
    expected = tables_from_frames(NAME, recording)
    for table in ("facts", "objects", "observability", "later_parents"):
        assert_frame_equal(getattr(tables, table), getattr(expected, table))
    assert tables.demonstrations["frame_id_runs"].item().to_list() == (
        expected.demonstrations["frame_id_runs"].item().to_list()
    )
    check_replay(tables.demonstrations, tables.facts, tables.objects, tables.later_parents)


def test_frames_that_repeat_are_not_decoded_again(tmp_path: Path) -> None:
    """Else a recording of 12,000 frames takes a minute, and nothing would look wrong."""
    other = json.loads(json.dumps(FULL).replace("[50, ", "[51, "))
    recording = {str(k): FULL if k % 3 else other for k in range(300)}
    recording |= {str(k): EMPTY for k in range(300, 600)}
    with patch.object(timeline, "decode_plain", wraps=timeline.decode_plain) as decoding:
        tables = read(recording, tmp_path)
    assert decoding.call_count == 2
    assert tables.demonstrations["n_frames"].item() == 600
    assert tables.observability.height == 200


def test_a_demonstration_is_described(tmp_path: Path) -> None:
    """The id of a frame and the hash of the file are what results are traced back by."""
    text = json.dumps({"3": FULL, "4": FULL, "9": FULL})
    tables = read(text, tmp_path)
    assert tables.demonstrations.row(0, named=True) == {
        "demonstration": NAME,
        "source": "recorded",
        "activity": "try",
        "seed": None,
        "n_frames": 3,
        "frame_rate_hz": 30.0,
        "world_sha": hashlib.sha256(text.encode()).hexdigest(),
        "frame_id_runs": [0, 3, 2, 9],
    }
    assert read(text, tmp_path, activity="bake").demonstrations["activity"].item() == "bake"
    assert_frame_equal(tables.states, States.empty())


def test_a_compressed_recording_is_the_same_recording(tmp_path: Path) -> None:
    """The hash too: it is of the recording, not of how well it was packed."""
    plain = read({"0": FULL, "1": EMPTY}, tmp_path)
    packed = tmp_path / "recording.json.gz"
    packed.write_bytes(gzip.compress((tmp_path / "recording.json").read_bytes()))
    tables = read_recorded(packed, NAME)
    for name in ("demonstrations", "facts", "objects", "observability"):
        assert_frame_equal(getattr(tables, name), getattr(plain, name))


def test_records_without_states_still_are_records(tmp_path: Path) -> None:
    """Later stages compare nodes and edges that hold nothing; they must not vanish."""
    bare = {"from": "apple", "to": "nobody", "states": []}
    later = {**FULL, "edges": [{**bare, "states": ["Inside"]}]}
    tables = read({"0": {**FULL, "edges": [bare]}, "1": later}, tmp_path)
    assert intervals(tables) == {
        "Cooked apple": [(0, 2)],
        "Exists apple": [(0, 2)],
        "Exists table": [(0, 2)],
        "Inside apple nobody": [(1, 2)],
        "Related apple nobody": [(0, 1)],
    }
    nobody = tables.objects.row(by_predicate=pl.col("object_name") == "nobody", named=True)
    assert (nobody["category"], nobody["parents"]) == ("", None)


def test_no_parents_and_an_empty_list_of_them_are_told_apart(tmp_path: Path) -> None:
    """The release fails on the first and not on the second."""
    nodes = [
        {"name": "a", "category": "System", "states": [], "visibility": {}},
        {"name": "b", "category": "b", "states": [], "visibility": {}, "parent": []},
        {"name": "c", "category": "c", "states": [], "visibility": {}, "parent": ["b", "fruit"]},
    ]
    tables = read({"0": {**FULL, "nodes": nodes, "edges": []}}, tmp_path)
    assert tables.objects["parents"].to_list() == [None, [], ["b", "fruit"]]
    assert tables.objects["is_particle_system"].to_list() == [True, False, False]


def dice(*parents: str) -> dict[str, Any]:
    record = {"name": "diced__tomato", "category": "System", "states": [], "visibility": {}}
    return {**record, "parent": list(parents)}


def test_a_substance_that_is_made_twice_has_other_parents_later(tmp_path: Path) -> None:
    """In order: which is first may matter. The release reads those of the frame it looks at."""
    gone = {**FULL, "edges": []}
    dice_bare = {key: value for key, value in dice().items() if key != "parent"}
    frames = [dice("tomato_7"), dice("tomato_7"), None, dice("b", "a"), dice("a", "b"), None]
    frames += [dice("a", "b"), dice_bare]
    recording = {
        str(k): gone if node is None else {**gone, "nodes": [*gone["nodes"], node]}
        for k, node in enumerate(frames)
    }
    tables = read(recording, tmp_path)
    assert tables.objects.filter(pl.col("object_name") == "diced__tomato")["parents"].to_list() == [
        ["tomato_7"]
    ]
    assert tables.later_parents.rows() == [
        (NAME, "diced__tomato", 3, ["b", "a"]),
        (NAME, "diced__tomato", 4, ["a", "b"]),
        (NAME, "diced__tomato", 7, None),
    ]


def test_parents_of_what_never_was_there_are_not_kept(tmp_path: Path) -> None:
    """Added and taken away by one record of differences, or added and updated by it."""
    gone = {"nodes": [{"name": "diced__tomato"}], "edges": []}

    def made(*parents: str) -> dict[str, Any]:
        return {"nodes": [dice(*parents)], "edges": []}

    recording = {
        "0": {**FULL, "edges": []},
        "1": diff(add=made("never"), remove=gone),
        "2": diff(add=made("at first")),
        "3": diff(remove=gone),
        "4": diff(add=made("never"), remove=gone),
        "5": diff(add=made("never"), update=made("later")),
        "6": diff(remove=gone),
        "7": diff(add=made("never"), remove=gone),
        "8": diff(add=made("later")),
    }
    tables = read(recording, tmp_path)
    assert tables.objects["parents"].drop_nulls().to_list() == [["at first"]]
    assert tables.later_parents.rows() == [(NAME, "diced__tomato", 5, ["later"])]


def test_differences_are_applied_in_the_order_of_the_release(tmp_path: Path) -> None:
    """Add, remove, update: another order gives another graph for the same file."""
    apple, edge = FULL["nodes"][0], FULL["edges"][0]
    raw = {**apple, "states": [], "visibility": {}}
    recording = {
        "0": FULL,
        # There already: nothing is added. Removed: nothing is updated.
        "1": diff(add={"nodes": [raw], "edges": []}),
        "2": diff(
            remove={"nodes": [raw], "edges": []},
            update={"nodes": [apple], "edges": [{**edge, "states": []}]},
        ),
        # Added and removed at once: it never was there.
        "3": diff(add={"nodes": [raw], "edges": []}, remove={"nodes": [raw], "edges": []}),
        "4": diff(add={"nodes": [raw], "edges": []}, update={"nodes": [apple], "edges": []}),
        "5": diff(remove={"nodes": [{"name": "ghost"}], "edges": [edge]}),
    }
    assert intervals(read(recording, tmp_path)) == {
        "Cooked apple": [(0, 2), (4, 6)],
        "Exists apple": [(0, 2), (4, 6)],
        "Exists table": [(0, 6)],
        # The edge outlives its node.
        "OnTop apple table": [(0, 2)],
        "Touching apple table": [(0, 2)],
        "Related apple table": [(2, 5)],
    }


def test_a_full_frame_forgets_all_differences(tmp_path: Path) -> None:
    """Also if it reads like the full frame before the differences, byte by byte."""
    gone = diff(remove={"nodes": [{"name": "apple"}], "edges": FULL["edges"]})
    nothing = {"nodes": [], "edges": [], "type": "full"}
    found = intervals(read({"0": FULL, "1": gone, "2": FULL, "3": gone, "4": nothing}, tmp_path))
    assert found["Exists apple"] == [(0, 1), (2, 3)]
    assert found["OnTop apple table"] == [(0, 1), (2, 3)]
    assert found["Exists table"] == [(0, 4)]


def test_what_is_seen_is_as_old_as_its_record(tmp_path: Path) -> None:
    """Between full frames a change of visibility alone is not written; none is made up."""
    apple = FULL["nodes"][0]
    seen = {**apple, "visibility": {CAMERA: [60, 1, 2, 3, 4, 512, 512]}}
    recording = {
        "0": FULL,
        "1": EMPTY,
        "2": diff(update={"nodes": [seen], "edges": []}),
        "3": diff(remove={"nodes": [seen], "edges": []}),
        "4": diff(add={"nodes": [apple], "edges": []}),
        "5": FULL,
    }
    assert pixels(read(recording, tmp_path)) == [
        ("apple", 0, 2, 50),
        ("apple", 2, 3, 60),
        ("apple", 4, 6, 50),
    ]


def test_keys_written_with_escapes_are_the_same_keys(tmp_path: Path) -> None:
    """And the last of two equal keys counts, as for every reader of JSON."""
    first, last = {**FULL["nodes"][0], "name": "first"}, FULL["nodes"][1]
    text = f'{{"0": {{"nodes": [{json.dumps(first)}], "nod\\u0065s": [{json.dumps(last)}], '
    tables = read(text + '"edges": [], "type": "full"}}', tmp_path)
    assert intervals(tables) == {"Exists table": [(0, 1)]}
    assert pixels(tables) == []


def test_only_the_camera_that_is_asked_for_is_read(tmp_path: Path) -> None:
    """Another sensor sees other things: mixing them would move every object in and out of view."""
    box = [9, 1, 2, 3, 4, 64, 64]
    node = {**FULL["nodes"][0], "visibility": {CAMERA: [50, 1, 2, 3, 4, 512, 512], "wrist é": box}}
    recording = {"0": {**FULL, "nodes": [node]}}
    assert pixels(read(recording, tmp_path)) == [("apple", 0, 1, 50)]
    assert pixels(read(recording, tmp_path, camera="wrist é")) == [("apple", 0, 1, 9)]
    assert pixels(read(recording, tmp_path, camera="none")) == []


def test_reading_reports_its_progress(tmp_path: Path) -> None:
    """A silent minute looks like a hang; more than all of it looks like a fault."""
    heard: list[tuple[int, int]] = []
    with patch.object(frame_stream, "CHUNK_BYTES", 1000):
        read(
            {str(k): FULL for k in range(20)},
            tmp_path,
            progress=lambda done, total: heard.append((done, total)),
        )
    n_bytes = (tmp_path / "recording.json").stat().st_size
    assert len(heard) > n_bytes // 1000
    assert heard == sorted(heard)
    assert heard[-1] == (n_bytes, n_bytes)
