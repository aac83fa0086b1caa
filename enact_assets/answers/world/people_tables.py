"""Answers of annotators to questions of WorldPrediction, and kept questions."""

from enact_assets.engine.tables import Table, integer, number, text, truth
from enact_assets.settings import columns as common


class WorldHumanEvaluation(Table):
    """One row per annotator and question of WorldPrediction that is assigned.

    Answers to a question that shows something else by now are not here. Roles are never mixed.
    """

    by = ("world_source",)

    world_source = common.world_source(key=True)
    annotator = text("as in human_answers", key=True)
    question_id = text("as in world_questions", key=True)
    role = text("person, solver or simulated")
    task = text("wm or pp")
    condition = text("same, view or equivalent")
    length = integer("actions between the states")
    recording = text("recording that shows the states")
    n_videos = integer("recordings that the clips come from")
    answer_status = text("parsed, unparsed (cannot tell) or missing (not answered yet)")
    answer = text("letter that was chosen last", null=True)
    is_correct = truth("whether it is the right one; null if missing", null=True)
    reason = text("why the annotator could not tell", null=True)
    comment = text("in the annotator's words", null=True)
    active_s = number("time in sight, without pauses above 2 minutes", "s", null=True)
    received_at = text("when the first answer came, UTC", null=True)


class WorldHumanFilter(Table):
    """One row per question of WorldPrediction that a person answered.

    The first two persons decide, as in the paper; those who answer later measure how well people do
    on kept questions, which the filter itself would make 100 %.
    """

    by = ("world_source",)

    world_source = common.world_source(key=True)
    question_id = text("as in world_questions", key=True)
    task = text("wm or pp")
    condition = text("same, view or equivalent")
    length = integer("actions between the states")
    recording = text("recording that shows the states")
    outcome = text(
        "kept (both right), one_wrong (one was not right), same_wrong (both chose one wrong "
        "option: check the key), both_wrong, cannot_tell (both), undecided (fewer than two yet)"
    )
    is_kept = truth("both were right; null if undecided", null=True)
    n_deciding = integer("persons who decide, so far")
    n_solved = integer("of these: right")
    n_cannot_tell = integer("of these: could not tell")
    n_later = integer("persons who answered after those")
    n_later_solved = integer("of these: right")


class WorldHumanAgreement(Table):
    """One row per role, annotators, task, condition, length and measure of agreement.

    As human_agreement, about questions with two answers or more. Null task, condition and length
    are all. The paper's agreement (0.73 and 0.65) does not say what it is.
    """

    by = ("world_source",)
    keys = ("world_source", "role", "annotators", "task", "condition", "length", "measure")

    world_source = common.world_source()
    role = text("person, solver or simulated: never mixed")
    annotators = text("all, or two of them")
    task = text("wm or pp; null for both", null=True)
    condition = text("same, view or equivalent; null for all", null=True)
    length = common.any_length()
    measure = text("unanimous (share of questions) or alpha_answers (nominal)")
    n_annotators = integer("annotators with such an answer")
    n_questions = integer("questions with two answers or more")
    n_recordings = integer("recordings these are about")
    value = number("null where all answers are equal, so that alpha is undefined", null=True)
    low = number("95 % interval over questions; null below 2", null=True)
    high = number("its upper end", null=True)
    low_recordings = number("95 % interval over recordings; null below 2", null=True)
    high_recordings = number("its upper end", null=True)
