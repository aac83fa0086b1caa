"""Slow twin of profile ``release``: lists of records per frame, one frame after the other.

Written from definitions.md R3 and R4, in their order and in their words.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

Feature = tuple[str, ...]
"""(object, state) or (from, to, state)."""


@dataclass
class Node:
    name: str
    category: str
    states: set[str]


@dataclass
class Edge:
    ends: tuple[str, str]
    states: set[str]


@dataclass
class Graph:
    nodes: list[Node]
    edges: list[Edge]


@dataclass
class KeyFrames:
    """All frames by position."""

    key_frames: list[int]
    candidates: list[int]
    armed_by: list[int | None]
    """The candidate each key frame was saved for."""
    is_last_pending: bool
    similarities: dict[int, float] = field(default_factory=dict)
    n_similar: int = 0
    """Frames far enough from the last key frame, and too similar to it."""
    n_near: int = 0
    """Frames that were dissimilar, and not far enough."""


def graph_of(frame: dict[str, Any]) -> Graph:
    """From a full frame record of the official layout."""
    nodes = [Node(n["name"], n["category"], set(n["states"])) for n in frame["nodes"]]
    edges = [Edge((e["from"], e["to"]), set(e["states"])) for e in frame["edges"]]
    return Graph(nodes, edges)


def copy_of(graph: Graph) -> Graph:
    nodes = [Node(n.name, n.category, set(n.states)) for n in graph.nodes]
    return Graph(nodes, [Edge(e.ends, set(e.states)) for e in graph.edges])


def transient_filter(frames: Sequence[Graph]) -> list[Graph]:
    graphs = [copy_of(graph) for graph in frames]
    last = len(graphs) - 1
    for base in range(0, len(graphs), 5):
        for width in range(2, 10):
            if base + width <= last:
                middle = graphs[base + 1 : base + width]
                _window_nodes(graphs[base], graphs[base + width], middle)
                _window_edges(graphs[base], graphs[base + width], middle)
    return graphs


def _window_nodes(base: Graph, end: Graph, middle: list[Graph]) -> None:
    at_base = {node.name: node.states for node in base.nodes}
    at_end = {node.name: node.states for node in end.nodes}
    for name in dict.fromkeys(n.name for graph in [base, end, *middle] for n in graph.nodes):
        if name not in at_base and name not in at_end:
            for graph in middle:
                graph.nodes = [node for node in graph.nodes if node.name != name]
            continue
        b, e = at_base.get(name, set()), at_end.get(name, set())
        stable, allowed = b & e, b | e
        for graph in middle:
            records = [node for node in graph.nodes if node.name == name]
            if records:
                records[0].states = (records[0].states | stable) & allowed
            elif stable:
                for every in middle:
                    every.nodes.append(Node(name, base.nodes[0].category, set(stable)))


def _window_edges(base: Graph, end: Graph, middle: list[Graph]) -> None:
    at_base = {edge.ends: edge.states for edge in base.edges}
    at_end = {edge.ends: edge.states for edge in end.edges}
    for ends in dict.fromkeys(e.ends for graph in [base, end, *middle] for e in graph.edges):
        if ends not in at_base and ends not in at_end:
            for graph in middle:
                graph.edges = [edge for edge in graph.edges if edge.ends != ends]
            continue
        b, e = at_base.get(ends, set()), at_end.get(ends, set())
        stable, allowed = b & e, b | e
        for graph in middle:
            records = [edge for edge in graph.edges if edge.ends == ends]
            if records:
                records[-1].states = (records[-1].states | stable) & allowed
            elif stable:
                graph.edges.append(Edge(ends, set(stable)))


def features(graph: Graph) -> Counter[Feature]:
    counts: Counter[Feature] = Counter()
    for node in graph.nodes:
        counts.update((node.name, state) for state in node.states)
    for edge in graph.edges:
        counts.update((*edge.ends, state) for state in edge.states)
    return counts


def similarity(p: Counter[Feature], c: Counter[Feature]) -> float:
    dot = sum(p[feature] * c[feature] for feature in p)
    product = sqrt(sum(n * n for n in p.values())) * sqrt(sum(n * n for n in c.values()))
    return dot / product if product else 1.0


def last_records(graph: Graph) -> dict[Feature, set[str]]:
    nodes: dict[Feature, set[str]] = {(node.name,): node.states for node in graph.nodes}
    return nodes | {edge.ends: edge.states for edge in graph.edges}


def find_key_frames(
    ids: Sequence[int],
    graphs: Sequence[Graph],
    *,
    max_similarity: float | None = 0.98,
    min_gap: int = 200,
    settle: int = 10,
) -> KeyFrames:
    """Key frames of *filtered* ``graphs``. Raises what the release raises.

    Without ``max_similarity`` every frame counts as dissimilar that differs at all.
    """
    saved = list(range(len(ids)))[10:][49]  # IndexError below 60 frames
    found = KeyFrames([saved], [], [None], is_last_pending=False)
    candidate: int | None = None
    p = features(graphs[saved])
    for c in range(61, len(ids) - 1):
        similar = similarity(p, features(graphs[c]))
        found.similarities[c] = similar
        is_other = last_records(graphs[saved]) != last_records(graphs[c])
        is_dissimilar = is_other if max_similarity is None else similar < max_similarity
        is_far = ids[c] - ids[saved] > min_gap
        found.n_similar += is_far and not is_dissimilar
        found.n_near += is_dissimilar and not is_far
        if not (is_dissimilar and is_far):
            continue
        # As sets: in the release the order inside a record, which depends on hashes, counts too.
        if not is_other:
            raise AssertionError(c)
        if candidate is None:
            candidate = c
            found.candidates.append(c)
        elif ids[c] >= ids[candidate] + settle:
            found.key_frames.append(c)
            found.armed_by.append(candidate)
            saved, p, candidate = c, features(graphs[c]), None
    if candidate is not None:
        found.key_frames.append(candidate)
        found.armed_by.append(candidate)
        found.is_last_pending = True
    return found


def fact_lists(graph: Graph) -> tuple[list[list[str]], list[list[str]], list[str]]:
    """Sorted node states, edge states and nodes, with repetitions."""
    nodes = sorted([node.name, state] for node in graph.nodes for state in node.states)
    edges = sorted([*edge.ends, state] for edge in graph.edges for state in edge.states)
    return nodes, edges, sorted(node.name for node in graph.nodes)


def digest(node_states: list[list[str]], edge_states: list[list[str]]) -> str:
    """Eight hex digits over sorted ``[object, state]`` and ``[from, to, state]``."""
    lines = ["\t".join(("N", *row)) for row in node_states]
    lines += ["\t".join(("E", *row)) for row in edge_states]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:8]
