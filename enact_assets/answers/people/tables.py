"""What annotators answered, how far they agree, and what that says of questions."""

from enact_assets.engine.tables import Table, integer, integers, number, text, texts, truth
from enact_assets.settings import columns as common


class HumanAnswers(Table):
    """One row per annotator, question assigned and revision of the answer to it.

    A copy of the database of the page. `revision` is null while there is no answer, and `is_last`
    is false of answers that were changed later. Names, links and addresses stay in the database.
    """

    keys = ("annotator", "variant", "question_id", "version", "revision")

    annotator = text("name of its partition as a model")
    role = text("person, solver (no person, given the page alone) or simulated")
    variant = text("variant that asks it")
    question_id = common.question_id()
    version = text("hash of what was shown: texts and pictures")
    kind = text("forward or inverse; of WorldPrediction wm_ or pp_ and the condition")
    length = integer("key frames in the trajectory; of WorldPrediction actions between the states")
    demonstration = text("what it is about: demonstration, or recording of a step file")
    position = integer("place among the questions of this annotator, from 0")
    revision = integer("from 0; null if unanswered", null=True)
    is_last = truth("no later answer replaced it; true if unanswered")
    answer = integers(
        "label in each place, or of the option that was chosen; null: cannot tell, or unanswered",
        null=True,
    )
    shuffle = integers("labels in the order in which this annotator saw them")
    reason = text("why the annotator could not tell; null of answers", null=True)
    comment = text("in the annotator's words", null=True)
    active_s = number("time in sight, without pauses above 2 minutes", "s", null=True)
    shown_at = text("when the page was first sent, UTC", null=True)
    received_at = text("when the answer came, UTC", null=True)


class HumanAgreement(Table):
    """One row per variant, role, annotators, kind, length and measure of agreement.

    About questions with two answers or more; "cannot tell" is no answer. Intervals are percentiles
    of 1,000 resamples of whole questions, or of whole demonstrations. Of `alpha_places`, rows over
    several lengths are the mean of the lengths, weighted by questions. `_accepted`: every accepted
    order is taken for the reference.
    """

    by = ("variant",)
    keys = ("variant", "role", "annotators", "kind", "length", "measure")

    variant = common.variant()
    role = text("person, solver or simulated: never mixed")
    annotators = text("all; at least 20: only who answered so many, where others did not; or two")
    kind = text("forward or inverse; null for both", null=True)
    length = common.any_length()
    measure = text(
        "unanimous (share of questions), alpha_answers (nominal, of whole answers), alpha_places "
        "(ordinal, of places of items), and both alphas with _accepted"
    )
    n_annotators = integer("annotators with such an answer")
    n_questions = integer("questions with two answers or more")
    n_demonstrations = integer("demonstrations these are about")
    value = number("null where all answers are equal, so that alpha is undefined", null=True)
    low = number("95 % interval over questions; null below 2", null=True)
    high = number("its upper end", null=True)
    low_demonstrations = number("95 % interval over demonstrations; null below 2", null=True)
    high_demonstrations = number("its upper end", null=True)


class QuestionQuality(Table):
    """One row per variant, role and question that an annotator answered.

    `outcome` counts the last answers; `cannot_tell` counts as not solved.
    """

    by = ("variant",)
    keys = ("variant", "role", "question_id")

    variant = common.variant()
    role = text("person, solver or simulated: never mixed")
    question_id = common.question_id()
    demonstration = common.demonstration()
    kind = common.kind()
    length = common.length()
    n_assigned = integer("annotators it was assigned to")
    n_answered = integer("of these: answered or could not tell")
    n_solved = integer("of these: gave an accepted answer")
    n_cannot_tell = integer("of these: could not tell")
    reasons = texts("why, each once")
    comments = texts("in the annotators' words")
    median_active_s = number("of its answers", "s", null=True)
    verdicts = texts(
        "solved, wrong or cannot_tell of each answer, in the order in which annotators answered"
    )
    outcome = text(
        "solved (by all who answered), one_wrong (one was not right), same_wrong (all gave one "
        "wrong answer: check the key), all_wrong, some_wrong, cannot_tell (all)"
    )


class KeptQuestions(Table):
    """One row per question set that sets `keep` or `without`, and question of it.

    The first people decide; later ones measure how well people answer kept questions, as the filter
    itself would make that 100 %. Answers are those under the baseline.
    """

    by = ("question_set",)

    question_set = common.question_set(key=True)
    question_id = common.question_id(key=True)
    demonstration = common.demonstration()
    kind = common.kind()
    length = common.length()
    n_solved = integer("of the persons who decide: solved it")
    n_deciding = integer("persons who decide, so far")
    ambiguities = texts("of those that the set goes without: what steps of it have")
    is_kept = truth(
        "solved by as many as the set wants, and without ambiguities; null until enough persons "
        "answered",
        null=True,
    )
    n_later = integer("persons who answered after those")
    n_later_solved = integer("of these: solved it")
