"""A recording that is broken is refused by name, frame and field; one that is not never is."""

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from enact_assets.demonstrations.replay import frame_stream, timeline
from enact_assets.demonstrations.replay.recorded import read_recorded
from enact_assets.engine.errors import RecordingError

from reference.broken_recordings import broken_recordings, read_or_refuse
from reference.small_recordings import CAMERA

NODE: dict[str, Any] = {"name": "cup", "category": "cup", "states": ["Open"], "visibility": {}}
EDGE: dict[str, Any] = {"from": "cup", "to": "table", "states": ["OnTop"]}
FULL: dict[str, Any] = {"nodes": [NODE], "edges": [EDGE], "type": "full"}
DIFF: dict[str, Any] = {
    "type": "diff",
    **{part: {"nodes": [NODE], "edges": [EDGE]} for part in ("add", "remove", "update")},
}


def refusal(data: bytes, folder: Path, *, is_compressed: bool = False) -> str:
    message = read_or_refuse(data, folder, is_compressed=is_compressed)
    assert message is not None, "was read"
    return message


def with_node(**changes: Any) -> dict[str, Any]:
    return {**FULL, "nodes": [{**NODE, **changes}]}


def seen(*numbers: Any) -> dict[str, Any]:
    return with_node(visibility={CAMERA: list(numbers)})


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (5, "expected an object, found '5}' at byte"),
        ([], r"expected an object, found '\[\]}'"),
        ({}, "type: is missing"),
        ({"type": "half"}, "type: Invalid enum value 'half'"),
        ({"type": "full", "nodes": []}, "edges: is missing"),
        ({**FULL, "nodes": {}}, "nodes: Expected array, got object"),
        ({**FULL, "nodes": [NODE, None]}, r"nodes\[1\]: Expected object, got null"),
        ({**FULL, "nodes": [NODE, NODE]}, "nodes: 'cup' is listed twice"),
        ({**FULL, "edges": [EDGE, EDGE]}, r"edges: \('cup', 'table'\) is listed twice"),
        ({**FULL, "edges": [{"from": "a", "states": []}]}, r"edges\[0\].to: is missing"),
        ({**FULL, "nodes": [{"name": "cup"}]}, r"nodes\[0\].category: is missing"),
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
        (with_node(parent=None), r"nodes\[0\].parent: Expected array, got null"),
        (with_node(parent=[""]), r"nodes\['cup'\].parent: the name is empty"),
        (with_node(states="Open"), r"nodes\[0\].states: Expected array, got str"),
        (with_node(states=["Open", "Open"]), r"nodes\['cup'\].states: 'Open' is listed twice"),
        (with_node(states=["on fire"]), r"nodes\['cup'\].states: 'on fire' is not a state name"),
        (with_node(states=["a" * 101]), "is not a state name: expected letters.*at most 100"),
        (with_node(states=["Exists"]), "states: 'Exists' cannot be a state"),
        ({**FULL, "edges": [{**EDGE, "states": ["Related"]}]}, "'Related' cannot be a state"),
        ({**FULL, "edges": [{**EDGE, "to": ""}]}, r"edges\['cup' to ''\]: the name is empty"),
        (with_node(visibility=None), r"nodes\[0\].visibility: Expected object, got null"),
        (
            seen(1, 2, 3),
            rf"nodes\['cup'\].visibility.{CAMERA}: expected 7 numbers or none, found 3",
        ),
        (seen(1, 2, 3, 4, 5, 0, 6), "1 pixels in a picture of 6 x 0"),
        (seen(50, 2, 3, 4, 5, 7, 7), "50 pixels in a picture of 7 x 7"),
        (seen(-1, 2, 3, 4, 5, 7, 7), "expected integers from 0 to 2147483647, found -1"),
        (seen(1, 2, 3, 4, 5, 2**31, 7), "expected integers .* found 2147483648"),
        (seen(1, 2, 3, 4, 5, 7, 1e400), "JSON is malformed"),
        (seen(1, 2, 3, 4, 5.0, 7, 7), rf"visibility.{CAMERA}\[4\]: Expected int, got float"),
        (seen(1, 2, 3, 4, True, 7, 7), rf"visibility.{CAMERA}\[4\]: Expected int, got bool"),
        (seen(1, 2, 3, 4, float("nan"), 7, 7), "JSON"),
        ({**DIFF, "add": None}, "add: Expected object, got null"),
        ({"type": "diff", "add": {"nodes": []}}, r"add.edges: is missing"),
        ({**DIFF, "remove": {"nodes": [{}], "edges": []}}, r"remove.nodes\[0\].name: is missing"),
        ({**DIFF, "update": {"nodes": [NODE] * 2, "edges": []}}, "update.nodes: 'cup' is listed"),
        (
            {**FULL, "extra": [[[[]]] * 2] * 2, "more": json.loads("[" * 40 + "]" * 40)},
            "40 brackets",
        ),
    ],
)
def test_a_broken_frame_is_named_with_its_field(frame: Any, message: str, tmp_path: Path) -> None:
    """One bad value among a million must be found by its reader in a minute."""
    data = json.dumps({"1": FULL, "2": FULL, "17": frame}).encode()
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
        (b"\xef\xbb\xbf{}", r"found '\\xef\\xbb\\xbf\{\}' at byte 0"),
        (b"\x1f\x8b\x08", r"found '\\x1f\\x8b\\x08'"),
        (_text(("0", FULL))[:-1], "after frame id 0: the file ends here, after 171 bytes"),
        (_text(("0", FULL))[:-5], "frame id 0: the file ends here, after 167 bytes"),
        (_text(("0", FULL)) + b"{}", r"after frame id 0: expected the end of the file .* '\{\}'"),
        (_text(("0", FULL)).replace(b'"}', b'"]'), r"frame id 0: '\]}' at byte 170 does not close"),
        (_text(("0", FULL))[:-1] + b",}", "expected ',' and a quoted frame id.*found '}' at"),
        (_text(("0", FULL)).replace(b'"0":', b'"0"'), "expected a quoted frame id"),
        (b"{0: {}}", "before the first frame: expected a quoted frame id"),
        (_text(("00", FULL)), "no leading zeros"),
        (_text(("-1", FULL)), "decimal"),
        (_text(("1.0", FULL)), "decimal"),
        (_text(("", FULL)), "decimal"),
        (_text(("9" * 16, FULL)), "at most 15 digits"),
        (_text(("0", FULL), ("x", FULL)), "after frame id 0: expected"),
        (_text(("1", FULL), ("2", FULL), ("2", FULL)), "frame id 2: comes after frame id 2. Ids"),
        (_text(("10", FULL), ("9", FULL)), "frame id 9: comes after frame id 10"),
        (_text(("0", {"type": "empty"})), "frame id 0, type: no full frame precedes this one"),
        (_text(("4", DIFF)), "frame id 4, type: no full frame precedes this one"),
        (_text(("0", FULL)).replace(b"Open", b"Op\xffn"), "frame id 0: is not UTF-8: .*0xff"),
        (_text(("0", FULL)).replace(b"Open", b"\\ud800"), "frame id 0: is not valid JSON"),
        (_text(("0", {**FULL, "x": "?"})).replace(b"?", b"\xff"), "frame id 0: is not UTF-8"),
        (_text(("0", {**FULL, "x": "?"})).replace(b'"?"', b"nil"), "frame id 0: is not valid JSON"),
        (b'{"0": ' + b"[" * 100_000, r"expected an object, found '\[\[\["),
        (b'{"0": ' + b'{"a":' * 100_000, "frame id 0: more than 40 brackets are open at byte 206"),
    ],
)
def test_a_broken_file_is_told_where(data: bytes, message: str, tmp_path: Path) -> None:
    """Cut off, glued together, out of order, or no recording at all."""
    assert re.search(message, refusal(data, tmp_path))


def test_a_frame_that_never_ends_does_not_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A quote that is missing turns the rest of the file into one frame."""
    monkeypatch.setattr(frame_stream, "CHUNK_BYTES", 1 << 10)
    monkeypatch.setattr(frame_stream, "MAX_FRAME_BYTES", 1 << 12)
    endless = b'{"0": ' + json.dumps(FULL).encode() + b', "1": {"nodes": [{"name": "'
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
    packed = gzip.compress(json.dumps({str(k): FULL for k in range(50)}).encode())
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
    path.write_bytes(_text(("0", FULL)))
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
