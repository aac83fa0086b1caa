"""Effects of variants."""

from enact_assets.engine.tables import Table, integer, number, text
from enact_assets.settings import columns as common


class Probes(Table):
    """One row per model, variant, kind and length against the baseline.

    `length` is null for all lengths together; never add that row to the others. A question counts
    once, with the mean over its repetitions.
    """

    by = ("model", "variant")
    keys = ("model", "variant", "kind", "length")

    model = common.model()
    variant = common.variant()
    baseline = text("variant compared with")
    kind = common.kind()
    length = common.any_length()
    n_variant = integer("scored questions under the variant")
    n_baseline = integer("scored questions under the baseline")
    n_missing = integer("questions without a score, both sides")
    mean_variant = number("mean pairwise accuracy", null=True)
    mean_baseline = number("mean pairwise accuracy", null=True)
    delta = number("variant minus baseline; negative is worse", null=True)
    standard_error = number("of delta, questions independent", null=True)
    welch_p = number("two-tailed Welch t-test", null=True)
    unpaired_standard_error = number("of delta, clustered; null below 2 demonstrations", null=True)
    unpaired_p = number("of delta, clustered t-test: for gatings without pairs", null=True)
    unpaired_low = number("of delta: 95 % interval, clustered, by t", null=True)
    unpaired_high = number("its upper end", null=True)
    n_paired = integer("questions scored under both")
    n_demonstrations = integer("demonstrations among the paired questions")
    paired_delta = number("mean paired difference", null=True)
    paired_standard_error = number("clustered by demonstration; null below 2 clusters", null=True)
    paired_p = number("clustered t-test", null=True)
    paired_low = number(
        "of paired_delta: 95 % interval over demonstrations, bootstrap; by t below 6", null=True
    )
    paired_high = number("its upper end", null=True)
    sign_flip_p = number("sign-flip test over demonstrations; least is 2 / 2^G", null=True)
    minimum_detectable_effect = number(
        "paired difference found with power 0.8, clustered", null=True
    )
    n_questions_needed = integer(
        "for a difference of 0.05, of the same demonstrations; null also if none will do", null=True
    )
    n_demonstrations_needed = integer(
        "for a difference of 0.05, with as many questions each", null=True
    )
    panel = text("what the variant changes; null for the baseline", null=True)
    welch_reason = text("why welch_p is null", null=True)
    unpaired_reason = text("why unpaired_p is null", null=True)
    paired_reason = text("why paired_p is null", null=True)


class ProbePanels(Table):
    """One row per model, panel, variant, kind and length: p-values corrected within the panel.

    A family are the variants and kinds of a panel, of one model at one length; length null (all
    lengths) is a family of its own. Cells without a p-value do not count as tests.
    """

    by = ("model",)
    keys = ("model", "panel", "variant", "kind", "length")

    model = common.model()
    panel = text("what its variants change, e.g. camera_fov")
    variant = common.variant()
    kind = common.kind()
    length = common.any_length()
    n_cells = integer("variants and kinds of the panel at this length")
    welch_holm_p = number("welch_p of probes, by Holm", null=True)
    paired_holm_p = number("paired_p, by Holm", null=True)
    sign_flip_holm_p = number("sign_flip_p, by Holm", null=True)
    unpaired_holm_p = number("unpaired_p, by Holm", null=True)
