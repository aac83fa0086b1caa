"""The command ``forget``: removes a name from the partitions."""

import argparse

from rich.console import Console

from enact_assets.pipeline.driver.materialize import Driver
from enact_assets.pipeline.root.forgotten import Forgotten
from enact_assets.pipeline.runs.instance import check_root
from enact_assets.pipeline.runs.names import places_of


def run_forget(arguments: argparse.Namespace, console: Console) -> int:
    """``forget``; returns the exit code."""
    dimension = arguments.dimension
    check_root(arguments.data)
    driver = Driver(arguments.data)
    worlds = Forgotten(arguments.data).of("world_source")
    name = driver.forget(dimension, arguments.name)
    console.print(
        f"{dimension} {name} is forgotten. It stays in the DuckDB file until you run "
        "`enact-assets materialize`."
    )
    if Forgotten(arguments.data).of("world_source") - worlds:
        console.print(
            "It was the last environment of WorldPrediction: its embedded questions are forgotten "
            "as well, with the models that answer nothing else. `enact-assets world` takes all "
            "back."
        )
    for place in places_of(driver.data, driver.registry, dimension, name):
        message = f"The name is still in {place}: remove it there, or it is added again."
        console.print(message, style="yellow", markup=False)
    return 0
