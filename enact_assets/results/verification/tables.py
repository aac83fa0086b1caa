"""Which orders are right, and whether answers are."""

from enact_assets.engine.tables import Reference, Table, integer, integers, number, text, truth
from enact_assets.settings import columns as common


class QuestionOrders(Table):
    """One row per question: how many orders are right, and what a random order scores.

    Counted over all orders, not sampled; every written question has a row.
    """

    by = ("demonstration", "gating")
    keys = ("demonstration", "gating", "kind", "length", "question_id")

    demonstration = common.demonstration()
    gating = common.gating()
    question_id = common.question_id()
    kind = common.kind()
    length = common.length()
    n_orders = integer("orders there are: (length - 1)!")
    n_accepted_orders = integer("orders that the verifier accepts; exact")
    is_ambiguous = truth("whether more than one order is accepted")
    expected_task_accuracy = number("of a uniformly random order; exact")
    expected_pairwise_accuracy = number("of a uniformly random order; exact")


class Evaluation(Table):
    """One row per model, variant, question and repetition.

    A missing answer has null scores. One that could not be parsed, refusals and cut answers among
    them, has zeros under profile paper, and null scores under profile release, which leaves it out.
    An imported question without a replay is compared with its reference alone.
    """

    by = ("model", "variant")
    refers_to = Reference("question_id", "qa", "asked_questions")

    model = common.model(key=True)
    variant = common.variant(key=True)
    question_id = common.question_id(key=True)
    repetition = common.repetition(key=True)
    demonstration = common.demonstration()
    gating = common.gating()
    kind = common.kind()
    length = common.length()
    answer_status = text("parsed, unparsed or missing")
    reason = text(
        "why it is unparsed (also refused, cut, declined) or missing; wrong_length also if parsed, "
        "with fewer labels",
        null=True,
    )
    answer = integers("the parsed order; shorter than n_steps if wrong_length", null=True)
    is_exact = truth("equals the reference; null if not scored", null=True)
    is_semantic = truth("consistent at every step", null=True)
    is_accepted = truth("exact or semantic", null=True)
    n_steps = integer("steps of the question")
    n_steps_passed = integer("steps that pass the rule; of an accepted answer all", null=True)
    pairwise_accuracy = number("share of steps that pass", null=True)
    release_answer = integers(
        "labels as the public release reads the answer; null if it reads none, or is missing",
        null=True,
    )
    is_accepted_as_release = truth("is_accepted of release_answer, by the same rules", null=True)
    pairwise_accuracy_as_release = number("pairwise_accuracy of release_answer", null=True)
    unverified = text(
        "why is_accepted is is_exact, and steps are not known: no_replay; null if the rule applied "
        "(to segmented scene graphs it does approximately)",
        null=True,
    )
