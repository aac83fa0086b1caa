"""Imported official questions: apart from our own, and how their answers were verified."""

from enact_assets.results.report.parts import Part, Section, Table, Text, percent
from enact_assets.results.report.rows import ReportRows


def official_questions(rows: ReportRows) -> Section | None:
    """Accuracies under each variant that asks imported questions; None if none does."""
    found = rows["official"]
    if found.is_empty():
        return None
    parts: list[Part] = []
    for (variant,), of_variant in found.group_by("variant", maintain_order=True):
        # Each model was asked the same: those of one model, of both kinds.
        asked = of_variant.filter(model=of_variant["model"][0])
        n, *by = (int(asked[name].sum()) for name in ("n_questions", *_COUNTS))
        by_replay, by_segmented, by_match = by
        files = sorted({name for names in of_variant["question_files"] for name in names})
        text = (
            f"{n:,} official questions of {', '.join(files)} under the variant {variant}, in "
            "their own words and pictures; they are in no other number of a report on our "
            f"questions. {by_replay:,} were verified semantically, step by step against an "
            f"imported replay; {by_segmented:,} against segmented scene graphs; {by_match:,} by "
            "exact match only, as neither was imported. Verdicts by segmented scene graphs are "
            "approximate: those of the public release do not say what is seen at each key frame. "
            "By exact match, other orders that are right as well count as wrong, so task accuracy "
            "is a lower bound, and there is no pairwise accuracy."
        )
        parts.append(Text(text, is_notice=by_segmented + by_match > 0))
        lines = tuple(
            (
                *(rows.marked_as(row["model"], is_partial=row["is_partial"]), row["kind"]),
                *(f"{row[n]:,}" for n in ("n_questions", *_COUNTS, "n_missing")),
                *(percent(row[m]) for m in _METRICS),
            )
            for row in of_variant.iter_rows(named=True)
        )
        columns = (
            *("model", "kind", "questions", "verified by replay", "by segmented graphs"),
            *("by exact match", "missing", "task %", "pairwise %"),
        )
        parts.append(Table(f"Official questions, variant {variant}", columns, lines, n_words=2))
    return Section("official", "Official questions", tuple(parts))


def has_unverified(rows: ReportRows) -> bool:
    """Whether the reported variant has answers that are scored by exact match only."""
    return bool(rows["official"].filter(variant=rows.variant)["n_by_match"].sum())


_COUNTS = ("n_by_replay", "n_by_segmented", "n_by_match")
_METRICS = ("task_accuracy", "pairwise_accuracy")
