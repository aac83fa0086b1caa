"""Quality and cost of answers in the report: what is drawn, what is only named, and the tables."""

from typing import Any

import polars as pl
import pytest
from report_pages import drawn_models

from enact_assets.results.report.answer_quality import answer_quality
from enact_assets.results.report.parts import Figure, Table, Text
from enact_assets.results.report.rows import ReportRows

COUNTS = (
    *("n_answers", "n_answered", "n_parsed", "n_unparsed", "n_refused", "n_declined", "n_cut"),
    *("n_missing", "n_read_otherwise"),
)
TOKENS = ("tokens_in", "tokens_out", "tokens_reasoning")
DASH = "\N{EN DASH}"


def asked(model: str, usd: float | None, **reported: Any) -> dict[str, Any]:
    """What 10 questions came to, each for ``usd``."""
    counts = dict(zip(COUNTS, (10, 9, 6, 3, 1, 0, 2, 1, 4), strict=True))
    total = None if usd is None else 9 * usd
    return {"model": model, **counts, "usd": total, "usd_per_question": usd, **reported}


def parts_of(
    *quality: dict[str, Any], references: tuple[str, ...] = ()
) -> tuple[str, list[Figure], list[Table]]:
    schema: dict[str, Any] = {"model": pl.String, **dict.fromkeys(COUNTS + TOKENS, pl.Int64)}
    seconds = ("median_latency_s", "p95_latency_s")
    schema |= dict.fromkeys(("usd", "usd_per_question", *seconds), pl.Float64)
    schema |= {"served_models": pl.List(pl.String)}
    accuracies = [
        {"model": row["model"], "kind": kind, "length": length, "metric": metric}
        | {"accuracy": accuracy, "low": accuracy - 0.1, "high": accuracy + 0.1}
        | {"is_reference": row["model"] in references}
        for row in quality
        for kind, accuracy in (("forward", 0.25), ("inverse", 0.5))
        for length, metric in ((None, "pairwise_accuracy"), (None, "task_accuracy"), (3, "other"))
    ]
    names = {"model": pl.String, "kind": pl.String, "length": pl.Int64, "metric": pl.String}
    rows = {
        "quality": pl.DataFrame(quality, schema),
        "accuracies": pl.DataFrame(
            accuracies,
            {**names, **dict.fromkeys(("accuracy", "low", "high"), pl.Float64)}
            | {"is_reference": pl.Boolean},
        ),
        **drawn_models(row["model"] for row in quality),
    }
    parts = answer_quality(ReportRows(rows, "baseline", "")).parts
    return (
        " ".join(part.text for part in parts if isinstance(part, Text)),
        [part for part in parts if isinstance(part, Figure)],
        [part for part in parts if isinstance(part, Table)],
    )


def test_without_answers_it_says_so() -> None:
    assert parts_of() == ("baseline: no model was asked.", [], [])


def test_baselines_have_outcomes_and_no_cost() -> None:
    """A table of dashes would say nothing, and a baseline lacks no price."""
    said, figures, [quality] = parts_of(asked("oracle", None), references=("oracle",))
    assert "Not drawn" not in said
    assert not figures
    assert quality.rows == (("oracle", "10", "9", "6", "3", "1", "0", "2", "1", "4"),)


def test_a_model_without_a_price_is_named_and_not_drawn() -> None:
    said, figures, [_, cost] = parts_of(asked("local", None, tokens_in=7), asked("free", 0.0))
    assert "price is unknown: local." in said
    assert "cost nothing: free." in said
    assert not figures
    assert cost.rows == (
        ("local", "7", *[DASH] * 7),
        ("free", *[DASH] * 3, "0.00", "0.00", *[DASH] * 3),
    )


@pytest.mark.slow
def test_cost_is_drawn_against_accuracy_and_listed() -> None:
    reported = {"tokens_in": 54321, "tokens_out": 1000, "tokens_reasoning": 900}
    reported |= {"median_latency_s": 2.04, "p95_latency_s": 9.96, "served_models": ["big-2026"]}
    said, [figure], [_, cost] = parts_of(asked("big", 0.0123, **reported), asked("small", 2e-5))
    assert "Not drawn" not in said
    assert "cheapest small with 0.02 USD per 1,000 questions" in figure.alt
    assert "most expensive big with 12.30." in figure.alt
    # Equally accurate: the cheaper one.
    assert "Most accurate: small with 37.5 % over both kinds for 0.02 USD." in figure.alt
    assert cost.rows[0] == (
        *("big", "54,321", "1,000", "900", "0.111", "12.30", "2.0", "10.0", "big-2026"),
    )
