"""The command ``plan``: what a walk would make."""

import argparse

from rich.console import Console
from rich.text import Text

from enact_assets.commands.plan_output import plan_json, plan_schema, print_costs, print_plan
from enact_assets.contracts.registry import load_registry
from enact_assets.system.collector import without_collector


@without_collector()
def run_plan(arguments: argparse.Namespace, console: Console) -> int:
    """Exit code 0 also if there is something to do: a plan that can be made has not failed."""
    if arguments.schema:
        console.print_json(data=plan_schema())
        return 0
    # A schema waits for none of these.
    from enact_assets.commands.planned_costs import answers_to_buy, pictures_to_buy
    from enact_assets.commands.walking import chosen_names, requested
    from enact_assets.driver.materialize import Driver
    from enact_assets.driver.terminal import TerminalObserver
    from enact_assets.runs.instance import check_root

    check_root(arguments.data)
    registry = load_registry()
    part = registry.demo if arguments.demo else None
    only = chosen_names(arguments, registry, part)
    # Whoever reads JSON reads nothing else.
    observer = None if arguments.json else TerminalObserver(console)
    driver = Driver(arguments.data, registry=registry, observer=observer)
    plan, rejected = driver.plan(**requested(arguments, only, part))
    answers, pictures = answers_to_buy(driver, plan), pictures_to_buy(driver, plan)
    if arguments.json:
        console.print_json(plan_json(plan, rejected, answers, pictures).decode())
        return 0
    for message in rejected:
        console.print(Text(f"Ignored: {message}", "bold red"))
    print_plan(console, plan, arguments.limit)
    print_costs(console, [*pictures, *answers])
    return 0
