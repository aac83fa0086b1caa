"""Recordings that went wrong: damaged in their structure, in their text, or in their compression.

``broken_recordings()`` draws the bytes of a file and whether it is compressed; ``read_or_refuse``
says what has to happen to it.
"""

import gzip
import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from enact_assets.demonstrations.replay.recorded import read_recorded
from enact_assets.engine.errors import RecordingError

from reference.recorded_tables import assert_same, tables_from_frames
from reference.small_recordings import other_forms, recordings, texts

NAME = "broken_1"
MAX_MESSAGE_CHARACTERS = 1000

NUMBERS = (0, -1, 7, 2**31, 2**63, 10**400, 0.5, 1e300, float("nan"), float("-inf"))
WORDS = ("Open", "Exists", "Related", "Transition", "2fast", "diff", "nodes")
PATHS = ("../../etc/passwd", "a/b", "C:\\b", "..", "a\0b")
TEXTS = ("", " ", *WORDS, *PATHS, "line\nbreak", "\x1b[31m", "\ud800", "☃", "x" * 300)
SIZES = ([1, 2, 3], [10**30] * 7, *([n, 1, 2, 3, 4, 512, 512] for n in (14.0, 14.5, NUMBERS[-2])))
RECORDS = (
    {"name": "apple_1"},
    {"name": "apple_1", "category": "pear", "states": [], "visibility": {}},
    {"from": "a", "to": "b"},
    {"from": "a", "to": "a", "states": ["Open", "Open"]},
    {"type": "full"},
    {"type": "empty", "nodes": 5},
)
JUNK: list[Any] = [
    *(None, True, False, *NUMBERS, *TEXTS, [], [[]], {}, {"": None}),
    *({"external_sensor1": size} for size in (None, *SIZES)),
    *RECORDS,
]
"""Values that may stand in the place of any other."""

MARKS = b' { } [ ] , : " \\ \\u12 \0 \xff \xed\xa0\x80 \xef\xbb\xbf NaN -Infinity - 0 null'.split(
    b" "
)
MEMBERS = (
    *(b'"x": [NaN, -Infinity, Infinity], ', b'"nodes": [],', b'"type": "diff",'),
    *(b'"1": {"type": "empty"}, ', b'"007": {"type": "empty"}, '),
)
LONG = (b"9" * 20, b"[" * 200, b'{"a":' * 200, b" " * 300, b"x" * 300)
BYTES: list[bytes] = [b" ", b"\n", *MARKS, *MEMBERS, *LONG]
"""Bytes that may be put into any place of a file."""


def places(tree: Any) -> list[tuple[Any, Any]]:
    """Container and key of everything inside ``tree``."""
    if isinstance(tree, dict):
        children = list(tree.items())
    elif isinstance(tree, list):
        children = list(enumerate(tree))
    else:
        return []
    return [(tree, key) for key, _ in children] + [p for _, c in children for p in places(c)]


@st.composite
def damaged_trees(draw: st.DrawFn) -> Any:
    """A recording with one to three values replaced, removed, repeated, renamed or swapped."""
    others = other_forms(max_frames=6).map(lambda pair: pair[1])
    tree = [deepcopy(draw(recordings(max_frames=6) | others))]
    for _ in range(draw(st.integers(1, 3))):
        found = places(tree)
        if not found:
            break
        parent, key = draw(st.sampled_from(found))
        match draw(st.sampled_from(["replace", "replace", "remove", "repeat", "rename", "swap"])):
            case "replace":
                parent[key] = deepcopy(draw(st.sampled_from(JUNK)))
            case "remove" if parent is not tree:
                del parent[key]
            case "repeat" if isinstance(parent, list) and parent is not tree:
                parent.append(deepcopy(parent[key]))
            case "rename" if isinstance(parent, dict):
                new = draw(st.sampled_from([*TEXTS, "-1", "1.5", "01", "0", "1", "60", "9" * 15]))
                parent[new] = parent.pop(key)
            case "swap":
                other, name = draw(st.sampled_from(found))
                if not _holds(parent[key], other) and not _holds(other[name], parent):
                    parent[key], other[name] = other[name], parent[key]
            case _:
                pass
    return tree[0]


def _holds(tree: Any, part: Any) -> bool:
    return tree is part or any(_holds(parent[key], part) for parent, key in places(tree))


@st.composite
def damaged_texts(draw: st.DrawFn) -> bytes:
    """The text of a recording, cut off or with bytes put in, taken out or repeated."""
    data = draw(texts)(draw(recordings(max_frames=4))).encode()
    for _ in range(draw(st.integers(1, 2))):
        at = draw(st.integers(0, len(data)))
        until = min(len(data), at + draw(st.integers(0, 40)))
        match draw(st.sampled_from(["cut off", "put in", "take out", "replace", "repeat", "utf"])):
            case "cut off":
                data = data[:at]
            case "put in":
                data = data[:at] + draw(st.sampled_from(BYTES)) + data[at:]
            case "take out":
                data = data[:at] + data[until:]
            case "replace":
                data = data[:at] + draw(st.binary(max_size=4)) + data[until:]
            case "repeat":
                data = data[:until] + data[at:]
            case _:
                other = draw(st.sampled_from(["utf-16", "utf-32", "latin-1", "utf-8-sig"]))
                data = data.decode("utf-8", "replace").encode(other, "replace")
    return data


@st.composite
def broken_recordings(draw: st.DrawFn) -> tuple[bytes, bool]:
    """Bytes of a file, and whether they are compressed. A few of them are in order after all."""
    match draw(st.sampled_from(["tree", "tree", "tree", "text", "text", "gzip", "binary"])):
        case "tree":
            return json.dumps(draw(damaged_trees())).encode(), False
        case "text":
            return draw(damaged_texts()), False
        case "binary":
            return draw(st.binary(max_size=64)), draw(st.booleans())
    packed = bytearray(gzip.compress(json.dumps(draw(recordings())).encode(), mtime=0))
    at = draw(st.integers(0, len(packed) - 1))
    if draw(st.booleans()):
        return bytes(packed[:at]), True
    packed[at] ^= draw(st.integers(1, 255))
    return bytes(packed), True


def read_or_refuse(
    data: bytes,
    folder: Path,
    *,
    is_compressed: bool = False,
    read: Callable[..., Any] = read_recorded,
) -> str | None:
    """Read ``data`` as a file in ``folder``: the message if it was refused, or None.

    It has to be refused by a :class:`RecordingError` that names the file in one line of bearable
    length. If it is read, its tables have to be those of the slow twin.
    """
    path = folder / ("recording.json.gz" if is_compressed else "recording.json")
    path.write_bytes(data)
    try:
        tables = read(path, NAME)
    except RecordingError as error:
        message = str(error)
        assert message.startswith(str(path)), message
        assert len(message) - len(str(path)) < MAX_MESSAGE_CHARACTERS, message
        assert message.replace(str(path), "").isprintable(), message
        return message
    frames = json.loads(gzip.decompress(data) if is_compressed else data)
    assert_same(tables, tables_from_frames(NAME, frames))
    return None
