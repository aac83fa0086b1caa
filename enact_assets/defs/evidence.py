"""Gathering rows of several partitions for one roll-up: reads only, no algorithm."""

from collections.abc import Collection, Iterable

import polars as pl

from enact_assets.contracts.ids import content_sha
from enact_assets.contracts.registry import Gating, settings_sha
from enact_assets.questions.noise import Vocabulary
from enact_assets.questions.question_tables import Qa
from enact_assets.segmentation.delta_index import delta_index
from enact_assets.segmentation.deltas import DeltaIndex
from enact_assets.segmentation.release_deltas import ReleaseDeltaIndex
from enact_assets.storage.lake import Lake

VERIFIES = ("scene_graphs", "visibility")


def evidence_by_demonstration(
    lake: Lake, gating: Gating, demonstrations: Iterable[str]
) -> dict[str, str]:
    """One hash per demonstration of the tables, and the constants, that verify its questions."""
    evidence = {}
    for demonstration in sorted(demonstrations):
        partition = {"demonstration": demonstration, "gating": gating.name}
        if all(lake.exists(t, partition) for t in VERIFIES):
            shas = [lake.content_sha(t, partition) for t in VERIFIES]
            objects = lake.content_sha("objects", {"demonstration": demonstration})
            evidence[demonstration] = content_sha([*shas, objects, settings_sha(gating)])
    return evidence


def written_questions(lake: Lake, chosen: pl.DataFrame, gating: str) -> pl.DataFrame:
    """The ``qa`` rows of the questions in ``chosen``, as far as they are there."""
    found = [
        lake.read("qa", {"demonstration": demonstration, "gating": gating}).join(
            chosen, on="question_id", how="semi"
        )
        for demonstration in _demonstrations(chosen)
    ]
    return pl.concat([Qa.empty(), *found])


def vocabularies_of(
    lake: Lake, chosen: pl.DataFrame, predicates: Collection[str]
) -> dict[str, Vocabulary]:
    """What noise may say of each demonstration that ``chosen`` questions are about."""
    return {
        d: Vocabulary.of(lake.read("objects", {"demonstration": d}), predicates)
        for d in _demonstrations(chosen)
    }


def questions_of(lake: Lake, variant: str) -> pl.DataFrame:
    """The questions as ``variant`` asks them."""
    return lake.read("asked_questions", {"variant": variant})


def verification_indexes(
    lake: Lake, questions: pl.DataFrame, gating: Gating
) -> dict[str, DeltaIndex | ReleaseDeltaIndex]:
    """For each demonstration of ``questions``, the changes between its key frames."""
    return {d: change_index(lake, d, gating) for d in _demonstrations(questions)}


def _demonstrations(questions: pl.DataFrame) -> list[str]:
    return sorted(questions.get_column("demonstration").unique())


def change_index(lake: Lake, demonstration: str, gating: Gating) -> DeltaIndex | ReleaseDeltaIndex:
    """Changes between the key frames of one demonstration and gating."""
    partition = {"demonstration": demonstration, "gating": gating.name}
    replay = {"demonstration": demonstration}
    return delta_index(
        lake.read("scene_graphs", partition),
        lake.read("visibility", partition),
        lake.read("objects", replay),
        gating.profile_of(source_of(lake, demonstration)),
        lake.read("segmented_frames", partition).height,
    )


def source_of(lake: Lake, demonstration: str) -> str:
    """Who recorded a demonstration."""
    return str(lake.read("demonstrations", {"demonstration": demonstration}).item(0, "source"))


def drawing_index(lake: Lake, demonstration: str, gating: Gating) -> ReleaseDeltaIndex | None:
    """What the draws of the public release also hang on; the paper's need the graph alone."""
    if gating.profile.release is None:
        return None
    index = change_index(lake, demonstration, gating)
    return index if isinstance(index, ReleaseDeltaIndex) else None
