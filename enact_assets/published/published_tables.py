"""Results of the paper, as published."""

from enact_assets import columns as common
from enact_assets.engine.tables import Table, integer, number, text


class PublishedAccuracies(Table):
    """One row per experiment of the paper, variant, kind, length, metric and model.

    Published, not measured: the paper's tables 2, 9, 10, 11, 12 and 14. Experiments ask
    different questions: compare within one.
    """

    experiment = text(
        "main, contact_gating, action_representation, noise_robustness or real_world_video",
        key=True,
    )
    published_variant = common.published_variant(key=True)
    kind = common.kind(key=True)
    length = common.length(key=True)
    metric = common.metric(key=True)
    published_model = common.published_model(key=True)
    model_class = text("proprietary, open_weight or human")
    accuracy = number("mean over questions")
    standard_deviation = number("over three seeds of noise; null elsewhere", null=True)
    place_in_paper = text("table of the paper")


class PublishedProbes(Table):
    """One row per model of the paper, panel, variant and kind.

    Published, not measured: the paper's figures 4 and 17, with two decimals: a p-value of 0 is
    one below 0.005.
    """

    published_model = common.published_model(key=True)
    panel = text("what its variants change, as in probe_panels", key=True)
    published_variant = common.published_variant(key=True)
    kind = common.kind(key=True)
    delta = number("variant minus baseline, two decimals; negative is worse")
    welch_p = number("two-tailed Welch t-test, two decimals, not corrected")
    place_in_paper = text("figure of the paper")


class PublishedErrorShares(Table):
    """One row per model of the paper, kind and structural category of error (figure 5).

    Published, not measured: the paper's figure 5, which is about wrong answers.
    """

    published_model = common.published_model(key=True)
    kind = common.kind(key=True)
    category = text("structural category", key=True)
    share = number("of all errors")


class PublishedHandedness(Table):
    """One row per model of the paper, kind and hand (figures 4 and 17).

    Published, not measured: the paper's figures 4 and 17.
    """

    published_model = common.published_model(key=True)
    kind = common.kind(key=True)
    hand = text("left or right", key=True)
    precision = number("matched over predicted components")
    precision_standard_error = number("its standard error")
    recall = number("matched over true components")
    recall_standard_error = number("its standard error")
    mixing_rate = number("share of true components given for the other hand")


class PublishedMismatchRates(Table):
    """One row per model of the paper and level (table 13).

    Published, not measured: the paper's table 13, over both kinds.
    """

    published_model = common.published_model(key=True)
    level = text("question or step (the paper: data or pair)", key=True)
    mismatch_rate = number("share of accepted ones that state a strict subset of the changes")


class PublishedQuestionCounts(Table):
    """One row per length of the paper's question set.

    Published, not measured: as many of each kind: 4,486 forward and 4,486 inverse questions.
    """

    length = common.length(key=True)
    n_questions = integer("questions of each kind")


class PublishedModelSizes(Table):
    """One row per open model of the paper.

    The paper gives no sizes: they are those of the models' cards, names and weights, as the source
    says. Vision encoders count. Sizes of proprietary models are not public.
    """

    published_model = common.published_model(key=True)
    n_parameters_million = integer("all parameters, in millions")
    n_active_million = integer("parameters that each token uses, in millions")
    size_source = text("where the size is from")
