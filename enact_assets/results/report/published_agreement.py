"""Agreement with the published numbers, of models that the paper has."""

import polars as pl

from enact_assets.results.report.parts import (
    Part,
    Section,
    Table,
    Text,
    at_length,
    count,
    percent,
    points,
    table,
    with_interval,
    words,
)
from enact_assets.results.report.rows import ReportRows


def agreement(rows: ReportRows) -> Section:
    """Numbers of the paper's models, theirs and ours."""
    parts: list[Part] = []
    same = rows["agreement"]
    if rows["comparable"].is_empty():
        text = f"Accuracies under {rows.variant} may not stand beside published ones."
        parts.append(Text(f"{text} {rows.not_comparable}", is_notice=True))
    whose = rows["comparable"].group_by("why_not", "caveat").agg("model").sort("why_not", "caveat")
    for why_not, caveat, models in whose.iter_rows():
        names = ", ".join(sorted(models))
        if why_not is not None:
            text = f"Accuracies under {rows.variant} may not stand beside published ones. {why_not}"
        elif caveat is not None:
            text = f"Accuracies under {rows.variant} compare with tables 9 and 10. {caveat}"
        else:
            continue
        parts.append(Text(f"{text} Models: {names}.", is_notice=why_not is not None))
    if same.height:
        parts.append(_same_models(rows, same))
    elif not rows.not_comparable:
        parts.append(
            Text(
                "No model here is one of the paper; `published_models` lists the names it has here."
            )
        )
    return Section("agreement", "Agreement with published numbers", tuple(parts))


def _same_models(rows: ReportRows, same: pl.DataFrame) -> Table:
    columns = (
        ("model", rows.marked, "model"),
        ("published as", str, "published_model"),
        ("kind", str, "kind"),
        ("metric", words, "metric"),
        ("length", at_length, "length"),
        ("here %", with_interval, "accuracy", "low", "high"),
        ("questions", count, "n_questions"),
        ("published %", percent, "published_accuracy"),
        ("its questions", count, "n_published"),
        ("difference", points, "difference"),
    )
    return table("Models that the paper also scored", same.to_dicts(), columns, n_words=5)
