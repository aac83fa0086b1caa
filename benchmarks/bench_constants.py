"""What each constant that a gating may set does to the registry's demonstrations, and what each
rule decides.
"""

import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from enact_assets.demonstrations.replay.tables import (
    Demonstrations,
    Facts,
    LaterParents,
    Objects,
    Observability,
    States,
)
from enact_assets.engine.errors import MaterializationError
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.memory import run_in_memory
from enact_assets.engine.tables import Table
from enact_assets.pipeline.driver.materialize import Driver
from enact_assets.pipeline.steps.frame_steps import visibility
from enact_assets.pipeline.steps.segmentation_steps import segmentation
from enact_assets.pipeline.steps.trajectory_steps import path_counts, visible_changes
from enact_assets.questions.asked.stratum_counts import count_strata
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.profile import STATES
from enact_assets.settings.registry import BASELINE, Gating, Registry, load_registry

GATING = "state"
CHAIN = (segmentation, visibility, visible_changes, path_counts)
REPLAY: tuple[type[Table], ...] = (
    Demonstrations,
    Facts,
    Objects,
    LaterParents,
    Observability,
    States,
)
COUNTED = ("segmented_frames", "transition_graph", "path_counts")
VALUES: dict[str, tuple[float | str, ...]] = {
    "flicker_frames": (0, 5, 20, 40),
    "settle_frames": (5, 10, 39),
    "similarity_of": (STATES,),
    "min_visible_fraction": (0.00005, 0.0005, 0.001),
    "drops_ambiguous": (False,),
    "max_changes": (3, 7, 10),
}
"""Constant -> other values than the registry's."""
RULES_HEADER = (
    "| gating | rule | frames | key frames | only with | only without | edges | only with "
    "| only without | changed | paths without / with | questions |\n"
    "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
)
RULE_COLUMNS = (
    *("n_frames_decided", "n_key_frames_with", "n_key_frames_only_with"),
    *("n_key_frames_only_without", "n_edges_with", "n_edges_only_with"),
    *("n_edges_only_without", "n_edges_changed"),
)
HEADER = (
    "| constant | value | key frames | edges | paths | questions |\n|---|---:|---:|---:|---:|---:|"
)


def main(keep: Path, *, workers: int) -> None:
    """Print one row per constant and value, and one per gating and rule. What is made stays in data
    root ``keep``.

    Errors: :class:`MaterializationError` if a demonstration cannot be simulated.
    """
    registry = load_registry()
    names = registry.demonstrations
    report = Driver(keep, workers=workers).run(
        demonstrations=names, assets=["rule_effects"], only={"demonstration": names}
    )
    if not report.is_success:
        raise MaterializationError(f"{keep}: {report.failures[0]}")
    lake, gating = Lake(DataRoot(keep).lake), registry.gating(GATING)
    settings = [("default", "", gating), *_others(gating)]
    made: list[list[Mapping[str, pl.DataFrame]]] = [[] for _ in settings]
    for name in names:
        # All settings of one demonstration in turn, as the process remembers masks by state.
        of = {"demonstration": name}
        replay = {table: lake.read(table.table_name(), of) for table in REPLAY}
        for tables, (_, _, changed) in zip(made, settings, strict=True):
            entries = (changed, registry.variant(BASELINE), registry.world.environments)
            found = run_in_memory(CHAIN, replay, {**of, "gating": GATING}, entries).tables
            tables.append({table: found[table] for table in COUNTED})
    print(HEADER)
    default = figures(made[0], registry, gating)
    for tables, (constant, value, changed) in zip(made, settings, strict=True):
        pairs = zip(figures(tables, registry, changed), default, strict=True)
        cells = " | ".join(_cell(n, was) for n, was in pairs)
        print(f"| {constant} | {value} | {cells} |", flush=True)
    print_rules(lake.read_all("rule_effects", among={"demonstration": names}))


def print_rules(effects: pl.DataFrame) -> None:
    """One row per gating and rule, over all demonstrations. Questions are those written."""
    paths = [pl.col(f"n_paths_{which}") for which in ("without", "with")]
    sums = effects.group_by("gating", "rule", "is_in_force", maintain_order=True).agg(
        *(_known_sum(name) for name in (*RULE_COLUMNS, "n_questions")),
        *(p.drop_nulls() for p in paths),
    )
    print(f"\n{RULES_HEADER}")
    for row in sums.sort("gating", "rule").iter_rows(named=True):
        without, with_it = (sum(map(int, row[f"n_paths_{w}"])) for w in ("without", "with"))
        ratio = f"{without / with_it:,.2f}" if with_it else ""
        asked = _number(row["n_questions"]) if row["is_in_force"] else "not in force"
        numbers = [_number(row[name]) for name in RULE_COLUMNS]
        cells = [row["gating"], f"`{row['rule']}`", *numbers, ratio, asked]
        print(f"| {' | '.join(cells)} |", flush=True)


def _known_sum(name: str) -> pl.Expr:
    """The sum, or null where nothing is known: edges without settling, frames of most rules."""
    return pl.when(pl.col(name).is_not_null().any()).then(pl.col(name).sum()).alias(name)


def _number(n: int | None) -> str:
    return "" if n is None else f"{n:,}"


def _others(gating: Gating) -> Iterator[tuple[str, str, Gating]]:
    """Constant, value, and ``gating`` with this value."""
    for name, values in VALUES.items():
        for value in values:
            changes: dict[str, Any] = {name: value}
            if name == "min_visible_fraction":  # of embedded demonstrations
                changes = {f"embedded_{name}": value}
                changed = dataclasses.replace(gating, **changes)
            else:
                profile = dataclasses.replace(gating.profile, **changes)
                changed = dataclasses.replace(gating, profile=profile)
            is_word = isinstance(value, bool | str)
            text = str(value).lower() if is_word else f"{value:f}".rstrip("0")
            yield f"`{name}`", text.rstrip("."), changed


def figures(
    made: list[Mapping[str, pl.DataFrame]], registry: Registry, gating: Gating
) -> tuple[int, ...]:
    """Key frames, edges, paths of all lengths, and questions of the gating's question set."""
    frames, edges, counts = (pl.concat([tables[name] for tables in made]) for name in COUNTED)
    question_set = registry.question_sets[gating.name]
    strata = count_strata(counts, question_set, registry.questions, gating.profile)
    n_paths = sum(int(n) for n in counts["n_paths"])
    return frames.height, edges.height, n_paths, sum(stratum.n for stratum in strata)


def _cell(n: int, default: int) -> str:
    shown = f"{n:,}" if n < 100_000 else f"{n:.3g}".replace("e+0", "e")
    percent = 100 * (n / default - 1)
    return shown if n == default else f"{shown} ({percent:+.{int(abs(percent) < 1)}f} %)"
