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
