"""Commands that walk the asset graph, or show what a walk would make."""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from enact_assets.commands.reading import show_leaderboard
from enact_assets.commands.trying import add_max_usd
from enact_assets.data_root.paths import DataRoot
from enact_assets.official.commands import positive
from enact_assets.system.collector import without_collector

if TYPE_CHECKING:
    from enact_assets.contracts.registry import Registry
    from enact_assets.driver.materialize import Driver
    from enact_assets.engine.planning.plan import Plan, PlannedStep
    from enact_assets.runs.expected_costs import PlannedCost

DIMENSIONS = ("demonstration", "variant", "model")
ADDS = {
    "demonstration": "; a new one (<activity>-<seed>) is added",
    "variant": "; with the baseline it is compared with, and without --demonstration only for "
    "demonstrations that the named variants ask about",
    "model": "; a new one is added",
}
PREDICTIONS = "predictions"
SHOWN = 5
"""Partitions that `plan` lists per step by default."""

AddCommand = Callable[[str, object, str], argparse.ArgumentParser]


def add_walk_commands(command: AddCommand) -> None:
    """Add materialize, demo and plan."""
    about = "Materialize every missing or stale partition."
    sub = command("materialize", _materialize, about)
    _add_filters(sub)
    _add_effort(sub)
    about = "Materialize the registry's demo part and show the leaderboard."
    sub = command("demo", _demo, about)
    _add_filters(sub)
    _add_effort(sub)
    about = "Show what materialize would make, and which input changed."
    sub = command("plan", _plan, about)
    _add_filters(sub)
    sub.add_argument("--demo", action="store_true", help="what `enact-assets demo` would make")
    sub.add_argument("--json", action="store_true", help="everything, as JSON")
    sub.add_argument(
        "--limit",
        type=positive,
        default=SHOWN,
        metavar="N",
        help=f"partitions to list per step (default: {SHOWN})",
    )


def _add_filters(sub: argparse.ArgumentParser) -> None:
    for dimension in DIMENSIONS:
        sub.add_argument(
            f"--{dimension}",
            action="append",
            metavar="NAME",
            help=f"only this {dimension}; may be repeated{ADDS[dimension]}",
        )
    sub.add_argument(
        "--asset", action="append", metavar="NAME", help="only this asset; may be repeated"
    )


def _add_effort(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("--force", action="store_true", help="make fresh partitions too")
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

    return _walk(arguments, console, load_registry(), {})


def _chosen(
    arguments: argparse.Namespace,
    registry: "Registry",
    unless_told: Mapping[str, Sequence[str]],
) -> dict[str, list[str]]:
    """Names that the options choose, of a dimension without an option ``unless_told``.

    All are checked here, before a driver makes a data root. Errors: :class:`UnknownNameError`.
    """
    from enact_assets.driver.chosen import check_assets
    from enact_assets.runs.arrivals import checked_name
    from enact_assets.runs.resources import DataResource

    check_assets(arguments.asset or ())
    data = DataResource(root=str(arguments.data))
    only = {d: getattr(arguments, d) or list(unless_told.get(d, ())) for d in DIMENSIONS}
    only = {dimension: names for dimension, names in only.items() if names}
    return {
        dimension: [checked_name(dimension, name, registry, data) for name in names]
        for dimension, names in only.items()
    }


def _walk(
    arguments: argparse.Namespace,
    console: Console,
    registry: "Registry",
    unless_told: Mapping[str, Sequence[str]],
) -> int:
    with without_collector():
        from enact_assets.driver.materialize import Driver
        from enact_assets.driver.terminal import TerminalObserver, print_report

        only = _chosen(arguments, registry, unless_told)
        driver = Driver(
            arguments.data,
            registry=registry,
            workers=arguments.workers,
            dask=arguments.dask,
            observer=TerminalObserver(console),
        )
    report = driver.run(
        demonstrations=only.get("demonstration", []),
        models=only.get("model", []),
        assets=arguments.asset,
        only=only,
        force=arguments.force,
        max_usd=arguments.max_usd,
    )
    print_report(console, report)
    return 0 if report.is_success else 1


def _demo(arguments: argparse.Namespace, console: Console) -> int:
    from enact_assets.contracts.registry import load_registry

    registry = load_registry()
    code = _walk(arguments, console, registry, registry.demo)
    root = DataRoot(arguments.data)
    if root.warehouse.exists():
        console.print()
        if code:
            console.print("The leaderboard published last:", style="yellow")
        show_leaderboard(root.warehouse, console)
        is_default = arguments.data == DataRoot.from_environment().root
        data = "" if is_default else f" --data {arguments.data}"
        console.print(
            f"\nSQL       {sys.argv[0]} sql QUERY{data}, or any DuckDB client on {root.warehouse}"
            f"\nPictures  {root.images}"
            f"\nUI        {'make ui' if is_default else f'enact-assets ui{data}'}\n"
            "\nThe embedded simulator stands in for BEHAVIOR: these are not BEHAVIOR results."
        )
        if registry.demo:
            from enact_assets.data_root.question_files import registry_in

            n, m = len(registry.demonstrations), len(registry_in(root).variants)
            console.print(
                f"This is a first look. `enact-assets materialize{data}` makes the whole registry: "
                f"{n} demonstrations, {m} variants."
            )
    return code


@without_collector()
def _plan(arguments: argparse.Namespace, console: Console) -> int:
    """Exit code 0 also if there is something to do: a plan that can be made has not failed."""
    from enact_assets.contracts.registry import load_registry
    from enact_assets.driver.materialize import Driver
    from enact_assets.driver.terminal import TerminalObserver
    from enact_assets.runs.instance import check_root

    check_root(arguments.data)
    registry = load_registry()
    only = _chosen(arguments, registry, registry.demo if arguments.demo else {})
    # Whoever reads JSON reads nothing else.
    observer = None if arguments.json else TerminalObserver(console)
    driver = Driver(arguments.data, registry=registry, observer=observer)
    plan, rejected = driver.plan(
        demonstrations=only.get("demonstration", []),
        models=only.get("model", []),
        assets=arguments.asset,
        only=only,
    )
    costs = _answers_to_buy(driver, plan)
    if arguments.json:
        told = _as_json(plan, rejected)
        told["answers_to_buy"] = [cost.as_json() for cost in costs]
        console.print_json(json.dumps(told))
        return 0
    for message in rejected:
        console.print(Text(f"Ignored: {message}", "bold red"))
    print_plan(console, plan, arguments.limit)
    _print_costs(console, costs)
    return 0


def _answers_to_buy(driver: "Driver", plan: "Plan") -> "list[PlannedCost]":
    from enact_assets.lineage.pipeline import dimensions

    stale = [step.partition for step in plan.stale if step.name == PREDICTIONS]
    may_follow = plan.may_follow.get(PREDICTIONS, ())
    if not stale and not may_follow:
        return []
    from enact_assets.runs.expected_costs import costs_of

    at = [dimensions(PREDICTIONS).index(d) for d in ("model", "variant")]
    return costs_of(driver.data, ((p[at[0]], p[at[1]]) for p in (*stale, *may_follow)))


def _print_costs(console: Console, costs: "Sequence[PlannedCost]") -> None:
    if not costs:
        return
    from enact_assets.asking.not_asked import problems_of
    from enact_assets.runs.expected_costs import in_all

    console.print(
        "\nAnswers that cost money, to the questions there are now. They are bought within "
        "--max-usd, or `spending` of models.yaml:"
    )
    for problem in problems_of({c.name: c.model for c in costs if c.model is not None}.values()):
        console.print(Text(f"  {problem}", "yellow"))
    # A model that is known no more has nothing to say of each variant.
    told = [(c.name if c.model is None else f"{c.name} {c.variant}", c.words()) for c in costs]
    for partition, words in dict.fromkeys(told):
        console.print(Text(f"  {partition}: {words}"))
    if (total := in_all(costs)) is not None:
        console.print(Text(f"  {total}"))


def print_plan(console: Console, plan: "Plan", limit: int = SHOWN) -> None:
    """Steps in the order in which they would be made, partitions with the same reasons together."""
    if not plan.stale and not plan.upstream:
        console.print(f"Nothing to do: all {plan.n_fresh} partitions are fresh.")
        return
    n_following = sum(len(partitions) for partitions in plan.may_follow.values())
    console.print(
        f"{len(plan.stale)} partitions to make, {plan.n_fresh} fresh. {n_following} more may "
        "become stale, depending on the results.\n"
    )
    _print_steps(console, plan.stale, limit)
    if plan.upstream:
        console.print("\nStale upstream, left out by --asset:")
        _print_steps(console, plan.upstream, limit)
    if plan.may_follow:
        console.print("\nMay become stale:")
        for name, partitions in plan.may_follow.items():
            console.print(Text(f"  {name:<18} {_some(['|'.join(p) for p in partitions], limit)}"))


def _print_steps(console: Console, steps: Sequence["PlannedStep"], limit: int) -> None:
    by_reason: dict[tuple[str, str], list[str]] = {}
    for step in steps:
        by_reason.setdefault((step.name, step.why), []).append(step.key or "")
    shown: dict[str, int] = {}
    for (name, why), keys in by_reason.items():
        shown[name] = shown.get(name, 0) + 1
        if shown[name] > limit:
            continue
        console.print(Text(f"  {name:<18} {_some(keys, limit)}: {why}"))
    for name, n_reasons in shown.items():
        if n_reasons > limit:
            console.print(f"  {name:<18} and {n_reasons - limit} more reasons (--limit)")


def _some(keys: Sequence[str], limit: int) -> str:
    if keys == [""]:
        return "the whole"
    more = f" and {len(keys) - limit} more" if len(keys) > limit else ""
    n = f"{len(keys)} partition{'' if len(keys) == 1 else 's'}"
    return f"{n} ({', '.join(keys[:limit])}{more})"


def _as_json(plan: "Plan", rejected: Sequence[str]) -> dict[str, object]:
    def said(steps: "Sequence[PlannedStep]") -> list[dict[str, object]]:
        return [
            {
                "step": step.name,
                "assets": list(step.assets),
                "partition": step.key,
                "why": [str(cause) for cause in step.causes],
            }
            for step in steps
        ]

    return {
        "stale": said(plan.stale),
        "upstream": said(plan.upstream),
        "may_follow": {
            name: ["|".join(partition) or None for partition in partitions]
            for name, partitions in plan.may_follow.items()
        },
        "n_fresh": plan.n_fresh,
        "rejected": list(rejected),
    }
