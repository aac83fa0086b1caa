"""Simulated demonstrations, each made once for all tests that look at it."""

from dataclasses import dataclass
from functools import cache

from enact_assets.demonstrations.replay.embedded import tables_of
from enact_assets.demonstrations.replay.validation import check_replay
from enact_assets.questions.key_frames.segment import segment
from enact_assets.settings.components import Component
from enact_assets.settings.registry import load_registry
from enact_assets.simulator.simulate import simulate
from enact_assets.simulator.simulation.recording import Recording


@dataclass(frozen=True)
class KeyFrame:
    """A key frame: the simulated frame, and what changed since the one before."""

    frame: int
    changes: tuple[Component, ...]


@cache
def recorded(activity: str, seed: int = 0) -> Recording:
    """The whole demonstration."""
    return simulate(activity, seed)


@cache
def key_frames(activity: str, seed: int = 0) -> tuple[KeyFrame, ...]:
    """Its key frames under the gating ``state``, the first, in which nothing changed, included."""
    tables = tables_of(f"{activity}-{seed}", recorded(activity, seed))
    check_replay(tables.demonstrations, tables.facts, tables.objects)
    gating = load_registry().gating("state")
    found = segment(tables.demonstrations, tables.facts, tables.objects, gating)
    return tuple(
        KeyFrame(row["frame"], tuple(Component.parse(text) for text in row["changes"]))
        for row in found.segmented_frames.sort("key_frame").iter_rows(named=True)
    )


def changed_predicates(activity: str, seed: int = 0) -> set[str]:
    """What changes in any of its key frames."""
    return {c.predicate for found in key_frames(activity, seed) for c in found.changes}
