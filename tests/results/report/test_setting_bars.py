"""Bars per setting: the paper's order of settings, one colour per model, marked errors."""

from typing import Any

import polars as pl
import pytest
from report_pages import drawn_models

from enact_assets.results.report.parts import NONE, Figure, Table
from enact_assets.results.report.rows import ReportRows
from enact_assets.results.report.setting_bars import MODELS_ABREAST, setting_bars


def score(model: str, panel: str, variant: str, kind: str, mean: float) -> dict[str, Any]:
    return {
        "model": model,
        "panel": panel,
        "variant": variant,
        "kind": kind,
        "length": None,
        "is_baseline": variant == "baseline",
        "n_questions": 50,
        "n_demonstrations": 9,
        "pairwise_accuracy": mean,
        "standard_error": 0.02,
        "clustered_standard_error": 0.03,
    }


def drawn(*scores: dict[str, Any], references: tuple[str, ...] = ()) -> tuple[list[Figure], Table]:
    frames = {"probe_scores": pl.DataFrame(scores), **drawn_models(s["model"] for s in scores)}
    is_reference = pl.col("model").is_in(references)
    frames["models"] = frames["models"].with_columns(is_reference=is_reference)
    rows = ReportRows(frames, "baseline", "")
    parts = setting_bars(rows).parts
    [table] = [part for part in parts if isinstance(part, Table)]
    return [part for part in parts if isinstance(part, Figure)], table


def test_references_are_marked_and_left_out_beside_models() -> None:
    """Researcher F18: the oracle was among "the best 6 of 7 models"."""
    frames = drawn_models(("m", "oracle", "fact_reader"))
    of_models = frames["models"].with_columns(is_reference=pl.col("model") != "m")
    rows = ReportRows({**frames, "models": of_models}, "baseline", "")
    assert rows.preferred(("oracle", "m", "fact_reader")) == ["m"]
    assert rows.preferred(("oracle", "fact_reader")) == ["oracle", "fact_reader"]
    assert [rows.label(name) for name in ("oracle", "m")] == ["oracle (ref.)", "m"]
    assert rows.marked("oracle") == "oracle (reference)"
    assert "this simulator" in rows.marked("fact_reader")


@pytest.mark.slow
def test_no_figure_of_settings_has_a_reference_beside_models() -> None:
    pair = (("m", "forward", 0.5), ("oracle", "forward", 1.0), ("oracle", "inverse", 1.0))
    scores = [score(model, "camera_height", "low", kind, mean) for model, kind, mean in pair]
    [figure], table = drawn(*scores, references=("oracle",))
    assert figure.caption.endswith("pairwise accuracy per setting")
    assert figure.alt.startswith("Bars of 1 models")
    assert [row[0] for row in table.rows] == ["oracle (reference)", "m"]


@pytest.mark.slow
def test_settings_stand_in_the_papers_order() -> None:
    settings = {
        "realism": ["ray_tracing_only", "path_tracing", "baseline"],
        "camera_fov": ["fisheye", "baseline", "aperture_30", "my_lens"],
        "noise_robustness": ["noisy", "baseline"],
    }
    figures, table = drawn(
        *(
            score("m", panel, variant, "forward", 0.5)
            for panel, variants in settings.items()
            for variant in variants
        )
    )
    named = [figure.alt.partition("errors: ")[2].partition(".")[0] for figure in figures]
    assert named == [
        "path tracing, baseline, ray tracing only",
        "aperture 30, baseline, fisheye, my lens",
        "baseline, noisy",
    ]
    assert [row[2] for row in table.rows] == ", ".join(named).split(", ")
    assert table.rows[0][3:] == ("50.0 ± 3.0", "50", NONE, "0")


@pytest.mark.slow
def test_more_models_than_fit_are_in_the_table() -> None:
    """Over one demonstration there is no error."""
    n_models = MODELS_ABREAST + 2
    scores = [
        score(f"m{n}", "camera_height", variant, kind, n / 20)
        for n in range(n_models)
        for variant in ("baseline", "low")
        for kind in ("forward", "inverse")
    ]
    alone = score("alone", "camera_height", "low", "inverse", 0.9)
    [figure], table = drawn(*scores, {**alone, "clustered_standard_error": None})
    assert figure.caption.endswith(f"the best {MODELS_ABREAST} of {n_models + 1} models")
    assert len(table.rows) == 2 * n_models + 1
    [line] = [row for row in table.rows if row[0] == "alone"]
    assert line == ("alone", "camera height", "low", NONE, "0", "90.0", "50")
