"""What the player writes, against the slow and obvious: frame by frame, pixel by pixel."""

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.demonstrations.replay.omnigibson_player.intervals import IntervalWriter
from enact_assets.demonstrations.replay.omnigibson_player.sight import boxes

FACTS = [("Open", "fridge", None), ("OnTop", "cup", "table"), ("OnTop", "cup", "tray")]
BOX = (9, 0, 0, 2, 2, 8, 8)
VIEWS = st.dictionaries(st.sampled_from(["cup", "tray"]), st.sampled_from([BOX, (4, *BOX[1:])]))
FRAMES = st.lists(st.tuples(st.sets(st.sampled_from(FACTS)), VIEWS), min_size=1, max_size=12)


@given(FRAMES)
def test_intervals_say_what_every_frame_said_and_are_maximal(frames: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "replay.jsonl"
        with IntervalWriter(path, {}) as writer:
            for k, (facts, views) in enumerate(frames):
                writer.add_frame(k, facts, views)
            assert not path.exists()  # nobody takes half of it for the whole
            writer.finish(len(frames))
        records = [json.loads(line) for line in path.read_text().splitlines()]
    again: list[tuple[set[Any], dict[str, Any]]] = [(set(), {}) for _ in frames]
    ends = set()
    for record in records[1:-1]:
        span = range(record["frame_from"], record["frame_to"])
        assert span
        if record["type"] == "fact":
            what: Any = (record["predicate"], record["subject"], record["object"])
            for k in span:
                again[k][0].add(what)
        else:
            what = (record["name"], tuple(record["box"]))
            for k in span:
                assert record["name"] not in again[k][1]
                again[k][1][record["name"]] = tuple(record["box"])
        assert (what, span.start) not in ends  # else both were one interval
        ends.add((what, span.stop))
    assert again == frames
    counts = {"object": 0, "fact": 0, "seen": 0}
    for record in records[1:-1]:
        counts[record["type"]] += 1
    assert records[-1] == {"type": "end", "n_frames": len(frames), "counts": counts}


@given(st.integers(1, 7), st.integers(1, 7), st.data())
def test_boxes_are_those_of_the_pixels(height: int, width: int, data: st.DataObject) -> None:
    size = height * width
    ids = data.draw(st.lists(st.integers(0, 5), min_size=size, max_size=size))
    labels = np.array(ids, np.int32).reshape(height, width)
    # Two ids of one object; background; a name nobody asked for; an id without a name.
    names = {0: "background", 1: "cup", 2: "tray", 3: "cup", 4: "groundPlane"}
    found = boxes(labels, names, {"cup", "tray", "table"})
    expected = {}
    for name in ("cup", "tray"):
        at = [
            (x, y) for y in range(height) for x in range(width) if names.get(labels[y, x]) == name
        ]
        if at:
            xs, ys = zip(*at, strict=True)
            edges = (min(xs), min(ys), max(xs), max(ys))
            expected[name] = (len(at), *edges, height, width)
    assert found == expected
