"""The beginning of a report: time and sources of its rows, its subject and its limits."""

import polars as pl

from enact_assets.engine.plurals import counted
from enact_assets.results.publication import Publication
from enact_assets.results.report.parts import (
    Part,
    Section,
    Table,
    Text,
    count,
    table,
)
from enact_assets.results.report.rows import N_STALE_SHOWN, ReportRows
from enact_assets.settings.classes import EMBEDDED

EMBEDDED_NOTICE = (
    "Demonstrations of source “embedded” come from this package's own simulator: three rooms and "
    "a scripted robot. It is not BEHAVIOR, and no number based on them is a BEHAVIOR result. "
    "Numbers marked as published are the paper's own."
)

SHA_LETTERS = 12
_UNKNOWN = "unknown: this warehouse was published by an older version"

Facts = tuple[tuple[str, str], ...]
"""Heading and text."""


def header(rows: ReportRows, publication: Publication | None) -> Facts:
    """Date, registry, seeds and versions of the published rows, and what they cover.

    Nothing here depends on when the report is drawn.
    """
    return (*_made(publication), ("Covers", _covered(rows)))


def _made(found: Publication | None) -> Facts:
    if found is None:
        return (("Published", _UNKNOWN),)
    date = found.date.replace("T", " ").partition("+")[0]
    gatings: dict[str, list[str]] = {}
    for gating, profile in found.profiles.items():
        gatings.setdefault(profile, []).append(gating)
    profiles = "; ".join(f"profile {p} for gating {', '.join(of)}" for p, of in gatings.items())
    versions = ", ".join(f"{name} {version}" for name, version in found.versions.items())
    return (
        ("Published", f"{date} UTC"),
        ("Registry", f"{found.registry}, SHA-256 {found.registry_sha[:SHA_LETTERS]}"),
        ("Seeds", ", ".join(f"{what}: {seed}" for what, seed in found.seeds.items())),
        ("Versions", f"{versions}; {profiles}"),
    )


def _covered(rows: ReportRows) -> str:
    asked = rows["asked"].row(0, named=True)
    if not asked["n_questions"]:
        return f"variant {rows.variant}, which asks no question"
    pictures = ""
    if asked["n_key_frames"]:
        pictures = f", on {counted(asked['n_key_frames'], 'key frame')}"
    statuses = rows["statuses"]
    n_answers, n_missing = (int(statuses[name].sum()) for name in ("n_answers", "n_missing"))
    return (
        f"variant {rows.variant}: {counted(asked['n_questions'], 'question')} about "
        f"{counted(asked['n_demonstrations'], 'demonstration')} of "
        f"{counted(asked['n_activities'], 'activity')}{pictures}; "
        f"{n_missing:,} of {n_answers:,} answers of {statuses['model'].n_unique():,} models and "
        "references are missing"
    )


def overview(rows: ReportRows) -> Section:
    """Sources and numbers of the reported rows, and whether they were current and complete."""
    parts: list[Part] = []
    sources = rows["demonstrations"]
    if EMBEDDED in sources["source"]:
        parts.append(Text(EMBEDDED_NOTICE, is_notice=True))
    n_models = rows["statuses"]["model"].n_unique()
    totals = rows["statuses"].select(
        *("n_answers", "n_accepted", "n_wrong", "n_unparsed", "n_refused", "n_declined", "n_cut"),
        "n_missing",
    )
    n_asked, n_accepted, n_wrong, n_unparsed, n_refused, n_declined, n_cut, n_missing = (
        int(totals[name].sum()) for name in totals.columns
    )
    parts.append(
        Text(
            f"Answers of {n_models:,} models under the variant {rows.variant}: {n_asked:,} asked, "
            f"{n_accepted:,} accepted, {n_wrong:,} wrong, {n_unparsed:,} unparsed ({n_refused:,} "
            f"refused, {n_declined:,} declined, {n_cut:,} cut), {n_missing:,} missing."
        )
    )
    if sources.is_empty():
        parts.append(Text("The warehouse contains no demonstration."))
    else:
        columns = (
            ("source", str, "source"),
            ("demonstrations", count, "n_demonstrations"),
            ("activities", count, "n_activities"),
        )
        parts.append(table("Demonstrations by source", sources.to_dicts(), columns))
    if int(sources["n_demonstrations"].sum()) == 1:
        text = "There is only one demonstration, so variation between demonstrations is unknown."
        parts.append(Text(text, is_notice=True))
    parts += [*_clusters(rows), *_solved(rows), *_edited(rows), *_claims(rows), *_not_current(rows)]
    return Section("about", "What this is", tuple(parts))


def _clusters(rows: ReportRows) -> list[Part]:
    """In how many questions a key frame is, beside the paper's."""
    return [
        Text(
            f"{counted(asked['n_questions'], 'question')} on "
            f"{counted(asked['n_key_frames'], 'key frame')} of "
            f"{counted(asked['n_demonstrations'], 'demonstration')}: each key frame is in "
            f"{asked['n_shown'] / asked['n_key_frames']:,.0f} questions on average, and a "
            "demonstration is the cluster of all intervals. The paper's 8,972 questions are about "
            "29 demonstrations of 30 key frames or more each."
        )
        for asked in rows["asked"].filter(pl.col("n_key_frames") > 0).iter_rows(named=True)
    ]


_SOLVERS = {"model": "models", "person": "people", "solver": "solvers on the page"}


def _solved(rows: ReportRows) -> list[Part]:
    """How many questions models and people solved; none is said of both."""
    found = {by: (n, of) for by, of, n in rows["solved"].iter_rows()}
    if rows["asked"].filter(pl.col("n_questions") > 0).is_empty():
        return []
    said = []
    for by, name in _SOLVERS.items():
        n, of = found.get(by, (0, 0))
        if of:
            said.append(f"{name}: {n:,} of {of:,} answered questions")
        elif by != "solver":
            said.append(f"{name}: none")
    return [Text(f"Solved by at least one of them (references left out): {', '.join(said)}.")]


def _edited(rows: ReportRows) -> list[Part]:
    """Variants of the paper that have other settings here."""
    variants: dict[str, list[str]] = {}
    for variant, differences in rows["edited"].iter_rows():
        variants.setdefault(differences, []).append(variant)
    return [
        Text(
            f"No condition of the paper: {', '.join(names)} ({differences}). No published row "
            "compares with a row of these variants, or with a difference to one of them.",
            is_notice=True,
        )
        for differences, names in variants.items()
    ]


def _claims(rows: ReportRows) -> list[Part]:
    """How many claims of the papers were checked, by verdict and method."""
    claims = rows["claims"]
    if claims.is_empty():
        return []
    verdicts, methods = (_numbers(claims, column) for column in ("verdict", "method"))
    text = (
        f"{int(claims['n'].sum())} claims of the papers were checked. By verdict: {verdicts}. By "
        f"method: {methods}. Relation `faithfulness` and docs/faithfulness.md have each of them."
    )
    return [Text(text)]


def _numbers(claims: pl.DataFrame, column: str) -> str:
    found = claims.group_by(column).agg(pl.col("n").sum()).sort("n", column, descending=True)
    return ", ".join(f"{n} {name}" for name, n in found.iter_rows())


def _not_current(rows: ReportRows) -> list[Part]:
    """Which partitions were stale or missing when the warehouse was published."""
    if rows["stale"].is_empty() and rows["missing"].is_empty():
        return [Text("All rows were fresh when they were published.")]
    stale = "Partitions older than their inputs"
    missing = "Partitions that were requested but missing"
    return [*_listed(rows, "stale", stale), *_listed(rows, "missing", missing)]


def _listed(rows: ReportRows, state: str, caption: str) -> list[Part]:
    found = rows[state]
    if found.is_empty():
        return []
    shown = found.head(N_STALE_SHOWN)
    more = " and more" if found.height > N_STALE_SHOWN else ""
    n = f"{shown.height}{more}"
    text = f"Partitions that were {state} when the rows were published: {n}."
    lines = tuple(
        (row["asset"], row["partition"] or "", row["why"]) for row in shown.iter_rows(named=True)
    )
    table = Table(caption, ("asset", "partition", "why"), lines, n_words=3)
    return [Text(text, is_notice=True), table]
