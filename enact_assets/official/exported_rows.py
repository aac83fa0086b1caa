"""Which questions an export is about: those that a variant asks."""

import polars as pl

from enact_assets.contracts.errors import MissingPartitionError, UnknownNameError
from enact_assets.contracts.registry import Registry
from enact_assets.contracts.settings import Variant
from enact_assets.engine.lake.lake import Lake
from enact_assets.questions.official_rows import official_questions


def asking_variant(registry: Registry, question_set: str, variant: str | None) -> Variant:
    """``variant``, or the first one that asks ``question_set``.

    Errors: :class:`UnknownNameError` if it is unknown or asks another set, or if none asks it.
    """
    if variant is None:
        asking = (v for v in registry.variants.values() if v.question_set == question_set)
        found = next(asking, None)
        if found is None:
            raise UnknownNameError(
                f"no variant asks question set {question_set!r}. Add a variant with "
                f"`question_set: {question_set}` to the registry, or export the whole set: --all"
            )
        return found
    found = registry.variant(variant)
    if found.question_set != question_set:
        raise UnknownNameError(
            f"variant {variant!r} asks question set {found.question_set!r}, not {question_set!r}. "
            f"Export {found.question_set}, or choose another variant"
        )
    return found


def asked_rows(lake: Lake, variant: Variant) -> pl.DataFrame:
    """Rows of ``asked_questions`` of ``variant``, by length, kind, demonstration and place.

    Errors: :class:`MissingPartitionError` if it asks nothing, or was not materialized.
    """
    rows = lake.read("asked_questions", {"variant": variant.name})
    rows = rows.filter(question_set=variant.question_set)
    if rows.is_empty():
        raise MissingPartitionError(
            f"variant {variant.name!r} asks no question of set {variant.question_set!r}: "
            "materialize demonstrations first"
        )
    return rows.sort("length", "kind", "demonstration", "place", "question_id")


def official_ids(lake: Lake, asked: pl.DataFrame) -> dict[str, str]:
    """Id in the release's form -> question id, of rows of ``asked_questions`` of one gating.

    Errors: :class:`QuestionError` for a question whose key frames are gone.
    """
    names = asked.get_column("demonstration").unique()
    gating = asked.item(0, "gating")
    segmented = lake.read_all("segmented_frames", gating=gating, among={"demonstration": names})
    ids = asked.get_column("question_id")
    found = official_questions(asked, segmented)
    # Imported questions kept the ids of their files, which may name types otherwise.
    own = {id_: id_ for id_ in ids}
    return own | {question.id: id_ for question, id_ in zip(found, ids, strict=True)}
