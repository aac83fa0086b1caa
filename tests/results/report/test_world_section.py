"""WorldPrediction in the report: figures and tables by where the clips come from."""

from typing import Any

import polars as pl
import pytest

from enact_assets.results.report.parts import Figure, Section, Table, Text
from enact_assets.results.report.rows import ReportRows
from enact_assets.results.report.world_section import world_prediction

SHARES = {("oracle", "same"): 1.0, ("oracle", "equivalent"): 1.0}
SHARES |= {("clip_chain", "same"): 0.9, ("clip_chain", "equivalent"): 0.375}


def row(model: str, condition: str, length: int | None, share: float | None) -> dict[str, Any]:
    n = 0 if share is None else 16
    return {
        "world_source": "embedded",
        "task": "pp",
        "condition": condition,
        "length": length,
        "world_model": model,
        "is_reference": True,
        "n_scored": n,
        "n_missing": 16 - n,
        "n_correct": round(n * (share or 0)),
        "n_recordings": 3,
        "accuracy": share,
        "exact_low": None if share is None else share / 2,
        "exact_high": None if share is None else min(1.0, share + 0.2),
    }


def rows_of(found: list[dict[str, Any]], variant: str = "baseline") -> ReportRows:
    return ReportRows({"world": pl.DataFrame(found)}, variant, "")


@pytest.fixture
def section() -> Section:
    found = [row(*of, length, share) for of, share in SHARES.items() for length in (None, 3, 10)]
    found.append(row("clip_continuity", "same", None, None))
    made = world_prediction(rows_of(found))
    assert made is not None
    return made


def parts(section: Section, kind: type) -> list[Any]:
    return [part for part in section.parts if isinstance(part, kind)]


def test_tables_have_conditions_and_lengths_and_no_model_without_a_score(section: Section) -> None:
    by_condition, by_length = parts(section, Table)
    assert by_condition.columns == ("model", "task", "same recording", "another room", "questions")
    assert by_condition.rows == (
        ("oracle", "pp", "100.0", "100.0", "16"),
        ("clip_chain", "pp", "90.0", "37.5", "16"),
    )
    assert by_length.columns == ("model", "3", "10", "all")
    assert by_length.rows[1] == ("clip_chain", "37.5", "37.5", "37.5")


def test_the_figure_names_every_model_and_condition(section: Section) -> None:
    (figure,) = parts(section, Figure)
    drawn = figure.svg.decode()
    for name in ("oracle", "clip_chain", "same recording", "another room", "chance"):
        assert name in drawn
    assert "another camera" not in drawn
    assert "these are not WorldPrediction results" in parts(section, Text)[0].text


def test_it_is_there_only_with_scores_and_in_the_report_on_the_baseline() -> None:
    scored = row("oracle", "same", None, 1.0)
    assert world_prediction(rows_of([scored])) is not None
    assert world_prediction(rows_of([scored], "aperture_80")) is None
    assert world_prediction(rows_of([row("oracle", "same", None, None)])) is None
