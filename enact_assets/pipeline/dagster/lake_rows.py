"""Gives rows of tables and marts to assets of other people: ``def question_counts(qa:
pl.DataFrame)``.

Steps write their rows themselves, with provenance. This IO manager only reads, so that
`Definitions.load_asset_value` and assets downstream of ours, here or in another code location, can
load tables in Dagster's usual way.
"""

from pathlib import Path
from typing import Never

import dagster as dg
import polars as pl
from pydantic import Field

from enact_assets.engine.errors import LakeError, MissingPartitionError, UnknownNameError
from enact_assets.engine.grids import Partition
from enact_assets.engine.planning.shards import members
from enact_assets.engine.plurals import counted
from enact_assets.engine.tables import TABLES
from enact_assets.pipeline.dagster.partitions import Partitions
from enact_assets.pipeline.lineage.graph import dimensions
from enact_assets.pipeline.root.partitions_file import read_shards
from enact_assets.pipeline.root.scope import scoped_registry
from enact_assets.pipeline.runs.marts import mart_files
from enact_assets.pipeline.runs.names import current_names
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.questions.world.step_files import world_sources
from enact_assets.results.published import query
from enact_assets.settings.paths import DataRoot, root_from_environment

LAKE_ROWS = "lake_rows"
"""Key of the resource, here and in other code locations."""


class LakeRows(dg.ConfigurableIOManager):
    """Loads the rows of our assets for other assets. It writes nothing."""

    data: dg.ResourceDependency[DataResource] = Field(default_factory=DataResource)  # type: ignore[arg-type]

    def handle_output(self, context: dg.OutputContext, obj: object) -> Never:  # noqa: ARG002
        """Refuse to write. Errors: always :class:`LakeError`."""
        raise LakeError(
            f"{context.asset_key.to_user_string()}: the lake of enact_assets holds its own tables "
            "only. Give your asset an IO manager of yours (io_manager_key)."
        )

    def load_input(self, context: dg.InputContext) -> pl.DataFrame:
        """Rows of the partitions that Dagster requests, in order; for a mart the published rows.

        Errors: :class:`UnknownNameError` if there is no such table or mart, those of ``Lake.read``
        and ``query``; :class:`MissingPartitionError` if none of the partitions exists.
        """
        name = context.asset_key.to_user_string()
        check_name(name)
        if name not in TABLES:
            return query(self.data.warehouse_path, f'from "{name}"')
        wanted = self._wanted(context, name)
        there = {tuple(p[d] for d in dimensions(name)) for p in self.data.lake.partitions(name)}
        left_out = [one for one in wanted if one not in there]
        if len(left_out) == len(wanted) != 1:
            raise MissingPartitionError(
                f"{name}: none of {counted(len(wanted), 'partition')} is in the lake. "
                "`enact-assets plan` lists what is missing, `enact-assets materialize` makes it."
            )
        if left_out and len(wanted) > 1:
            context.log.warning(
                f"{name}: {len(left_out)} of {counted(len(wanted), 'partition')} are not in the "
                f"lake and left out, first {left_out[0].key}."
            )
        read = wanted if len(wanted) == 1 else [one for one in wanted if one in there]
        return pl.concat(self.data.lake.read(name, one.as_dict(dimensions(name))) for one in read)

    def _wanted(self, context: dg.InputContext, name: str) -> list[Partition]:
        """Partitions that Dagster requests and whose names exist in the data root, in order."""
        names = current_names(context.instance, scoped_registry(Path(self.data.root)))
        if not context.has_asset_partitions:
            return sorted(names.partitions(name))
        asked = map(Partition.of_key, context.asset_partition_keys)
        return [one for key in asked for one in members(names, name, key) if names.has(name, one)]


def table_specs(*names: str) -> list[dg.AssetSpec]:
    """Our tables and marts as external assets with partitions, for another code location.

    With these specs Dagster knows the partitions of a table there, too, and reads them with the
    resource :data:`LAKE_ROWS`. Errors: :class:`UnknownNameError`.
    """
    root = root_from_environment()
    sources = world_sources(DataRoot(root).step_files)
    partitions = Partitions(scoped_registry(root).with_worlds(sources), read_shards(root))
    for name in names:
        check_name(name)
    return [
        dg.AssetSpec(
            name, partitions_def=partitions.of(name) if name in TABLES else None
        ).with_io_manager_key(LAKE_ROWS)
        for name in names
    ]


def check_name(name: str) -> None:
    """Errors: :class:`UnknownNameError` if ``name`` is neither a table nor a mart."""
    known = {*TABLES, *(file.name for file in mart_files())}
    if name not in known:
        raise UnknownNameError.of("table or mart", name, known)
