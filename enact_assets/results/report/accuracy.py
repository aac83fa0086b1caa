"""Leaderboard, official questions apart from our own, and outcomes of the answers."""

from collections.abc import Callable
from typing import Any

import polars as pl

from enact_assets.answers.baselines.equal_guesses import equal_guesses
from enact_assets.results.report.drawing import CHANCE, FAINT, GREY, INTERVAL, canvas, finished, pt
from enact_assets.results.report.looks import COLOURS
from enact_assets.results.report.parts import (
    BOTH_KINDS,
    Figure,
    Part,
    Section,
    Table,
    Text,
    count,
    listed,
    percent,
    place_range,
    table,
    with_interval,
    words,
)
from enact_assets.results.report.rows import ReportRows, has_unverified

STATES = (
    ("n_accepted", "accepted", COLOURS[0], ""),
    ("n_wrong", "wrong", COLOURS[1], ""),
    ("n_refused", "refused", COLOURS[3], "xx"),
    ("n_declined", "declined", COLOURS[6], "++"),
    ("n_cut", "cut", COLOURS[5], "\\\\\\"),
    ("n_no_order", "unparsed", COLOURS[4], "///"),
    ("n_missing", "missing", FAINT, "..."),
)
"""Outcomes of answers: column, word, colour, hatching."""
_RARE = ("n_refused", "n_declined", "n_cut")
"""Outcomes that are drawn only if there are any: reference baselines have none."""
_UNREAD = ("n_unparsed", "n_refused", "n_declined", "n_cut", "n_missing")
_COUNTS = ("n_answers", "n_accepted", "n_wrong", *_UNREAD)
_VERIFIED = ("n_by_replay", "n_by_segmented", "n_by_match")


def leaderboard(rows: ReportRows) -> Section:
    """Models by pairwise accuracy over all lengths, with intervals and ties."""
    parts: list[Part] = []
    tables: list[Part] = []
    scores: list[tuple[str, str, float | None, float | None]] = []
    for kind in BOTH_KINDS:
        of_kind = overall(rows, kind)
        scores += [(kind, r["model"], r["task_accuracy"], r["accuracy"]) for r in of_kind]
        if not of_kind:
            tables.append(Text(f"No answer to a {kind} question was scored."))
            continue
        scored = [row for row in of_kind if row["task_accuracy"] is not None]
        if scored:
            parts.append(_intervals(rows, kind, scored))
        else:
            tables.append(
                Text(f"No answer to a {kind} question was scored, so there is no figure.")
            )
        tables.append(_leaderboard_table(rows, kind, of_kind))
        if scored and all(row["low"] is None and row["task_low"] is None for row in scored):
            why = scored[0]["reason"] or "no reason is given"
            tables.append(Text(f"There are no intervals for {kind} questions: {words(why)}."))
    if said := equal_guesses(scores):
        tables.append(Text(said))
    if rows["repetitions"].height:
        tables.append(_spread(rows))
    absent = sorted(set(rows["statuses"].filter("is_absent")["model"]))
    if absent:
        text = (
            f"Missing evaluations: {', '.join(absent)}. The scores of these models are unknown, "
            "not 0; stale_partitions gives the reason."
        )
        tables.append(Text(text, is_notice=True))
    tables.append(
        Text(
            "The 95 % intervals are clustered by demonstration: bootstrap intervals, or, with "
            "fewer than six demonstrations, wider t intervals. Two models are tied if a test on "
            "their common questions, corrected for the number of pairs, finds no difference "
            "(model_comparisons). Ties are not transitive. A place is the range that these tests "
            "allow. Reference baselines (chance, the oracle, shortcuts, and models trained on "
            "this simulator) are scored but not ranked. A short list leaves labels out. The rule "
            "of the paper matches it in order wherever it fits, so a guess earns more by leaving a "
            "label out. Of whole orders: pairwise accuracy if short lists had no right step."
        )
    )
    return Section("leaderboard", "Leaderboard", (*parts, *tables))


def overall(rows: ReportRows, kind: str) -> list[dict[str, Any]]:
    """One row per model, best pairwise accuracy first; task accuracy beside it as ``task_...``.

    Models whose evaluation is missing come last, with nulls. Places are by pairwise accuracy; by
    task accuracy where there is no other, as of imported questions without a replay.
    """
    statuses = rows["statuses"].filter(kind=kind).drop("kind")
    absent = statuses.filter("is_absent")
    overall = rows["accuracies"].filter(pl.col("length").is_null(), kind=kind)
    task = overall.filter(metric="task_accuracy").select(
        "model", pl.col("accuracy", "low", "high", "n_scored").name.prefix("task_")
    )
    pairwise = overall.filter(metric="pairwise_accuracy")
    if pairwise["accuracy"].is_null().all():
        unknown = pl.lit(None, pl.Float64)
        pairwise = overall.filter(metric="task_accuracy").with_columns(
            accuracy=unknown, low=unknown, high=unknown
        )
    evaluated = (
        pairwise.join(absent, on="model", how="anti")  # their accuracies, if any, are older
        .join(task, on="model", how="left")
        .join(statuses, on="model", how="left")
        .with_columns(n_scored="task_n_scored")
        .sort("accuracy", "task_accuracy", "model", descending=[True, True, False], nulls_last=True)
    )
    return pl.concat([evaluated, absent], how="diagonal").to_dicts()


def official_questions(rows: ReportRows) -> Section | None:
    """Accuracies under each variant that asks imported questions; None if none does."""
    found = rows["official"]
    if found.is_empty():
        return None
    parts: list[Part] = []
    for (variant,), of_variant in found.group_by("variant", maintain_order=True):
        # Each model was asked the same: those of one model, of both kinds.
        asked = of_variant.filter(model=of_variant["model"][0])
        n, *by = (int(asked[name].sum()) for name in ("n_questions", *_VERIFIED))
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
        columns = (
            ("model", lambda m, some: rows.marked_as(m, is_partial=some), "model", "is_partial"),
            ("kind", str, "kind"),
            ("questions", count, "n_questions"),
            ("verified by replay", count, "n_by_replay"),
            ("by segmented graphs", count, "n_by_segmented"),
            ("by exact match", count, "n_by_match"),
            ("missing", count, "n_missing"),
            ("task %", percent, "task_accuracy"),
            ("pairwise %", percent, "pairwise_accuracy"),
        )
        caption = f"Official questions, variant {variant}"
        parts.append(table(caption, of_variant.to_dicts(), columns, n_words=2))
    return Section("official", "Official questions", tuple(parts))


def answers(rows: ReportRows) -> Section:
    """How many questions have a right, wrong, unreadable or missing answer."""
    statuses = rows["statuses"]
    if statuses.is_empty():
        text = f"No model was asked under the variant {rows.variant}."
        return Section("answers", "What became of the answers", (Text(text),))
    wrong = "the verifier rejects the order"
    if has_unverified(rows):
        wrong += ", or the order is not the published one where no replay was imported"
    parts: list[Part] = [
        Text(
            f"Wrong: {wrong}. Unparsed: the answer contains no order; profile paper scores it as "
            "wrong, profile release does not score it. Refused, declined and cut answers are parts "
            "of the unparsed ones under profile paper: the model or its provider refused, the "
            "answer refuses in words, or a limit of tokens cut the answer before it named a whole "
            "order. Missing: the question was never answered, or the model's evaluation is "
            "missing; it is not scored."
        )
    ]
    for kind in BOTH_KINDS:
        ranked = [row["model"] for row in overall(rows, kind)]  # as in the leaderboard
        at = pl.col("model").replace_strict(ranked, range(len(ranked)), default=len(ranked))
        of_kind = statuses.filter(kind=kind).sort(at, "model")
        if of_kind.height:
            other = pl.col("n_unparsed") - pl.sum_horizontal(*_RARE)
            parts.append(
                _status_bars(rows, kind, of_kind.with_columns(n_no_order=other).to_dicts())
            )
    columns = (
        ("model", _named(rows), "model", "is_absent"),
        ("kind", str, "kind"),
        *((words(name.removeprefix("n_")), count, name) for name in _COUNTS),
    )
    by_kind = statuses.sort("kind", "model").to_dicts()
    parts.append(table("Answers by outcome", by_kind, columns, n_words=2))
    parts += _readings(rows)
    return Section("answers", "What became of the answers", tuple(parts))


def _readings(rows: ReportRows) -> list[Part]:
    """Scores of both readings of the answers, if they differ for some answer."""
    differing = rows["readings"].filter(pl.col("n_read_otherwise") > 0)
    if differing.is_empty():
        return [Text("The public release reads every answer as it is read here.")]
    about = (
        "Scores are of the strict reading: thoughts left out, the last list that orders all "
        "steps. Here the same answers are scored as the public release reads them."
    )
    columns = (
        ("model", rows.marked, "model"),
        ("kind", str, "kind"),
        ("answers", count, "n_answers"),
        ("read otherwise", count, "n_read_otherwise"),
        ("strict: pairwise %", percent, "pairwise_accuracy"),
        ("task %", percent, "task_accuracy"),
        ("as the release reads: pairwise %", percent, "pairwise_accuracy_as_release"),
        ("task %", percent, "task_accuracy_as_release"),
    )
    caption = "Two readings of the answers: strict, and as the release reads"
    return [Text(about), table(caption, differing.to_dicts(), columns, n_words=2)]


def _leaderboard_table(rows: ReportRows, kind: str, of_kind: list[dict[str, Any]]) -> Table:
    short = {
        model: {"n_short": n, "whole": accuracy}
        for model, n, accuracy in rows["readings"]
        .filter(kind=kind)
        .select("model", "n_short", "pairwise_accuracy_whole")
        .iter_rows()
    }
    unknown = {"n_short": None, "whole": None}
    of_kind = [
        row | (unknown if row["is_absent"] else short.get(row["model"], unknown)) for row in of_kind
    ]
    columns = (
        ("model", _named(rows), "model", "is_absent"),
        ("pairwise %", with_interval, "accuracy", "low", "high"),
        ("of whole orders %", percent, "whole"),
        ("short lists", count, "n_short"),
        ("task %", with_interval, "task_accuracy", "task_low", "task_high"),
        ("place", place_range, "place_best", "place_worst"),
        ("scored questions", count, "n_scored"),
        ("wrong", count, "n_wrong"),
        *((name.removeprefix("n_"), count, name) for name in _UNREAD),
        ("tied with", listed, "tied_with"),
    )
    caption = f"Leaderboard, {kind} questions of all lengths; 95 % intervals in brackets"
    return table(caption, of_kind, columns, n_last_words=1)


def _spread(rows: ReportRows) -> Table:
    """How much accuracies differ between repetitions of the same questions."""
    columns = (
        ("model", rows.marked, "model"),
        ("kind", str, "kind"),
        ("repetitions", str, "repetitions"),
        ("pairwise", percent, "pairwise_accuracy_sd"),
        ("task", percent, "task_accuracy_sd"),
    )
    caption = "Standard deviation of accuracies between repetitions, in percentage points"
    return table(caption, rows["repetitions"].to_dicts(), columns, n_words=2)


def _named(rows: ReportRows) -> Callable[[str, bool], str]:
    """Writes the name of a model, and whether its evaluation is missing."""
    return lambda model, is_absent: f"{model} (missing)" if is_absent else rows.marked(model)


def _intervals(rows: ReportRows, kind: str, of_kind: list[dict[str, Any]]) -> Figure:
    with canvas(1.45 + 0.3 * len(of_kind)) as (drawn, (axes,)):
        for place, row in enumerate(of_kind):
            look = rows.looks[row["model"]]
            for prefix, lift in (("", -0.14), ("task_", 0.14)):
                middle, low, high = (row[f"{prefix}{n}"] for n in ("accuracy", "low", "high"))
                if middle is None:
                    continue
                if low is not None:
                    ends = [100 * low, 100 * high]
                    axes.plot(ends, [place + lift] * 2, color=look.colour, **INTERVAL)
                marked = look.marked(is_filled=not prefix)
                axes.plot([100 * middle], [place + lift], markersize=pt(5), **marked)
        for label, face in (("pairwise accuracy", GREY), ("task accuracy", "white")):
            axes.plot([], [], "o", color=GREY, markerfacecolor=face, label=label)
        for metric, style in (("pairwise", ":"), ("task", "-.")):
            chance = rows.chance(kind, f"{metric}_accuracy")
            if chance is not None:
                label = f"chance, {metric}"
                axes.axvline(100 * chance, **{**CHANCE, "linestyle": style}, label=label, zorder=1)
        axes.set_yticks(range(len(of_kind)), [rows.label(row["model"]) for row in of_kind])
        axes.set_ylim(len(of_kind) - 0.4, -0.6)
        axes.set_xlim(-2, 102)
        axes.grid(axis="x", color=FAINT, linewidth=0.6)
        axes.set_xlabel("%")
        axes.set_title(kind)
        drawn.legend(loc="outside lower center", ncols=2)
        models = [row for row in of_kind if not row["is_reference"]]
        alt = (
            f"Accuracies of {len(models)} models and {len(of_kind) - len(models)} references on "
            f"{kind} questions with intervals"
        )
        if models:
            best = models[0]
            alt += (
                f"; highest pairwise accuracy of a model: {best['model']} with "
                f"{percent(best['accuracy'])} %"
            )
        alt += f"; chance is {percent(rows.chance(kind, 'pairwise_accuracy'))} % pairwise and "
        alt += f"{percent(rows.chance(kind, 'task_accuracy'))} % task accuracy"
        alt += ". The table below has the numbers."
        caption = (
            f"Accuracy on {kind} questions of all lengths, 95 % intervals, and what a random "
            "order is expected to score"
        )
        return finished(drawn, f"leaderboard_{kind}", caption, alt)


def _status_bars(rows: ReportRows, kind: str, of_kind: list[dict[str, Any]]) -> Figure:
    with canvas(1.35 + 0.26 * len(of_kind)) as (drawn, (axes,)):
        places = range(len(of_kind))
        left = [0.0] * len(of_kind)
        totals = {name: sum(row[name] for row in of_kind) for name, _, _, _ in STATES}
        shown = [state for state in STATES if totals[state[0]] or state[0] not in _RARE]
        for name, word, colour, hatch in shown:
            shares = [100 * row[name] / row["n_answers"] for row in of_kind]
            axes.barh(
                places,
                shares,
                0.72,
                left,
                color=colour,
                hatch=hatch,
                edgecolor="white" if not hatch else GREY,
                linewidth=0.4,
                label=word,
            )
            left = [a + b for a, b in zip(left, shares, strict=True)]
        axes.set_yticks(places, [rows.label(row["model"]) for row in of_kind])
        axes.set_ylim(len(of_kind) - 0.5, -0.5)
        axes.set_xlim(0, 100)
        axes.set_xlabel("% of answers")
        axes.set_title(kind)
        n_columns = 4 if len(shown) == 4 else 3
        drawn.legend(loc="outside lower center", ncols=n_columns, columnspacing=1.0)
        said = ", ".join(f"{totals[name]:,} {word}" for name, word, _, _ in shown)
        return finished(
            drawn,
            f"answers_{kind}",
            f"Outcomes of answers to {kind} questions",
            f"Shares of answers to {kind} questions for {len(of_kind)} models; over all: {said}.",
        )
