"""Speed of the report: many models on a question set of the published size.

Demonstrations are generated and answers drawn; scores, errors, statistics and the published numbers
go the whole way into a warehouse. Every model has probes of all variants of the paper, and every
key frame a picture, of noise. Checks are left out, as are statistics of questions.
"""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.evaluation_data import EvaluationSet, evaluation_set
from benchmarks.measuring import HEADER, Row, cpu_seconds
from enact_assets.demonstrations.pictures.render_pool import encode_png
from enact_assets.demonstrations.pictures.tables import FrameImages
from enact_assets.demonstrations.replay.tables import Demonstrations
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.publishing.sql_files import sql_folder
from enact_assets.engine.publishing.warehouse import publish
from enact_assets.engine.tables import TABLES
from enact_assets.questions.asked.tables import AskedQuestions
from enact_assets.results.errors.answer_comparison import AnswerComparer
from enact_assets.results.paper.results import published_table
from enact_assets.results.probes.panels import correct_within_panels
from enact_assets.results.probes.tables import Probes
from enact_assets.results.report.write import write_report
from enact_assets.results.statistics.models import compare_models
from enact_assets.results.verification.evaluate import RELEASE_ANSWERS, evaluate
from enact_assets.settings.classes import EMBEDDED
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import BASELINE

N_MODELS = 30
TARGET_S = 30.0
PANELS = {
    "realism": ("realistic", "path_tracing", "ray_tracing_only"),
    "camera_fov": ("aperture_30", "aperture_60", "aperture_80", "fisheye"),
    "camera_height": ("high", "low"),
    "robot_appearance": ("white_color", "random_color", "skin_color"),
    "noise_robustness": tuple(f"random_perturbations_{k}" for k in (1, 2, 3)),
    "action_representation": ("emoji", "symbolic_predicates"),
    "contact_gating": ("contact",),
}


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
        lake.write("demonstrations", Demonstrations.build([rows]), where)
    comparer = AnswerComparer(questions, indexes)
    evaluations = []
    for model in range(n_models):
        said = asked.predictions(questions, model).with_columns(model=pl.lit(f"model-{model:02}"))
        scores = evaluate(said, questions, indexes, RELEASE_ANSWERS)
        compared = comparer.compare(scores)
        where = {"model": f"model-{model:02}", "variant": BASELINE}
        lake.write("evaluation", scores, where)
        lake.write("compared_steps", compared.steps, where)
        lake.write("compared_components", compared.components, where)
        evaluations.append(scores)
    _publish_probes(lake, n_models)
    _publish_pictures(lake, ImageStore(root.images), questions)
    accuracies, comparisons = compare_models(pl.concat(evaluations), BASELINE)
    lake.write("model_accuracies", accuracies, {"variant": BASELINE})
    lake.write("model_comparisons", comparisons, {"variant": BASELINE})
    for name, published in TABLES.items():
        if name.startswith("published_"):
            lake.write(name, published_table(published), {})
    without_checks = root.root / "sql"
    shutil.copytree(sql_folder(), without_checks, ignore=shutil.ignore_patterns("checks"))
    (without_checks / "checks").mkdir()
    publish(lake, root.warehouse, without_checks)


def _publish_probes(lake: Lake, n_models: int) -> None:
    """Differences of all models under all variants, drawn; none of contact gating is paired."""
    random = np.random.default_rng(0)
    drawn = []
    for model in range(n_models):
        for panel, variants in PANELS.items():
            for variant in variants:
                for kind in ("forward", "inverse"):
                    prefix = "unpaired" if panel == "contact_gating" else "paired"
                    difference, p = float(random.normal(0, 0.1)), float(random.random())
                    counts = dict.fromkeys(("n_variant", "n_baseline", "n_demonstrations"), 150)
                    counts |= {"n_paired": 150 * (prefix == "paired"), "n_missing": 0}
                    drawn.append(
                        {"model": f"model-{model:02}", "variant": variant, "panel": panel}
                        | {"kind": kind, "baseline": BASELINE, "delta": difference, "welch_p": p}
                        | {"paired_delta": difference if prefix == "paired" else None}
                        | {f"{prefix}_low": difference - 0.1, f"{prefix}_high": difference + 0.1}
                        | {f"{prefix}_p": p, "sign_flip_p": p, **counts}
                    )
    probes = Probes.build(drawn)
    for (model, variant), of_one in probes.group_by("model", "variant"):
        lake.write("probes", of_one, {"model": str(model), "variant": str(variant)})
    for (model,), of_one in correct_within_panels(probes).group_by("model"):
        lake.write("probe_panels", of_one, {"model": str(model)})


def _publish_pictures(lake: Lake, images: ImageStore, questions: pl.DataFrame) -> None:
    """A picture of every key frame that is shown; ten files, as each is read for itself."""
    random = np.random.default_rng(0)
    shas = [
        images.put(encode_png(random.integers(0, 256, (512, 512, 3), np.uint8))) for _ in range(10)
    ]
    shown = (
        questions.select("demonstration", "gating", key_frame="shown_key_frames")
        .explode("key_frame")
        .unique()
        .sort("demonstration", "gating", "key_frame")
        .with_columns(
            pl.lit(BASELINE).alias("variant"),
            frame=pl.col("key_frame"),
            image_sha=pl.lit(pl.Series(shas)).gather(pl.col("key_frame") % len(shas)),
            render_sha=pl.lit("0" * 64),
            width_px=pl.lit(512, pl.Int64),
            height_px=pl.lit(512, pl.Int64),
        )
    )
    contract = FrameImages
    for (demonstration,), of_one in shown.group_by("demonstration"):
        where = {"demonstration": str(demonstration), "variant": BASELINE}
        lake.write("frame_images", contract.check(of_one.select(list(contract.schema()))), where)


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
        "source": pl.lit(EMBEDDED),
        "place": pl.lit(1, pl.Int64),
        "question_set": pl.lit("state"),
        "in_probe_set": pl.lit(value=False),
        "actions": pl.col("action_components").list.eval(pl.element().list.join(". ")),
        "told_components": pl.col("action_components"),
        "wording": pl.lit("symbolic"),
        "noise_rate": pl.lit(0.0),
        "n_perturbed": pl.lit(0, pl.Int64),
        "prompt": pl.lit(""),
        "evidence_sha": pl.lit("0" * 64),
    }
    contract = AskedQuestions
    return contract.check(questions.with_columns(**told).select(list(contract.schema())))


def main() -> None:
    """Print the table."""
    print(HEADER)
    for row in rows():
        print(row.as_text(), flush=True)


if __name__ == "__main__":
    main()
