"""Changes that pictures and sentences do not tell apart: what may mislead in each step."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from enact_assets.questions.key_frames.component_index import ComponentIndex
from enact_assets.questions.key_frames.landed import SegmentedTables
from enact_assets.questions.paths.tables import AmbiguousChanges
from enact_assets.questions.paths.transition_graph import (
    build_transition_graph,
    measure_edited_objects,
)
from enact_assets.settings.ambiguities import (
    CLOTH,
    HAND_HIDES_SHARE,
    HAND_NEAR,
    HAND_NEAR_FRAMES,
    HIDDEN_SHARE,
    SMALL_FRACTION,
    UNTOLD,
)
from enact_assets.settings.classes import Gating
from enact_assets.settings.components import Component
from enact_assets.settings.predicates import EXISTS, label
from enact_assets.settings.rules import must_name_all

GRASPS = ("LeftGrasping", "RightGrasping")
Fact = tuple[str, str, str | None]
"""Predicate, and names of its objects."""
Found = tuple[str, str]
"""Ambiguity, and the label of what it is about."""
EDGE = ("key_frame_from", "key_frame_to")


@dataclass(frozen=True)
class KeyFrames:
    """What holds and what shows at each key frame of one demonstration and gating."""

    facts: tuple[frozenset[Fact], ...]
    pixels: tuple[dict[str, int], ...]
    """Name -> size of its mask, of visible things."""
    near: tuple[frozenset[str], ...]
    """Names of things that a hand has just let go of, or is about to take."""
    category: dict[str, str]
    picture_px: float

    @classmethod
    def of(
        cls,
        segmented_frames: pl.DataFrame,
        scene_graphs: pl.DataFrame,
        visibility: pl.DataFrame,
        objects: pl.DataFrame,
        min_visible_fraction: float,
    ) -> "KeyFrames":
        """From the tables of these names, all of one demonstration and gating."""
        n = segmented_frames.height
        facts: list[set[Fact]] = [set() for _ in range(n)]
        rows = scene_graphs.filter(pl.col("predicate") != EXISTS)
        for k, *fact in rows.select("key_frame", "predicate", "subject", "object").iter_rows():
            facts[k].add((fact[0], fact[1], fact[2]))
        pixels: list[dict[str, int]] = [{} for _ in range(n)]
        shown = visibility.filter(pl.col("fraction") > min_visible_fraction)
        for k, name, px in shown.select("key_frame", "object_name", "pixels").iter_rows():
            pixels[k][name] = px
        whole = shown.select((pl.col("pixels") / pl.col("fraction")).max()).item()
        return cls(
            tuple(map(frozenset, facts)),
            tuple(pixels),
            _near_hands(segmented_frames),
            dict(objects.select("object_name", "category").iter_rows()),
            whole or 0.0,
        )

    def hidden_share(self, k: int, name: str) -> float:
        """How much less of a thing shows at a key frame than just before or after it, where that
        is at the same place.
        """

        def place(at: int) -> set[Fact]:
            return {f for f in self.facts[at] if name in f[1:] and f[0] not in GRASPS}

        near = (at for at in (k - 1, k + 1) if 0 <= at < len(self.facts))
        most = max(
            (self.pixels[at].get(name, 0) for at in near if place(at) == place(k)), default=0
        )
        return max(1.0 - self.pixels[k].get(name, 0) / most, 0.0) if most else 0.0

    def label(self, name: str) -> str:
        """What sentences call ``name``."""
        return label(self.category[name] or name)

    def text(self, fact: Fact, *, begins: bool) -> str:
        """The component of a fact that begins or ends."""
        predicate, subject, other = fact
        second = None if other is None else self.label(other)
        return str(Component("add" if begins else "remove", predicate, self.label(subject), second))


def _near_hands(segmented_frames: pl.DataFrame) -> tuple[frozenset[str], ...]:
    """Per key frame: what was let go of, or will be taken, within :data:`HAND_NEAR_FRAMES`.

    Nothing where a file named the key frames: it does not say when the change was.
    """
    rows = segmented_frames.sort("key_frame").select("frame", "change_frame", "changes").rows()
    near: list[set[str]] = [set() for _ in rows]
    for k, (frame, change_frame, changes) in enumerate(rows):
        if change_frame is None:
            continue
        for component in map(Component.parse, changes):
            if component.predicate not in GRASPS or component.object is None:
                continue
            if component.operation == "remove" and frame - change_frame <= HAND_NEAR_FRAMES:
                near[k].add(component.object)
            before = rows[k - 1][0]
            if component.operation == "add" and change_frame - before <= HAND_NEAR_FRAMES:
                near[k - 1].add(component.object)
    return tuple(map(frozenset, near))


def find_ambiguous_changes(
    transition_graph: pl.DataFrame, edited_objects: pl.DataFrame, key_frames: KeyFrames
) -> pl.DataFrame:
    """What may mislead in each edge of ``transition_graph`` -> ambiguous_changes.

    Without ``edited_objects`` there are no rows: profile ``release`` has sentences of its own.
    """
    if edited_objects.is_empty():
        return AmbiguousChanges.empty()
    edited: dict[tuple[int, int], dict[str, int]] = {}
    for a, b, name, px in edited_objects.select(*EDGE, "object_name", "pixels").iter_rows():
        edited.setdefault((a, b), {})[name] = px
    columns = ("demonstration", "gating", *EDGE)
    rows = []
    for *edge, changes in transition_graph.select(*columns, "changes").iter_rows():
        a, b = edge[2], edge[3]
        hides: dict[str, float] = {}
        for name in key_frames.near[b] & key_frames.pixels[b].keys():
            label, share = key_frames.label(name), key_frames.hidden_share(b, name)
            if share >= HAND_HIDES_SHARE:
                hides[label] = max(share, hides.get(label, 0.0))
        found: dict[Found, float | None] = dict.fromkeys(
            _of_edge(key_frames, a, b, changes, edited.get((a, b), {}))
        )
        found |= {(HAND_NEAR, label): share for label, share in hides.items()}
        rows += [(*edge, *what, share) for what, share in sorted(found.items())]
    schema = (*columns, "ambiguity", "object", "share")
    return AmbiguousChanges.build([dict(zip(schema, row, strict=True)) for row in rows])


class Edges(NamedTuple):
    """Tables of one demonstration and gating."""

    transition_graph: pl.DataFrame
    edited_objects: pl.DataFrame
    ambiguous_changes: pl.DataFrame


def find_edges(  # noqa: PLR0917 - tables of one demonstration, and the settings
    segmented: SegmentedTables,
    visibility: pl.DataFrame,
    objects: pl.DataFrame,
    index: ComponentIndex,
    gating: Gating,
    source: str,
) -> Edges:
    """Edges between key frames, with the objects that they name and what may mislead in them. If
    the gating wants it, those of embedded demonstrations name every change that shows.
    """
    frames = segmented.segmented_frames
    graph = build_transition_graph(frames, index)
    edited = measure_edited_objects(graph, visibility, index)
    tables = frames, segmented.scene_graphs, visibility, objects
    key_frames = KeyFrames.of(*tables, gating.profile_of(source).min_visible_fraction)
    found = Edges(graph, edited, find_ambiguous_changes(graph, edited, key_frames))
    if not must_name_all(gating, source):
        return found
    untold = found.ambiguous_changes.filter(pl.col("ambiguity") == UNTOLD)
    return Edges(*(rows.join(untold, on=EDGE, how="anti") for rows in found))


def _of_edge(
    of: KeyFrames, a: int, b: int, changes: Iterable[str], edited: dict[str, int]
) -> Iterator[Found]:
    named = frozenset(changes)
    begun, ended = of.facts[b] - of.facts[a], of.facts[a] - of.facts[b]
    yield from _of_names(of, named, begun, begins=True, others=of.facts[a])
    yield from _of_names(of, named, ended, begins=False, others=of.facts[b])
    seen = of.pixels[a].keys() | of.pixels[b].keys()
    for facts, begins in ((begun, True), (ended, False)):
        for fact in facts:
            if of.text(fact, begins=begins) not in named:
                hidden = [name for name in fact[1:] if name is not None and name not in seen]
                about = hidden[0] if hidden else fact[2] if fact[0] in GRASPS else fact[1]
                yield "unseen" if hidden else UNTOLD, of.label(about or fact[1])
    for facts, k in ((begun, b), (ended, a)):
        for fact in facts:
            if fact[0] == "Contains":
                yield from _hidden(of, k, fact)
    is_small = SMALL_FRACTION * of.picture_px
    for name, px in edited.items():
        if px < is_small:
            yield "small", of.label(name)
        if of.category[name] in CLOTH:
            others = {of.category[other] for other in seen} & CLOTH - {of.category[name]}
            if others:
                yield "cloth", of.label(name)


def _of_names(
    of: KeyFrames,
    named: frozenset[str],
    facts: frozenset[Fact],
    *,
    begins: bool,
    others: frozenset[Fact],
) -> Iterator[Found]:
    """Named facts of several things of one name, and those that hold of another one as well:
    ``others`` are the facts of the other picture.
    """
    by_text: dict[str, list[Fact]] = {}
    for fact in facts:
        by_text.setdefault(of.text(fact, begins=begins), []).append(fact)
    also = {of.text(fact, begins=begins) for fact in others}
    for text in named & by_text.keys():
        several = by_text[text]
        for place in (1, 2):
            if len({fact[place] for fact in several}) > 1:
                yield "two_of_a_name", of.label(several[0][place] or "")
        if text in also:
            predicate, subject, other = several[0]
            yield "another_has_it", of.label((other or "") if predicate in GRASPS else subject)


def _hidden(of: KeyFrames, k: int, fact: Fact) -> Iterator[Found]:
    _, vessel, content = fact
    shown = of.pixels[k].get(content or "", 0)
    if shown < HIDDEN_SHARE * of.pixels[k].get(vessel, 0):
        yield "hidden_content", of.label(content or vessel)
