"""Accuracies of models with intervals, and which differ significantly."""

from enact_assets.engine.tables import Table, integer, number, text, texts, truth
from enact_assets.settings import columns as common


class ModelAccuracies(Table):
    """One row per variant, kind, length, metric and model.

    `length` is null for all lengths together; never add that row to the others. Ties are not
    transitive, so places of models overlap.
    """

    by = ("variant",)
    keys = ("variant", "kind", "length", "metric", "model")

    variant = common.variant()
    kind = common.kind()
    length = common.any_length()
    metric = common.metric()
    model = common.model()
    is_reference = truth(
        "reference baseline (chance, the oracle, a shortcut, or a model trained on the same "
        "simulator): not ranked"
    )
    trained_on = text("what a reference was trained on; null if it was not trained", null=True)
    n_scored = integer("questions that the accuracy is about")
    n_demonstrations = integer("demonstrations these are about")
    accuracy = number("over answers; pairwise: passed steps over all steps", null=True)
    standard_error = number("clustered by demonstration; null below 2", null=True)
    low = number("95 % interval over demonstrations: bootstrap, or t below 6 of them", null=True)
    high = number("its upper end", null=True)
    reason = text("why there is no interval", null=True)
    exact_low = number(
        "exact binomial 95 % interval of a task accuracy, as if questions were independent",
        null=True,
    )
    exact_high = number("its upper end", null=True)
    place_best = integer("1 + models that are significantly better", null=True)
    place_worst = integer("models minus those significantly worse", null=True)
    tied_with = texts("models without a significant difference; not transitive", null=True)


class ModelComparisons(Table):
    """One row per variant, kind, length, metric and pair of models, over common questions.

    Each pair has one row, in the order of names; only questions scored for both count, each once,
    with the mean over its repetitions.
    """

    by = ("variant",)
    keys = ("variant", "kind", "length", "metric", "model_a", "model_b")

    variant = common.variant()
    kind = common.kind()
    length = common.any_length()
    metric = common.metric()
    model_a = text("the one whose name comes first")
    model_b = text("the other one")
    has_reference = truth("one is a reference; such pairs form a separate family")
    n_paired = integer("questions scored for both")
    n_demonstrations = integer("demonstrations these are about")
    difference = number("accuracy of a minus that of b", null=True)
    standard_error = number("clustered by demonstration; null below 2", null=True)
    low = number("95 % interval by t, clustered", null=True)
    high = number("its upper end", null=True)
    clustered_p = number("clustered t-test", null=True)
    clustered_bh_p = number("the same by Benjamini and Hochberg, over all pairs", null=True)
    sign_flip_p = number("sign-flip test over demonstrations", null=True)
    sign_flip_bh_p = number("the same by Benjamini and Hochberg", null=True)
    is_tied = truth(
        "no significant difference: clustered_bh_p, or else sign_flip_bh_p, is 0.05 or more"
    )
    minimum_detectable_effect = number("difference found with power 0.8, clustered", null=True)
    reason = text("why clustered_p is null", null=True)
