"""Overlapping errors in the report: of models, and of the two hands."""

import math
from typing import Any

import polars as pl
import pytest
from report_pages import drawn_models

from enact_assets.results.report.hand_circles import distance, hand_circles, shared_area
from enact_assets.results.report.parts import Figure, Table, Text
from enact_assets.results.report.rows import ReportRows
from enact_assets.results.report.shared_errors import NOBODY, shared_errors


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (0.3, 1.0), (1.0, 0.25)])
def test_circles_share_the_area_asked_for(a: float, b: float) -> None:
    smaller = math.pi * min(a, b) ** 2
    for share in (0.01, 0.3, 0.9, 1.0):
        apart = distance(a, b, share * smaller)
        assert shared_area(a, b, apart) == pytest.approx(share * smaller, abs=1e-6)
    assert distance(a, b, 0.0) == a + b


def test_the_shared_area_is_the_one_counted_on_a_grid() -> None:
    a, b, apart, step = 1.0, 0.6, 0.9, 0.005
    n = sum(
        math.hypot(x * step, y * step) < a and math.hypot(x * step - apart, y * step) < b
        for x in range(-200, 400)
        for y in range(-200, 200)
    )
    assert shared_area(a, b, apart) == pytest.approx(n * step**2, abs=2e-3)


NOBODY_ELSE = ReportRows(drawn_models([]), "baseline", "")


def hand(model: str, hand: str, *counts: int) -> dict[str, Any]:
    names = ("n_reference", "n_predicted", "n_matched", "n_mixed")
    return {"model": model, "hand": hand, **dict(zip(names, counts, strict=True))}


def test_hands_without_components_give_no_circles() -> None:
    assert hand_circles(NOBODY_ELSE, "forward", []) is None
    assert hand_circles(NOBODY_ELSE, "forward", [hand("m", "left", 0, 0, 0, 0)]) is None


@pytest.mark.slow
def test_circles_are_of_the_models_with_most_in_common() -> None:
    """A hand of which nothing is given has one circle."""
    rows = [hand(f"m{n}", "left", 10, 8, n, 1) for n in range(6)]
    found = hand_circles(NOBODY_ELSE, "forward", [*rows, hand("m5", "right", 9, 0, 0, 4)])
    assert found is not None
    assert "Pairs of overlapping circles for 4 models. m5, left hand: 10 true, 8 given" in found.alt
    assert found.caption.endswith("the 4 of 6 models with most in common")
    assert "m5, right hand: 9 true, 0 given, 0 both, 4 given to the other hand" in found.alt


def shared(*combinations: dict[str, Any]) -> ReportRows:
    schema = {"kind": pl.String, "unit": pl.String, "models": pl.List(pl.String)}
    schema |= {"wrong_models": pl.List(pl.String), "n": pl.Int64, "share": pl.Float64}
    official = pl.DataFrame(schema={"variant": pl.String, "n_by_match": pl.Int64})
    errors = pl.DataFrame(combinations, schema)
    models = {model for row in combinations for model in row["models"]}
    frames = {"shared_errors": errors, "official": official, **drawn_models(models)}
    return ReportRows(frames, "baseline", "")


def test_one_model_gives_a_sentence() -> None:
    [part] = shared_errors(shared()).parts
    assert isinstance(part, Text)
    assert "Fewer than two models have wrong answers" in part.text


@pytest.mark.slow
def test_combinations_are_drawn_and_listed_the_largest_first() -> None:
    """A combination without steps is left out; no inverse step was scored."""
    whose: dict[str, Any] = {"kind": "forward", "models": ["a", "b"]}
    rows = [
        {**whose, "unit": unit, "wrong_models": wrong, "n": n, "share": n / 10}
        for unit, wrong, n in (
            *(("step", [], 3), ("step", ["a"], 0), ("step", ["a", "b"], 7)),
            *(("question", ["a"], 4), ("question", ["a", "b"], 6)),
        )
    ]
    section = shared_errors(shared(*rows))
    [figure] = [part for part in section.parts if isinstance(part, Figure)]
    assert f"2 models over 10 steps. Largest: a, b: 7; {NOBODY}: 3." in figure.alt
    [table] = [part for part in section.parts if isinstance(part, Table)]
    assert table.rows == (
        ("a, b", "forward", "7", "70.0", "6", "60.0"),
        (NOBODY, "forward", "3", "30.0", "0", "0.0"),
        ("a", "forward", "0", "0.0", "4", "40.0"),
    )
    [text] = [p.text for p in section.parts if isinstance(p, Text) and "inverse" in p.text]
    assert text == "No inverse step was scored for two models."
