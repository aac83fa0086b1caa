"""A first look at a model: some questions of a variant, asked and verified without a Dagster run.

The ledger keeps the answers, so that materializing the model later asks the other questions only.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import polars as pl

from enact_assets.asking.session import Progress
from enact_assets.contracts.errors import MissingPartitionError
from enact_assets.contracts.ids import content_sha
from enact_assets.contracts.registry import Registry
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.loading import World, call
from enact_assets.engine.parameters import SETTINGS
from enact_assets.engine.steps import STEPS
from enact_assets.handles import Pictures, Tools, pictures_of
from enact_assets.lineage.pipeline import names_now
from enact_assets.lineage.versions import settings_of
from enact_assets.predictions.model_asker import ModelAsker
from enact_assets.predictions.predict import answers_to, predictions_of
from enact_assets.runs.arrivals import names_in_lake
from enact_assets.runs.resources import DataResource

EVALUATED_BY = "evaluation"


@dataclass(frozen=True)
class Asked:
    """Questions of a variant, rows of ``asked_questions``, and their pictures."""

    variant: str
    questions: pl.DataFrame
    pictures: Pictures


@dataclass(frozen=True)
class FirstAnswers:
    """What a model answered: rows of ``predictions`` and of ``evaluation``."""

    asked: Asked
    predictions: pl.DataFrame
    evaluation: pl.DataFrame


def asked_of(data: DataResource, variant: str) -> Asked:
    """All questions that ``variant`` asks.

    Errors: :class:`MissingPartitionError` says what to materialize first.
    """
    lake = data.lake
    try:
        questions = lake.read("asked_questions", {"variant": variant})
        images = lake.read_all("frame_images", variant=variant)
    except MissingPartitionError as error:
        raise MissingPartitionError(
            f"{error} Make the questions first: `enact-assets demo`, or `enact-assets materialize "
            f"--variant {variant}`."
        ) from error
    return Asked(variant, questions, pictures_of(data.images, images))


def some_of(asked: Asked, n: int, seed: int = 0) -> Asked:
    """``n`` of the questions, as many of each kind and length as can be; the same every time.

    Fewer are part of more, so that asking more later buys only the others.
    """
    drawn = [content_sha([seed, question]) for question in asked.questions["question_id"]]
    place = pl.col("drawn").rank("ordinal").over("kind", "length")
    questions = (
        asked.questions.with_columns(drawn=pl.Series(drawn, dtype=pl.String))
        .with_columns(nth=place)
        .sort("nth", "kind", "length")
        .head(n)
        .drop("drawn", "nth")
    )
    return Asked(asked.variant, questions, asked.pictures)


def ask_first(
    data: DataResource,
    registry: Registry,
    model: str,
    asked: Asked,
    *,
    usd_until: float | None,
    told: Callable[[Progress], None],
) -> FirstAnswers:
    """Ask ``model`` the questions of ``asked`` and verify its answers.

    Missing answers are rows with a reason, whatever their number. Errors: as
    :class:`ModelAsker`, and those of the step ``evaluation``.
    """
    ask = ModelAsker(data.data_root, data.images.read_png, usd_until, told)
    shas = asked.pictures.shas
    answers = answers_to(model, asked.variant, asked.questions, asked.pictures, shas, ask=ask)
    rows = predictions_of(model, asked.variant, answers)
    demonstrations = names_in_lake(data)["demonstration"]
    names = names_now(registry, demonstrations, [model], [])
    tools = Tools(data.images, data.recordings, data.question_files)
    store = _LakeAnd(data.lake, {"predictions": rows})
    world = World(store, names, partial(_entry, registry), tools)
    made = call(STEPS[EVALUATED_BY], {"model": model, "variant": asked.variant}, world)
    (_, evaluated, _) = next(iter(made))
    return FirstAnswers(asked, rows, evaluated)


@dataclass(frozen=True)
class _LakeAnd:
    """A lake with other rows for some tables."""

    lake: Lake
    rows: Mapping[str, pl.DataFrame]

    def read(self, table_name: str, partition: Mapping[str, str], /) -> pl.DataFrame:
        if table_name in self.rows:
            return self.rows[table_name]
        return self.lake.read(table_name, partition)

    def content_sha(self, table_name: str, partition: Mapping[str, str], /) -> str:
        return self.lake.content_sha(table_name, partition)

    def partitions(self, table_name: str, /) -> list[dict[str, str]]:
        return self.lake.partitions(table_name)


def _entry(registry: Registry, kind: type, name: str | None) -> Any:
    return settings_of(registry, SETTINGS[kind].root, () if name is None else (name,))
