"""A valid question of the published form, as a row of a question file."""

from typing import Any

from enact_assets.questions.asked.official import image_paths, official_id, question_type

TASK = "setting_the_table_1"
IDS = ("60", "305", "516")


def question_fields(
    ids: tuple[str, ...] = IDS, kind: str = "forward", task: str = TASK, **changed: Any
) -> dict[str, Any]:
    """Its fields in the release's order, but for those ``changed``; ``ids`` are its key frames."""
    type_ = question_type(kind, len(ids))
    id_ = official_id(task, type_, list(ids))
    return {
        "id": id_,
        "type": type_,
        "task_name": task,
        "key_frame_ids": list(ids),
        "images": image_paths(id_, type_, task, len(ids)),
        "question": "Which?",
        "options": [],
        "gt_answer": [2, 1],
    } | changed
