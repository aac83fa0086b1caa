"""The command ``schedule``: shows the next night's plan and the last nights' results; can start a
night now.
"""

import argparse
import time
import uuid

import dagster as dg
from dagster._utils.schedules import schedule_execution_time_iterator
from rich.console import Console
from rich.table import Table

from enact_assets.commands.plan_output import print_costs, print_plan
from enact_assets.commands.planned_costs import answers_to_buy, pictures_to_buy
from enact_assets.commands.terminal import plain
from enact_assets.engine.plurals import counted
from enact_assets.engine.system.collector import without_collector
from enact_assets.pipeline.driver.interrupts import no_interrupt_is_lost
from enact_assets.pipeline.driver.terminal import duration
from enact_assets.pipeline.rebuild.job import (
    Counts,
    Night,
    clock,
    last_nights,
    nothing_due,
    planning,
    rebuild_definitions,
    switched_in_ui,
    why_nothing,
)
from enact_assets.pipeline.rebuild.settings import RebuildSettings, read_settings
from enact_assets.pipeline.runs.code_location import note_code_location
from enact_assets.pipeline.runs.instance import check_root, open_instance
from enact_assets.pipeline.runs.lost_runs import mark_stopped
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.pipeline.runs.running import REBUILD, TRIGGER_TAG
from enact_assets.settings.paths import SCHEDULE_FILE, DataRoot

TO_TERMINAL = {"loggers": {"console": {"config": {"log_level": "INFO"}}}}
NOT_KNOWN = "?"


@without_collector()
def run_schedule(arguments: argparse.Namespace, console: Console) -> int:
    """``schedule``; returns the exit code. Without ``--run-now`` nothing is changed."""
    check_root(arguments.data)
    root, settings = DataRoot(arguments.data), read_settings(arguments.data)
    instance = open_instance(arguments.data)
    try:
        if arguments.run_now:
            return _run_now(instance, root, settings, console)
        _print_settings(instance, root, settings, console)
        with planning(root, settings) as (driver, plan):
            costs = [*pictures_to_buy(driver, plan), *answers_to_buy(driver, plan)]
        console.print("\nThe next night would make:", style="bold")
        print_plan(console, plan, arguments.limit)
        if plan.left:
            console.print(
                f"{counted(len(plan.left), 'stale partition')} would cost money, or are made from "
                f"such, and are left: {SCHEDULE_FILE} sets no max_usd.",
                style="yellow",
            )
        print_costs(console, costs)
        _print_nights(last_nights(instance, arguments.nights), settings, console)
    finally:
        instance.dispose()
    return 0


def _print_settings(
    instance: dg.DagsterInstance, root: DataRoot, settings: RebuildSettings, console: Console
) -> None:
    is_on, by_hand = settings.enabled, switched_in_ui(instance)
    switch = "on" if is_on else f"off (a file {root.root / SCHEDULE_FILE} switches it on)"
    if by_hand is not None and by_hand != is_on:
        is_on, switch = by_hand, f"{'on' if by_hand else 'off'} (switched in the UI, which wins)"
    console.print(
        plain(f"Schedule {REBUILD}: {switch}. cron {settings.cron}, {settings.time_zone}")
    )
    console.print(plain(f"A night has {settings.words()}."))
    if is_on:
        times = schedule_execution_time_iterator(time.time(), settings.cron, settings.time_zone)
        begin = next(times).timestamp()
        ends = settings.ends(begin)
        until = "" if ends is None else f", begins nothing after {clock(ends, settings)}"
        console.print(plain(f"Next: {clock(begin, settings)}{until}, while the daemon runs."))


def _print_nights(nights: list[Night], settings: RebuildSettings, console: Console) -> None:
    console.print("\nThe last nights:" if nights else "\nNo night yet.", style="bold")
    if not nights:
        return
    numbers = ("made", "cut off", "failed", "blocked", "left", "USD")
    table = Table("began", "took", *numbers, "", box=None, pad_edge=False)
    for column in table.columns[1:-1]:
        column.justify = "right"
    for night in nights:
        took = NOT_KNOWN if night.seconds is None else duration(night.seconds)
        began, counts = clock(night.began, settings), night.counts
        status = night.status if night.run_id is None else f"{night.status} {night.run_id[:8]}"
        if counts is None:
            counts_of = ["0" if night.run_id is None else NOT_KNOWN] * len(numbers)
        else:
            counts_of = _cells(counts)
        table.add_row(began, took, *counts_of, plain(status))
    console.print(table)


def _cells(counts: Counts) -> list[str]:
    found = (counts.made, counts.cut_off, counts.failed, counts.blocked, counts.left)
    return [*(f"{n:,}" for n in found), f"{counts.usd:.2f}"]


def _run_now(
    instance: dg.DagsterInstance, root: DataRoot, settings: RebuildSettings, console: Console
) -> int:
    """A night that begins now, as a run of Dagster in this process; 1 if something failed."""
    why = why_nothing(instance, root, settings, time.time())
    if why is None:
        with planning(root, settings) as (_, plan):
            why = None if plan.stale else nothing_due(plan)
    if why is not None:
        console.print(plain(f"{why[:1].upper()}{why[1:]}."))
        return 0
    note_code_location(instance)
    definitions = rebuild_definitions(DataResource(root=str(root.root.resolve())))
    run_id = str(uuid.uuid4())
    try:
        with no_interrupt_is_lost():
            result = definitions.resolve_job_def(REBUILD).execute_in_process(
                instance=instance,
                run_config=TO_TERMINAL,
                tags={TRIGGER_TAG: REBUILD},
                raise_on_error=False,
                run_id=run_id,
            )
    finally:
        mark_stopped(instance, run_id)
    (night,) = (night for night in last_nights(instance, 5) if night.run_id == run_id)
    if night.counts is not None:
        console.print(plain(f"{night.counts.words()}."))
    return 0 if result.success else 1
