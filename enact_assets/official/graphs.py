"""Scene graphs of key frames in the release's JSON form, and the differences between them."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from enact_assets.contracts.predicates import EXISTS, RELATED
from enact_assets.data_root.recordings import CAMERA
from enact_assets.replay.parents import Parents, parents_over_time

Graph = dict[str, list[dict[str, Any]]]


def graphs_of(
    segmented_frames: pl.DataFrame,
    scene_graphs: pl.DataFrame,
    visibility: pl.DataFrame,
    objects: pl.DataFrame,
    picture_px: Mapping[int, tuple[int, int]],
    *,
    later_parents: pl.DataFrame | None = None,
) -> list[Graph]:
    """The scene graph of each key frame: nodes and edges sorted by name, states sorted.

    ``picture_px`` is (height, width) of a key frame's picture. Source: definitions.md R2.
    """
    category = dict(objects.select("object_name", "category").iter_rows())
    parents = parents_over_time(objects, later_parents)
    facts = scene_graphs.partition_by("key_frame", as_dict=True)
    seen = visibility.partition_by("key_frame", as_dict=True)
    return [
        _graph(
            facts.get((k,), scene_graphs.clear()),
            seen.get((k,), visibility.clear()),
            {name: (category[name], _latest(of, frame)) for name, of in parents.items()},
            picture_px.get(k, (0, 0)),
        )
        for k, frame in segmented_frames.sort("key_frame").select("key_frame", "frame").iter_rows()
    ]


def _latest(of: Sequence[tuple[int, Parents]], frame: int) -> Parents:
    """The parents that an object has at ``frame``."""
    return next(parents for start, parents in reversed(of) if start <= frame)


def as_official(frame_ids: list[int], graphs: list[Graph]) -> dict[str, Any]:
    """Frame id -> record: the first graph in full, each further one as a diff to the one before."""
    records: dict[str, Any] = {}
    before: Graph | None = None
    for frame_id, graph in zip(frame_ids, graphs, strict=True):
        if before is None:
            records[str(frame_id)] = {**graph, "type": "full"}
        else:
            records[str(frame_id)] = {"type": "diff", **difference(before, graph)}
        before = graph
    return records


def difference(before: Graph, after: Graph) -> dict[str, Graph]:
    """What to add, remove and update to get from one graph to the next (definitions.md R2).

    An object is also updated if only what is seen of it changed, which the public release leaves
    out, so that the graphs can be read back. The release reads nothing of them but their ids.
    """
    parts: dict[str, Graph] = {
        name: {"nodes": [], "edges": []} for name in ("add", "remove", "update")
    }
    for what, key in (("nodes", ("name",)), ("edges", ("from", "to"))):
        old = {tuple(record[k] for k in key): record for record in before[what]}
        new = {tuple(record[k] for k in key): record for record in after[what]}
        parts["add"][what] = [record for name, record in new.items() if name not in old]
        parts["remove"][what] = [record for name, record in old.items() if name not in new]
        parts["update"][what] = [
            record for name, record in new.items() if name in old and old[name] != record
        ]
    return parts


def _graph(
    facts: pl.DataFrame,
    seen: pl.DataFrame,
    about: Mapping[str, tuple[str, Parents]],
    picture_px: tuple[int, int],
) -> Graph:
    boxes = {
        row["object_name"]: [
            row["pixels"],
            row["x_min_px"],
            row["y_min_px"],
            row["x_max_px"],
            row["y_max_px"],
            *picture_px,
        ]
        for row in seen.iter_rows(named=True)
    }
    nodes: dict[str, list[str]] = {}
    edges: dict[tuple[str, str], list[str]] = {}
    for predicate, subject, other in facts.select("predicate", "subject", "object").iter_rows():
        if predicate == EXISTS:
            nodes.setdefault(subject, [])
        elif other is None:
            nodes.setdefault(subject, []).append(predicate)
        else:
            states = edges.setdefault((subject, other), [])
            if predicate != RELATED:
                states.append(predicate)
    return {
        "nodes": [
            {
                "name": name,
                "category": about[name][0],
                "states": sorted(states),
                "visibility": {CAMERA: boxes[name]} if name in boxes else {},
                **({} if about[name][1] is None else {"parent": about[name][1]}),
            }
            for name, states in sorted(nodes.items())
        ],
        "edges": [
            {"from": subject, "to": other, "states": sorted(states)}
            for (subject, other), states in sorted(edges.items())
        ],
    }
