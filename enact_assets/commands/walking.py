"""Commands that materialize partitions, or show what would be made."""

import argparse
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from enact_assets.answers.baselines.learned_names import FACT_READER, LEARNED
from enact_assets.answers.people.annotator_names import role_of
from enact_assets.commands.graph_options import DIMENSIONS
from enact_assets.commands.leaderboard import show_leaderboard
from enact_assets.commands.missing_answers import (
    ASKED,
    missing_answers,
    nothing_asked,
    print_stopped,
)
from enact_assets.engine.errors import UnknownNameError
from enact_assets.engine.plurals import counted
from enact_assets.engine.system.collector import without_collector
from enact_assets.pipeline.driver.chosen import check_assets
from enact_assets.pipeline.driver.materialize import Driver
from enact_assets.pipeline.driver.terminal import TerminalObserver, print_report
from enact_assets.pipeline.root.scope import scoped_registry
from enact_assets.pipeline.runs.names import checked_name
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.questions.files.imported import registry_in
from enact_assets.results.published import published_names
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import BASELINE, Registry, load_registry

PROGRAM = "enact-assets"
LEARNED_TAKES = "about 5 minutes more on two idle cores"
"""Estimated from 480 CPU seconds of training twelve activities; not timed as a whole."""
Part = Mapping[str, Sequence[str]]
"""Dimension -> names of a part of the registry."""


def run_materialize(arguments: argparse.Namespace, console: Console) -> int:
    """``materialize``; returns the exit code."""
    return walk(arguments, console, load_registry(), None, n_questions=arguments.questions)


def chosen_names(
    arguments: argparse.Namespace, registry: Registry, part: Part | None
) -> dict[str, list[str]]:
    """Names given by options; for a dimension without an option, those of ``part``.

    All are checked here, before a driver makes a data root. Errors: :class:`UnknownNameError`.
    """
    check_assets(arguments.asset or ())
    data = DataResource(root=str(arguments.data))
    only = {d: getattr(arguments, d, None) or list((part or {}).get(d, ())) for d in DIMENSIONS}
    only = {dimension: names for dimension, names in only.items() if names}
    if arguments.learned and "model" in only:
        only["model"] = [*only["model"], *LEARNED]
    return {
        dimension: [checked_name(dimension, name, registry, data) for name in names]
        for dimension, names in only.items()
    }


def walk(
    arguments: argparse.Namespace,
    console: Console,
    registry: Registry,
    part: Part | None,
    *,
    n_questions: int | str | None = None,
) -> int:
    """Materialize the partitions selected by ``arguments``, and print a report; returns the exit
    code. ``n_questions`` of each variant are asked of the models that are named.
    """
    with without_collector():
        only = chosen_names(arguments, registry, part)
        if n_questions is not None:
            _check_subsets(only.get("model", ()))
        driver = Driver(
            arguments.data,
            registry=registry,
            workers=arguments.workers,
            dask=arguments.dask,
            observer=TerminalObserver(console),
        )
    n = None if isinstance(n_questions, str) else n_questions
    try:
        report = driver.run(
            **requested(arguments, only, part),
            parts={} if n_questions is None else dict.fromkeys(only["model"], n),
            force=arguments.force,
            from_nothing=arguments.from_nothing,
            max_usd=arguments.max_usd,
        )
    except KeyboardInterrupt:
        print_stopped(DataRoot(arguments.data), driver.report, console)
        made = counted(len(driver.report.made), "partition")
        raise KeyboardInterrupt(
            f"Stopped after {made}. What was finished is kept; run the same command again."
        ) from None
    print_report(console, report)
    root = DataRoot(arguments.data)
    asking = [v for (v,) in report.current(ASKED) if v in only.get("variant", [v])]
    for said in nothing_asked(root, registry_in(root), asking):
        console.print(Text(said, "yellow"))
    if not report.is_success:
        return 1
    said, code = missing_answers(root, report, only)
    if said:
        console.print(Text(said, "yellow"))
    return code


def _check_subsets(models: Sequence[str]) -> None:
    """Errors: :class:`UnknownNameError` unless all of ``models`` can be asked a part."""
    if not models:
        raise UnknownNameError("--questions says how many a model is asked: name it with --model")
    people = [model for model in models if role_of(model) is not None]
    if people:
        raise UnknownNameError(
            f"{people[0]} is a person: `enact-assets annotate plan` says what people are asked"
        )


def requested(
    arguments: argparse.Namespace, only: dict[str, list[str]], part: Part | None
) -> dict[str, Any]:
    """Arguments of a plan and of a run, which are the same."""
    return {
        "demonstrations": only.get("demonstration", []),
        "models": only.get("model") or (LEARNED if arguments.learned else []),
        "assets": arguments.asset,
        "only": only,
        "part": part,
        "everything": arguments.all,
    }


def run_demo(arguments: argparse.Namespace, console: Console) -> int:
    """``demo``; returns the exit code."""
    registry, root = load_registry(), DataRoot(arguments.data)
    code = walk(arguments, console, registry, registry.demo)
    if root.warehouse.exists():
        console.print()
        if code == 1:
            console.print("The leaderboard published last:", style="yellow")
        show_leaderboard(root.warehouse, console)
        data = root.option
        console.print(
            f"\nSQL       {_program()} sql QUERY{data}, or any DuckDB client on {root.warehouse}"
            f"\nPictures  {root.images}"
            f"\nUI        {_program()} ui{data}"
            f"\nWorld     {_program()} world{data} (WorldPrediction: which action, which plan)\n"
            "\nThe embedded simulator stands in for BEHAVIOR: these are not BEHAVIOR results."
        )
        if registry.demo:
            known = registry_in(root)
            console.print(
                f"This is a first look. `enact-assets materialize --all{data}` makes the whole "
                f"registry: {counted(len(known.demonstrations), 'demonstration')}, "
                f"{counted(len(known.variants), 'variant')}."
            )
            for camera in _other_cameras(root, registry)[:1]:
                console.print(
                    f"`enact-assets materialize --variant {camera}{data}` adds another camera: its "
                    "pictures alone are rendered, and scores follow."
                )
        if FACT_READER not in published_names(root.warehouse).get("model", ()):
            console.print(
                f"`enact-assets demo --learned{data}` also trains a small model that looks and "
                f"reads, on other seeds, and asks it and its controls: {LEARNED_TAKES}."
            )
    return code


def _other_cameras(root: DataRoot, registry: Registry) -> list[str]:
    """Variants of ``registry`` outside the scope of ``root`` that look through another camera."""
    here, all_of_it = scoped_registry(root.root, registry).variants, registry.variants
    own = all_of_it[BASELINE].camera
    return [name for name, v in all_of_it.items() if name not in here and v.camera != own]


def _program() -> str:
    """The command of this program: its name alone, if the shell finds it."""
    found, called = shutil.which(PROGRAM), Path(sys.argv[0])
    is_found = found is not None and called.exists() and called.samefile(found)
    return PROGRAM if is_found else sys.argv[0]
