"""Slow twin of the changes of profile ``release``: one pair of complete graphs, in plain Python.

Written from sections 6 to 11 of the definition, in their order and in their words. ``labels`` is
N of section 9: name -> text with its article, None where nothing is left.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Graph = dict[str, Any]
Labels = Callable[[str], str | None]

KNOWN = frozenset(
    """Burnt Cooked Folded Unfolded Frozen HeatSourceOrSink Heated OnFire InFOVofRobot Open
    ToggledOn AttachedTo Contains Covered Draped Filled Inside NextTo OnTop Overlaid Saturated
    Touching Under Grasping LeftGrasping RightGrasping""".split()  # noqa: SIM905 - stays comparable with the definition
)


class NamelessError(Exception):
    """The release would end its process."""


@dataclass(frozen=True)
class NodeEntry:
    operation: str
    name: str
    states: frozenset[str]
    category: str
    parent: list[str] | None


@dataclass(frozen=True)
class EdgeEntry:
    operation: str
    ends: tuple[str, str]
    states: frozenset[str]


@dataclass(frozen=True)
class Diff:
    nodes: list[NodeEntry]
    edges: list[EdgeEntry]


def is_visible(graph: Graph, name: str) -> bool:
    for node in graph["nodes"]:
        if node["name"] == name:
            box = node["visibility"].get("external_sensor1") if node["visibility"] else None
            return bool(box) and box[0] / (box[5] * box[6]) * 100 > 0.005
    return False


def state_diff(a: Graph, b: Graph) -> Diff:
    before = {node["name"]: node for node in a["nodes"]}
    after = {node["name"]: node for node in b["nodes"]}
    removed = [name for name in before if name not in after]
    nodes = []
    for name in removed:
        node = before[name]
        nodes.append(NodeEntry("remove", name, frozenset(), node["category"], node.get("parent")))
    for name, node in after.items():
        if name not in before:
            parent = parent_of_added(node, removed)
            nodes.append(NodeEntry("add", name, frozenset(), node["category"], parent))
            continue
        old, new = set(before[name]["states"]), set(node["states"])
        category = before[name]["category"]
        if new - old:
            parent = node.get("parent")
            nodes.append(NodeEntry("add", name, frozenset(new - old), category, parent))
        if old - new:
            parent = before[name].get("parent")
            nodes.append(NodeEntry("remove", name, frozenset(old - new), category, parent))
    links_before = {(e["from"], e["to"]): set(e["states"]) for e in a["edges"]}
    links_after = {(e["from"], e["to"]): set(e["states"]) for e in b["edges"]}
    edges = []
    for ends in {**links_before, **links_after}:
        old, new = links_before.get(ends, set()), links_after.get(ends, set())
        if new - old:
            edges.append(EdgeEntry("add", ends, frozenset(new - old)))
        if old - new:
            edges.append(EdgeEntry("remove", ends, frozenset(old - new)))
    return Diff(nodes, edges)


def parent_of_added(node: dict[str, Any], removed: list[str]) -> list[str]:
    name, parent = node["name"], node.get("parent")
    if parent is None:
        return []
    if node["category"] != "System":
        return parent
    if "cooked" in name.lower():
        return [name.replace("cooked__", "")]
    origin = parent[0]
    found = [r for r in removed if f"half_{origin}" in r] or [r for r in removed if origin in r]
    assert found, f"no removed object for {name}"
    return found


def visible_diff(a: Graph, b: Graph, *, is_full: bool) -> Diff:
    diff = state_diff(a, b)
    active = {n.name for n in diff.nodes} | {end for e in diff.edges for end in e.ends}
    seen_a = {name for name in active if is_visible(a, name)}
    seen_b = {name for name in active if is_visible(b, name)}
    whole = {n.name for n in diff.nodes if not n.states}
    vis = (seen_a | seen_b) if is_full else (seen_a & seen_b) | ((seen_a | seen_b) & whole)
    category: dict[str, str] = {}
    for node in (*a["nodes"], *b["nodes"]):
        category.setdefault(node["name"], node["category"])
    of_seen = [category[name] for name in seen_a | seen_b]
    multi = {c for c in of_seen if of_seen.count(c) > 1 and c != "System"}
    nodes = []
    for entry in diff.nodes:
        if entry.name not in vis:
            continue
        keeps = entry.category not in multi
        if not keeps and "half" in entry.name:
            keeps = entry.operation == "remove" or any(p in vis for p in entry.parent)
        if keeps:
            nodes.append(entry)
    edges = [
        e for e in diff.edges if all(end in vis and category[end] not in multi for end in e.ends)
    ]
    return Diff(nodes, edges)


def transitions(diff: Diff, labels: Labels) -> list[tuple[tuple[str, ...], str]]:
    """(sorted texts of what it came from, what it became) of each transition."""
    parents: dict[str, list[str] | None] = {}
    added = [n for n in diff.nodes if n.operation == "add" and not n.states]
    for entry in sorted(added, key=lambda n: n.name):
        parents[named(labels, entry.name)] = entry.parent
    gone = [n.name for n in diff.nodes if n.operation == "remove" and not n.states]
    found = []
    if not any(n.parent for n in added):
        return []
    removed = {named(labels, name) for name in gone}
    for text, names in parents.items():
        if not names:
            continue
        former = [named(labels, name) for name in names]
        both = sorted(set(former) & removed)
        if both:
            found.append((tuple(both), text))
        elif "cooked" in text:
            found.append(((text.replace("cooked ", ""),), "cooked"))
        elif len(former) == 1:
            found.append((tuple(former), text))
    return found


def signatures(diff: Diff, labels: Labels) -> set[str]:
    texts = set()
    for node in diff.nodes:
        for state in node.states & KNOWN:
            texts.add(f"node_{node.operation}_{named(labels, node.name)}_{state}")
    for edge in diff.edges:
        for state in edge.states & KNOWN:
            ends = "_".join(named(labels, end) for end in edge.ends)
            texts.add(f"edge_{edge.operation}_{ends}_{state}")
    for former, text in transitions(diff, labels):
        texts.add(f"node_transition_from_{'_'.join(former)}_to_{text}")
    return texts


def count_sentences(diff: Diff, labels: Labels) -> int:
    """Dots in the text: one per sentence, and those in names."""
    mentions = [(named(labels, node.name),) for node in diff.nodes for _ in node.states & KNOWN] + [
        tuple(named(labels, end) for end in edge.ends)
        for edge in diff.edges
        for _ in edge.states & KNOWN
    ]
    mentions += [(*former, text) for former, text in transitions(diff, labels)]
    return sum(1 + sum(name.count(".") for name in names) for names in mentions)


def count_draws(diff: Diff) -> tuple[int, int]:
    """Known states of what was added, and of what was removed."""
    n = {"add": 0, "remove": 0}
    for entry in (*diff.nodes, *diff.edges):
        n[entry.operation] += len(entry.states & KNOWN)
    return n["add"], n["remove"]


def named(labels: Labels, name: str) -> str:
    text = labels(name)
    if text is None:
        raise NamelessError(name)
    return text
