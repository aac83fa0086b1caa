"""The first lines of a report: when its rows were published, from what, and what it covers."""

from enact_assets.data_root.publication import Publication
from enact_assets.plurals import counted
from enact_assets.report.report_rows import ReportRows

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
    statuses = rows["statuses"]
    n_answers, n_missing = (int(statuses[name].sum()) for name in ("n_answers", "n_missing"))
    return (
        f"variant {rows.variant}: {counted(asked['n_questions'], 'question')} about "
        f"{counted(asked['n_demonstrations'], 'demonstration')} of "
        f"{counted(asked['n_activities'], 'activity')}; "
        f"{n_missing:,} of {n_answers:,} answers of {statuses['model'].n_unique():,} models and "
        "references are missing"
    )
