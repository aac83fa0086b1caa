"""People: how well they do beside models, how far they agree, and what was hardest for them."""

from typing import Any

import polars as pl

from enact_assets.answers.people.annotator_agreement import ACCEPTED
from enact_assets.answers.people.annotator_names import PERSON, POOLED
from enact_assets.results.report.browse_links import ids
from enact_assets.results.report.lengths import HUMAN
from enact_assets.results.report.parts import (
    BOTH_KINDS,
    NONE,
    Example,
    Part,
    Section,
    Table,
    Text,
    percent,
    words,
)
from enact_assets.results.report.rows import ReportRows
from enact_assets.results.report.wrong_answers import PictureOf, example_of, order_text

METRIC = "task_accuracy"
NOBODY = (
    "Nobody has answered yet. `enact-assets annotate` lets people answer the questions that models "
    "are asked."
)
_ABOUT = (
    "People answer on the page of `enact-assets annotate`, without feedback, scored by the "
    'rules for models: "cannot tell" is wrong. The interval is over demonstrations.'
)
_LEVELS = (
    "Nominal alpha compares whole answers, over all lengths; ordinal alpha compares the place of "
    "each item, within a length. The paper configured its analysis for ordinal data (B.1.2) and "
    "does not say what the unit was. Its numbers also fit nominal alpha of whole answers: 184 of "
    "240 questions answered alike give 0.832 if two of three agree on about 48 of the others."
)
MEASURES = {
    "unanimous": "all agree",
    "alpha_answers": "alpha, nominal (answers)",
    "alpha_places": "alpha, ordinal (places)",
}
"""Measure -> heading."""
_HARDEST = (
    "The questions that the fewest people solved; among equals those that took longest. Relation "
    "question_quality has all of them, question_ambiguities what may mislead in their steps."
)


def people(rows: ReportRows, picture: PictureOf) -> Section:
    """Accuracy by length beside models, agreement, and the hardest questions with pictures.

    Answers of solvers and simulated annotators are left out.
    """
    starts = pl.col("model").str.starts_with
    is_people = starts(f"{POOLED[PERSON]} (")
    others = [starts(f"{name} (") for role, name in POOLED.items() if role != PERSON]
    scored = rows["accuracies"].filter(
        pl.col("accuracy").is_not_null(), ~pl.any_horizontal(others), metric=METRIC
    )
    if scored.filter(is_people).is_empty():
        return Section("people", "People", (Text(NOBODY, is_notice=True),))
    parts: list[Part] = [Text(_ABOUT)]
    for kind in BOTH_KINDS:
        of_kind = scored.filter(kind=kind)
        if not of_kind.filter(is_people).is_empty():
            parts.append(_ceiling(rows, kind, of_kind.with_columns(is_people=is_people)))
    parts += [_agreement(rows), Text(_LEVELS)]
    hardest = [_example(row, picture) for row in rows["hardest"].iter_rows(named=True)]
    parts += [Text(_HARDEST), *hardest]
    return Section("people", "People", tuple(parts))


def _ceiling(rows: ReportRows, kind: str, scored: pl.DataFrame) -> Table:
    """People, the paper's people, then models, the best first."""
    lengths: list[int | None] = [*sorted(set(scored["length"].drop_nulls())), None]
    cells = {
        (row["model"], row["length"]): (row["accuracy"], row["low"], row["high"])
        for row in scored.iter_rows(named=True)
    }
    whole = scored.filter(pl.col("length").is_null()).sort(
        "is_people", "accuracy", "model", descending=[True, True, False]
    )
    lines = []
    for model, is_people, n in whole.select("model", "is_people", "n_scored").iter_rows():
        accuracies = [percent(cells.get((model, length), (None,))[0]) for length in lengths]
        _, low, high = cells[model, None]
        interval = NONE if low is None else f"{percent(low)} to {percent(high)}"
        lines.append((model, f"{n:,}", *accuracies, interval))
        if is_people and (published := _published(rows, kind, lengths)):
            lines.append(published)
    columns = ("answered by", "questions", *map(str, lengths[:-1]), "all", "95 % interval")
    return Table(f"Task accuracy in % by length, {kind} questions", columns, tuple(lines))


def _published(rows: ReportRows, kind: str, lengths: list[int | None]) -> tuple[str, ...] | None:
    theirs = rows["published_accuracies"].filter(
        experiment="main", kind=kind, metric=METRIC, published_model=HUMAN
    )
    if theirs.is_empty():
        return None
    of = dict(theirs.select("length", "accuracy").iter_rows())
    return ("people of the paper", NONE, *(percent(of.get(n)) for n in lengths), NONE)


def _agreement(rows: ReportRows) -> Part:
    """Unanimity, nominal and ordinal alpha side by side, each with its interval over questions; the
    paper's below.
    """
    found = rows["human_agreement"]
    if found.is_empty():
        return Text("No question was answered by two people: their agreement is unknown.")
    lines: dict[tuple[str, str, str, str], dict[str, str]] = {}
    for row in found.iter_rows(named=True):
        measure = row["measure"].removesuffix(ACCEPTED)
        orders = "as given" if measure == row["measure"] else "accepted ones as the key"
        about = (row["annotators"], row["kind"] or "both", orders, f"{row['n_questions']:,}")
        lines.setdefault(about, {})[measure] = _measured(row["value"], row["low"], row["high"])
    papers = rows["published_agreement"].sort("n_unanimous", nulls_last=True)
    for name, alpha, low, high, n, n_unanimous, _ in papers.iter_rows():
        about = (f"paper: {name}", "both", "as given", f"{n:,}")
        share = None if n_unanimous is None else n_unanimous / n
        lines[about] = {"unanimous": _decimal(share), "alpha_places": _measured(alpha, low, high)}
    shown = [(*about, *(of.get(name, NONE) for name in MEASURES)) for about, of in lines.items()]
    caption = "Agreement of people, 95 % intervals over questions"
    columns = ("annotators", "kind", "orders", "questions", *MEASURES.values())
    return Table(caption, columns, tuple(shown), n_words=3)


def _measured(value: float | None, low: float | None, high: float | None) -> str:
    """``0.832 [0.788, 0.868]``; without the interval where there is none."""
    if low is None or high is None:
        return _decimal(value)
    return f"{_decimal(value)} [{_decimal(low)}, {_decimal(high)}]"


def _example(row: dict[str, Any], picture: PictureOf) -> Example:
    verdicts = ", ".join(map(words, row["verdicts"]))
    facts = (
        ("Question", ids(row["question_id"], row["official_id"])),
        ("Key", (order_text(row["answer"]),)),
        ("Answers", (f"{words(row['outcome'])}: {verdicts}",)),
        ("Median time", (f"{_decimal(row['median_active_s'], 0)} s",)),
        ("Why they could not tell", tuple(row["reasons"])),
        ("Comments", tuple(row["comments"])),
        ("May mislead", tuple(map(words, row["ambiguities"] or ()))),
    )
    solved = f"solved by {row['n_solved']} of {row['n_answered']}"
    title = f"{row['kind']}, length {row['length']}: {solved}, {row['demonstration']}"
    return example_of(row, picture, title, facts)


def _decimal(number: float | None, places: int = 3) -> str:
    return NONE if number is None else f"{number:.{places}f}"
