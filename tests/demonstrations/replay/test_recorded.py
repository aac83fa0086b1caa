"""The recorded source gives, at every frame, the graph that the public release reconstructs.

A recording that is broken is refused by name, frame and field; one that is not never is."""

import gzip
import hashlib
import json
import re
from pathlib import Path
from typing import Any
from unittest.mock import patch

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from enact_assets.demonstrations.replay import frame_order, frame_stream, timeline
from enact_assets.demonstrations.replay.recorded import read_recorded, sees_nothing_first
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.demonstrations.replay.tables import States
from enact_assets.demonstrations.replay.validation import check_replay
from enact_assets.engine.errors import RecordingError

from reference.broken_recordings import broken_recordings, read_or_refuse
from reference.conformance import TASKS, replay_path
from reference.recorded_tables import assert_same, tables_from_frames, task_tables
from reference.small_recordings import CAMERA, Recording, other_forms, recordings, texts

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
    tables = read_recorded(replay_path(name), name)
    assert_same(tables, task_tables(name))
    assert tables.later_parents.height == 0
    check_replay(tables.demonstrations, tables.facts, tables.objects, tables.later_parents)


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
    assert_same(tables, tables_from_frames(NAME, recording))
    check_replay(tables.demonstrations, tables.facts, tables.objects, tables.later_parents)


@given(forms=other_forms(), write=texts)
def test_another_form_of_a_recording_becomes_the_same_tables(
    forms: tuple[Recording, Recording], write: Any, tmp_path: Path
) -> None:
    """What the public release reads and has one meaning is neither refused nor read otherwise."""
    recording, other = forms
    assert_same(read(write(other), tmp_path), tables_from_frames(NAME, recording))


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
        "attempts": None,
        "replaced": None,
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
    heard: list[tuple[float, float]] = []
    with patch.object(frame_stream, "CHUNK_BYTES", 1000):
        read(
            {str(k): FULL for k in range(20)},
            tmp_path,
            on_progress=lambda p: heard.append((p.done, p.total)),
        )
    n_bytes = (tmp_path / "recording.json").stat().st_size
    assert len(heard) > n_bytes // 1000
    assert heard == sorted(heard)
    assert heard[-1] == (n_bytes / 1e6, n_bytes / 1e6)


NODE: dict[str, Any] = {"name": "cup", "category": "cup", "states": ["Open"], "visibility": {}}
EDGE: dict[str, Any] = {"from": "cup", "to": "table", "states": ["OnTop"]}
WHOLE: dict[str, Any] = {"nodes": [NODE], "edges": [EDGE], "type": "full"}
DIFF: dict[str, Any] = {
    "type": "diff",
    **{part: {"nodes": [NODE], "edges": [EDGE]} for part in ("add", "remove", "update")},
}


def refusal(data: bytes, folder: Path, *, is_compressed: bool = False) -> str:
    message = read_or_refuse(data, folder, is_compressed=is_compressed)
    assert message is not None, "was read"
    return message


def with_node(**changes: Any) -> dict[str, Any]:
    return {**WHOLE, "nodes": [{**NODE, **changes}]}


def seen(*numbers: Any) -> dict[str, Any]:
    return with_node(visibility={CAMERA: list(numbers)})


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (5, "expected an object, found '5}' at byte"),
        ([], r"expected an object, found '\[\]}'"),
        ({}, "type: is missing. Write what the frame is: 'full', 'diff' or 'empty'"),
        ({"type": "half"}, "type: Invalid enum value 'half'"),
        ({"type": "full", "nodes": []}, "edges: is missing"),
        ({**WHOLE, "nodes": {}}, "nodes: Expected array, got object"),
        ({**WHOLE, "nodes": [NODE, None]}, r"nodes\[1\]: Expected object, got null"),
        (
            {**WHOLE, "nodes": [NODE, NODE, {**NODE, "states": []}]},
            "nodes: 'cup' is listed twice, and entry 2 says something else than the first. Keep",
        ),
        ({**WHOLE, "nodes": [NODE, {**NODE, "category": "mug"}]}, "nodes: 'cup' is listed twice"),
        ({**WHOLE, "nodes": [NODE, {**NODE, "parent": []}]}, "nodes: 'cup' is listed twice"),
        (
            {**WHOLE, "nodes": [NODE, {**NODE, "visibility": {CAMERA: [1, 2, 3, 4, 5, 7, 7]}}]},
            "nodes: 'cup' is listed twice",
        ),
        (
            {**WHOLE, "edges": [EDGE, {**EDGE, "states": []}]},
            r"edges: \('cup', 'table'\) is listed twice",
        ),
        ({**WHOLE, "edges": [{"from": "a", "states": []}]}, r"edges\[0\].to: is missing"),
        ({**WHOLE, "nodes": [{"name": "cup"}]}, r"nodes\[0\].category: is missing"),
        (with_node(name=""), r"nodes: the name is empty"),
        (with_node(name="x" * 201), r"nodes: 'xxx.*\.\.\. has 201 characters; at most 200"),
        (with_node(name="a\x07b"), r"nodes.*: 'a\\x07b' holds a control character"),
        (with_node(name="a\u202eb"), r"nodes.*: 'a\\u202eb' holds a control character"),
        (with_node(name=7), r"nodes\[0\].name: Expected str, got int"),
        (with_node(category="a\nb"), r"nodes\['cup'\].category: 'a\\nb' holds a control"),
        (
            with_node(category="other", parent=["mug"]),
            r"category: was 'cup' in an earlier frame and is 'other' now. .*give a new object",
        ),
        (with_node(parent=[3]), r"nodes\[0\].parent\[0\]: Expected str, got int"),
        (with_node(parent="mug"), r"nodes\[0\].parent: Expected array . null, got str"),
        (with_node(parent=[""]), r"nodes\['cup'\].parent: the name is empty"),
        (with_node(states="Open"), r"nodes\[0\].states: Expected array, got str"),
        (with_node(states=None), r"nodes\[0\].states: Expected array, got null"),
        (with_node(states=["Open", "", "Open"]), r"nodes\['cup'\].states: '' is not a state name"),
        (with_node(states=["on fire"]), r"nodes\['cup'\].states: 'on fire' is not a state name"),
        (with_node(states=["a" * 101]), "is not a state name: expected letters.*at most 100"),
        (with_node(states=["Exists"]), "states: 'Exists' cannot be a state"),
        ({**WHOLE, "edges": [{**EDGE, "states": ["Related"]}]}, "'Related' cannot be a state"),
        ({**WHOLE, "edges": [{**EDGE, "to": ""}]}, r"edges\['cup' to ''\]: the name is empty"),
        (with_node(visibility=[]), r"nodes\[0\].visibility: Expected object . null, got array"),
        (
            seen(1, 2, 3),
            rf"nodes\['cup'\].visibility.{CAMERA}: expected 7 numbers or none, found 3",
        ),
        (seen(1, 2, 3, 4, 5, 0, 6), "1 pixels in a picture of 6 x 0"),
        (seen(50, 2, 3, 4, 5, 7, 7), "50 pixels in a picture of 7 x 7"),
        (seen(-1, 2, 3, 4, 5, 7, 7), "expected integers from 0 to 2147483647, found -1"),
        (seen(1, 2, 3, 4, 5, 2**31, 7), "expected integers .* found 2147483648"),
        (
            seen(1, 2, 3, 4, 5, 7, 1e400),
            rf"visibility.{CAMERA}\[6\]: expected a whole number of pixels, found Infinity",
        ),
        (
            seen(1, 2, 3, 4, 5.5, 7, 7),
            rf"visibility.{CAMERA}\[4\]: expected a whole number of pixels, found 5.5. Write",
        ),
        (seen(1, 2, 3, 4, 5, 7, 2.0**31), "expected integers .* found 2147483648"),
        (seen(1, 2, 3, 4, True, 7, 7), rf"visibility.{CAMERA}\[4\]: Expected int, got bool"),
        (seen(1, 2, 3, 4, float("nan"), 7, 7), rf"{CAMERA}\[4\]: .* found NaN. Write an integer"),
        (with_node(states=[float("nan")]), r"nodes\[0\].states\[0\]: Expected str, got float"),
        (with_node(parent=float("nan")), r"nodes\[0\].parent: Expected array . null, got float"),
        ({**DIFF, "add": None}, "add: Expected object, got null"),
        ({"type": "diff", "add": {"nodes": []}}, r"add.edges: is missing"),
        ({**DIFF, "remove": {"nodes": [{}], "edges": []}}, r"remove.nodes\[0\].name: is missing"),
        (
            {**DIFF, "update": {"nodes": [NODE, {**NODE, "states": []}], "edges": []}},
            "update.nodes: 'cup' is listed",
        ),
        (
            {**WHOLE, "extra": [[[[]]] * 2] * 2, "more": json.loads("[" * 40 + "]" * 40)},
            "40 brackets",
        ),
    ],
)
def test_a_broken_frame_is_named_with_its_field(frame: Any, message: str, tmp_path: Path) -> None:
    """One bad value among a million must be found by its reader in a minute."""
    data = json.dumps({"1": WHOLE, "2": WHOLE, "17": frame}).encode()
    assert re.search(rf", frame id 17(, |: )(.*)({message})", refusal(data, tmp_path))


def _text(*frames: tuple[str, Any]) -> bytes:
    records = ", ".join(f'"{key}": {json.dumps(frame)}' for key, frame in frames)
    return b"{" + records.encode() + b"}"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty"),
        (b" \n\t", "the file is empty"),
        (b"{}", "contains no frame"),
        (b"[]", r"expected an object of frames by id, found '\[\]' at byte 0"),
        (b"\xef\xbb\xbf{}", "it contains no frame"),
        (b"\xef\xbb\xbf\xef\xbb\xbf{}", r"found '\\xef\\xbb\\xbf\{\}' at byte 3"),
        ("{}".encode("utf-16"), r"line 1: not UTF-8 text \(it is UTF-16\)\. Save the file as"),
        (b"\x1f\x8b\x08", r"found '\\x1f\\x8b\\x08'"),
        (_text(("0", WHOLE))[:-1], "after frame id 0: the file ends here, after 171 bytes"),
        (_text(("0", WHOLE))[:-5], "frame id 0: the file ends here, after 167 bytes"),
        (_text(("0", WHOLE)) + b"{}", r"after frame id 0: expected the end of the file .* '\{\}'"),
        (
            _text(("0", WHOLE)).replace(b'"}', b'"]'),
            r"frame id 0: '\]}' at byte 170 does not close",
        ),
        (_text(("0", WHOLE))[:-1] + b",}", "expected ',' and a quoted frame id.*found '}' at"),
        (_text(("0", WHOLE)).replace(b'"0":', b'"0"'), "expected a quoted frame id"),
        (b"{0: {}}", "before the first frame: expected a quoted frame id"),
        (_text(("00", WHOLE)), "no leading zeros"),
        (_text(("-1", WHOLE)), "decimal"),
        (_text(("1.0", WHOLE)), "decimal"),
        (_text(("", WHOLE)), "decimal"),
        (_text(("9" * 16, WHOLE)), "at most 15 digits"),
        (_text(("0", WHOLE), ("x", WHOLE)), "after frame id 0: expected"),
        (
            _text(("1", WHOLE), ("2", WHOLE), ("2", WHOLE)),
            "frame id 2: comes after frame id 2. Ids",
        ),
        (
            _text(("10", WHOLE), ("9", WHOLE), ("10", WHOLE)),
            "frame id 10: is in the file more than once. Ids must be unique",
        ),
        (_text(("10", WHOLE), ("9", {})), "frame id 9, type: is missing"),
        (_text(("10", DIFF), ("9", DIFF)), "frame id 9, type: no full frame precedes this one"),
        (_text(("10", WHOLE), ("9", WHOLE))[:-1], "after frame id 9: the file ends here"),
        (_text(("0", {"type": "empty"})), "frame id 0, type: no full frame precedes this one"),
        (_text(("4", DIFF)), "frame id 4, type: no full frame precedes this one"),
        (_text(("0", WHOLE)).replace(b"Open", b"Op\xffn"), "frame id 0: is not UTF-8: .*0xff"),
        (_text(("0", WHOLE)).replace(b"Open", b"\\ud800"), "frame id 0: is not valid JSON"),
        (_text(("0", {**WHOLE, "x": "?"})).replace(b"?", b"\xff"), "frame id 0: is not UTF-8"),
        (
            _text(("0", {**WHOLE, "x": "?"})).replace(b'"?"', b"nil"),
            "frame id 0: is not valid JSON",
        ),
        (b'{"0": ' + b"[" * 100_000, r"expected an object, found '\[\[\["),
        (b'{"0": ' + b'{"a":' * 100_000, "frame id 0: more than 40 brackets are open at byte 206"),
    ],
)
def test_a_broken_file_is_told_where(data: bytes, message: str, tmp_path: Path) -> None:
    """Cut off, glued together, out of order, or no recording at all."""
    assert re.search(message, refusal(data, tmp_path))


def test_frames_out_of_order_are_read_by_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a stream in which they ascend, of the same hash; differences before what they change."""
    closed = diff(update={"nodes": [{**NODE, "states": []}], "edges": []})
    data = _text(("70", closed), ("9", EMPTY), ("80", WHOLE), ("1", WHOLE))
    for name, text in (("recording.json", data), ("recording.json.gz", gzip.compress(data))):
        (tmp_path / name).write_bytes(text)
        tables = read_recorded(tmp_path / name, NAME)
        assert intervals(tables)["Open cup"] == [(0, 2), (3, 4)]
        assert tables.demonstrations["world_sha"].item() == hashlib.sha256(data).hexdigest()
        assert tables.demonstrations["frame_id_runs"].item().to_list() == [0, 1, 1, 9, 2, 70, 3, 80]
        assert frame_order.frame_ids(tmp_path / name).tolist() == [1, 9, 70, 80]
    monkeypatch.setattr(frame_order, "MAX_BYTES", 200)
    assert "more than 200 bytes. Sort them by id" in refusal(data, tmp_path)


def test_the_first_frame_is_that_of_the_lowest_id(tmp_path: Path) -> None:
    """Whether something is seen in it says which picture of a video is the first frame's."""
    path, shown = tmp_path / "recording.json", seen(9, 1, 2, 3, 4, 7, 7)
    for first, last, expected in ((WHOLE, shown, True), (shown, WHOLE, False)):
        path.write_bytes(_text(("1", last), ("0", first)))
        assert sees_nothing_first(path) == expected


@pytest.mark.parametrize(
    "text", ["NaN5", "1NaN", "-NaN", "1eNaN", "1Infinity", "--Infinity", "nan"]
)
def test_only_what_python_writes_stands_for_no_number(text: str, tmp_path: Path) -> None:
    """A number that is damaged is not taken for another one."""
    data = _text(("0", {**WHOLE, "x": ["NaN", 1]})).replace(b"1]", text.encode() + b"]")
    assert "frame id 0: is not valid JSON" in refusal(data, tmp_path)


def test_a_frame_that_never_ends_does_not_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A quote that is missing turns the rest of the file into one frame."""
    monkeypatch.setattr(frame_stream, "CHUNK_BYTES", 1 << 10)
    monkeypatch.setattr(frame_stream, "MAX_FRAME_BYTES", 1 << 12)
    endless = b'{"0": ' + json.dumps(WHOLE).encode() + b', "1": {"nodes": [{"name": "'
    message = refusal(endless + b"cup" * 10_000, tmp_path)
    assert "after frame id 0: the next frame takes more than 4096 bytes" in message
    blank = refusal(endless[:100] + b" " * 10_000, tmp_path)
    assert "before the first frame: the next frame takes more than 4096 bytes" in blank


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda packed: packed[:-9], "Compressed file ended before"),
        (lambda packed: packed[:5], "Compressed file ended before"),
        (lambda packed: packed[:40] + b"\xff" * 9 + packed[49:], "cannot be read beyond byte"),
        (lambda packed: packed[:-8] + b"\0" * 8, "CRC check failed"),
        (lambda packed: b"PK" + packed[2:], "Not a gzipped file"),
        (lambda packed: b"", "the file is empty"),
    ],
)
def test_a_damaged_archive_is_refused(damage: Any, message: str, tmp_path: Path) -> None:
    """Half of a download unpacks to half of a recording, which must not pass for a whole one."""
    packed = gzip.compress(json.dumps({str(k): WHOLE for k in range(50)}).encode())
    assert message in refusal(damage(packed), tmp_path, is_compressed=True)


def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    """A folder, or nothing at all, where a recording should be."""
    for path in (tmp_path / "missing.json", tmp_path, tmp_path / "nul\0.json"):
        with pytest.raises(RecordingError, match="cannot be opened"):
            read_recorded(path, "try_1")


@pytest.mark.parametrize(
    "name", ["", ".", "..", "a/b", "a\\b", "../up", "a..b", "a\nb", "a b", "x" * 121, "-x", "é"]
)
def test_a_demonstration_that_could_not_be_stored_is_refused(name: str, tmp_path: Path) -> None:
    """Its name becomes a folder: nothing may be written outside of the lake."""
    path = tmp_path / "recording.json"
    path.write_bytes(_text(("0", WHOLE)))
    with pytest.raises(RecordingError, match="cannot name a partition"):
        read_recorded(path, name)


@pytest.mark.parametrize("name", ["a/b", "../../up", "C:\\x", "a, b", "naïve ☃", " ", "x" * 200])
def test_odd_names_of_objects_are_kept_as_they_are(name: str, tmp_path: Path) -> None:
    """They are text in a table; no file is ever named after them."""
    path = tmp_path / "recording.json"
    path.write_bytes(_text(("0", with_node(name=name))))
    assert name in read_recorded(path, "try_1").objects["object_name"].to_list()


@given(broken=broken_recordings())
def test_whatever_is_broken_is_refused_or_read_as_the_twin_reads_it(
    broken: tuple[bytes, bool], tmp_path: Path
) -> None:
    """No damage ends in another kind of error, and none in tables that are quietly wrong."""
    data, is_compressed = broken
    read_or_refuse(data, tmp_path, is_compressed=is_compressed)


def test_states_that_change_from_frame_to_frame_end_before_the_memory_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F17: 24 MB of gzip aborted a process with 3 GB."""
    monkeypatch.setattr(timeline, "MAX_FACTS", 100)
    frames = {str(k): with_node(states=["Open"] if k % 2 else []) for k in range(300)}
    message = refusal(json.dumps(frames).encode(), tmp_path)
    assert "frame id 202" in message
    assert "more than 100 facts" in message
    fewer = {str(k): frames[str(k)] for k in range(150)}
    assert read_or_refuse(json.dumps(fewer).encode(), tmp_path) is None
