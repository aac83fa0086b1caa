"""Speed of statistics: models beside each other on a question set of the published size.

Scores are drawn: nothing here depends on what was asked.
"""

import numpy as np
import polars as pl

from benchmarks.measuring import HEADER, Row, best_of
from enact_assets.results.probes.baseline_comparison import compare_with_baseline
from enact_assets.results.statistics.models import compare_models
from enact_assets.settings.classes import QuestionSettings

N_MODELS, N_QUESTIONS, N_DEMONSTRATIONS = 30, 8_972, 29
LENGTHS = range(3, 11)
TARGET_S, PROBES_TARGET_S = 5.0, 0.2


def drawn_evaluation(n_models: int, n_questions: int, variant: str) -> pl.DataFrame:
    """Rows with the columns of ``evaluation`` that statistics read; models differ in ability."""
    random = np.random.default_rng(0)
    strata = [(kind, length) for kind in ("forward", "inverse") for length in LENGTHS]
    at = np.arange(n_questions)
    questions = pl.DataFrame(
        {
            "question_id": [f"q{k}" for k in at],
            "demonstration": [f"d{k // len(strata) % N_DEMONSTRATIONS:02}" for k in at],
            "kind": [strata[k % len(strata)][0] for k in at],
            "length": [strata[k % len(strata)][1] for k in at],
        }
    )
    n_steps = questions.get_column("length").to_numpy() - 1
    frames = []
    for model, ability in enumerate(np.linspace(0.2, 0.8, n_models)):
        n_passed = random.binomial(n_steps, ability)
        frames.append(
            questions.with_columns(
                pl.lit(f"model-{model:02}").alias("model"),
                pl.lit(variant).alias("variant"),
                pl.lit("state").alias("gating"),
                pl.lit(0, pl.Int64).alias("repetition"),
                pl.Series("n_steps", n_steps),
                pl.Series("is_accepted", n_passed == n_steps),
                pl.Series("pairwise_accuracy", n_passed / n_steps),
            )
        )
    return pl.concat(frames)


def rows(n_models: int = N_MODELS) -> list[Row]:
    """All models of one variant; one model's probe questions under a variant and the baseline."""
    evaluation = drawn_evaluation(n_models, N_QUESTIONS, "baseline")
    models_s = best_of(2, lambda: compare_models(evaluation, "baseline"))
    settings = QuestionSettings()
    n_probes = 2 * settings.probe_set_per_stratum * len(LENGTHS)
    baseline, variant = (drawn_evaluation(1, n_probes, name) for name in ("baseline", "high"))
    probes_s = best_of(3, lambda: compare_with_baseline(variant, baseline, "high", "baseline"))
    n_pairs = n_models * (n_models - 1) // 2
    return [
        Row(
            f"statistics of {n_models} models x {N_QUESTIONS:,} questions",
            f"{TARGET_S:.0f} s",
            f"{models_s:.1f} s",
            models_s <= TARGET_S,
            f"intervals, {n_pairs} pairs x 2 tests, each of 18 strata and 2 metrics",
        ),
        Row(
            f"probe statistics of one model, {n_probes} questions twice",
            f"{PROBES_TARGET_S} s",
            f"{probes_s:.2f} s",
            probes_s <= PROBES_TARGET_S,
            "3 tests, interval, power; 18 strata",
        ),
    ]


def main() -> None:
    """Print the table."""
    print(HEADER)
    for row in rows():
        print(row.as_text(), flush=True)


if __name__ == "__main__":
    main()
