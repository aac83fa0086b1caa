"""Findings of the paper, asked of every model."""

from enact_assets.engine.tables import Table, integer, number, text, truth
from enact_assets.settings import columns as common


class ModelFindings(Table):
    """One row per variant, model, finding and kind.

    About whole orders alone: shorter lists, and answers that are unparsed or missing, are left out.
    """

    by = ("variant",)
    keys = ("variant", "model", "finding", "kind")

    variant = common.variant()
    model = common.model()
    is_reference = truth("chance, the oracle, a shortcut, or a model trained here")
    finding = text("name of the finding")
    kind = text("forward or inverse; null for a finding about both", null=True)
    claim = text("what the paper found, in words")
    value = number("what is compared, of the model", null=True)
    expected = number(
        "the same of a uniformly random order of the same questions; exact", null=True
    )
    difference = number("value minus expected", null=True)
    effect = number(
        "what is tested: a random order has 0. Of accuracies, recalls and mixing each side is "
        "measured from a random order (0) to the right one (1); of shares it is the difference",
        null=True,
    )
    low = number("95 % interval of the effect by t, clustered by demonstration", null=True)
    high = number("its upper end", null=True)
    p = number("two-tailed, of an effect of zero", null=True)
    holm_p = number("the same, corrected for all findings of the model", null=True)
    verdict = text("confirmed, not more than chance, contradicted or cannot be said")
    reason = text("why it cannot be said", null=True)
    n_answers = integer("answers that give a whole order")
    n_demonstrations = integer("demonstrations these are about")


class MirroredFindings(ModelFindings):
    """One row per mirrored variant, model, finding about hands and kind.

    Over questions with a whole order about the pictures and about their mirror images: `n_answers`
    has two of each. A random order has 0, as each hand does the same.
    """


class PaperFindings(Table):
    """One row per finding, model of the paper and kind.

    From the paper's tables. What a random order scores on the paper's questions is not known: the
    smallest that it can be, with the reference as the only right order, takes its place.
    """

    keys = ("published_model", "finding", "kind")

    published_model = common.published_model()
    finding = text("name of the finding")
    kind = text("forward or inverse; null for a finding about both", null=True)
    claim = text("what the paper found, in words")
    value = number("what is compared, of the model", null=True)
    expected = number("the same of a random order, with the smallest accuracy possible", null=True)
    difference = number("value minus expected", null=True)
    effect = number("as in model_findings, with this chance", null=True)
    low = number("95 % interval of the effect, questions independent, normal", null=True)
    high = number("its upper end", null=True)
    p = number("two-tailed; errors are the largest that the accuracies allow", null=True)
    holm_p = number("the same, corrected for all findings of the model", null=True)
    verdict = text("confirmed, not more than chance, contradicted or cannot be said")
    reason = text("why it cannot be said", null=True)
