"""Questions of imported files in place of ours: key frames, rows of ``qa``, pictures."""

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.contracts.errors import QuestionFileError
from enact_assets.contracts.frame_ids import FrameIds
from enact_assets.contracts.ids import short_id
from enact_assets.contracts.settings import NATURAL, QUESTIONS
from enact_assets.questions.imported_questions import FoundQuestion
from enact_assets.questions.official import OfficialQuestion, parse_type
from enact_assets.questions.official_actions import actions_in, components_of
from enact_assets.questions.question_tables import Qa


def given_frames(
    demonstrations: pl.DataFrame, questions: Sequence[FoundQuestion]
) -> NDArray[np.int64]:
    """Positions (M,), ascending, of all frames that ``questions`` about one demonstration name.

    Errors: :class:`QuestionFileError` names demonstration, file and the first frame that the
    replay lacks.
    """
    row = demonstrations.row(0, named=True)
    ids = np.unique(np.array([i for q in questions for i in _frame_ids(q.question)], np.int64))
    if row["source"] == QUESTIONS or not ids.size:
        return ids  # there is no replay that could lack one
    frames = FrameIds(tuple(row["frame_id_runs"])).find(ids, row["n_frames"])
    absent = ids[frames < 0]
    if absent.size:
        first = next(q for q in questions if absent[0] in _frame_ids(q.question))
        raise QuestionFileError(
            f"{row['demonstration']}: {absent.size} of {ids.size} frame ids that questions name "
            f"are not in its replay, first {absent[0]} (line {first.line} of imported file "
            f"{first.file!r}). Replay and questions are of different tasks or versions: import "
            "the replay that the questions were made from, or `enact-assets forget "
            f"demonstration {row['demonstration']}`."
        )
    return frames


def shown_frame_ids(question: OfficialQuestion) -> list[int]:
    """Frame id of each picture, in the order shown: that of ``images``."""
    ids = _frame_ids(question)
    if parse_type(question.type)[0] == "inverse":
        return ids
    of_label = dict(zip(question.gt_answer, ids[1:], strict=True))
    return [ids[0], *(of_label[label] for label in range(1, len(ids)))]


def given_qa(segmented_frames: pl.DataFrame, questions: Sequence[FoundQuestion]) -> pl.DataFrame:
    """``questions`` about one demonstration as rows of ``qa``: ids and prompts as they are.

    ``segmented_frames`` has the key frames that they name. ``trajectory_id`` is a hash of the key
    frames: nothing was drawn. Actions are read from the prompt, and what they change from their
    sentences, as far as both are in a known form.
    """
    if not questions:
        return Qa.empty()
    name, gating = segmented_frames.select("demonstration", "gating").row(0)
    key_frame = dict(segmented_frames.select("frame_id", "key_frame").iter_rows())
    places: dict[tuple[str, int], int] = {}
    rows = []
    for found in questions:
        question = found.question
        kind, length = parse_type(question.type)
        place = places[kind, length] = places.get((kind, length), -1) + 1
        actions = actions_in(question.question, length - 1)
        ids = _frame_ids(question)
        rows.append(
            {
                "demonstration": name,
                "gating": gating,
                "question_id": question.id,
                "trajectory_id": short_id(name, gating, *ids),
                "kind": kind,
                "length": length,
                "key_frames": [key_frame[i] for i in ids],
                "shown_key_frames": [key_frame[i] for i in shown_frame_ids(question)],
                "actions": actions,
                "action_components": [components_of(action) for action in actions],
                "answer": question.gt_answer,
                "draw": place,
                "wording": NATURAL,
                "prompt": question.question,
                "question_file": found.file,
            }
        )
    return Qa.build(rows)


def pictures_named(
    questions: Sequence[FoundQuestion],
) -> Iterator[tuple[int, FoundQuestion, str]]:
    """Frame id, question and path of every picture that ``questions`` show."""
    for found in questions:
        for frame_id, image in zip(
            shown_frame_ids(found.question), found.question.images, strict=True
        ):
            yield frame_id, found, image


def _frame_ids(question: OfficialQuestion) -> list[int]:
    return [int(i) for i in question.key_frame_ids]
