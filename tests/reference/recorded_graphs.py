"""Complete graphs of the official layout -> tables of key frames, one key frame per graph."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import polars as pl

from enact_assets.demonstrations.replay.parents import KEY_FRAME
from enact_assets.demonstrations.replay.tables import LaterParents, Objects
from enact_assets.questions.key_frames.release_vocabulary import release_label

from reference.builders import DEMONSTRATION, build_scene_graphs, build_visibility
from reference.conformance import task
from reference.recorded_tables import CAMERA, reconstruct
from reference.release_deltas import Labels

Graph = dict[str, Any]
Tables = tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]

# Three words that the list of the release lacks (definitions.md R9).
SHORTER = {"half gallon jug": "half jug", "hand towels": "hand", "beef cutlet": "beef"}


def key_frame_tables(graphs: Sequence[Graph], others: Iterable[Graph] = ()) -> Tables:
    """scene_graphs, visibility, objects; ``others`` are frames between, for their objects."""
    objects: dict[str, dict[str, Any]] = {}
    for graph in (*graphs, *others):
        for node in graph["nodes"]:
            objects.setdefault(node["name"], node)
    for graph in graphs:
        for edge in graph["edges"]:
            for end in (edge["from"], edge["to"]):
                objects.setdefault(end, {"category": "", "parent": None})
    rows = [
        {
            "demonstration": DEMONSTRATION,
            "object_name": name,
            "category": node["category"],
            "parents": node.get("parent"),
            "is_particle_system": node["category"] == "System",
        }
        for name, node in objects.items()
    ]
    return (
        build_scene_graphs([facts_of(graph) for graph in graphs]),
        build_visibility([fractions_of(graph) for graph in graphs]),
        Objects.build(rows),
    )


def later_parents_of(graphs: Sequence[Graph]) -> pl.DataFrame:
    """Parents that are not those of the key frame before at which the object was last there."""
    now: dict[str, list[str] | None] = {}
    rows = []
    for k, graph in enumerate(graphs):
        for node in graph["nodes"]:
            name, parents = node["name"], node.get("parent")
            if now.setdefault(name, parents) != parents:
                rows.append((DEMONSTRATION, name, 100 * k, parents, k))
            now[name] = parents
    schema = {**LaterParents.schema(), KEY_FRAME: pl.Int64()}
    return pl.DataFrame(rows, schema=schema, orient="row")


def facts_of(graph: Graph) -> set[tuple[str, str, str | None]]:
    facts: set[tuple[str, str, str | None]] = set()
    for node in graph["nodes"]:
        facts.add(("Exists", node["name"], None))
        facts |= {(state, node["name"], None) for state in node["states"]}
    for edge in graph["edges"]:
        facts |= {(state, edge["from"], edge["to"]) for state in edge["states"] or ["Related"]}
    return facts


def fractions_of(graph: Graph) -> dict[str, float]:
    boxes = {n["name"]: n["visibility"].get(CAMERA) for n in graph["nodes"]}
    return {name: box[0] / (box[5] * box[6]) for name, box in boxes.items() if box}


def labels_of(objects: pl.DataFrame) -> Labels:
    """N of the release, by its own words where it lacks one of ours."""
    category = dict(objects.select("object_name", "category").iter_rows())

    def labels(name: str) -> str | None:
        kind = category.get(name, name if name in category.values() else "")
        text = release_label(name, kind)
        return None if text is None else f"the {SHORTER.get(text, text)}"

    return labels


def in_release_words(signature: str) -> str:
    for ours, theirs in SHORTER.items():
        signature = signature.replace(f"the {ours}", f"the {theirs}")
    return signature


@cache
def task_key_frames(name: str) -> tuple[list[Graph], Tables]:
    """Unfiltered graphs at the key frames of a task (definitions.md R5), and their tables."""
    frames, expected = task(name)
    wanted = set(expected["segmentation"]["key_frame_ids"])
    graphs, others = [], []
    before = None
    for number, graph in reconstruct(frames):
        if number in wanted:
            graphs.append(graph)
        elif graph is not before:
            others.append(graph)
        before = graph
    return graphs, key_frame_tables(graphs, others)
