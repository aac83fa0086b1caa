"""Statistics: effects of variants, comparisons of models, and the paper's own results."""

from typing import Annotated

import polars as pl

from enact_assets.answers.baselines.learned_names import LEARNED, TRAINED_ON
from enact_assets.answers.baselines.references import REFERENCES
from enact_assets.answers.people.pooling import with_pooled_annotators
from enact_assets.engine.parameters import All, Each
from enact_assets.engine.steps import step
from enact_assets.engine.tables import Of
from enact_assets.pipeline.handles.tools import MirrorImage
from enact_assets.pipeline.steps.answer_steps import indexes_of
from enact_assets.pipeline.steps.changes import Changes
from enact_assets.pipeline.steps.inputs import (
    ANSWERS_ENACT,
    EVIDENCE,
    IF_MIRRORED,
    MIRRORED,
    OF_BASELINE,
    OF_ENACT_ALONE,
    ModelName,
    VariantName,
)
from enact_assets.questions.asked.tables import AskedQuestions
from enact_assets.results.errors.answer_comparison import with_other_hand
from enact_assets.results.errors.random_orders import compare_random_orders
from enact_assets.results.errors.tables import ComparedSteps, RandomOrders
from enact_assets.results.faithfulness.claims import faithfulness_rows
from enact_assets.results.faithfulness.tables import Faithfulness
from enact_assets.results.findings.of_mirrored_pairs import findings_of_mirrored_pairs
from enact_assets.results.findings.of_models import findings_of_models
from enact_assets.results.findings.of_published_models import findings_of_published_models
from enact_assets.results.findings.tables import MirroredFindings, ModelFindings, PaperFindings
from enact_assets.results.paper.results import published_table
from enact_assets.results.paper.tables import (
    PublishedAccuracies,
    PublishedAgreement,
    PublishedCaveats,
    PublishedErrorShares,
    PublishedFirstVersion,
    PublishedHandedness,
    PublishedMismatchRates,
    PublishedModels,
    PublishedModelSizes,
    PublishedProbes,
    PublishedQuestionCounts,
    PublishedSettings,
    PublishedWorldprediction,
)
from enact_assets.results.probes.baseline_comparison import as_many_of_each, compare_with_baseline
from enact_assets.results.probes.panels import correct_within_panels, panel_of
from enact_assets.results.probes.tables import ProbePanels, Probes
from enact_assets.results.statistics.models import compare_models
from enact_assets.results.statistics.tables import ModelAccuracies, ModelComparisons
from enact_assets.results.verification.tables import Evaluation
from enact_assets.settings.registry import Variant

KINDS = ("scipy", "polars", "parquet")


@step(group="answers", job="ask_and_verify", kinds=KINDS, when=OF_ENACT_ALONE)
def probes(
    evaluated: Of[Evaluation],
    questions: Of[AskedQuestions],
    baseline_evaluated: Annotated[Of[Evaluation], OF_BASELINE],
    baseline_questions: Annotated[Of[AskedQuestions], OF_BASELINE],
    variant: Variant,
    baseline: Annotated[Variant, OF_BASELINE],
    model: ModelName,
) -> Of[Probes]:
    """Pairwise accuracy by question under the variant minus under the baseline, on the variant's
    questions: Welch's test, the paired test clustered by demonstration, sign flips, a bootstrap
    interval, and the smallest detectable difference. Panels exclude references that are trained on
    pictures of the baseline, as their deltas would describe their training.
    """
    panel = panel_of(variant, baseline)
    if model in LEARNED and panel is not None:
        return Probes.of(Probes.empty())
    rows = compare_with_baseline(
        evaluated,
        as_many_of_each(baseline_evaluated, baseline_questions, questions),
        variant.name,
        baseline.name,
        panel=panel,
    )
    return Probes.of(rows)


@step(group="statistics", job="correct_within_panels", when=ANSWERS_ENACT)
def probe_panels(compared: All[Probes]) -> Of[ProbePanels]:
    """The p-values of probes, corrected by Holm for the variants and kinds of one panel."""
    return ProbePanels.of(correct_within_panels(compared))


@step(group="statistics", job="compare_models", kinds=KINDS)
def model_comparisons(
    evaluated: All[Evaluation], questions: Of[AskedQuestions], variant: VariantName
) -> tuple[Of[ModelAccuracies], Of[ModelComparisons]]:
    """Accuracies with intervals by bootstrap over demonstrations, and the models that each is tied
    with; and comparisons of every pair of models on the questions that both answered: clustered and
    sign-flip tests, corrected for the number of pairs. Annotators of one role are one row without a
    place. If a model could not be asked again, only its answers to current questions count.
    """
    rows, pooled = with_pooled_annotators(evaluated.join(questions, on="question_id", how="semi"))
    accuracies, comparisons = compare_models(
        rows, variant, references=(*REFERENCES, *pooled), trained_on=TRAINED_ON
    )
    return ModelAccuracies.of(accuracies), ModelComparisons.of(comparisons)


@step(group="statistics", job="compare_models", kinds=KINDS)
def model_findings(
    compared: All[ComparedSteps],
    evaluated: All[Evaluation],
    questions: Of[AskedQuestions],
    changes: Annotated[Each[Changes], EVIDENCE],
    variant: VariantName,
    mirrored: Annotated[MirrorImage, IF_MIRRORED] | None,
) -> tuple[Of[RandomOrders], Of[ModelFindings]]:
    """What a random order of each question is expected to show, exactly; and what the paper found,
    asked of every model: its value, that of random orders, and a test of the difference, clustered
    by demonstration. If a model could not be asked again, only its answers to current questions
    count. Questions of WorldPrediction have neither.
    """
    known = {d: i for d, i in indexes_of(questions, changes).items() if i is not None}
    asked = questions.filter(pl.col("demonstration").is_in(list(known)))
    expected = compare_random_orders(asked, known, variant)
    if mirrored is not None:
        expected = with_other_hand(expected)
    current = evaluated.join(questions, on="question_id", how="semi")
    found = findings_of_models(compared, current, expected, REFERENCES)
    return RandomOrders.of(expected), ModelFindings.of(found)


@step(group="statistics", job="compare_hands", kinds=KINDS, when=MIRRORED)
def mirrored_findings(
    compared: All[ComparedSteps],
    evaluated: All[Evaluation],
    questions: Of[AskedQuestions],
    unmirrored: Annotated[All[ComparedSteps], OF_BASELINE],
    unmirrored_evaluated: Annotated[All[Evaluation], OF_BASELINE],
) -> Of[MirroredFindings]:
    """Whether a hand is recalled more or mixed up more, over questions that were answered about the
    pictures and about their mirror images: together each hand does the same, so that a model
    without a preference, and a random order, show no difference. Only answers to current questions
    count.
    """
    current = evaluated.join(questions, on="question_id", how="semi")
    sides = (compared, current), (unmirrored, unmirrored_evaluated)
    return MirroredFindings.of(findings_of_mirrored_pairs(*sides, REFERENCES))


@step(group="imports", job="load_published_results")
def published_results() -> tuple[
    Of[PublishedAccuracies],
    Of[PublishedAgreement],
    Of[PublishedCaveats],
    Of[PublishedErrorShares],
    Of[PaperFindings],
    Of[PublishedFirstVersion],
    Of[PublishedHandedness],
    Of[PublishedMismatchRates],
    Of[PublishedModels],
    Of[PublishedModelSizes],
    Of[PublishedProbes],
    Of[PublishedQuestionCounts],
    Of[PublishedSettings],
    Of[PublishedWorldprediction],
]:
    """The paper's numbers, which are part of the package, for comparison with measured ones."""
    return (
        published_table(PublishedAccuracies),
        published_table(PublishedAgreement),
        published_table(PublishedCaveats),
        published_table(PublishedErrorShares),
        PaperFindings.of(findings_of_published_models()),
        published_table(PublishedFirstVersion),
        published_table(PublishedHandedness),
        published_table(PublishedMismatchRates),
        published_table(PublishedModels),
        published_table(PublishedModelSizes),
        published_table(PublishedProbes),
        published_table(PublishedQuestionCounts),
        published_table(PublishedSettings),
        published_table(PublishedWorldprediction),
    )


@step(group="imports", job="load_published_results")
def faithfulness() -> Of[Faithfulness]:
    """What the papers say, claim by claim: where it is here, how it was checked, the verdict."""
    return faithfulness_rows()
