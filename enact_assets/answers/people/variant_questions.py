"""The questions of a variant with their pictures, from the lake."""

from collections.abc import Collection
from dataclasses import dataclass

import polars as pl

from enact_assets.answers.people.content import ShownQuestion, shown_question
from enact_assets.answers.people.keeping import kept_by_two
from enact_assets.engine.errors import MissingPartitionError
from enact_assets.engine.lake.lake import Lake
from enact_assets.questions.world.filtered import questions_asked
from enact_assets.questions.world.stored_pictures import stored_pictures
from enact_assets.settings.classes import world_source_of
from enact_assets.settings.paths import DataRoot


@dataclass(frozen=True)
class ShownQuestions:
    """``questions`` by kind and length; within these, demonstrations take turns.

    ``n_without_pictures`` others lack a picture.
    """

    questions: tuple[ShownQuestion, ...]
    n_without_pictures: int


def shown_questions(
    root: DataRoot,
    variant: str,
    per_stratum: int | None = None,
    kept: str | None = None,
    kinds: Collection[str] = (),
) -> ShownQuestions:
    """All that ``variant`` asks, or the first ``per_stratum`` of each kind and length; only those
    that people kept of the question set ``kept``, and of ``kinds``, if there are any. Of
    WorldPrediction people keep questions that the first two who answer solve.

    Errors: :class:`MissingPartitionError` if it asks nothing or was not materialized.
    """
    lake = Lake(root.lake)
    asked = questions_asked(lake, variant)
    # What people answer is compared with a key.
    asked = asked.filter(pl.col("answer").list.len() > 0)
    if kinds:
        asked = asked.filter(pl.col("kind").is_in(list(kinds)))
    if asked.is_empty():
        of_kinds = f" of {' or '.join(kinds)}: choose another condition, or" if kinds else ":"
        raise MissingPartitionError(
            f"variant {variant!r} asks no question{of_kinds} materialize demonstrations first"
        )
    if kept is not None and world_source_of(kept) is not None:
        quality = lake.read("question_quality", {"variant": kept})
        asked = asked.join(kept_by_two(quality), on="question_id", how="semi")
        if asked.is_empty():
            raise MissingPartitionError(
                f"people kept no question of {kept!r}: two persons must answer first, and "
                f"`enact-assets materialize --variant {kept}` read their answers"
            )
    elif kept is not None:
        of_set = lake.read("kept_questions", {"question_set": kept}).filter("is_kept")
        asked = asked.join(of_set, on="question_id", how="semi")
        if asked.is_empty():
            raise MissingPartitionError(
                f"question set {kept!r} keeps no question that {variant!r} asks: set `keep` in the "
                "registry, let people answer, and materialize kept_questions"
            )
    asked = asked.sort("kind", "length", "place", "question_id")
    if per_stratum is not None:
        asked = asked.group_by("kind", "length", maintain_order=True).head(per_stratum)
    gating, names = asked.item(0, "gating"), asked.get_column("demonstration").unique()
    pictures = stored_pictures(lake, variant, names)
    orders = lake.read_all("question_orders", gating=gating, among={"demonstration": names})
    ambiguous = set(orders.filter(pl.col("is_ambiguous")).get_column("question_id"))
    found = [
        shown_question(row, pictures, is_ambiguous=row["question_id"] in ambiguous)
        for row in asked.iter_rows(named=True)
    ]
    shown = tuple(question for question in found if question is not None)
    return ShownQuestions(shown, len(found) - len(shown))
