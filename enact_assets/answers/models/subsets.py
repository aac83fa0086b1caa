"""A declared part of the questions for a model that is slow or dear, ``<root>/subsets.yaml``.

Of each variant such a model is asked its first ``n`` questions, by their places in the question
set. So models with the same number answer the same questions, a larger number asks the others only,
and what is asked under a variant is asked under the baseline, too, where both have as many of a
kind and length. Models that the file does not name are asked everything.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec
import polars as pl

from enact_assets.engine.ids import content_sha
from enact_assets.engine.system.atomic import replacing
from enact_assets.settings.paths import SUBSETS_FILE
from enact_assets.settings.root_files import read_root_file

HEADER = """\
# How many questions of each variant these models are asked; the others are asked all.
# Written by enact-assets materialize --model NAME --questions N.
"""
_Sizes = dict[str, Annotated[int, msgspec.Meta(ge=1)]]


def subset_sizes(root: Path) -> Mapping[str, int]:
    """Model -> how many questions of each variant it is asked. Errors: :class:`SettingsError`."""
    advice = "It has a whole number of 1 or more for each model. Repair it, or remove it."
    return read_root_file(root / SUBSETS_FILE, _Sizes, advice) or {}


def declare_subsets(root: Path, parts: Mapping[str, int | None]) -> None:
    """Ask each model of ``parts`` that many questions of each variant from now on; with None, all.

    Only the holder of the data root's lock (``only_driver``) may call this, or the number of
    another command could be lost. Errors: :class:`SettingsError`; :class:`OutputError` if the file
    cannot be written.
    """
    if not parts:
        return
    before = subset_sizes(root)
    sizes = {model: n for model, n in {**before, **parts}.items() if n is not None}
    if sizes == before:
        return
    with replacing(root / SUBSETS_FILE) as temporary:
        temporary.write_bytes(HEADER.encode() + msgspec.yaml.encode(sizes, order="sorted"))


def first_questions(questions: pl.DataFrame, n: int, seed: int = 0) -> pl.DataFrame:
    """``n`` rows of ``questions``, balanced over kinds and lengths, and by ``place`` over
    demonstrations; the same every time.

    A smaller number gives a part of a larger one, so asking more later buys only the others.
    """

    def drawn(column: str) -> pl.Series:
        values = questions[column]
        return pl.Series([content_sha([seed, v]) for v in values], dtype=pl.String)

    return (
        questions.with_columns(drawn=drawn("question_id"), of_length=drawn("length"))
        # Sources number their questions separately, so a place is not unique.
        .sort("place", "drawn")
        .with_columns(nth=pl.int_range(pl.len()).over("kind", "length"))
        # The last round is incomplete: it has lengths in random order, each with both kinds.
        .sort("nth", "of_length", "kind")
        .head(min(n, questions.height))  # polars takes no number of 65 bits
        .drop("drawn", "of_length", "nth")
    )
