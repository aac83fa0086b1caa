"""Segmented frames: the moments of a demonstration at which its scene graph lastingly changes.

Source: definitions.md 2 (paper A.2.1), profile ``paper``. Choices the definition leaves open:

- Existence is a record of the simulator, not a measurement: short existences are kept, so that no
  object of a chain of transitions is lost. Gaps in it shorter than ``flicker_frames`` are filled,
  because the facts around such a gap are filled too and may not outlive their objects.
- A change whose persistence window reaches past the end of the replay cannot be seen to persist
  and is no candidate. Neither is one whose picture would be taken past the end.
- An object that appears or disappears outside a transition changes no component by itself.
- An object may have other parents later on: those count that it has at the frame at which it
  appears, in ``changes`` at the first key frame that it is in.
- ``changes`` is the difference between the recorded frames, so that it agrees with
  ``scene_graphs``. It holds the signature found at ``change_frame`` and whatever else changed
  until the frame was recorded. ``similarity`` compares the signatures at the change frames.

With pictures taken within the persistence window (as in ``paper``) the similarity is always 0: what
was added holds at the recorded frame and cannot be added again, and the same for what was removed.
The threshold only acts if ``settle_frames`` is at least ``persistence_frames``, or if states are
compared (``similarity_of``), as the public release does: then a candidate's facts are compared with
those of the last key frame.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.questions.key_frames.given_key_frames import given, is_given
from enact_assets.questions.key_frames.landed import (
    KeyFrames,
    SegmentedTables,
    land,
    only_demonstration,
)
from enact_assets.questions.key_frames.segment_kernels import (
    KeyFrameSearch,
    SearchRules,
    Switches,
    find_key_frames,
    is_link_at,
    smooth,
    states_at,
)
from enact_assets.questions.key_frames.switches import FactSwitches, find_switches
from enact_assets.settings.arrays import Ints
from enact_assets.settings.components import Component, component_texts
from enact_assets.settings.profile import STATES
from enact_assets.settings.registry import Gating

__all__ = ["SegmentedTables", "segment"]


@dataclass(frozen=True)
class TracedSearch:
    """All that segmentation finds on the way: facts as recorded, smoothed, and the key frames."""

    facts: FactSwitches
    smoothed: Switches
    search: KeyFrameSearch


def segment(
    demonstrations: pl.DataFrame,
    facts: pl.DataFrame,
    objects: pl.DataFrame,
    gating: Gating,
    later_parents: pl.DataFrame | None = None,
) -> SegmentedTables:
    """Key frames of one demonstration and the scene graph at each of them, by the paper's rules.

    ``demonstrations`` has one row; the replay is expected to pass ``check_replay``. Without
    ``later_parents`` no object has other parents later on. A replay of at
    most ``settle_frames`` frames has no key frame and gives empty tables. Profile ``release`` has
    :func:`~enact_assets.questions.key_frames.release.segment_release` instead (``profiles.SEGMENT``
    chooses). Where all frames are key frames, :func:`given` has them.

    Errors: :class:`ReplayError` if not exactly one demonstration is given or a table is of another
    one; :class:`IntervalError` if the intervals of a fact overlap.
    """
    _, n_frames = only_demonstration(
        demonstrations, facts=facts, objects=objects, later_parents=later_parents
    )
    if is_given(demonstrations):
        return given(demonstrations, facts, objects, gating, later_parents)
    traced = trace_segmentation(facts, objects, gating, n_frames, later_parents)
    found, search = traced.facts, traced.search
    states = states_at(traced.smoothed, search.frames)
    key_frame, fact = np.nonzero(states)
    return land(
        demonstrations,
        gating,
        KeyFrames(search.frames, search.change_frames, search.similarities),
        _changes(found, states, search.frames),
        found.facts[fact].with_columns(key_frame=pl.Series(key_frame)),
    )


def trace_segmentation(
    facts: pl.DataFrame,
    objects: pl.DataFrame,
    gating: Gating,
    n_frames: int,
    later_parents: pl.DataFrame | None = None,
) -> TracedSearch:
    """The key frames of one demonstration of ``n_frames``, with all that was found on the way.

    Errors: :class:`IntervalError` if the intervals of a fact overlap.
    """
    found = find_switches(facts, objects, gating.predicates, n_frames, later_parents)
    profile = gating.profile
    switches = smooth(found.switches, found.is_existence, n_frames, profile.flicker_frames)
    rules = SearchRules(
        n_frames,
        profile.settle_frames,
        profile.persistence_frames,
        profile.max_signature_similarity,
        profile.similarity_of == STATES,
    )
    order = np.argsort(switches.frames, kind="stable")
    search = find_key_frames(switches, order, found.n_signature_facts, found.lineage, rules)
    return TracedSearch(found, switches, search)


def _changes(found: FactSwitches, states: NDArray[np.bool_], frames: Ints) -> list[list[str]]:
    """Component texts of each recorded frame against the one before."""
    changes: list[list[str]] = [[] for _ in range(states.shape[0])]
    signature = states[:, : found.n_signature_facts]
    facts = found.facts.rows()
    switched = np.argwhere(signature[1:] != signature[:-1])
    said = component_texts([(signature[row + 1, fact], facts[fact]) for row, fact in switched])
    for row, text in zip(switched[:, 0], said, strict=True):
        changes[row + 1].append(text)
    lineage = found.lineage
    for c, child in enumerate(found.children):
        exists = states[:, lineage.child[c]]
        for row in np.flatnonzero(exists[1:] & ~exists[:-1]):
            parents = [
                facts[p][1]
                for link in range(lineage.offsets[c], lineage.offsets[c + 1])
                if states[row, p := lineage.parent[link]]
                and not states[row + 1, p]
                and is_link_at(lineage, link, frames[row + 1])
            ]
            if parents:
                changes[row + 1].append(str(Component.transition(tuple(parents), child)))
    return changes
