"""Answers compared with true changes, step by step and component by component."""

from enact_assets.engine.tables import Reference, Table, integer, number, text, truth
from enact_assets.settings import columns as common


class ComparedSteps(Table):
    """One row per step of an answer that could be compared with what happened.

    Missing and hallucinated are sets; omissions and hallucinations are what remains after pairing.
    Unparsed and missing answers and orders of another length have no rows.
    """

    by = ("model", "variant")
    refers_to = Reference("question_id", "qa", "asked_questions")

    model = common.model(key=True)
    variant = common.variant(key=True)
    question_id = common.question_id(key=True)
    repetition = common.repetition(key=True)
    demonstration = common.demonstration()
    step = common.step(key=True)
    is_passed = truth("whether it passes the rule of verification; all do if exact")
    n_reference = integer("components of the true visible change")
    n_predicted = integer("components that the answer gives for the step")
    n_matched = integer("components that are in both")
    n_missing = integer("true components that the answer omits")
    n_hallucinated = integer("components that the answer makes up")
    n_polarity_inversions = integer("pairs missing and hallucinated: opposite sign, all else equal")
    n_predicate_substitutions = integer("of the rest, pairs with equal objects and sign")
    n_entity_substitutions = integer("of the rest, pairs with equal predicate and sign")
    n_omissions = integer("missing components without a partner")
    n_hallucinations = integer("hallucinated components without a partner")
    n_left_reference = integer("true components about the left hand")
    n_left_predicted = integer("given components about the left hand")
    n_left_matched = integer("left-hand components that are in both")
    n_left_mixed = integer("missing left-hand ones, if only the right hand is made up")
    n_right_reference = integer("true components about the right hand")
    n_right_predicted = integer("given components about the right hand")
    n_right_matched = integer("right-hand components that are in both")
    n_right_mixed = integer("missing right-hand ones, if only the left hand is made up")


class ComparedComponents(Table):
    """One row per component that a true step or its answer names, or pair of two taken for each
    other.

    A pair is one error; its predicate is that of the true component.
    """

    by = ("model", "variant")
    refers_to = Reference("question_id", "qa", "asked_questions")

    model = common.model(key=True)
    variant = common.variant(key=True)
    question_id = common.question_id(key=True)
    repetition = common.repetition(key=True)
    demonstration = common.demonstration()
    step = common.step(key=True)
    place = integer("place among those of the step, from 1", key=True)
    outcome = text(
        "matched, polarity_inversion, predicate_substitution, entity_substitution, omission or "
        "hallucination"
    )
    reference = text("the true component; null if it is made up", null=True)
    predicted = text("the given component; null if it is omitted", null=True)
    predicate = text("of the true component, else of the other")
    semantic_class = text("what kind of statement the predicate makes")


class RandomOrders(Table):
    """One row per variant and question: what a uniformly random order is expected to show.

    Exact means over all orders that can be compared, not sampled. Columns that are called as in
    ``compared_answers`` are about the same. Questions without an order to compare have no row.
    """

    by = ("variant",)
    refers_to = Reference("question_id", "qa", "asked_questions")
    keys = ("variant", "demonstration", "kind", "length", "question_id")

    variant = common.variant()
    demonstration = common.demonstration()
    question_id = common.question_id()
    kind = common.kind()
    length = common.length()
    n_steps = integer("steps of the question")
    n_steps_passed = number("expected steps that pass the rule of verification")
    n_steps_inexact = number("of these, steps whose components differ from the true ones")
    n_steps_strict_subset = number("of these, steps that only omit true components")
    accepted = number("chance that every step passes")
    accepted_with_subset = number("chance of that with a step that only omits true components")
    n_reference = integer("components of the true visible changes")
    n_predicted = number("expected components that the order gives")
    n_matched = number("expected components in both")
    n_missing = number("expected true components that the order omits")
    n_hallucinated = number("expected components that the order makes up")
    n_polarity_inversions = number("expected pairs with opposite sign, all else equal")
    n_predicate_substitutions = number("expected further pairs with equal objects and sign")
    n_entity_substitutions = number("expected further pairs with equal predicate and sign")
    n_omissions = number("expected missing components without a partner")
    n_hallucinations = number("expected made-up components without a partner")
    n_left_reference = integer("true components about the left hand")
    n_left_predicted = number("expected components about the left hand")
    n_left_matched = number("expected left-hand components in both")
    n_left_mixed = number("expected missing left-hand ones where only the right hand is made up")
    n_right_reference = integer("true components about the right hand")
    n_right_predicted = number("expected components about the right hand")
    n_right_matched = number("expected right-hand components in both")
    n_right_mixed = number("expected missing right-hand ones where only the left hand is made up")
