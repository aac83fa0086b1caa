"""Slow twin of the ingest: the official layout as dictionaries -> replay tables, frame by frame."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import polars as pl
from polars.testing import assert_frame_equal

from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.demonstrations.replay.tables import (
    Facts,
    LaterParents,
    Objects,
    Observability,
)

from reference.builders import build_recorded
from reference.conformance import task

Frame = dict[str, Any]
Fact = tuple[str, str, str | None]

CAMERA = "external_sensor1"
NOTHING: Frame = {"nodes": [], "edges": []}
BOX = ("pixels", "x_min_px", "y_min_px", "x_max_px", "y_max_px", "height_px", "width_px")


def assert_same(found: Any, expected: Any) -> None:
    """The same rows of replay tables, and the same ids of frames."""
    for name in ("facts", "objects", "observability", "later_parents"):
        assert_frame_equal(getattr(found, name), getattr(expected, name))
    runs, others = (t.demonstrations["frame_id_runs"].item().to_list() for t in (found, expected))
    assert runs == others


def spelled_out(frame: Frame) -> Frame:
    """``frame`` with everything in it that other writers leave out, and once what they repeat."""
    if frame["type"] == "full":
        return {**_records(frame), "type": "full"}
    if frame["type"] == "diff":
        parts = {part: frame.get(part, NOTHING) for part in ("add", "remove", "update")}
        return {"type": "diff", **{part: _records(parts[part], part) for part in parts}}
    return frame


def _records(part: Frame, name: str = "full") -> Frame:
    nodes: dict[str, Frame] = {}
    edges: dict[tuple[str, str], Frame] = {}
    for node in part["nodes"]:
        said = {"name": node["name"]} if name == "remove" else _node(node)
        assert _alike(nodes.setdefault(node["name"], said), said), "contradicts itself"
    for edge in part["edges"]:
        said = {"from": edge["from"], "to": edge["to"]}
        if name != "remove":
            said["states"] = list(dict.fromkeys(edge.get("states", [])))
        assert _alike(edges.setdefault((edge["from"], edge["to"]), said), said), "contradicts"
    return {"nodes": list(nodes.values()), "edges": list(edges.values())}


def _node(node: Frame) -> Frame:
    visibility = node.get("visibility")
    box = None if visibility is None else visibility.get(CAMERA)
    # In a record that changes nothing nobody looks at it, so it may be anything.
    if isinstance(box, list):
        box = [int(n) if isinstance(n, float) and n.is_integer() else n for n in box]
    return {
        "name": node["name"],
        "category": node["category"],
        "states": list(dict.fromkeys(node.get("states", []))),
        "visibility": {CAMERA: box} if box else {},
        "parent": node.get("parent"),
    }


def _alike(a: Frame, b: Frame) -> bool:
    return {**a, "states": set(a.get("states", []))} == {**b, "states": set(b.get("states", []))}


def reconstruct(frames: Mapping[str, Frame]) -> Iterator[tuple[int, Frame]]:
    """Complete graphs in ascending order of ids (definitions.md R2).

    The caller must not change them. A frame in which nothing changed is the object yielded before.
    """
    current: Frame | None = None
    for number in sorted(map(int, frames)):
        frame = frames[str(number)]
        if frame["type"] == "full":
            current = frame
        elif current is None:
            raise ValueError(f"frame {number}: no full frame before")
        elif frame["type"] == "diff":
            current = _apply(deepcopy(current), frame)
        yield number, current


def _apply(graph: Frame, diff: Frame) -> Frame:
    nodes, edges = graph["nodes"], graph["edges"]
    names = {node["name"] for node in nodes}
    pairs = {(edge["from"], edge["to"]) for edge in edges}
    nodes += [node for node in diff["add"]["nodes"] if node["name"] not in names]
    edges += [edge for edge in diff["add"]["edges"] if (edge["from"], edge["to"]) not in pairs]
    gone = {node["name"] for node in diff["remove"]["nodes"]}
    cut = {(edge["from"], edge["to"]) for edge in diff["remove"]["edges"]}
    nodes[:] = [node for node in nodes if node["name"] not in gone]
    edges[:] = [edge for edge in edges if (edge["from"], edge["to"]) not in cut]
    for update in diff["update"]["nodes"]:
        for k, node in enumerate(nodes):
            if node["name"] == update["name"]:
                nodes[k] = update
                break
    for update in diff["update"]["edges"]:
        for k, edge in enumerate(edges):
            if (edge["from"], edge["to"]) == (update["from"], update["to"]):
                edges[k] = update
                break
    return graph


@dataclass
class _Open:
    """What holds now and since when; what ended."""

    now: dict[Any, tuple[int, Any]] = field(default_factory=dict)
    ended: list[tuple[Any, int, int, Any]] = field(default_factory=list)

    def update(self, frame: int, values: dict[Any, Any]) -> None:
        for key, (start, value) in list(self.now.items()):
            if key not in values or values[key] != value:
                self.ended.append((key, start, frame, value))
                del self.now[key]
        for key, value in values.items():
            self.now.setdefault(key, (frame, value))


def tables_from_frames(name: str, frames: Mapping[str, Frame]) -> ReplayTables:
    """Replay tables of the recording ``frames`` (id -> frame record), called ``name``."""
    frames = {key: spelled_out(frame) for key, frame in frames.items()}
    ids: list[int] = []
    facts, seen = _Open(), _Open()
    objects: dict[str, tuple[str, list[str] | None]] = {}
    now: dict[str, list[str] | None] = {}
    later: list[tuple[str, str, int, list[str] | None]] = []
    before: Frame | None = None
    for position, (number, frame) in enumerate(reconstruct(frames)):
        ids.append(number)
        if frame is before or (before is not None and frame == before):
            continue
        before = frame
        facts.update(position, dict.fromkeys(_facts_of(frame)))
        boxes = {n["name"]: n["visibility"].get(CAMERA) for n in frame["nodes"]}
        seen.update(position, {key: box for key, box in boxes.items() if box})
        for node in frame["nodes"]:
            key, parents = node["name"], node.get("parent")
            category, first = objects.setdefault(key, (node["category"], parents))
            assert category == node["category"], (number, node)
            if now.setdefault(key, first) != parents:
                later.append((name, key, position, parents))
            now[key] = parents
    facts.update(len(ids), {})
    seen.update(len(ids), {})
    for (_, subject, other), *_ in facts.ended:
        for end in (subject, other):
            if end is not None:
                objects.setdefault(end, ("", None))
    return ReplayTables(
        build_recorded(name, ids),
        Facts.check(
            pl.DataFrame(
                [(name, *fact, start, stop) for fact, start, stop, _ in facts.ended],
                schema=Facts.schema(),
                orient="row",
            )
        ),
        Objects.build(
            [
                {
                    "demonstration": name,
                    "object_name": key,
                    "category": category,
                    "parents": parents,
                    "is_particle_system": category == "System",
                }
                for key, (category, parents) in objects.items()
            ]
        ),
        Observability.build(
            [
                {
                    "demonstration": name,
                    "camera": CAMERA,
                    "object_name": key,
                    "frame_from": start,
                    "frame_to": stop,
                    **dict(zip(BOX, box, strict=True)),
                }
                for key, start, stop, box in seen.ended
            ]
        ),
        later_parents=LaterParents.check(
            pl.DataFrame(later, schema=LaterParents.schema(), orient="row")
        ),
    )


def _facts_of(frame: Frame) -> Iterator[Fact]:
    """A record without states still is a record: ``Exists`` of nodes, ``Related`` of edges."""
    names = [node["name"] for node in frame["nodes"]]
    pairs = [(edge["from"], edge["to"]) for edge in frame["edges"]]
    assert len(set(names)) == len(names), "repeated nodes have no place in tables"
    assert len(set(pairs)) == len(pairs), "repeated edges have no place in tables"
    for node in frame["nodes"]:
        yield "Exists", node["name"], None
        for state in node["states"]:
            yield state, node["name"], None
    for edge in frame["edges"]:
        for state in edge["states"] or ["Related"]:
            yield state, edge["from"], edge["to"]


@cache
def task_tables(name: str) -> ReplayTables:
    """The tables of one of the two recorded tasks."""
    return tables_from_frames(name, task(name)[0])
