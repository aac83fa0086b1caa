"""Results of the paper, as published."""

from enact_assets.engine.tables import Table, integer, number, text
from enact_assets.settings import columns as common


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
    accuracy = number("of the questions of one length")
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
    note = text("what the paper's text says otherwise; null elsewhere", null=True)


class PublishedErrorShares(Table):
    """One row per model of the paper, kind and structural category of error (figure 5).

    Published, not measured: the paper's figure 5. It seems to be about wrong answers; the paper
    does not say so.
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


class PublishedAgreement(Table):
    """One row per group of the paper's annotators: all three, and each pair.

    Published, not measured: Krippendorff's alpha for ordinal data over the same questions. The
    paper gives interval and unanimous questions for all three only.
    """

    annotators = text("all, or two of A01, B02 and C03", key=True)
    alpha = number("Krippendorff's alpha")
    low = number("95 % interval, bootstrap over questions; null for pairs", null=True)
    high = number("its upper end; null for pairs", null=True)
    n_questions = integer("questions that each annotator answered")
    n_unanimous = integer("questions answered alike by all; null for pairs", null=True)
    place_in_paper = text("section of the paper")


class PublishedFirstVersion(Table):
    """One row per measure, kind and item that the paper's first version gives differently.

    Published, not measured. All other tables hold the second version, which comparisons use;
    nothing else reads this one.
    """

    measure = text("pairwise_accuracy, mixing_rate, delta or welch_p", key=True)
    kind = common.kind(key=True)
    item = text("length, hand or variant that it is about", key=True)
    published_model = text("model as the paper calls it; null if not recorded", null=True)
    first_version = number("as in the first version")
    second_version = number("as in the second version; null if of another model", null=True)
    note = text("what else differs", null=True)


class PublishedCaveats(Table):
    """One row per condition of the paper that ours cannot be quite, whatever it is called here.

    Ours, not the paper's. Relations that put measured rows beside published ones show it: that
    of the variant, and that of the baseline, which holds for each of them.
    """

    published_variant = common.published_variant(key=True)
    of_source = text("source of demonstrations that it is about; null: any", null=True)
    caveat = text("how our condition differs from the paper's")


class PublishedSettings(Table):
    """One row per setting that the paper gives for its baseline, and per exception of a variant.

    Published, not measured. Settings without a row, samples per pixel for example, are ours: no
    value of theirs is the paper's. A variant without a row of a setting has the baseline's; a null
    means that the setting does not apply to the variant. No setting of the registry, but decisive:
    `prompt.forward` and `prompt.inverse`, SHA-256 of the prompt without its actions, each run of
    white space as one space.
    """

    published_variant = common.published_variant(key=True)
    setting = text("as in variant_settings, or prompt.forward, prompt.inverse", key=True)
    value = text("as in variant_settings; null if the setting does not apply", null=True)
    given_in = text("section of the paper, or another source")


class PublishedModels(Table):
    """One row per name under which a model of the paper can be asked here.

    A name meets the published rows if it is listed, letter for letter, and not otherwise: a later
    version, a tuned one or a smaller one is another model. Names are those of the packaged
    models, of their ids at providers, and of the same weights under `hf/` and `vllm/`.
    """

    known_as = text("model as it is called here", key=True)
    published_model = common.published_model()


class PublishedModelSizes(Table):
    """One row per open model of the paper.

    The paper gives no sizes: they are those of the models' cards, names and weights, as the source
    says. Vision encoders count. Sizes of proprietary models are not public.
    """

    published_model = common.published_model(key=True)
    n_parameters_million = integer("all parameters, in millions")
    n_active_million = integer("parameters that each token uses, in millions")
    size_source = text("where the size is from")


class PublishedWorldprediction(Table):
    """One row per table or section of the WorldPrediction paper, task, name and metric.

    Published, not measured, and about other questions than ours: films of people, kept only if two
    annotators answered right, so that people's 100 % is how the questions were chosen. Printed sums
    that do not add up are kept as printed: unique actions of WM are 1,600 by data set and 1,800 in
    all, and no k of 825 questions gives 40.3 % (Qwen2.5VL 7B as captioner).
    """

    place_in_paper = text("table or section of the paper", key=True)
    task = text("wm, pp or both", key=True)
    method = text("vlm, socratic_llm, video_diffusion, oepp, captioner, human, dataset or filter")
    published_name = text("model, data set, or what is counted", key=True)
    metric = text(
        "accuracy (chance is 0.25), samples, unique_actions, mean_duration_s, count, mean, "
        "agreement, distance or seconds",
        key=True,
    )
    value = number("accuracies as fractions, all else in the unit of the metric")
