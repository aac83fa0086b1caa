"""``enact-assets export --form messages``: questions as models are shown them, for any harness.

One JSON object per line: texts and paths of pictures in order. Pictures are those of the image
store, byte for byte and without labels: ``pictures/<SHA-256 of the file>.png`` beside the question
file. The pipeline's own models get them scaled to 512 x 512.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from enact_assets.contracts.errors import OutputError, UnknownNameError
from enact_assets.contracts.ids import sha256_bytes
from enact_assets.contracts.registry import Registry
from enact_assets.data_root.paths import DataRoot
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.official.exported_rows import asked_rows, asking_variant, official_ids
from enact_assets.official.layout import output_file, question_output
from enact_assets.official.outcomes import Told, untold
from enact_assets.official.pictures import write_picture
from enact_assets.questions.question_types import Row, type_of
from enact_assets.system.atomic import replacing

PICTURES = "pictures"

Shas = Mapping[tuple[str, int], str]
"""(demonstration, key frame) -> hash of its picture."""


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
    told: Told = untold,
) -> MessagesExported:
    """Write the questions of set ``name`` that ``variant``, or the first one that asks it, asks.

    ``with_answers`` adds the reference to each line. Pictures that are there already stay, and the
    question file comes last. Errors: :class:`UnknownNameError` if ``name`` is no question set or
    the variant does not ask it, :class:`MissingPartitionError` if something was not materialized,
    :class:`OutputError`.
    """
    question_output(output, root.folders)
    if name not in registry.question_sets:
        advice = "Imported question files are exported with --form release only."
        raise UnknownNameError.of("question set", name, registry.question_sets, advice)
    asking = asking_variant(registry, name, variant)
    lake = Lake(root.lake)
    asked = asked_rows(lake, asking)
    images = lake.read_all(
        "frame_images",
        variant=asking.name,
        among={"demonstration": asked.get_column("demonstration").unique()},
    )
    rows = images.filter(pl.col("gating") == asking.gating)
    columns = rows.select("demonstration", "key_frame", "image_sha")
    shas = {(demonstration, k): sha for demonstration, k, sha in columns.iter_rows()}
    official = {id_: official for official, id_ in official_ids(lake, asked).items()}
    lines, used = [], set[str]()
    for question in asked.iter_rows(named=True):
        parts = _parts(question, shas)
        if parts is not None:
            id_ = official[question["question_id"]]
            lines.append(_line(question, id_, parts, with_answers=with_answers))
            used.update(sha for part in parts for sha in part.values() if "picture" in part)
    _write_pictures(output.parent, sorted(used), ImageStore(root.images), told)
    with replacing(output) as temporary, temporary.open("w", encoding="utf-8") as file:
        file.writelines(lines)
    return MessagesExported(asking.name, len(lines), len(used), asked.height - len(lines))


def _parts(question: Row, shas: Shas) -> list[dict[str, str]] | None:
    """The parts of a question, pictures by their hash; None if a picture is missing."""
    parts = []
    for part in type_of(question).parts(question):
        if isinstance(part, str):
            parts.append({"text": part})
        elif (sha := shas.get((part.demonstration, part.key_frame))) is not None:
            parts.append({"picture": sha})
        else:
            return None
    return parts


def _line(
    question: Row, official_id: str, parts: list[dict[str, str]], *, with_answers: bool
) -> str:
    line: dict[str, Any] = {"question_id": question["question_id"], "official_id": official_id}
    line |= {name: question[name] for name in ("variant", "kind", "length")}
    line["n_entries"] = type_of(question).n_entries(question)
    line["parts"] = [
        {"picture": f"{PICTURES}/{part['picture']}.png"} if "picture" in part else part
        for part in parts
    ]
    if with_answers:
        # Not `answer`, so that the file cannot be imported as a model's answers.
        line["gt_answer"] = question["answer"]
    return json.dumps(line, ensure_ascii=False) + "\n"


def _write_pictures(folder: Path, shas: list[str], store: ImageStore, told: Told) -> None:
    for k, sha in enumerate(shas):
        told(PICTURES, k, len(shas))
        path = output_file(folder, PICTURES, f"{sha}.png")
        try:
            is_there = path.is_file() and sha256_bytes(path.read_bytes()) == sha
        except OSError as error:
            raise OutputError(f"{path}: cannot be read ({error.strerror})") from error
        if not is_there:
            write_picture(path, store.read_png(sha))
