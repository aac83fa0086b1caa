"""Imports: what others wrote, kept as it is, beside our own: question files, published results."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from enact_assets.contracts.ids import sha256_bytes
from enact_assets.defs.partitions import Partitions
from enact_assets.defs.resources import DataResource
from enact_assets.defs.step import step
from enact_assets.defs.tables import landed, partition_of
from enact_assets.published.tables import PUBLISHED, published_table
from enact_assets.questions.official import read_questions
from enact_assets.questions.official_rows import to_rows
from enact_assets.storage.question_files import question_file

GROUP = "imports"


def assets(p: Partitions) -> list[dg.AssetsDefinition]:
    """One partition per imported file; the paper's results, without partitions."""

    @step(
        p,
        "official_questions",
        group=GROUP,
        about="Questions of an imported file, text and image references as it has them: "
        "`enact-assets export` writes the same bytes again.",
    )
    def official_questions(
        context: dg.AssetExecutionContext, data: DataResource
    ) -> dg.MaterializeResult[Any]:
        name = partition_of(context, "official_questions")["question_file"]
        path = question_file(data.question_files, name)
        questions = read_questions(path)
        rows = to_rows(name, questions, sha256_bytes(path.read_bytes()))
        return landed(context, data, "official_questions", rows)

    @step(
        p,
        "published_results",
        group=GROUP,
        about="Numbers of the paper, which ship with the package: to stand beside measured ones.",
    )
    def published_results(
        context: dg.AssetExecutionContext, data: DataResource
    ) -> Iterator[dg.MaterializeResult[Any]]:
        for name in PUBLISHED:
            yield landed(context, data, name, published_table(name))

    return [official_questions, published_results]
