"""Both tasks on films of people: tables ``world_questions`` and ``world_candidates``."""

from collections.abc import Sequence

import polars as pl

from enact_assets.contracts.world_settings import EQUIVALENT, WorldSettings
from enact_assets.plurals import counted
from enact_assets.worldprediction.annotated_plans import flawless_plans, plan_questions
from enact_assets.worldprediction.annotated_rows import Questions, question_rows
from enact_assets.worldprediction.annotated_transitions import first_of_each, transition_questions


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


def not_asked(
    actions: pl.DataFrame, questions: pl.DataFrame, lengths: Sequence[int]
) -> tuple[str, ...]:
    """Which recordings and plans of one step file no question is about, and why, in sentences.

    ``actions`` are its rows of ``annotated_actions``, ``questions`` those of ``world_questions``.
    """
    said = []
    transitions = set(questions.filter(task="wm")["recording"])
    left = [name for name in first_of_each(actions) if name not in transitions]
    if left:
        said.append(
            f"wm: {counted(len(left), 'recording')} not asked about (first: {left[0]}): no "
            "recording of another environment shares four steps."
        )
    rows = questions.filter(task="pp").select("recording", "first_action", "length").rows()
    plans = set(rows)
    alone = [
        plan.steps[0]
        for plan in flawless_plans(actions, lengths)
        if (*plan.steps[0][:2], len(plan.steps)) not in plans
    ]
    if alone:
        said.append(
            f"pp: {counted(len(alone), 'plan')} not asked about (first: recording "
            f"{alone[0].recording}, action {alone[0].action}): a step has no equivalent in another "
            "environment."
        )
    return tuple(said)
