"""The pages of a board: sections of the report, cut by variant, model and question set."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

import numpy as np
import polars as pl

from enact_assets.engine.ids import sha256_bytes
from enact_assets.results.board.bundles import Claim
from enact_assets.results.report.accuracy import overall
from enact_assets.results.report.answer_quality import answer_quality
from enact_assets.results.report.error_section import mismatch, semantic, structural
from enact_assets.results.report.hands import handedness
from enact_assets.results.report.lengths import by_length
from enact_assets.results.report.page import measured_sections
from enact_assets.results.report.parts import (
    BOTH_KINDS,
    NONE,
    Choice,
    Figure,
    Part,
    Section,
    Table,
    Text,
    count,
    dollars,
    listed,
    percent,
    place_range,
    table,
    with_interval,
)
from enact_assets.results.report.people_section import people
from enact_assets.results.report.rows import ReportRows
from enact_assets.results.report.wrong_answers import PictureOf, example_row
from enact_assets.results.statistics.clusters import ClusterSums
from enact_assets.results.statistics.constants import StatisticsSettings
from enact_assets.results.statistics.resampling import mean_intervals
from enact_assets.settings.registry import BASELINE

N_ANSWERS = 20
MOST_OF_FIGURE = 50_000
"""Bytes: a site of many models should load on a phone."""
ONE_MODEL: tuple[Callable[[ReportRows], Section | None], ...] = (
    by_length,
    structural,
    semantic,
    mismatch,
    handedness,
    answer_quality,
)
ABOUT = (
    "Intervals are clustered by demonstration. Two models are tied if a test on their common "
    "questions finds no difference. Short lists leave labels out: the paper's rule matches them in "
    "order wherever they fit, so pairwise accuracies are comparable only beside their number."
)
PAIRS_BY_KIND = tuple(f"{kind}, pairwise %" for kind in BOTH_KINDS)
EMBEDDED = "The embedded simulator stands in for BEHAVIOR: these are not BEHAVIOR results."


@dataclass(frozen=True)
class SitePage:
    """One page: its address below the folder, its heading, its sections."""

    address: str
    title: str
    sections: tuple[Section, ...]


@dataclass(frozen=True)
class Submitted:
    """A submission as it was scored anew: its file, rows of ``evaluation``, and what differs."""

    file: str
    model: str
    variant: str
    software: str
    evaluation: pl.DataFrame
    claims: tuple[Claim, ...]
    problems: tuple[str, ...]


def baseline_first(variants: Iterable[str]) -> list[str]:
    """In the order of a board."""
    return sorted(variants, key=lambda name: (name != BASELINE, name))


def file_name(name: str) -> str:
    """``name`` as the name of a page: of its own, also where letters of it cannot be in one."""
    found = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "-" for c in name)
    found = found.strip(".") or "-"
    return found if found == name else f"{found}-{sha256_bytes(name.encode())[:6]}"


def model_page(name: str) -> str:
    """Address of the page of a model."""
    return f"models/{file_name(name)}.html"


def variant_page(name: str) -> str:
    """Address of the page of a variant."""
    return f"variants/{file_name(name)}.html"


def set_page(name: str) -> str:
    """Address of the page of a question set."""
    return f"sets/{file_name(name)}.html"


def board_section(
    rows: ReportRows, details: pl.DataFrame, submitted: Sequence[Submitted], upward: str
) -> Section:
    """The leaderboard of one variant, by kind and length. ``details`` has a row per
    variant, kind, length and model; ``upward`` leads to the folder of the site.
    """
    kinds = []
    for kind in BOTH_KINDS:
        of_kind = details.filter(kind=kind, variant=rows.variant)
        lengths = sorted(of_kind["length"].drop_nulls().unique())
        options = [("all lengths", _tables(rows, of_kind, None, submitted, upward))]
        options += [
            (str(length), _tables(rows, of_kind, length, submitted, upward)) for length in lengths
        ]
        chosen = Choice(f"length-{kind}", "pictures of a question", tuple(options))
        kinds.append((kind, (chosen,)))
    choice = Choice("kind", "kind of question", tuple(kinds))
    return Section("leaderboard", "Leaderboard", (choice, Text(ABOUT), Text(EMBEDDED)))


def _tables(
    rows: ReportRows,
    details: pl.DataFrame,
    length: int | None,
    submitted: Sequence[Submitted],
    upward: str,
) -> tuple[Part, ...]:
    found = details.filter(pl.col("length").eq_missing(pl.lit(length, pl.Int64)))
    found = found.sort("pairwise_accuracy", "model", descending=[True, False], nulls_last=True)
    kind = "" if found.is_empty() else found["kind"][0]
    costs = dict(rows["quality"].select("model", "usd_per_question").iter_rows())
    columns = (
        ("model", rows.marked, "model"),
        ("place", place_range, "pairwise_accuracy_place_best", "pairwise_accuracy_place_worst"),
        ("pairwise %", with_interval, *_of("pairwise_accuracy")),
        ("short lists", count, "n_wrong_length"),
        ("of whole orders %", percent, "pairwise_accuracy_whole"),
        ("task %", with_interval, *_of("task_accuracy")),
        ("scored", count, "n_scored"),
        ("unparsed", count, "n_unparsed"),
        ("missing", count, "n_missing"),
        ("USD a question", dollars, "usd"),
        ("tied with", listed, "pairwise_accuracy_tied_with"),
    )
    scored = [row | {"usd": costs.get(row["model"])} for row in found.iter_rows(named=True)]
    where = "of all lengths" if length is None else f"of {length} pictures"
    shown = table(f"{rows.variant}, {kind} questions {where}", scored, columns, n_last_words=1)
    links = tuple(f"{upward}{model_page(row['model'])}" for row in scored)
    chance = [
        rows.chance(kind, metric, length) for metric in ("pairwise_accuracy", "task_accuracy")
    ]
    parts: list[Part] = [
        replace(shown, links=links),
        Text(f"A random order: pairwise {percent(chance[0])} %, task {percent(chance[1])} %."),
    ]
    if submitted:
        parts.append(_submitted_table(submitted, kind, length, upward))
    return tuple(parts)


def _of(metric: str) -> tuple[str, str, str]:
    return metric, f"{metric}_low", f"{metric}_high"


def _submitted_table(
    submitted: Sequence[Submitted], kind: str, length: int | None, upward: str
) -> Table:
    """Rows of submissions: recomputed here, with intervals as those of models."""
    lines = []
    for one in submitted:
        of = one.evaluation.filter(kind=kind)
        of = of if length is None else of.filter(length=length)
        scored = of.filter(pl.col("is_accepted").is_not_null())
        values = [scored["is_accepted"].cast(pl.Float64), scored["pairwise_accuracy"]]
        cells = [NONE, NONE]
        if scored.height:
            names = np.unique(scored["demonstration"].to_numpy(), return_inverse=True)[1]
            steps = scored["n_steps"].to_numpy()
            for k, (column, weights) in enumerate(zip(values, (None, steps), strict=True)):
                sums = ClusterSums.of(column.to_numpy()[:, None], names, weights)
                low, high = mean_intervals(sums, StatisticsSettings(), 0.0)
                ends = [None if np.isnan(end[0]) else float(end[0]) for end in (low, high)]
                cells[k] = with_interval(float(sums.means()[0]), *ends)
        n_short = of.filter(reason="wrong_length").height
        lines.append(
            (
                f"{one.model} (submitted)",
                cells[1],
                count(n_short),
                cells[0],
                count(scored.height),
                _state(one),
            )
        )
    columns = ("model", "pairwise %", "short lists", "task %", "scored", "state")
    links = (f"{upward}submissions.html",) * len(lines)
    return Table("Submitted by others, recomputed here", columns, tuple(lines), 1, 1, links)


def of_model(rows: ReportRows, name: str) -> ReportRows:
    """``rows`` about one model; what is about none stays. Published rows have their own page."""
    of = {}
    for key, found in rows.of.items():
        if key.startswith("published_"):
            of[key] = found.clear()
        elif "model" in found.columns and key != "models":
            of[key] = found.filter(model=name)
        else:
            of[key] = found
    return ReportRows(of, rows.variant, rows.version)


def model_sections(rows: ReportRows, name: str, picture: PictureOf) -> tuple[Section, ...]:
    """Curves, errors, hands, costs of one model under one variant, and twenty wrong answers."""
    mine = of_model(rows, name)
    summary = [{"kind": kind, **row} for kind in BOTH_KINDS for row in overall(mine, kind)]
    columns = (
        ("kind", str, "kind"),
        ("pairwise %", with_interval, "accuracy", "low", "high"),
        ("task %", with_interval, "task_accuracy", "task_low", "task_high"),
        ("scored questions", count, "n_scored"),
        ("wrong", count, "n_wrong"),
        ("unparsed", count, "n_unparsed"),
        ("missing", count, "n_missing"),
    )
    scores = Section(
        "scores",
        "Scores",
        (table(f"{name} under {rows.variant}, all lengths", summary, columns), Text(EMBEDDED)),
    )
    found = mine["examples"].sort("place", "kind", "category", "question_id").to_dicts()
    shown: dict[str, dict[str, Any]] = {}
    for row in found:
        shown.setdefault(row["question_id"], row)
    answers = [  # without links into `browse`, which only its own machine has
        replace(example_row(row, picture), link="") for row in list(shown.values())[:N_ANSWERS]
    ]
    wrong: tuple[Part, ...] = tuple(answers) or (Text("No answer is wrong.", is_notice=True),)
    if not summary:
        return (scores,)
    return (
        scores,
        *map(_light, measured_sections(mine, wanted=ONE_MODEL)),
        Section("answers", "Wrong answers", wrong),
    )


def _light(section: Section) -> Section:
    """Without figures that are large: the table below has the numbers of one model."""
    parts = (p for p in section.parts if not isinstance(p, Figure) or len(p.svg) < MOST_OF_FIGURE)
    return replace(section, parts=tuple(parts))


def set_sections(
    asked: pl.DataFrame,
    name: str,
    shas: Mapping[str, str],
    settings: pl.DataFrame,
    pages: Collection[str],
) -> tuple[Section, ...]:
    """What a question set asks: counts, how a variant asks it, and the hash of all its questions.

    ``asked`` are rows of ``asked_questions``, ``shas`` variant -> hash of its questions; ``pages``
    are the variants that have one.
    """
    counted = (
        asked.group_by("variant", "kind", "length")
        .agg(n=pl.len())
        .pivot("length", index=["variant", "kind"], values="n", sort_columns=True)
        .sort("variant", "kind")
    )
    lengths = [column for column in counted.columns if column not in {"variant", "kind"}]
    lengths.sort(key=int)
    columns = (
        *(("variant", str, "variant"), ("kind", str, "kind")),
        *((length, count, length) for length in lengths),
    )
    about = asked.group_by("variant").agg(
        pl.col("demonstration").n_unique(), pl.col("source").unique().sort()
    )
    listed_of = [
        (
            row["variant"],
            count(row["demonstration"]),
            listed(row["source"]),
            shas.get(row["variant"], NONE),
        )
        for row in about.sort("variant").iter_rows(named=True)
    ]
    links = tuple(f"../{variant_page(row[0])}" if row[0] in pages else None for row in listed_of)
    parts: list[Part] = [
        table(f"Questions of set {name}, by pictures", counted.to_dicts(), columns, n_words=2),
        Table(
            "Who asks it",
            ("variant", "demonstrations", "sources", "hash of all questions"),
            tuple(listed_of), 1, 2, links,
        ),
        Text(
            "The hash is over texts, pictures and what verifies an answer: two data roots with "
            "equal hashes ask the same. A submission has the hash of each question, which "
            "`enact-assets verify-submission FILE` compares."
        ),
    ]  # fmt: skip
    if settings.height:
        rows = (("variant", str, "variant"), ("setting", str, "setting"), ("value", str, "value"))
        parts.append(table("Settings", settings.to_dicts(), rows, n_words=3))
    return (Section("set", f"Question set {name}", tuple(parts)),)


def published_sections(rows: ReportRows) -> tuple[Section, ...]:
    """What the ENACT paper publishes of its models, apart from ours."""
    published = rows["published_accuracies"].filter(experiment="main")
    whole = published.filter(pl.col("length").is_null())
    if whole.is_empty():
        whole = published.group_by("published_model", "kind", "metric").agg(
            pl.col("accuracy").mean()
        )
    wide = whole.sort("published_model", "kind", "metric").pivot(
        ["kind", "metric"], index="published_model", values="accuracy", aggregate_function="mean"
    )
    names = [column for column in wide.columns if column != "published_model"]
    columns = (
        ("model", str, "published_model"),
        *((_heading(name), percent, name) for name in sorted(names)),
    )
    names.sort()
    by = [*names[:1], "published_model"]
    order = wide.sort(by, descending=[True, False][: len(by)], nulls_last=True).to_dicts()
    about = (
        "As published: other questions, other pictures and other models' versions than here. They "
        "are no rows of this board and are never ranked with it."
    )
    shown = table("Published in the ENACT paper, mean over lengths, in %", order, columns)
    return (Section("published", "Published rows", (Text(about, is_notice=True), shown)),)


def _heading(name: str) -> str:
    return name.strip("{}").replace('"', "").replace("_", " ").replace(",", ", ")


def people_sections(rows: ReportRows, picture: PictureOf) -> tuple[Section, ...]:
    """People's answers, as the report has them."""
    return (people(rows, picture),)


def submission_sections(
    submitted: Sequence[Submitted], unread: Sequence[str] = ()
) -> tuple[Section, ...]:
    """What others handed in, what it scores here, and what differs from what it says. ``unread``
    says of other files why they could not be scored.
    """
    about = Text(
        "Each file has raw answers, settings and hashes of the questions, and was scored anew when "
        "these pages were made: it is recomputed, not verified. Who holds the questions can write "
        "right answers without asking a model."
    )
    lines = [
        (one.model, one.variant, one.software, *_counts(one.claims, count), _state(one))
        for one in submitted
    ]
    columns = ("model", "variant", "made with", "forward right", "inverse right", "state")
    links = tuple(f"submissions/{quote(one.file)}" for one in submitted)
    shown: list[Part] = [about, Table("Submissions", columns, tuple(lines), 3, 1, links)]
    for one in submitted:
        shown += [
            Text(f"{one.file} ({one.model} under {one.variant}): {problem}", is_notice=True)
            for problem in one.problems
        ]
    shown += [Text(why, is_notice=True) for why in unread]
    return (Section("submissions", "Submissions", tuple(shown)),)


def _counts(claims: Sequence[Claim], write: Callable[[int | None], str]) -> tuple[str, ...]:
    of = {claim.kind: claim for claim in claims}
    return tuple(
        f"{write(of[kind].n_accepted)} of {write(of[kind].n_answers)}" if kind in of else NONE
        for kind in BOTH_KINDS
    )


def _state(one: Submitted) -> str:
    return "recomputed" if not one.problems else f"differs in {len(one.problems)}"


def index_section(details: pl.DataFrame, sources: Mapping[str, Sequence[str]]) -> Section:
    """Variants by source, each with its best models."""
    whole = details.filter(pl.col("length").is_null(), ~pl.col("is_reference"))
    lines, links = [], []
    for variant in baseline_first(sources):
        best = []
        for kind in BOTH_KINDS:
            of = whole.filter(variant=variant, kind=kind)
            of = of.sort("pairwise_accuracy", descending=True, nulls_last=True).head(1)
            pairs = of.select("model", "pairwise_accuracy").iter_rows()
            best.append(next((f"{name} {percent(share)}" for name, share in pairs), NONE))
        lines.append((variant, listed(sources[variant]), *best))
        links.append(variant_page(variant))
    columns = ("variant", "about", "best forward, pairwise %", "best inverse, pairwise %")
    return Section(
        "variants", "All variants", (Table("Variants", columns, tuple(lines), 4, 0, tuple(links)),)
    )


def models_section(details: pl.DataFrame, variant_of: Mapping[str, str]) -> Section:
    """All models. ``variant_of``: model -> variant that its page is about."""
    n_variants = dict(details.group_by("model").agg(pl.col("variant").n_unique()).iter_rows())
    lines = tuple(
        (name, variant, count(n_variants[name]), *_pairs_by_kind(details, name, variant))
        for name, variant in sorted(variant_of.items())
    )
    columns = ("model", "variant", "variants in all", *PAIRS_BY_KIND)
    links = tuple(model_page(name) for name, *_ in lines)
    return Section(
        "models", "All models", (Table("Accuracy over all lengths", columns, lines, 2, 0, links),)
    )


def variants_section(details: pl.DataFrame, name: str) -> Section:
    """One model under each variant that it answered."""
    variants = baseline_first(details.filter(model=name)["variant"].unique())
    lines = tuple((variant, *_pairs_by_kind(details, name, variant)) for variant in variants)
    links = tuple(f"../{variant_page(variant)}" for variant in variants)
    shown = Table(f"{name}, all lengths", ("variant", *PAIRS_BY_KIND), lines, 1, 0, links)
    return Section("variants", "Under each variant", (shown,))


def sets_section(asked: pl.DataFrame, upward: str) -> Section:
    """The question sets of rows of ``asked_questions``."""
    counted = asked.group_by("question_set").agg(
        pl.col("question_id", "demonstration").n_unique(), pl.col("variant", "source").unique()
    )
    columns = (
        ("question set", str, "question_set"),
        ("questions", count, "question_id"),
        ("demonstrations", count, "demonstration"),
        ("about", lambda names: listed(sorted(names)), "source"),
        ("asked by", lambda names: listed(baseline_first(names)), "variant"),
    )
    rows = counted.sort("question_set").to_dicts()
    shown = table("Question sets", rows, columns, n_last_words=2)
    links = tuple(f"{upward}{set_page(row['question_set'])}" for row in rows)
    return Section("sets", "What is asked", (replace(shown, links=links),))


def _pairs_by_kind(details: pl.DataFrame, model: str, variant: str) -> list[str]:
    """Pairwise accuracies of both kinds and all lengths, in %."""
    whole = details.filter(pl.col("length").is_null(), model=model, variant=variant)
    of = dict(whole.select("kind", "pairwise_accuracy").iter_rows())
    return [percent(of.get(kind)) for kind in BOTH_KINDS]
