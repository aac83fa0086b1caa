"""Official questions as rows of tables: imported ones unchanged, ours in their form."""

import json

import polars as pl

from enact_assets.engine.errors import QuestionError
from enact_assets.questions.asked.official import (
    FIELDS,
    ImportedQuestion,
    OfficialQuestion,
    image_paths,
    official_id,
    parse_type,
    question_type,
)
from enact_assets.questions.asked.tables import OfficialQuestions

_RENAMED = {"id": "question_id"}
_COLUMNS = [_RENAMED.get(name, name) for name in FIELDS]


def to_rows(question_file: str, questions: list[ImportedQuestion], source_sha: str) -> pl.DataFrame:
    """Questions read from a file -> official_questions; :func:`from_rows` gives them back.

    ``source_sha`` is the hash of the file's bytes, ``question_file`` its name here.
    """
    contract = OfficialQuestions
    types = {q.type: parse_type(q.type) for q in questions}
    columns = {
        column: [getattr(q, name) for q in questions]
        for name, column in zip(FIELDS, _COLUMNS, strict=True)
    }
    columns |= {
        "question_file": [question_file] * len(questions),
        "line": [q.line for q in questions],
        "kind": [types[q.type][0] for q in questions],
        "length": [types[q.type][1] for q in questions],
        "options": [json.dumps(q.options) for q in questions],
        "as_found": [q.as_found for q in questions],
        "source_sha": [source_sha] * len(questions),
    }
    rows = pl.DataFrame(columns, schema_overrides=contract.schema())
    return contract.arranged(rows, question_file)


def from_rows(official_questions: pl.DataFrame) -> list[ImportedQuestion]:
    """official_questions of one file -> its questions in the order of its lines."""
    rows = official_questions.sort("line").select(*_COLUMNS, "line", "as_found")
    return [
        ImportedQuestion(
            *(id_, type_, task, ids, images, question),
            options=json.loads(options),
            gt_answer=answer,
            line=line,
            as_found=as_found,
        )
        for id_, type_, task, ids, images, question, options, answer, line, as_found in (
            rows.iter_rows()
        )
    ]


def in_official_order(qa: pl.DataFrame) -> pl.DataFrame:
    """Rows of ``qa``, of any number of demonstrations, in the order in which the release has them.

    By length, forward before inverse, demonstration, and place within these (definitions.md R13).
    """
    return qa.sort("length", "kind", "demonstration", "draw")


def official_questions(qa: pl.DataFrame, segmented_frames: pl.DataFrame) -> list[OfficialQuestion]:
    """Each row of ``qa``, of one gating, in the release's form and in the given order.

    ``segmented_frames`` has the key frames of all its demonstrations. The pictures are listed in
    the order of ``shown_key_frames``. Errors: :class:`QuestionError` if a question names a key
    frame that is not in ``segmented_frames``.
    """
    name_of = {
        (demonstration, key_frame): str(frame_id)
        for demonstration, key_frame, frame_id in segmented_frames.select(
            "demonstration", "key_frame", "frame_id"
        ).iter_rows()
    }
    found = []
    columns = ("demonstration", "kind", "length", "key_frames", "prompt", "answer")
    for task, kind, length, key_frames, prompt, answer in qa.select(columns).iter_rows():
        try:
            ids = [name_of[task, k] for k in key_frames]
        except KeyError as error:
            raise QuestionError(
                f"{task}: a {kind} question of length {length} shows key frame {error.args[0][1]}, "
                "which segmented_frames does not have. Materialize qa again."
            ) from None
        type_ = question_type(kind, length)
        question_id = official_id(task, type_, ids)
        images = image_paths(question_id, type_, task, length)
        found.append(OfficialQuestion(question_id, type_, task, ids, images, prompt, [], answer))
    return found
