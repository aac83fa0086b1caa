"""Speed of the report: many models on a question set of the published size.

Demonstrations are generated and answers drawn; scores, errors, statistics and the published numbers
go the whole way into a warehouse. Checks are left out, as is what this report has no rows of:
pictures, probes of our own and statistics of questions.
"""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from benchmarks.evaluation_data import EvaluationSet, evaluation_set
from benchmarks.measuring import HEADER, Row, cpu_seconds
from enact_assets.contracts.profile import RELEASE
from enact_assets.contracts.registry import BASELINE
from enact_assets.contracts.tables import TABLES, table
from enact_assets.error_analysis.compare import AnswerComparer
from enact_assets.evaluation.evaluate import evaluate
from enact_assets.published.tables import published_table
from enact_assets.report.write import write_report
from enact_assets.statistics.models import compare_models
from enact_assets.storage.lake import Lake
from enact_assets.storage.paths import DataRoot
from enact_assets.storage.sql_files import sql_folder
from enact_assets.storage.warehouse import publish

N_MODELS = 30
TARGET_S = 30.0


def publish_answers(root: DataRoot, asked: EvaluationSet, n_models: int) -> None:
    """A warehouse of the answers of ``n_models`` to ``asked``, all under the baseline."""
    lake = Lake(root.lake)
    questions, indexes = asked.asked(), asked.indexes()
    lake.write("asked_questions", _as_asked(questions), {"variant": BASELINE})
    for demonstration in questions["demonstration"].unique(maintain_order=True):
        rows = {
            "demonstration": demonstration,
            "source": "generated",
            "activity": "generated",
            "seed": None,
            "n_frames": 0,
            "frame_rate_hz": 30.0,
            "world_sha": "0" * 64,
            "frame_id_runs": [0, 0],
        }
        where = {"demonstration": str(demonstration)}
        lake.write("demonstrations", table("demonstrations").build([rows]), where)
    comparer = AnswerComparer(questions, indexes)
    evaluations = []
    for model in range(n_models):
        said = asked.predictions(questions, model).with_columns(model=pl.lit(f"model-{model:02}"))
        scores = evaluate(said, questions, indexes, RELEASE)
        compared = comparer.compare(scores)
        where = {"model": f"model-{model:02}", "variant": BASELINE}
        lake.write("evaluation", scores, where)
        lake.write("compared_steps", compared.steps, where)
        lake.write("compared_components", compared.components, where)
        evaluations.append(scores)
    accuracies, comparisons = compare_models(pl.concat(evaluations), BASELINE)
    lake.write("model_accuracies", accuracies, {"variant": BASELINE})
    lake.write("model_comparisons", comparisons, {"variant": BASELINE})
    for name in (name for name in TABLES if name.startswith("published_")):
        lake.write(name, published_table(name), {})
    without_checks = root.root / "sql"
    shutil.copytree(sql_folder(), without_checks, ignore=shutil.ignore_patterns("checks"))
    (without_checks / "checks").mkdir()
    publish(lake, root.warehouse, without_checks)


def rows(n_models: int = N_MODELS) -> Iterator[Row]:
    """The report of one warehouse, from its rows to its files."""
    asked = evaluation_set()
    with tempfile.TemporaryDirectory() as folder:
        root = DataRoot(Path(folder), None)
        publish_answers(root, asked, n_models)
        write_report(root)  # the font is looked for once per machine
        spent = cpu_seconds(lambda: write_report(root))
        written = write_report(root)
        size = written.path.stat().st_size
        yield Row(
            f"report of {n_models} models x {len(asked.questions):,} questions",
            f"{TARGET_S:.0f} s",
            f"{spent:.1f} s",
            spent <= TARGET_S,
            f"{len(written.page.figures)} figures as SVG and PNG, a page of {size / 1e6:.1f} MB",
        )


def _as_asked(questions: pl.DataFrame) -> pl.DataFrame:
    told = {
        "variant": pl.lit(BASELINE),
        "in_probe_set": pl.lit(value=False),
        "actions": pl.col("action_components").list.eval(pl.element().list.join(". ")),
        "told_components": pl.col("action_components"),
        "wording": pl.lit("symbolic"),
        "noise_rate": pl.lit(0.0),
        "n_perturbed": pl.lit(0, pl.Int64),
        "prompt": pl.lit(""),
        "evidence_sha": pl.lit("0" * 64),
    }
    contract = table("asked_questions")
    return contract.check(questions.with_columns(**told).select(list(contract.columns)))


def main() -> None:
    """Print the table."""
    print(HEADER)
    for row in rows():
        print(row.as_text(), flush=True)


if __name__ == "__main__":
    main()
