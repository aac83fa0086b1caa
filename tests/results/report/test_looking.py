"""What looking buys, in the report: the fact reader beside its controls."""

from typing import Any

import polars as pl
import pytest
from report_pages import drawn_models, of_kind, said_in

from enact_assets.answers.baselines.learned_names import FACT_READER, LEARNED, TRANSFER
from enact_assets.results.report.lengths import looking
from enact_assets.results.report.looks import looks_of
from enact_assets.results.report.parts import Figure, Table
from enact_assets.results.report.rows import ReportRows

ALL_OVER = {"fact_reader": 0.73, "fact_reader_transfer": 0.28, "learned_progress": 0.3}
ALL_OVER |= {"learned_precedence": 0.09, "text_prior": 0.1, "random": 0.09, "gpt": 0.5}
LENGTHS = (3, 6, 10)
SCHEMA = {"model": pl.String, "kind": pl.String, "metric": pl.String, "length": pl.Int64}
SCHEMA |= dict.fromkeys(("accuracy", "low", "high"), pl.Float64)


def accuracies(*models: str, kinds: tuple[str, ...] = ("forward",)) -> list[dict[str, Any]]:
    return [
        {"model": model, "kind": kind, "metric": "task_accuracy", "length": length}
        | {"accuracy": level, "low": level - 0.05, "high": level + 0.05}
        for model in models
        for kind in kinds
        for length, level in (
            (None, ALL_OVER[model]),
            *((n, ALL_OVER[model] * 3 / n) for n in LENGTHS),
        )
    ]


def rows_of(found: list[dict[str, Any]]) -> ReportRows:
    frame = pl.DataFrame(found, SCHEMA)
    references = [*LEARNED, "text_prior", "random"]
    frames = {"accuracies": frame, **drawn_models(frame["model"])}
    frames["models"] = frames["models"].with_columns(is_reference=pl.col("model").is_in(references))
    return ReportRows(frames, "baseline", "")


def test_it_shows_only_where_the_fact_reader_answered() -> None:
    assert looking(rows_of(accuracies("text_prior", "gpt", TRANSFER))) is None
    unscored = accuracies(FACT_READER)
    for row in unscored:
        row["accuracy"] = None
    assert looking(rows_of(unscored)) is None


def test_the_gain_is_counted_from_the_stronger_control() -> None:
    """From the one that answers at random all of it would be looking."""
    both = accuracies(FACT_READER, "learned_progress", "learned_precedence")
    said = said_in(looking(rows_of(both)))
    assert "Forward questions, all lengths: fact_reader 73.0 %, learned_progress 30.0 %" in said
    assert "+43.0 points above the control" in said
    assert "trained on this simulator, other seeds" in said
    assert "has no scored answer to inverse questions" in said


def test_without_controls_it_says_how_to_ask_them() -> None:
    said = said_in(looking(rows_of(accuracies(FACT_READER))))
    assert "--model learned_progress --model learned_precedence` asks them" in said


def test_the_figure_and_its_table_have_references_and_models() -> None:
    """The other control answers at random: its line would hide that of chance."""
    rows = rows_of(accuracies(*ALL_OVER, kinds=("forward", "inverse")))
    section = looking(rows)
    [figure], [table] = of_kind(section, Figure), of_kind(section, Table)
    for name in (
        *("fact_reader (ref.)", "fact_reader_transfer (ref.)"),
        *("learned_progress (ref.) (control)", "gpt"),
    ):
        assert f">{name}<".encode() in figure.svg
    assert b"above the control" in figure.svg
    assert b"learned_precedence" not in figure.svg
    looks = looks_of(ALL_OVER, {*LEARNED, "text_prior", "random"})
    for name in ("fact_reader", "gpt"):
        assert looks[name].colour.encode() in figure.svg
    assert "forward: fact_reader 73.0 %" in figure.alt
    assert "trained on this simulator, other seeds" in figure.caption
    assert [row[:2] for row in table.rows[:2]] == [
        ("fact_reader (reference, trained on this simulator, other seeds)", "forward"),
        ("fact_reader_transfer (reference, trained on this simulator, other seeds)", "forward"),
    ]
    assert table.rows[0][2:] == ("73.0", "36.5", "21.9", "73.0")
    assert len(table.rows) == 2 * len({*ALL_OVER} - {"random", "learned_precedence"})


@pytest.mark.parametrize("n_models", [5, 8])
def test_many_models_share_one_entry_of_the_legend(n_models: int) -> None:
    names = [f"model-{n}" for n in range(n_models)]
    found = accuracies(FACT_READER, "learned_progress")
    for name in names:
        found += [{**row, "model": name} for row in accuracies("gpt")]
    [figure] = of_kind(looking(rows_of(found)), Figure)
    assert figure.svg.count(b">more models<") == (n_models > 5)
