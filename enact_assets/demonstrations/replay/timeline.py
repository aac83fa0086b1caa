"""Turns consecutive graphs of a recording into intervals of facts and views."""

import json
from collections.abc import Sequence
from typing import Literal, TypeVar

import numpy as np

from enact_assets.demonstrations.replay import stream_kernels as kernels
from enact_assets.demonstrations.replay.frame_records import (
    DiffFrame,
    Edge,
    FullFrame,
    Node,
    PlainFrame,
    Records,
    SeenNode,
    check_name,
    check_state,
    check_text,
    decode,
    decode_box,
    decode_plain,
)
from enact_assets.demonstrations.replay.frame_stream import OrderError, Place, RawFrame, Rows
from enact_assets.demonstrations.replay.parents import Kind
from enact_assets.demonstrations.replay.stream_kernels import Pattern, Sight
from enact_assets.engine.errors import RecordingError
from enact_assets.settings.arrays import Ints
from enact_assets.settings.predicates import EXISTS, RELATED

Fact = tuple[str, str, str | None]
"""Predicate, subject, object; the object of a node's state is None."""
_Record = TypeVar("_Record", Node, Edge)

MAX_FACTS = 2_000_000
"""Intervals of facts: half a gigabyte. A small archive can unpack to any number of them."""
_NO_SPANS = np.empty((0, 2), np.int64)
_NO_OWNERS = np.empty(0, np.int64)
_UNSEEN = np.zeros(kernels.BOX_NUMBERS, np.int64)


class Timeline:
    """Takes the frames of one recording in turn and keeps what changed.

    ``objects`` numbers every name in order of appearance; ``kinds`` has those that ever were a
    node. ``facts`` are intervals that ended: fact, first frame, frame after the last.
    ``sight_rows`` are the same of what ``camera`` sees, as arrays (r, 10) by
    :func:`~enact_assets.demonstrations.replay.stream_kernels.see_boxes`. ``has_differences`` says
    whether a frame was not full.

    Parts of a frame that repeat the same text count once. Errors of all methods:
    :class:`RecordingError` names file, frame and field of a record that is malformed, or
    contradicts an earlier one; :class:`OrderError` if that depends on the order of frames.
    """

    def __init__(self, camera: str) -> None:
        self.camera = camera
        self.objects: dict[str, int] = {}
        self.kinds: dict[str, Kind] = {}
        self.facts: list[tuple[Fact, int, int]] = []
        self.sight_rows: list[Rows] = []
        self.has_differences = False
        self.sight = Sight(np.zeros((64, kernels.BOX_NUMBERS), np.int64), np.full(64, -1, np.int64))
        self._camera_key = np.frombuffer(json.dumps(camera).encode(), np.uint8)
        self._nodes: dict[str, Node] = {}
        self._edges: dict[tuple[str, str], Edge] = {}
        self._since: dict[Fact, int] = {}
        self._states: set[str] = set()
        self._has_graph = False
        # The lists of the last full frame; None if a frame of differences came after it.
        self._listed_nodes: Sequence[Node] | None = None
        self._listed_edges: Sequence[Edge] | None = None
        self._empty: Pattern | None = None

    def take(self, frame: int, raw: RawFrame) -> Pattern | None:
        """Take frame number ``frame``; returns which frames may be followed after it, if any."""
        plain = decode_plain(raw)
        if plain is not None and raw.spans is not None:
            pattern = self._take_plain(frame, plain, raw, raw.spans)
            if pattern is not None:
                return pattern
        graph = decode(raw)
        if isinstance(graph, FullFrame):
            nodes = self._nodes_once(graph.nodes, raw.place, "nodes")
            self._take_graph(frame, nodes, graph.edges, raw.place)
            for node in nodes:
                self._look(frame, node, raw.place, "nodes")
            return self._pattern(raw)
        if not self._has_graph:
            raise raw.place.error(
                "no full frame precedes this one, so the frame it differs from is unknown",
                "type",
                OrderError,
            )
        self.has_differences = True
        if isinstance(graph, DiffFrame):
            self._take_diff(frame, graph, raw.place)
        else:
            self._empty = self._pattern(raw)
        return self._empty

    def _take_diff(self, frame: int, diff: DiffFrame, place: Place) -> None:
        """Apply differences in the order of the release.

        Adding an existing node, or removing or updating a missing one, does nothing. Edges of a
        removed node stay.
        """
        self._listed_nodes = self._listed_edges = None
        for part, label in ((diff.add, "add"), (diff.update, "update")):
            part.nodes = self._nodes_once(part.nodes, place, f"{label}.nodes")
            part.edges = _edges_once(part.edges, place, f"{label}.edges")
        self._put(frame, diff.add, place, "add")
        for name in diff.remove.nodes:
            if name.name in self._nodes:
                self._drop_node(frame, name.name, place)
        for pair in diff.remove.edges:
            if pair.key in self._edges:
                self._drop_edge(frame, pair.key, place)
        self._put(frame, diff.update, place, "update")

    def _put(
        self, frame: int, records: Records, place: Place, operation: Literal["add", "update"]
    ) -> None:
        """Set those records that are not there yet (add), or are (update)."""
        is_wanted = operation == "update"
        for node in records.nodes:
            if (node.name in self._nodes) == is_wanted:
                self._set_node(frame, node, place, f"{operation}.nodes")
                self._look(frame, node, place, f"{operation}.nodes")
        for edge in records.edges:
            if (edge.key in self._edges) == is_wanted:
                self._set_edge(frame, edge, place, f"{operation}.edges")

    def finish(self, n_frames: int) -> None:
        """End everything that still holds after the last frame."""
        for fact, since in self._since.items():
            self.facts.append((fact, since, n_frames))
        self._since.clear()
        seen = np.flatnonzero(self.sight.since >= 0)
        rows = np.empty((seen.size, kernels.ROW_NUMBERS), np.int32)
        rows[:, 0], rows[:, 1], rows[:, 2] = seen, self.sight.since[seen], n_frames
        rows[:, 3:] = self.sight.boxes[seen]
        self.sight_rows.append(rows)
        self.sight.since[:] = -1

    def _take_plain(
        self, frame: int, graph: PlainFrame, raw: RawFrame, spans: Ints
    ) -> Pattern | None:
        """None, with nothing taken, if a visibility value is not in the plainest form, or a node is
        listed twice.
        """
        try:
            numbers = [self.objects[node.name] for node in graph.nodes]
        except KeyError:
            numbers = [self._object(node.name, raw.place, "nodes") for node in graph.nodes]
        if len(set(numbers)) < len(numbers):
            return None
        owners = np.array(numbers, np.int64)
        pattern = self._pattern(raw, spans, owners)
        if kernels.read_boxes(pattern) != kernels.FOUND:
            return None
        self._take_graph(frame, graph.nodes, graph.edges, raw.place)
        self._see(frame, owners, pattern.boxes)
        return pattern

    def _pattern(
        self, raw: RawFrame, spans: Ints = _NO_SPANS, owners: Ints = _NO_OWNERS
    ) -> Pattern:
        body = np.frombuffer(raw.body, np.uint8).copy()
        boxes = np.zeros((owners.size, kernels.BOX_NUMBERS), np.int64)
        return Pattern(body, spans, owners, boxes, self._camera_key)

    def _take_graph(
        self, frame: int, nodes: Sequence[Node], edges: Sequence[Edge], place: Place
    ) -> None:
        self._has_graph = True
        changed = _changed_in_place(self._listed_nodes, nodes)
        if changed is None:
            changed = self._compared_nodes(frame, nodes, place)
        for node in changed:
            self._set_node(frame, node, place, "nodes")
        changed_edges = _changed_in_place(self._listed_edges, edges)
        if changed_edges is None:
            edges = _edges_once(edges, place, "edges")
            changed_edges = self._compared_edges(frame, edges, place)
        for edge in changed_edges:
            self._set_edge(frame, edge, place, "edges")
        self._listed_nodes, self._listed_edges = nodes, edges

    def _compared_nodes(self, frame: int, nodes: Sequence[Node], place: Place) -> list[Node]:
        """Drops the nodes that are gone; those that are new or differ are returned."""
        now = {node.name: node for node in nodes}
        for name in [name for name in self._nodes if name not in now]:
            self._drop_node(frame, name, place)
        return [node for name, node in now.items() if self._nodes.get(name) != node]

    def _compared_edges(self, frame: int, edges: Sequence[Edge], place: Place) -> list[Edge]:
        """The same of edges."""
        now = {edge.key: edge for edge in edges}
        for pair in [pair for pair in self._edges if pair not in now]:
            self._drop_edge(frame, pair, place)
        return [edge for pair, edge in now.items() if self._edges.get(pair) != edge]

    def _set_node(self, frame: int, node: Node, place: Place, label: str) -> None:
        name = node.name
        label = f"{label}[{name!r}]"
        before = self._nodes.get(name)
        self._object(name, place, label)
        check_text(node.category, place, f"{label}.category")
        parents = None
        if node.parent is not None:
            parents = [check_name(p, place, f"{label}.parent") for p in node.parent]
        kind = self.kinds.setdefault(name, Kind(node.category))
        if kind.category != node.category:
            raise place.error(
                f"was {kind.category!r} in an earlier frame and is {node.category!r} now. An "
                "object keeps its category: give a new object a new name.",
                f"{label}.category",
                OrderError,
            )
        kind.set(frame, parents)
        states = self._checked(node.states, place, label)
        if before is None:
            self._begin(frame, (EXISTS, name, None))
        held = set(before.states) if before is not None else set()
        for state in held - states:
            self._end(frame, (state, name, None), place)
        for state in states - held:
            self._begin(frame, (state, name, None))
        self._nodes[name] = Node(name, node.category, _once(node.states, states), node.parent)

    def _drop_node(self, frame: int, name: str, place: Place) -> None:
        for state in (EXISTS, *self._nodes.pop(name).states):
            self._end(frame, (state, name, None), place)
        self.kinds[name].forget(frame)
        owner = self.objects[name]
        if self.sight.since[owner] >= 0:
            self._see(frame, np.array([owner]), _UNSEEN[None])

    def _set_edge(self, frame: int, edge: Edge, place: Place, label: str) -> None:
        pair = edge.key
        label = f"{label}[{pair[0]!r} to {pair[1]!r}]"
        for name in pair:
            self._object(name, place, label)
        before = self._edges.get(pair)
        distinct = self._checked(edge.states, place, label)
        states = distinct or {RELATED}
        held = set(before.states or [RELATED]) if before is not None else set()
        for state in held - states:
            self._end(frame, (state, *pair), place)
        for state in states - held:
            self._begin(frame, (state, *pair))
        self._edges[pair] = Edge(*pair, _once(edge.states, distinct))

    def _drop_edge(self, frame: int, pair: tuple[str, str], place: Place) -> None:
        for state in self._edges.pop(pair).states or [RELATED]:
            self._end(frame, (state, *pair), place)

    def _begin(self, frame: int, fact: Fact) -> None:
        self._since[fact] = frame

    def _end(self, frame: int, fact: Fact, place: Place) -> None:
        since = self._since.pop(fact)
        if since < frame:  # else it came and went within one frame of differences
            self.facts.append((fact, since, frame))
            if len(self.facts) > MAX_FACTS:
                raise place.error(
                    f"more than {MAX_FACTS:,} facts have begun and ended: states change from frame "
                    "to frame. Write the recording without them, or in parts",
                    "",
                    OrderError,
                )

    def _checked(self, states: list[str], place: Place, label: str) -> set[str]:
        distinct = set(states)
        if not distinct <= self._states:
            for state in states:
                self._states.add(check_state(state, place, f"{label}.states"))
        return distinct

    def _object(self, name: str, place: Place, label: str) -> int:
        """Number of the object called ``name``, which is new or known."""
        number = self.objects.get(name)
        if number is None:
            number = self.objects[check_name(name, place, label)] = len(self.objects)
            if number == self.sight.since.size:
                boxes, since = self.sight
                self.sight = Sight(
                    np.concatenate([boxes, np.zeros_like(boxes)]),
                    np.concatenate([since, np.full_like(since, -1)]),
                )
        return number

    def _nodes_once(self, nodes: list[SeenNode], place: Place, label: str) -> list[SeenNode]:
        """``nodes`` with what is repeated left out. Errors: if two of a name differ."""
        if len({node.name for node in nodes}) == len(nodes):
            return nodes
        first: dict[str, tuple[SeenNode, object]] = {}
        for k, node in enumerate(nodes):
            box = decode_box(node.visibility, self.camera, place, f"{label}[{node.name!r}]")
            said = node.category, set(node.states), node.parent, box
            if first.setdefault(node.name, (node, said))[1] != said:
                raise _contradiction(node.name, k, place, label)
        return [node for node, _ in first.values()]

    def _look(self, frame: int, node: SeenNode, place: Place, label: str) -> None:
        box = decode_box(node.visibility, self.camera, place, f"{label}[{node.name!r}]")
        seen = np.array([box], np.int64) if box else _UNSEEN[None]
        self._see(frame, np.array([self.objects[node.name]]), seen)

    def _see(self, frame: int, owners: Ints, boxes: Ints) -> None:
        rows = np.empty((owners.size, kernels.ROW_NUMBERS), np.int64)
        n_rows = kernels.see_boxes(self.sight, owners, boxes, frame, rows)
        if n_rows:
            self.sight_rows.append(rows[:n_rows].astype(np.int32))


def _edges_once(edges: Sequence[Edge], place: Place, label: str) -> list[Edge]:
    """``edges`` with what is repeated left out. Errors: if two of a pair differ."""
    if len({edge.key for edge in edges}) == len(edges):
        return list(edges)
    first: dict[tuple[str, str], Edge] = {}
    for k, edge in enumerate(edges):
        if set(first.setdefault(edge.key, edge).states) != set(edge.states):
            raise _contradiction(edge.key, k, place, label)
    return list(first.values())


def _contradiction(repeated: object, k: int, place: Place, label: str) -> RecordingError:
    shown = f"{repeated!r:.300}"
    return place.error(
        f"{shown} is listed twice, and entry {k} says something else than the first. Keep the "
        "one that is right",
        label,
    )


def _once(states: list[str], distinct: set[str]) -> list[str]:
    return states if len(states) == len(distinct) else list(distinct)


def _changed_in_place(
    before: Sequence[_Record] | None, now: Sequence[_Record]
) -> list[_Record] | None:
    """Records that differ from those ``before``, if the lists are of the same things in order."""
    if before is None or len(before) != len(now):
        return None
    pairs = [(old, new) for old, new in zip(before, now, strict=True) if old != new]
    if any(old.key != new.key for old, new in pairs):
        return None
    return [new for _, new in pairs]
