"""The command ``leaderboard``: the result table of the DuckDB file."""

import argparse
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console
from rich.table import Table

from enact_assets.answers.baselines.equal_guesses import equal_guesses
from enact_assets.answers.baselines.learned_names import TRAINED_ON
from enact_assets.commands.coverage import coverage
from enact_assets.commands.terminal import TextConsole, plain
from enact_assets.engine.errors import UnknownNameError
from enact_assets.engine.plurals import counted
from enact_assets.engine.publishing.warehouse_seal import SEAL, why_altered
from enact_assets.results.findings.findings import VERDICTS, told
from enact_assets.results.published import VARIANT_ORDER, query
from enact_assets.settings.paths import DataRoot

NOT_CURRENT = {
    "stale": "The DuckDB file holds old rows of stale partitions",
    "missing": "The DuckDB file holds no rows of missing partitions; `enact-assets materialize` "
    "tries again and prints each error",
}
"""States of partitions that are not current, and what that means for their rows."""
TRAINED_MARK = "*"
"""After the name of a reference that was trained."""
MODELS_NAMED = 2
"""Most models that a cell of the findings names; of more it gives the number."""
UNVERIFIED = (
    "Questions without an imported replay are scored by exact match: task accuracy is a lower "
    "bound, they are in no pairwise accuracy, and oracle is always right."
)


def run_leaderboard(arguments: argparse.Namespace, console: Console) -> int:
    """``leaderboard``; returns the exit code."""
    warehouse = DataRoot(arguments.data).warehouse
    warn_if_altered(warehouse)
    show_leaderboard(warehouse, console, arguments.variant)
    return 0


def warn_if_altered(warehouse: Path) -> None:
    """A line on standard error. As a rule only the file's times are looked at; a file without its
    seal, such as one that was copied alone, may be whole.
    """
    if Path(f"{warehouse}{SEAL}").exists() and (why := why_altered(warehouse)) is not None:
        message = f"{warehouse}: {why}. `enact-assets materialize` publishes it from nothing."
        TextConsole(stderr=True, soft_wrap=True).print(plain(message, "yellow"))


def show_leaderboard(warehouse: Path, console: Console, variant: str | None = None) -> None:
    """Print it, and which partitions were stale or missing when it was published.

    Errors: :class:`UnknownNameError` for a ``variant`` that is not on it.
    """
    rows = query(
        warehouse,
        f"""
        select variant, kind, model, state, task_accuracy, task_accuracy_sd, pairwise_accuracy,
            pairwise_accuracy_sd, n_questions, n_scored, n_verified, repetitions, n_unparsed,
            n_refused, n_declined, n_cut, n_missing, n_answers, n_read_otherwise,
            task_accuracy_as_release, pairwise_accuracy_as_release, n_wrong_length as n_short,
            pairwise_accuracy_whole, n_in_variant
        from (
            from leaderboard_details
            -- A file of an earlier version lacks them.
            union all by name
            select null::double as pairwise_accuracy_whole, null::bigint as n_in_variant where false
        )
        where length is null and kind is not null
        order by {VARIANT_ORDER}, kind, pairwise_accuracy desc nulls last,
            task_accuracy desc nulls last, model
        """,  # noqa: S608 - our own words
    )
    if variant is not None:
        known = dict.fromkeys(rows["variant"])
        if variant not in known:
            advice = "Other variants are compared with the baseline in relation probe_deltas."
            raise UnknownNameError.of("variant of the leaderboard", variant, known, advice)
        rows = rows.filter(variant=variant)
    print_leaderboard(console, rows.to_dicts())
    for name in dict.fromkeys(rows["variant"]):
        console.print(f"{name}: {coverage(warehouse, name)}", markup=False)
    _print_findings(warehouse, console, dict.fromkeys(rows["variant"]))
    listed = query(warehouse, "select asset, partition, state, why from stale_partitions")
    for state, meaning in NOT_CURRENT.items():
        found = listed.filter(state=state).rows(named=True)
        if found:
            first = found[0]
            n_found = f"{counted(len(found), 'partition')} {'was' if len(found) == 1 else 'were'}"
            console.print(
                f"{n_found} {state} when this was published, first {first['asset']} "
                f"{first['partition'] or ''}: {first['why']}. {meaning}; see stale_partitions.",
                style="yellow",
            )


def print_leaderboard(console: Console, rows: list[dict[str, Any]]) -> None:
    """The leaderboard mart, a table per variant: fractions as percent, a dash where nothing was
    scored.

    Of repeated questions the standard deviation between repetitions follows the accuracy. Columns
    of refused, declined and cut answers, which are unparsed too, show only where there are any. A
    model that is not current has its state after its name: stale or missing; one that answered some
    of the questions only is partial: its accuracies are not of the same questions as those of
    others.
    References that were trained are marked, and a line says on what; another says why rows of
    references are equal.
    """
    if not rows:
        console.print("Leaderboard: no answers yet.")
    for variant, of_variant in groupby(rows, lambda row: row["variant"]):
        shown = list(of_variant)
        console.print(_board(str(variant), shown))
        for what in dict.fromkeys(TRAINED_ON.get(row["model"]) for row in shown):
            if what is not None:
                console.print(f"{TRAINED_MARK} reference trained on {what}: scored, not ranked")
        scores = ("kind", "model", "task_accuracy", "pairwise_accuracy")
        if said := equal_guesses(tuple(row[name] for name in scores) for row in shown):
            console.print(said, markup=False)
        for row in shown:
            if row["n_read_otherwise"]:
                console.print(_other_reading(row), markup=False)
        for row in shown:
            if row["n_short"]:
                console.print(_whole_orders(row), markup=False)
        if any((row["n_scored"] or 0) > (row["n_verified"] or 0) for row in shown):
            console.print(UNVERIFIED)


def _board(variant: str, rows: list[dict[str, Any]]) -> Table:
    rare = [
        name for name in ("refused", "declined", "cut") if any(row[f"n_{name}"] for row in rows)
    ]
    counts = ["unparsed", *rare, "missing"]
    board = Table(title=f"Leaderboard ({variant}, all lengths)", title_justify="left")
    for name, justify in (
        ("kind", "left"),
        ("model", "left"),
        ("task\naccuracy", "right"),
        ("pairwise\naccuracy", "right"),
        ("questions", "right"),
        *((name, "right") for name in counts),
    ):
        # On a narrow terminal marks of models take a second line, and numbers stay whole.
        board.add_column(name, justify=justify, no_wrap=name != "model")  # type: ignore[arg-type]
    previous = None
    for row in rows:
        if previous not in (None, row["kind"]):
            board.add_section()
        previous = row["kind"]
        state = "" if row["state"] == "current" else f" ({row['state']})"
        n, of = row["n_scored"] or 0, row["n_questions"]
        if 0 < n < of:
            state += f" (partial: {n:,} of {of:,})"
        elif not state and row["n_missing"]:
            state = " (partial)"
        if row["n_questions"] < (row["n_in_variant"] or 0):
            state += f" (asked {row['n_questions']:,} of {row['n_in_variant']:,})"
        board.add_row(
            str(row["kind"]),
            f"{row['model']}{TRAINED_MARK if row['model'] in TRAINED_ON else ''}{state}",
            _percent(row["task_accuracy"], row["task_accuracy_sd"]),
            _percent(row["pairwise_accuracy"], row["pairwise_accuracy_sd"]),
            _questions(row["n_questions"], row["repetitions"]),
            *(f"{row[f'n_{name}']:,}" for name in counts),
        )
    return board


def _print_findings(warehouse: Path, console: Console, variants: Iterable[str]) -> None:
    """Which findings of the paper the models show, beside what a random order shows; nothing where
    only references answered.
    """
    if query(warehouse, "from duckdb_tables() where table_name = 'findings'").is_empty():
        return  # a file of an earlier version
    found = query(
        warehouse,
        """
        select variant, claim, verdict, model from findings
        where source = 'ours' and chance = 'exact' and not is_reference
        """,
    )
    for variant in variants:
        of_variant = found.filter(pl.col("variant") == variant)
        if of_variant.is_empty():
            continue
        title = f"Findings of the paper ({variant}), beyond what a random order shows"
        board = Table(title=title, title_justify="left")
        board.add_column("what the paper found")
        for verdict in VERDICTS:
            board.add_column(verdict)
        for finding, kind in told():
            claim = finding.claim_about(kind)
            by_verdict = dict(
                of_variant.filter(claim=claim).group_by("verdict").agg("model").iter_rows()
            )
            board.add_row(claim, *(_models(by_verdict.get(verdict, [])) for verdict in VERDICTS))
        console.print(board)


def _models(names: list[str]) -> str:
    """Few names, or how many there are."""
    return ", ".join(sorted(names)) if len(names) <= MODELS_NAMED else f"{len(names)} models"


def _other_reading(row: dict[str, Any]) -> str:
    """Scores of both readings of answers, where these differ."""
    strict, released = (
        " and ".join(
            f"{_percent(row[f'{metric}_accuracy{reading}'], None)} {metric}"
            for metric in ("task", "pairwise")
        )
        for reading in ("", "_as_release")
    )
    return (
        f"{row['model']}, {row['kind']}: {row['n_read_otherwise']:,} of {row['n_answers']:,} "
        f"answers differ between the two readings. Strict: {strict}; as the release reads: "
        f"{released}."
    )


def _whole_orders(row: dict[str, Any]) -> str:
    """How many lists leave labels out, and what the accuracy is without their steps."""
    return (
        f"{row['model']}, {row['kind']}: {row['n_short']:,} of {row['n_answers']:,} answers leave "
        "labels out. The paper's rule matches such a list wherever it fits, so a guess earns more "
        f"by it. Pairwise accuracy {_percent(row['pairwise_accuracy'], None)}; if only whole "
        f"orders had right steps, {_percent(row['pairwise_accuracy_whole'], None)}."
    )


def _percent(value: Any, spread: Any) -> str:
    if value is None:
        return "-"
    about = "" if spread is None else f" ± {100 * spread:.1f}"
    return f"{100 * value:.1f}{about} %"


def _questions(n: int, repetitions: int | None) -> str:
    return f"{n:,}" if (repetitions or 1) == 1 else f"{n:,} x {repetitions}"
