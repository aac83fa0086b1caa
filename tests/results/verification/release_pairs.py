"""For tests of profile ``release``: recorded rows; recorded, computed and random changes."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from enact_assets.demonstrations.pictures.observed import visibility_from_observability
from enact_assets.questions.asked.official import OfficialAnswer
from enact_assets.questions.key_frames.component_index import ComponentIndex
from enact_assets.questions.key_frames.given_key_frames import given
from enact_assets.questions.key_frames.release_deltas import ReleaseDeltaIndex
from enact_assets.results.verification.task_evidence import Evidence
from enact_assets.settings.classes import Gating
from enact_assets.settings.components import Component
from enact_assets.settings.frame_ids import FrameIds
from enact_assets.settings.profile import RELEASE

from reference.conformance import expected
from reference.recorded_tables import task_tables

WORD_BITS = 64
Ints = NDArray[np.int64]
Words = NDArray[np.uint64]


class UntoldError(Exception):
    """A pair that was not recorded. No LookupError: twins take those for the release's own."""


class PairTable(ComponentIndex):
    """An index of changes from sets per pair.

    ``sets[i, j]`` is (partial, full), numbers of components; None is one on which the release
    raises.
    """

    def __init__(
        self, n_key_frames: int, components: tuple[Any, ...], sets: dict[tuple[int, int], Any]
    ) -> None:
        super().__init__(components, n_key_frames)
        self.sets = sets
        self.n_computed = 0

    def edges(self) -> tuple[Ints, Ints]:
        raise NotImplementedError

    def partial(self, i: int, j: int) -> frozenset[Any]:
        return self._named(i, j, 0)

    def full(self, i: int, j: int) -> frozenset[Any]:
        return self._named(i, j, 1)

    def changes(self, pairs: Ints) -> tuple[Words, Words, Ints]:
        self.n_computed += len(pairs)
        bits = np.zeros((2, len(pairs), self.n_words), np.uint64)
        codes = np.zeros((len(pairs), 2), np.int64)
        for row, (i, j) in enumerate(pairs.tolist()):
            for which, members in enumerate(self._told(i, j)):
                codes[row, which] = members is None
                for k in members or ():
                    bits[which, row, k // WORD_BITS] |= np.uint64(1 << (k % WORD_BITS))
        return bits[0], bits[1], codes

    def _told(self, i: int, j: int) -> Any:
        if i == j:
            return (), ()
        if (i, j) not in self.sets:
            raise UntoldError(f"{i} -> {j}")
        return self.sets[i, j]

    def _named(self, i: int, j: int, which: int) -> frozenset[Any]:
        members = self._told(i, j)[which]
        assert members is not None, "raises as the release does"
        return frozenset(self.components[k] for k in members)


def recorded_pairs(name: str) -> PairTable:
    """The signature sets the release printed for a task: all forward pairs, 253 or 300 others."""
    pairs = expected(name)["pairs"]
    sets: dict[tuple[int, int], Any] = {}
    for i, j, _, _, *both in pairs["forward"] + pairs["backward"]:
        sets[i, j] = tuple(None if isinstance(members, dict) else members for members in both)
    n = len(expected(name)["segmentation"]["key_frame_ids"])
    return PairTable(n, tuple(pairs["signature_table"]), sets)


@cache
def computed_pairs(name: str) -> ReleaseDeltaIndex:
    """Our own index of a task, from its recording alone, at the key frames the release found."""
    tables = task_tables(name)
    ids = expected(name)["segmentation"]["key_frame_ids"]
    numbering = FrameIds(tuple(tables.demonstrations["frame_id_runs"][0]))
    frames = np.searchsorted(numbering.at(range(tables.demonstrations["n_frames"][0])), ids)
    gating = Gating("release", RELEASE, ())
    replay = tables.demonstrations, tables.facts, tables.objects
    found = given(*replay, gating, None, frames=frames)
    visibility = visibility_from_observability(tables.observability, found.segmented_frames)
    return ReleaseDeltaIndex.from_tables(found.scene_graphs, visibility, tables.objects, RELEASE)


def random_pairs(seed: int, n_key_frames: int = 7, failing: float = 0.05) -> PairTable:
    """Changes of few components, so that orders often pass by chance; some pairs raise."""
    random = np.random.default_rng(seed)
    components = tuple(Component("add", "Open", f"thing {k}") for k in range(70))
    # Components of both words, so that a test of the first word alone would be noticed.
    pool = (0, 1, 63, 64, 69)
    sets: dict[tuple[int, int], Any] = {}
    for i in range(n_key_frames):
        for j in range(n_key_frames):
            full = [k for k in pool if random.random() < 0.5]
            partial = [k for k in full if random.random() < 0.5]
            has_failed = random.random(2) < failing
            sets[i, j] = (
                None if has_failed.all() else partial,
                None if has_failed.any() else full,
            )
    return PairTable(n_key_frames, components, sets)


def recorded_rows(name: str) -> tuple[list[OfficialAnswer], list[dict[str, Any]]]:
    """Rows of answers to a task's questions, and what the release made of each."""
    recorded = expected(name)["qa"]
    rows, outcomes = [], []
    for row in recorded["evaluations"]:
        item = recorded["items"][row["qa"]]
        rows.append(
            OfficialAnswer(
                id=f"{item['id']}#{row['slot']}",
                type=item["type"],
                task_name=name,
                key_frame_ids=[str(k) for k in item["key_frame_ids"]],
                gt_answer=item["gt_answer"],
                answer=row["answer"],
            )
        )
        outcomes.append({k: v for k, v in row.items() if k not in ("qa", "kind", "answer")})
    return rows, outcomes


def evidence(name: str, index: ComponentIndex) -> dict[str, Evidence]:
    ids = expected(name)["segmentation"]["key_frame_ids"]
    return {name: Evidence.of(index, ids)}
