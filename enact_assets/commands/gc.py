"""The command ``gc``: removes unneeded files; without ``--delete`` it only lists them."""

import argparse
from collections.abc import Collection, Mapping
from contextlib import nullcontext

from rich.console import Console
from rich.text import Text

from enact_assets.commands.graph_options import GC_SHOWN
from enact_assets.engine.plurals import counted, first_of
from enact_assets.pipeline.root.collect import PARTITIONS, Collected, collect
from enact_assets.pipeline.runs.instance import check_root, only_driver, open_instance
from enact_assets.pipeline.runs.names import current_names, names_found, names_in_lake
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.settings.registry import load_registry


def run_gc(arguments: argparse.Namespace, console: Console) -> int:
    """``gc``; returns exit code 1 if pictures could not be checked."""
    check_root(arguments.data)
    data = DataResource(root=str(arguments.data.resolve()))
    with only_driver(arguments.data) if arguments.delete else nullcontext():
        instance = open_instance(arguments.data)

        def names() -> Mapping[str, Collection[str]]:
            registry = load_registry()
            # Names that are defined but not partitions yet become partitions with the next run.
            found, _ = names_found(data, registry)
            # Undefined names also stay until they are forgotten.
            held = {d: [*names, *found[d]] for d, names in names_in_lake(data).items()}
            return current_names(instance, registry, {**found, **held}).of

        found = collect(
            data.data_root,
            data.lake,
            data.images,
            names,
            grace_s=arguments.grace * 3600.0,
            delete=arguments.delete,
        )
    print_collected(console, found, arguments.limit, is_done=arguments.delete)
    if data.lake_url is not None and found.items[PARTITIONS] and not arguments.delete:
        console.print(
            f"The lake is {data.lake_url}: gatings and variants that only other data roots' "
            "registries name look removed from here.",
            style="yellow",
        )
    return 0 if found.refusal is None else 1


def print_collected(
    console: Console, found: Collected, limit: int = GC_SHOWN, *, is_done: bool = False
) -> None:
    """Print files to remove, or removed ones, by kind: their number, their bytes and the first of
    them.
    """
    if not found.n_items:
        console.print("Nothing to remove.")
    else:
        verb = "Removed" if is_done else "Would remove"
        console.print(f"{verb} {counted(found.n_items, 'file')}, {shown_bytes(found.size)}:")
    for kind, items in found.items.items():
        if not items:
            continue
        size = sum(item.size for item in items)
        console.print(
            Text(f"  {kind:<32} {counted(len(items), 'file'):>12} {shown_bytes(size):>10}")
        )
        shown, n_more = first_of(items, limit)
        for item in shown:
            console.print(Text(f"    {item.what}", "dim"))
        if n_more:
            console.print(Text(f"    and {n_more:,} more", "dim"))
    n_answers = sum(i.what.startswith("predictions ") for i in found.items[PARTITIONS])
    if n_answers and not is_done:
        console.print(
            f"{n_answers} of them are answers of models. They are made again without buying any: "
            "ledger/ and answers/ keep what was bought and imported."
        )
    for message in found.kept:
        console.print(Text(f"kept: {message}"))
    if found.foreign:
        console.print(f"{counted(len(found.foreign), 'file')} not recognised, left untouched:")
        for path in found.foreign[:limit]:
            console.print(Text(f"    {path}", "dim"))
    if found.refusal is not None:
        console.print(Text(f"Pictures were not checked: {found.refusal}", "bold red"))
    if found.n_items and not is_done:
        console.print("Nothing was changed. `enact-assets gc --delete` removes them.")


def shown_bytes(size: float) -> str:
    """Bytes in readable units: ``12 kB``, ``3 MB``, ``1.2 GB``."""
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:,.1f} GB"
