"""WorldPrediction in the report: figures and tables by where the clips come from."""

from typing import Any

import polars as pl
import pytest

from enact_assets.results.report.parts import NONE, Figure, Section, Table, Text
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


STATISTICS = [
    (None, None, 570, 749, 9.38, None, None),
    ("embedded", None, 16, 21, 3.25, 4.5, 0.475),
    ("embedded", "make_a_steak", 12, 11, 3.0, 4.0, 0.48),
    ("embedded", "doing_laundry", 4, 10, 4.0, 6.0, 0.46),
]


def rows_of(found: list[dict[str, Any]], variant: str = "baseline") -> ReportRows:
    names = ("world_source", "activity", "n_questions", "n_unique_actions", "mean_duration_s",
             "mean_length", "without_goal")  # fmt: skip
    about = {"task": "pp", "condition": "equivalent"}
    statistics = pl.DataFrame([about | dict(zip(names, row, strict=True)) for row in STATISTICS])
    kind = {"world_source": "embedded", "kind": "pp_equivalent", "world_model": "clip_chain"}
    frequent = [
        about | {"world_source": "embedded", "place": k, "value": name, "share": share}
        for k, (name, share) in enumerate((("grasp(cup, shelf)", 0.25), ("press(stove)", 0.125)), 1)
    ]
    return ReportRows(
        {
            "world": pl.DataFrame(found),
            "world_statistics": statistics,
            "world_activities": pl.DataFrame([kind | {"accuracy": 0.5}]),
            "world_frequent_actions": pl.DataFrame(frequent),
        },
        variant,
        "",
    )


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
    by_condition, by_length, *_ = parts(section, Table)
    names = ("same recording", "another room", "mean of activities")
    assert by_condition.columns == ("model", "task", *names, "questions")
    assert by_condition.rows == (
        ("oracle", "pp", "100.0", "100.0", NONE, "16"),
        ("clip_chain", "pp", "90.0", "37.5", "50.0", "16"),
    )
    assert by_length.columns == ("model", "3", "10", "all")
    assert by_length.rows[1] == ("clip_chain", "37.5", "37.5", "37.5")


def test_our_questions_stand_beside_those_of_the_paper(section: Section) -> None:
    *_, statistics, frequent = parts(section, Table)
    assert statistics.rows == (
        ("WorldPrediction, table 3", "pp", "570", "749", "9.4", NONE, NONE),
        ("embedded demonstrations", "pp", "16", "21", "3.2", "4.5", "47.5"),
    )
    assert frequent.rows == (
        ("embedded demonstrations", "pp", "grasp(cup, shelf) (25.0 %), press(stove) (12.5 %)"),
    )
    (said,) = [part.text for part in parts(section, Text) if "activities" in part.text]
    assert "from 4 (doing_laundry) to 12 (make_a_steak)" in said


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
