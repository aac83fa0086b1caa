"""``enact-assets show ASSET:PARTITION``: prints the inputs of a partition, and why it is stale."""

from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from enact_assets.engine.errors import UnknownNameError
from enact_assets.engine.grids import Partition
from enact_assets.engine.planning.explained import ExplainedInput, explain
from enact_assets.engine.planning.lineage import Lineage
from enact_assets.engine.plurals import counted, first_of
from enact_assets.engine.provenance import InputVersion
from enact_assets.pipeline.root.scope import scoped_registry
from enact_assets.pipeline.runs.instance import check_root, open_instance
from enact_assets.pipeline.runs.reported import read_lineage
from enact_assets.pipeline.runs.resources import DataResource

SHOWN = 8
"""Characters of a version, and partitions, that are shown."""
NS = 1e9


def show_partition(data_root: Path, name: str, console: Console) -> int:
    """Explain ``ASSET:PARTITION`` as a plan does; ``PARTITION`` is empty where an asset has none.
    Errors: :class:`UnknownNameError` for an unknown partition.
    """
    check_root(data_root)
    registry = scoped_registry(data_root)
    data = DataResource(root=str(data_root.resolve()))
    lineage = read_lineage(open_instance(data_root), data, registry)
    asset, partition = _checked(lineage, name)
    found = explain(lineage, asset, partition)
    key = "|".join(partition)
    console.print(Text(f"{asset}{f' {key}' if key else ''}: {found.verdict.status}", "bold"))
    for cause in found.verdict.causes:
        console.print(Text(f"  {cause}", "yellow"))
    if found.state is not None and found.state.provenance is not None:
        code = found.state.provenance.code_version[:SHOWN]
        made = f"Made by code {code} of step {found.verdict.step}"
        if found.state.changed_ns:
            written = datetime.fromtimestamp(found.state.changed_ns / NS, UTC)
            made += f", written {written:%Y-%m-%d %H:%M} UTC"
        console.print(Text(f"{made}; content {found.state.version[:SHOWN]}."))
    if found.inputs:
        table = Table(title="Made from", title_justify="left", box=None, padding=(0, 2, 0, 0))
        for column in ("input", "partitions", "when it was made", "now", "to make"):
            table.add_column(column, overflow="fold")
        for given in found.inputs:
            if not given.partitions:
                continue  # not an input of this partition
            style = "yellow" if given.is_changed and found.state is not None else ""
            stale = str(given.n_stale) if given.n_stale else ""
            cells = (_partitions(given), _version(given.was), _version(given.now), stale)
            table.add_row(*(Text(cell, style) for cell in (given.asset, *cells)))
        console.print(table)
    if found.upstream:
        shown, n_more = first_of(found.upstream, SHOWN)
        console.print(f"{counted(len(found.upstream), 'partition')} upstream to make first:")
        for row in shown:
            console.print(Text(f"  {row.step} {row.key or ''}: {row.why}"))
        if n_more:
            console.print(f"  and {n_more:,} more: `enact-assets plan` lists them")
    return 0


def _checked(lineage: Lineage, name: str) -> tuple[str, Partition]:
    asset, _, key = name.partition(":")
    partition = Partition.of_key(key)
    dimensions = lineage.graph.dimensions[asset]
    if len(partition) != len(dimensions):
        wanted = "|".join(dimension.upper() for dimension in dimensions)
        example = "|".join((lineage.names.partitions(asset) or [Partition()])[0])
        raise UnknownNameError(
            f"{name!r}: partitions of {asset} are named {asset}:{wanted}, such as {asset}:{example}"
            if dimensions
            else f"{name!r}: {asset} has no partitions. Use {asset!r}"
        )
    for dimension, value in zip(dimensions, partition, strict=True):
        if value not in lineage.names.of[dimension]:
            raise UnknownNameError.of(dimension, value, lineage.names.of[dimension])
    return asset, partition


def _partitions(given: ExplainedInput) -> str:
    keys = [key for key in given.partitions if key is not None]
    if len(keys) > 1:
        return counted(len(keys), "partition")
    return keys[0] if keys else ("the whole" if given.partitions else "none")


def _version(version: InputVersion | None) -> str:
    if version is None:
        return "-"
    several = (
        f" ({counted(version.n_partitions, 'partition')})" if version.n_partitions != 1 else ""
    )
    return f"{version.version[:SHOWN]}{several}"
