"""Both tasks on films of people: tables ``world_questions`` and ``world_candidates``."""

import polars as pl

from enact_assets.contracts.settings import EQUIVALENT, WorldSettings
from enact_assets.worldprediction.annotated_plans import plan_questions
from enact_assets.worldprediction.annotated_rows import Questions, question_rows
from enact_assets.worldprediction.annotated_transitions import transition_questions


def annotated_questions(actions: pl.DataFrame, settings: WorldSettings) -> Questions:
    """All questions about one step file, ``actions`` being its rows of ``annotated_actions``.

    They are asked under condition ``equivalent`` alone, and every plan of the lengths wanted is.
    Without films they have no pictures: only models that read labels can answer.
    """
    if actions.is_empty() or EQUIVALENT not in settings.conditions:
        return question_rows("", ())
    drawn = [
        *transition_questions(actions, settings.seed),
        *plan_questions(actions, settings.lengths, settings.seed),
    ]
    return question_rows(str(actions.item(0, "world_source")), drawn)
