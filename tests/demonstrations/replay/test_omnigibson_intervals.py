"""What the player writes, also of a part of the frames, against the slow and obvious."""

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.demonstrations.replay.omnigibson_player.excerpts import excerpt_transitions
from enact_assets.demonstrations.replay.omnigibson_player.reply import IntervalWriter
from enact_assets.demonstrations.replay.omnigibson_player.watchers import boxes

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


NAMES = ("apple", "half_apple", "knife")


@st.composite
def histories(draw: st.DrawFn) -> tuple[int, dict[int, Any], list[int]]:
    """Frames in all, transitions that can happen, and frames that are wanted."""
    n_frames = draw(st.integers(1, 12))
    there: dict[str, set[str]] = {"objects": {"apple"}, "systems": set()}
    transitions: dict[int, Any] = {}
    for step in range(n_frames - 1):
        change: dict[str, Any] = {k: {"add": [], "remove": []} for k in there}
        for kind, present in there.items():
            for name in draw(st.sets(st.sampled_from(NAMES), max_size=2)):
                if name in present:
                    change[kind]["remove"].append(name)
                else:
                    info = {"args": {"name": name}, "made": step}
                    change[kind]["add"].append(info if kind == "objects" else name)
                present ^= {name}
        if any(c[o] for c in change.values() for o in c):
            transitions[step] = change
    wanted = draw(st.sets(st.integers(0, n_frames - 1), min_size=1))
    return n_frames, transitions, sorted(wanted)


def apply(there: dict[str, set[str]], change: Any, objects_first: str = "add") -> None:
    """As the playback wrapper: nothing is added twice, nothing removed that is not there."""
    for kind, present in there.items():
        if kind == "objects" and objects_first == "remove":
            for name in change[kind]["remove"]:
                present.remove(name)
            change = {**change, kind: {"add": change[kind]["add"], "remove": []}}
        for info in change[kind]["add"]:
            name = info if isinstance(info, str) else info["args"]["name"]
            assert name not in present
            present.add(name)
        for name in change[kind]["remove"]:
            present.remove(name)


@pytest.mark.slow
@given(histories(), st.sampled_from(["add", "remove"]))
def test_an_excerpt_has_at_each_frame_what_the_whole_has(
    history: tuple[int, dict[int, Any], list[int]], objects_first: str
) -> None:
    n_frames, transitions, wanted = history
    there: dict[str, set[str]] = {"objects": {"apple"}, "systems": set()}
    expected = [{k: set(v) for k, v in there.items()}]
    for step in range(n_frames - 1):
        if step in transitions:
            apply(there, transitions[step])
        expected.append({k: set(v) for k, v in there.items()})
    there = {"objects": {"apple"}, "systems": set()}
    excerpt = excerpt_transitions(transitions, wanted, objects_first=objects_first)
    assert set(excerpt) <= {str(place) for place in range(len(wanted))}
    for place, frame in enumerate(wanted):
        if str(place) in excerpt:
            apply(there, excerpt[str(place)], objects_first)
        assert there == expected[frame]


def test_what_is_replaced_in_one_step_is_replaced_where_objects_go_first() -> None:
    new = {"args": {"name": "apple"}, "made": 3}
    change = {"objects": {"add": [new], "remove": ["apple"]}, "systems": {"add": [], "remove": []}}
    kept = excerpt_transitions({3: change}, [4], objects_first="remove")
    assert kept == {"0": change}
    assert excerpt_transitions({3: change}, [4], objects_first="add") == {}
