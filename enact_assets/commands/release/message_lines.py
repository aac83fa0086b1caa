"""``enact-assets export --form messages``: questions as models are shown them, for any harness.

One JSON object per line: texts and paths of pictures in order. Pictures are those of the image
store, byte for byte and without labels: ``pictures/<SHA-256 of the file>.png`` beside the question
file. The pipeline's own models get them scaled to 512 x 512.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from enact_assets.commands.release.layout import question_output
from enact_assets.commands.release.shown_questions import (
    ShownQuestion,
    shown_questions,
    write_shown_pictures,
)
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.progress import OnProgress, unheard
from enact_assets.engine.system.atomic import replacing
from enact_assets.questions.asked.types import type_of
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import Registry


@dataclass(frozen=True)
class MessagesExported:
    """What was written; ``n_left_out`` questions lack a picture under the variant."""

    variant: str
    n_questions: int
    n_pictures: int
    n_left_out: int


def export_messages(
    root: DataRoot,
    name: str,
    output: Path,
    registry: Registry,
    *,
    variant: str | None = None,
    with_answers: bool = False,
    on_progress: OnProgress = unheard,
) -> MessagesExported:
    """Write the questions of set ``name`` that ``variant``, or the first one that asks it, asks.

    ``with_answers`` adds the reference to each line. Pictures that are there already stay, and the
    question file comes last. Errors: those of :func:`shown_questions`, :class:`OutputError`.
    """
    question_output(output, root.folders)
    shown = shown_questions(Lake(root.lake), name, registry, variant)
    shas = shown.shas
    write_shown_pictures(output.parent, shas, ImageStore(root.images), on_progress)
    with replacing(output) as temporary, temporary.open("w", encoding="utf-8") as file:
        file.writelines(_line(question, with_answers=with_answers) for question in shown)
    return MessagesExported(shown.variant.name, len(shown), len(shas), shown.n_left_out)


def _line(question: ShownQuestion, *, with_answers: bool) -> str:
    row = question.row
    line: dict[str, Any] = {
        "question_id": row["question_id"],
        "official_id": question.official_id,
    }
    line |= {name: row[name] for name in ("variant", "kind", "length")}
    line["n_entries"] = type_of(row).n_entries(row)
    line["shown_sha"] = question.shown_sha
    line["parts"] = [
        {"text": part} if isinstance(part, str) else {"picture": part.path}
        for part in question.parts
    ]
    if with_answers:
        # Not `answer`, so that the file cannot be imported as a model's answers.
        line["gt_answer"] = row["answer"]
    return json.dumps(line, ensure_ascii=False) + "\n"
