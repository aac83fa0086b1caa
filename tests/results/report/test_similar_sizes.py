"""Models of similar size in the report: published lines, and ours among them."""

from typing import Any

import polars as pl
import pytest
from report_pages import drawn_models

from enact_assets.results.report.parts import Figure, Table, Text
from enact_assets.results.report.rows import ReportRows
from enact_assets.results.report.similar_sizes import SUBJECT, similar_sizes


def row(name: str, source: str, length: int, accuracy: float | None) -> dict[str, Any]:
    model = name.lower() if source == "ours" else name
    size = {"published_model": name, "n_parameters_million": 8_300}
    return {"model": model, "source": source, "kind": "forward", **size} | {
        "length": length,
        "accuracy": accuracy,
    }


def parts_of(*given: dict[str, Any]) -> tuple[str, list[Figure], list[Table]]:
    schema = {"model": pl.String, "source": pl.String, "kind": pl.String, "length": pl.Int64}
    schema |= {"published_model": pl.String, "n_parameters_million": pl.Int64}
    schema |= dict.fromkeys(("accuracy", "low", "high"), pl.Float64)
    frame = pl.DataFrame(given, schema)
    frames = {"similar_sizes": frame, **drawn_models(frame.filter(source="ours")["model"])}
    parts = similar_sizes(ReportRows(frames, "baseline", "")).parts
    return (
        " ".join(part.text for part in parts if isinstance(part, Text)),
        [part for part in parts if isinstance(part, Figure)],
        [part for part in parts if isinstance(part, Table)],
    )


def test_nothing_known_gives_a_sentence() -> None:
    for given in ((), (row(SUBJECT, "ours", 3, None),)):
        said, figures, tables = parts_of(*given)
        assert "No accuracy of a model about as large" in said
        assert not figures
        assert not tables


@pytest.mark.slow
def test_ours_stands_beside_the_published_model_of_its_name() -> None:
    theirs = [row(name, "published", n, 0.5) for name in (SUBJECT, "Ovis") for n in (3, 6)]
    said, [figure], [table] = parts_of(*theirs, row("Ovis", "ours", 6, 0.75))
    assert "1 of them measured here, on the paper's questions" in said
    assert "Lines of 3 models. At length 6 ovis is highest with 75.0 %." in figure.alt
    assert table.rows == (
        (SUBJECT, "published", "forward", "8.3", "50.0", "50.0"),
        ("Ovis", "published", "forward", "8.3", "50.0", "50.0"),
        ("ovis", "here", "forward", "8.3", "\N{EN DASH}", "75.0"),
    )
    said, _, _ = parts_of(*theirs)
    assert "No model measured here is among them, with scores that may stand beside these." in said
