"""Gathering rows of several partitions for one roll-up: reads only, no algorithm."""

from collections.abc import Iterable

import polars as pl

from enact_assets.contracts.errors import EvaluationError
from enact_assets.contracts.ids import content_sha
from enact_assets.contracts.registry import Gating, load_registry
from enact_assets.segmentation.delta_index import delta_index
from enact_assets.segmentation.deltas import DeltaIndex
from enact_assets.segmentation.release_deltas import ReleaseDeltaIndex
from enact_assets.storage.lake import Lake

VERIFIES = ("scene_graphs", "visibility")


def evidence_by_demonstration(
    lake: Lake, gating: str, demonstrations: Iterable[str]
) -> dict[str, str]:
    """One hash per demonstration of the tables that verify its questions."""
    evidence = {}
    for demonstration in sorted(demonstrations):
        partition = {"demonstration": demonstration, "gating": gating}
        if all(lake.exists(t, partition) for t in VERIFIES):
            shas = [lake.content_sha(t, partition) for t in VERIFIES]
            objects = lake.content_sha("objects", {"demonstration": demonstration})
            evidence[demonstration] = content_sha([*shas, objects])
    return evidence


def questions_of(lake: Lake, variant: str) -> pl.DataFrame:
    """The qa rows that ``variant`` asks.

    Errors: :class:`EvaluationError` if questions that are to be asked are in no qa partition.
    """
    asked = lake.read("asked_questions", {"variant": variant}).select("question_id")
    gating = load_registry().variant(variant).gating
    questions = lake.read_all("qa", gating=gating)
    lost = asked.join(questions, on="question_id", how="anti").get_column("question_id")
    if lost.len():
        raise EvaluationError(
            f"asked_questions {variant!r}: {lost.len()} of {asked.height} questions are in no qa "
            f"partition of gating {gating!r}, first {lost[0]}. Materialize qa, question_set and "
            "asked_questions again."
        )
    return questions.join(asked, on="question_id", how="semi")


def verification_indexes(
    lake: Lake, questions: pl.DataFrame, gating: Gating
) -> dict[str, DeltaIndex | ReleaseDeltaIndex]:
    """For each demonstration of ``questions``, the changes between its key frames."""
    demonstrations = sorted(questions.get_column("demonstration").unique())
    return {d: change_index(lake, d, gating) for d in demonstrations}


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
