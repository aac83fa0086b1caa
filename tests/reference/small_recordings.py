"""Small recordings in the layout of the public release, both flavours, made at random.

Source: definitions.md R2. They keep what a recording has to keep: ids ascend, the first frame is
full, nothing is listed twice in one frame, an object never changes its category. All else is drawn.
"""

import json
from typing import Any

from hypothesis import strategies as st

Frame = dict[str, Any]
Recording = dict[str, Frame]

CAMERA = "external_sensor1"
STATES = ("Open", "Cooked", "OnTop", "Touching", "of_no_catalogue_7")
OBJECTS: dict[str, dict[str, Any]] = {
    "robot_r1": {"category": "agent"},
    "apple_1": {"category": "apple"},
    "half_apple_1": {"category": "half_apple", "parent": ["apple_1"]},
    "diced__apple": {"category": "System", "parent": ["half_apple_1", "apple"]},
    "box": {"category": "", "parent": []},
    'Käse "{[\\': {"category": "Käse"},
}

OTHER_PARENTS: dict[str, list[dict[str, Any]]] = {
    "apple_1": [{"parent": ["box", "apple_1"]}],
    "diced__apple": [{"parent": ["apple", "half_apple_1"]}, {"parent": []}],
}
"""Parents that an object may have now and then; it has those of ``OBJECTS`` most of the time."""

states = st.lists(st.sampled_from(STATES), unique=True, max_size=3)
boxes = st.sampled_from(
    [
        {},
        {CAMERA: []},
        {CAMERA: [14, 1, 2, 3, 4, 512, 512]},
        {CAMERA: [0, 0, 0, 0, 0, 1, 1]},
        {CAMERA: [15, 10, 200, 30, 2147483647, 512, 512]},
        {"other": [1], CAMERA: [14, 1, 2, 3, 4, 512, 512]},
        {"other": "not read"},
    ]
)


@st.composite
def graphs(draw: st.DrawFn, *, is_partial: bool = False) -> Frame:
    """Nodes and edges in any order; edges may have ends that are no node."""
    names = draw(st.lists(st.sampled_from(sorted(OBJECTS)), unique=True))
    ends = st.sampled_from([*sorted(OBJECTS), "never a node"])
    pairs = draw(st.lists(st.tuples(ends, ends), unique=True, max_size=2 if is_partial else 4))
    return {
        "nodes": [
            {
                "name": name,
                "states": draw(states),
                "visibility": draw(boxes),
                **OBJECTS[name],
                **draw(st.sampled_from([{}, *OTHER_PARENTS.get(name, [])])),
            }
            for name in names
        ],
        "edges": [{"from": a, "to": b, "states": draw(states)} for a, b in pairs],
    }


@st.composite
def frames(draw: st.DrawFn, before: Frame | None) -> Frame:
    """A frame; often it repeats the one ``before`` but for what is seen, as recordings do."""
    kinds = ["full", "same", "seen", "seen", "diff", "empty", "empty"]
    kind = "full" if before is None else draw(st.sampled_from(kinds))
    if kind == "empty":
        return {"type": "empty"}
    if kind == "diff":
        parts = {part: draw(graphs(is_partial=True)) for part in ("add", "remove", "update")}
        return {"type": "diff", **parts}
    if before is None or kind == "full" or before["type"] != "full":
        return {**draw(graphs()), "type": "full"}
    if kind == "same":
        return before
    return {**before, "nodes": [{**n, "visibility": draw(boxes)} for n in before["nodes"]]}


@st.composite
def recordings(draw: st.DrawFn, max_frames: int = 12) -> Recording:
    """A recording of 1 to ``max_frames`` frames, with ids from anywhere and gaps between them."""
    frame_id = draw(st.sampled_from([0, 0, 1, 1, 59, 10**9]))
    recording: Recording = {}
    before = None
    for _ in range(draw(st.integers(1, max_frames))):
        recording[str(frame_id)] = before = draw(frames(before))
        frame_id += draw(st.sampled_from([1, 1, 1, 2, 30]))
    return recording


def _also(draw: st.DrawFn, records: list[Frame]) -> list[Frame]:
    """``records``, with some of them repeated in other words that say the same."""
    more = [{**r, "states": r["states"][::-1]} for r in records if draw(st.integers(0, 5)) == 0]
    return draw(st.permutations([*records, *more])) if more else records


def _other_box(draw: st.DrawFn, visibility: dict[str, Any]) -> Any:
    box = visibility.get(CAMERA)
    if not box:
        return draw(st.sampled_from([visibility, None, {CAMERA: None}, {CAMERA: []}, ...]))
    return {**visibility, CAMERA: [draw(st.sampled_from([n, n, float(n)])) for n in box]}


def _other_node(draw: st.DrawFn, node: Frame) -> Frame:
    other = {**_other_states(draw, node), "visibility": _other_box(draw, node["visibility"])}
    if "parent" not in node and draw(st.booleans()):
        other["parent"] = None
    odd = [{}, {}, {"position": [float("nan"), 1.5, float("-inf")]}, {"text": 'NaN "-Infinity'}]
    other |= draw(st.sampled_from(odd))
    return {key: value for key, value in other.items() if value is not ...}


def _other_states(draw: st.DrawFn, record: Frame) -> Frame:
    states = record["states"]
    if not states:
        return {k: v for k, v in record.items() if k != "states" or draw(st.booleans())}
    return {**record, "states": states + draw(st.lists(st.sampled_from(states), max_size=2))}


def _other_part(draw: st.DrawFn, part: Frame) -> Frame:
    nodes = [_other_node(draw, node) for node in _also(draw, part["nodes"])]
    return {"nodes": nodes, "edges": [_other_states(draw, e) for e in _also(draw, part["edges"])]}


@st.composite
def other_forms(draw: st.DrawFn, max_frames: int = 12) -> tuple[Recording, Recording]:
    """A recording, and one that says the same as no writer of ours would: fields left out or null,
    repeated records, whole numbers with a point, NaN where nobody reads, frames in any order.
    """
    recording = draw(recordings(max_frames))
    other: Recording = {}
    for key, frame in recording.items():
        if frame["type"] == "full":
            other[key] = {**_other_part(draw, frame), "type": "full"}
        elif frame["type"] == "diff":
            parts = {k: _other_part(draw, v) for k, v in frame.items() if k != "type"}
            kept = {k: v for k, v in parts.items() if v["nodes"] or v["edges"]}
            other[key] = {"type": "diff", **draw(st.sampled_from([parts, kept]))}
        else:
            other[key] = frame
    keys = draw(st.sampled_from([list(other), list(other)[::-1]]) | st.permutations(list(other)))
    return recording, {key: other[key] for key in keys}


def _sorted_inside(recording: Recording) -> str:
    records = [f'"{key}": {json.dumps(v, sort_keys=True)}' for key, v in recording.items()]
    return ("{" + ", ".join(records) + "}").replace(", ", " ,\r\n\t")


texts = st.sampled_from(
    [
        json.dumps,
        lambda recording: json.dumps(recording, ensure_ascii=False),
        lambda recording: json.dumps(recording, separators=(",", ":")),
        lambda recording: json.dumps(recording, indent=2) + "\n",
        _sorted_inside,
    ]
)
"""Ways to write a recording down."""
