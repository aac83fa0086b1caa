"""Commands that walk the asset graph, or show what a walk would make."""

import argparse
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from enact_assets.commands.coverage import missing_answers, print_stopped
from enact_assets.commands.plan_output import (
    SHOWN,
    plan_json,
    plan_schema,
    print_costs,
    print_new_version,
    print_plan,
)
from enact_assets.commands.planned_costs import answers_to_buy, pictures_to_buy
from enact_assets.commands.reading import show_leaderboard
from enact_assets.commands.trying import add_max_usd
from enact_assets.data_root.paths import DataRoot
from enact_assets.official.commands import positive
from enact_assets.plurals import counted
from enact_assets.predictions.learned_names import FACT_READER, LEARNED
from enact_assets.system.collector import without_collector

if TYPE_CHECKING:
    from enact_assets.contracts.registry import Registry

PROGRAM = "enact-assets"
DIMENSIONS = ("demonstration", "variant", "model")
ADDS = {
    "demonstration": "; a new one (<activity>-<seed>) is added",
    "variant": "; with the baseline it is compared with, and without --demonstration only for "
    "demonstrations that the named variants ask about",
    "model": "; a new one is added",
}
LEARNED_TAKES = "about 5 minutes more on two idle cores"
"""Estimated from 480 CPU seconds of training twelve activities; not timed as a whole."""
Part = Mapping[str, Sequence[str]]
"""Dimension -> names of a part of the registry."""

AddCommand = Callable[[str, object, str], argparse.ArgumentParser]


def add_walk_commands(command: AddCommand) -> None:
    """Add materialize, demo and plan."""
    about = "Materialize every missing or stale partition in the scope of the data root."
    sub = command("materialize", _materialize, about)
    _add_filters(sub)
    _add_all(sub)
    _add_effort(sub)
    about = "Materialize the registry's demo part and show the leaderboard."
    sub = command("demo", _demo, about)
    sub.set_defaults(all=False)
    _add_filters(sub)
    _add_effort(sub)
    about = "Show what materialize would make, and which input changed."
    sub = command("plan", _plan, about)
    _add_filters(sub)
    _add_all(sub)
    sub.add_argument("--demo", action="store_true", help="what `enact-assets demo` would make")
    form = sub.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="everything, as JSON")
    form.add_argument("--schema", action="store_true", help="the JSON schema of --json; no plan")
    sub.add_argument(
        "--limit",
        type=positive,
        default=SHOWN,
        metavar="N",
        help=f"partitions to list per step (default: {SHOWN})",
    )


def walk_options(**given: Any) -> argparse.Namespace:
    """What :func:`walk` is called with: every option of materialize at its default, and ``given``,
    to which ``data`` belongs. For commands whose options are not those of materialize.
    """
    options = argparse.ArgumentParser()
    _add_filters(options)
    _add_all(options)
    _add_effort(options)
    return argparse.Namespace(**vars(options.parse_args([])) | given)


def _add_filters(sub: argparse.ArgumentParser) -> None:
    for dimension in DIMENSIONS:
        sub.add_argument(
            f"--{dimension}",
            action="append",
            metavar="NAME",
            help=f"only this {dimension}; may be repeated{ADDS[dimension]}",
        )
    sub.add_argument(
        "--learned",
        action="store_true",
        help="also train and ask the references that are trained on this simulator with other "
        "seeds: the fact reader, its transfer to other activities, and their controls",
    )
    sub.add_argument(
        "--asset",
        action="append",
        metavar="NAME",
        help="only this asset and what it is made from; may be repeated",
    )


def _add_all(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "--all",
        action="store_true",
        help="put the whole registry into the scope of the data root; otherwise names that the "
        "options give are added to it, and in a new data root demonstrations or variants that are "
        "named are all of theirs",
    )


def _add_effort(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("--force", action="store_true", help="make fresh partitions too")
    sub.add_argument(
        "--from-nothing",
        action="store_true",
        help="publish without the former DuckDB file: every file of the lake is read and verified, "
        "which otherwise happens once a week",
    )
    add_max_usd(sub, "(default: nothing is bought unless models.yaml sets `spending`)", None)
    sub.add_argument(
        "--workers",
        type=positive,
        metavar="N",
        help="processes to use, each on its own partition, or together on the pictures of one "
        "(default: all cores)",
    )
    sub.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="run on a Dask cluster: address of its scheduler, such as tcp://host:8786; needs the "
        "extra 'distributed' and, across machines, ENACT_POSTGRES_URL (deploy/README.md)",
    )


def _materialize(arguments: argparse.Namespace, console: Console) -> int:
    from enact_assets.contracts.registry import load_registry

    return walk(arguments, console, load_registry(), None)


def _chosen(
    arguments: argparse.Namespace,
    registry: "Registry",
    part: Part | None,
) -> dict[str, list[str]]:
    """Names that the options choose, of a dimension without an option those of ``part``.

    All are checked here, before a driver makes a data root. Errors: :class:`UnknownNameError`.
    """
    from enact_assets.driver.chosen import check_assets
    from enact_assets.runs.arrivals import checked_name
    from enact_assets.runs.resources import DataResource

    check_assets(arguments.asset or ())
    data = DataResource(root=str(arguments.data))
    only = {
        d: getattr(arguments, d, None) or list((part or {}).get(d, ()))
        for d in (*DIMENSIONS, "world_source")
    }
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
    registry: "Registry",
    part: Part | None,
) -> int:
    """Materialize what ``arguments`` choose, and print what was done; returns the exit code."""
    with without_collector():
        from enact_assets.driver.materialize import Driver
        from enact_assets.driver.terminal import TerminalObserver, print_report

        only = _chosen(arguments, registry, part)
        driver = Driver(
            arguments.data,
            registry=registry,
            workers=arguments.workers,
            dask=arguments.dask,
            observer=TerminalObserver(console),
        )
    try:
        report = driver.run(**_request(arguments, only, part), **_effort(arguments))
    except KeyboardInterrupt:
        print_stopped(DataRoot(arguments.data), driver.report, console)
        made = counted(len(driver.report.made), "partition")
        raise KeyboardInterrupt(
            f"Stopped after {made}. What was finished is kept; run the same command again."
        ) from None
    print_report(console, report)
    root = DataRoot(arguments.data)
    from enact_assets.commands.nothing_asked import ASKED, nothing_asked
    from enact_assets.data_root.question_files import registry_in

    asking = [v for (v,) in report.current(ASKED) if v in only.get("variant", [v])]
    for said in nothing_asked(root, registry_in(root), asking):
        console.print(Text(said, "yellow"))
    if not report.is_success:
        return 1
    said, code = missing_answers(root, report, only)
    if said:
        console.print(Text(said, "yellow"))
    return code


def _request(
    arguments: argparse.Namespace, only: dict[str, list[str]], part: Part | None
) -> dict[str, Any]:
    """What a plan and a walk are called with: the same."""
    return {
        "demonstrations": only.get("demonstration", []),
        "models": only.get("model") or (LEARNED if arguments.learned else []),
        "assets": arguments.asset,
        "only": only,
        "part": part,
        "everything": arguments.all,
    }


def _effort(arguments: argparse.Namespace) -> dict[str, Any]:
    return {
        "force": arguments.force,
        "from_nothing": arguments.from_nothing,
        "max_usd": arguments.max_usd,
    }


def _demo(arguments: argparse.Namespace, console: Console) -> int:
    from enact_assets.contracts.registry import load_registry
    from enact_assets.data_root.published import published_names
    from enact_assets.data_root.question_files import registry_in

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
            from enact_assets.data_root.question_files import registry_in

            known = registry_in(root)
            console.print(
                f"This is a first look. `enact-assets materialize --all{data}` makes the whole "
                f"registry: {counted(len(known.demonstrations), 'demonstration')}, "
                f"{counted(len(known.variants), 'variant')}."
            )
        if FACT_READER not in published_names(root.warehouse).get("model", ()):
            console.print(
                f"`enact-assets demo --learned{data}` also trains a small model that looks and "
                f"reads, on other seeds, and asks it and its controls: {LEARNED_TAKES}."
            )
    return code


def _program() -> str:
    """How this program is called here: by its name alone, if that finds it."""
    found, called = shutil.which(PROGRAM), Path(sys.argv[0])
    is_found = found is not None and called.exists() and called.samefile(found)
    return PROGRAM if is_found else sys.argv[0]


@without_collector()
def _plan(arguments: argparse.Namespace, console: Console) -> int:
    """Exit code 0 also if there is something to do: a plan that can be made has not failed."""
    from enact_assets.contracts.registry import load_registry
    from enact_assets.driver.materialize import Driver
    from enact_assets.driver.terminal import TerminalObserver
    from enact_assets.runs.instance import check_root
    from enact_assets.runs.new_version import made_by_other_code

    if arguments.schema:
        console.print_json(data=plan_schema())
        return 0
    check_root(arguments.data)
    registry = load_registry()
    part = registry.demo if arguments.demo else None
    only = _chosen(arguments, registry, part)
    # Whoever reads JSON reads nothing else.
    observer = None if arguments.json else TerminalObserver(console)
    driver = Driver(arguments.data, registry=registry, observer=observer)
    plan, rejected = driver.plan(**_request(arguments, only, part))
    answers, pictures = answers_to_buy(driver, plan), pictures_to_buy(driver, plan)
    new_version = made_by_other_code(driver.instance, driver.data.lake, plan)
    if arguments.json:
        console.print_json(plan_json(plan, rejected, answers, pictures, new_version).decode())
        return 0
    for message in rejected:
        console.print(Text(f"Ignored: {message}", "bold red"))
    print_new_version(console, new_version)
    print_plan(console, plan, arguments.limit)
    print_costs(console, [*pictures, *answers])
    return 0
