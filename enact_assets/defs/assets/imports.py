"""Imports: question files of others, kept as they are, beside our own questions."""

from typing import Any

import dagster as dg

from enact_assets.contracts.ids import sha256_bytes
from enact_assets.defs.partitions import Partitions
from enact_assets.defs.resources import DataResource
from enact_assets.defs.step import step
from enact_assets.defs.tables import landed, partition_of
from enact_assets.questions.official import read_questions
from enact_assets.questions.official_rows import to_rows
from enact_assets.storage.question_files import question_file

GROUP = "imports"


def assets(p: Partitions) -> list[dg.AssetsDefinition]:
    """One partition per imported file."""

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

    return [official_questions]
