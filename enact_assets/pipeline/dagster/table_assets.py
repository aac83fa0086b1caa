"""Steps as Dagster assets: specs from the declarations, and one body for all of them; and settings.

OmniGibson players are Dagster Pipes processes, whose log is streamed to the run's log. The data
version of settings is the hash of a resolved registry entry: a changed setting changes exactly one
partition of one config root, and partitions downstream of it become stale.
"""

import inspect
import warnings
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import dagster as dg
import polars as pl

from enact_assets.demonstrations.replay.omnigibson_runs import Player, current_player
from enact_assets.engine.graph import Names
from enact_assets.engine.grids import Partition
from enact_assets.engine.lake.damage import ANSWERS, PAID
from enact_assets.engine.loading import StepContext, call
from enact_assets.engine.parameters import SETTINGS, Setting
from enact_assets.engine.steps import STEPS, Step
from enact_assets.engine.system.contexts import holding
from enact_assets.engine.tables import Table, unit_of
from enact_assets.pipeline.costs.spending import usd_until
from enact_assets.pipeline.dagster.automation import MadeFromOtherData
from enact_assets.pipeline.dagster.labels import (
    OWNERS,
    as_markdown,
    column_lineage,
    relation_metadata,
    tags_of,
)
from enact_assets.pipeline.dagster.lake_rows import LAKE_ROWS
from enact_assets.pipeline.dagster.partitions import Partitions
from enact_assets.pipeline.handles.tools import Tools
from enact_assets.pipeline.lineage.code import code_version
from enact_assets.pipeline.lineage.graph import STEP_NAMED
from enact_assets.pipeline.lineage.versions import entry_of, reported_settings, root_version
from enact_assets.pipeline.runs.making import (
    found_now,
    makes_several,
    making,
    making_partition,
    partition_of_run,
    provenance_of,
    said_first,
)
from enact_assets.pipeline.runs.progress import reporter
from enact_assets.pipeline.runs.range_making import (
    CONFIG,
    Landed,
    make_partitions,
    tell,
    without_event,
)
from enact_assets.pipeline.runs.reported import SETTINGS as SETTINGS_KEY
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.pipeline.steps.previews import Markdown, literal
from enact_assets.settings.registry import load_registry

CONFIG_GROUP = "config"
PREVIEW_ROWS = 5
NOT_CUT_OFF = (
    "Partitions that are materialized together here are made in one run, also those that are "
    "fresh. Over several assets nothing is cut off: `enact-assets materialize` stops where rows "
    "do not change."
)
Result = dg.MaterializeResult[Any]


def playing(context: dg.AssetExecutionContext) -> AbstractContextManager[None]:
    """Within the block, players report to the run of ``context``."""

    @contextmanager
    def session() -> Iterator[Mapping[str, str]]:
        opened = dg.open_pipes_session(
            context=context,
            context_injector=dg.PipesTempFileContextInjector(),
            message_reader=dg.PipesTempFileMessageReader(),
        )
        with ExitStack() as stack:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", dg.PreviewWarning)  # Dagster's, about itself
                pipes = stack.enter_context(opened)
            yield pipes.get_bootstrap_env_vars()

    return holding(current_player, Player(session, context.log.warning))


def table_assets(partitions: Partitions) -> list[dg.AssetsDefinition]:
    """One multi-asset per declared step, in data-flow order."""
    return [_assets_of(STEPS[name], partitions) for name in STEP_NAMED if name in STEPS]


def _assets_of(step: Step, partitions: Partitions) -> dg.AssetsDefinition:
    spec = STEP_NAMED[step.name]
    partitions_def = partitions.of(spec.assets[0])
    about = " ".join((step.function.__doc__ or "").split())
    read = {of.table.table_name(): of.table.schema() for of in step.reads}
    specs = [
        dg.AssetSpec(
            table.table_name(),
            deps=partitions.deps(spec),
            description=f"{about}\n\nGrain: {table.grain()}. Key: {', '.join(table.key())}."
            + (f"\n\n{NOT_CUT_OFF}" if step.by else ""),
            group_name=step.group,
            kinds=set(step.kinds),
            code_version=code_version(table.table_name()),
            partitions_def=partitions_def,
            automation_condition=MadeFromOtherData(),
            owners=OWNERS,
            tags=tags_of(table.table_name(), "table"),
            metadata={
                **(relation_metadata(table.table_name()) if table.is_published else {}),
                "dagster/column_schema": _columns(table),
                "dagster/column_lineage": column_lineage(table.schema(), read),
            },
        ).with_io_manager_key(LAKE_ROWS)
        for table in step.outputs
    ]

    is_sharded = partitions.shards is not None and partitions.shards.dimension in step.by

    @dg.multi_asset(
        name=step.name,
        specs=specs,
        partitions_def=partitions_def,
        pool=step.pool,
        description=about,
        config_schema=CONFIG if is_sharded else None,
        backfill_policy=dg.BackfillPolicy.single_run(),
    )
    def run(context: dg.AssetExecutionContext, data: DataResource) -> Iterator[Result]:
        is_several = is_sharded or makes_several(context)
        with playing(context):
            yield from (_of_several if is_several else _of_one)(context, data, step)

    return run


def _of_one(context: dg.AssetExecutionContext, data: DataResource, step: Step) -> Iterator[Result]:
    """Make one partition."""
    named = partition_of_run(context).as_dict(step.by)
    with making(context, data, step.name) as made:
        for table, rows, summary in call(step, named, _step_context(context, data, made.names)):
            yield _land(context, data, table, named, rows, summary)


def _of_several(
    context: dg.AssetExecutionContext, data: DataResource, step: Step
) -> Iterator[Result]:
    """Make a range of partitions, or members of shards."""
    found = found_now(context, data)
    step_context = _step_context(context, data, found.names)

    def make(partition: Partition) -> Landed:
        named = partition.as_dict(step.by)
        with making_partition(found, data, step.name, partition) as made:
            for table, rows, summary in call(step, named, step_context):
                result = _land(context, data, table, named, rows, summary)
                yield table.table_name(), result, rows.height, made.inputs

    def where(name: str) -> str:
        return data.below_root(data.lake.place.where(name))

    yield from make_partitions(context, found, STEP_NAMED[step.name], make, where)


def _step_context(
    context: dg.AssetExecutionContext, data: DataResource, names: Names
) -> StepContext:
    """The context in which this run calls steps."""
    tools = Tools(
        data.images,
        data.recordings,
        data.question_files,
        data.workers,
        lambda text: reporter(context, text),
        data.data_root,
        partial(usd_until, Path(data.root), context.run.tags),
    )
    return StepContext(data.lake, names, partial(entry_of, load_registry()), tools)


def _land(  # noqa: PLR0917 - what a materialization consists of
    context: dg.AssetExecutionContext,
    data: DataResource,
    table: type[Table],
    partition: Mapping[str, str],
    rows: pl.DataFrame,
    summary: Mapping[str, Any],
) -> Result:
    """Write ``rows`` and their provenance to the lake; returns the result of the partition for
    Dagster, whose data version is the hash of its content.

    Errors: those of ``Lake.write``, and :class:`MaterializationError` if an input changed since the
    step began. Nothing is written then.
    """
    name = table.table_name()
    made_from = provenance_of(name)
    aside = data.lake.set_aside(name, partition) if name in PAID else None
    if aside is not None:
        context.log.warning(f"{aside}: the damaged file of this partition. {ANSWERS}")
    sha = data.lake.write(name, rows, partition, made_from, is_checked=True)
    shown = {
        key: dg.MetadataValue.md(value) if isinstance(value, Markdown) else value
        for key, value in summary.items()
    }
    return dg.MaterializeResult(
        asset_key=name,
        data_version=dg.DataVersion(sha),
        metadata={
            f"dagster/{'partition_' if partition else ''}row_count": rows.height,
            "path": dg.MetadataValue.path(data.below_root(data.lake.where(name, partition))),
            "preview": dg.MetadataValue.md(markdown_table(rows.head(PREVIEW_ROWS))),
            **shown,
        },
    )


def _columns(table: type[Table]) -> dg.TableSchema:
    return dg.TableSchema(
        [
            dg.TableColumn(
                name,
                str(column.dtype),
                description=f"{column.description}"
                + (f" [{unit_of(column)}]" if unit_of(column) else ""),
                constraints=dg.TableColumnConstraints(nullable=column.nullable),
            )
            for name, column in table.columns().items()
        ]
    )


def markdown_table(rows: pl.DataFrame, width: int = 24) -> str:
    """Rows as a Markdown table; long cells are cut, and Markdown in cells is escaped."""
    if rows.is_empty():
        return "no rows"
    shown = rows.columns

    def cell(value: object) -> str:
        return "" if value is None else literal(str(value), width)

    lines = ["| " + " | ".join(shown) + " |", "|" + "---|" * len(shown)]
    lines += ["| " + " | ".join(cell(v) for v in row) + " |" for row in rows.iter_rows()]
    return "\n".join(lines)


def _report(asset: str, partition: str | None) -> dg.MaterializeResult[Any]:
    registry, names = load_registry(), Partition.of_key(partition)
    settings = reported_settings(registry, asset, names)
    return dg.MaterializeResult(
        data_version=dg.DataVersion(root_version(registry, asset, names)),
        metadata={SETTINGS_KEY: dg.MetadataValue.json(settings)},
    )


def settings_assets(p: Partitions) -> list[dg.AssetsDefinition]:
    """One asset for each settings type of the registry that steps use, described by its
    docstring.
    """
    return [_asset(p, setting) for setting in SETTINGS.values()]


def _asset(p: Partitions, setting: Setting) -> dg.AssetsDefinition:
    @dg.asset(
        name=setting.root,
        description=as_markdown(inspect.getdoc(setting.kind) or ""),
        partitions_def=p.of(setting.root),
        group_name=CONFIG_GROUP,
        code_version="1",
        kinds={"yaml"},
        owners=OWNERS,
        tags=tags_of(setting.root, "setting"),
        backfill_policy=dg.BackfillPolicy.single_run(),
    )
    def entry(context: dg.AssetExecutionContext) -> Iterator[dg.MaterializeResult[Any]]:
        with said_first(context):
            if makes_several(context):
                for key in context.partition_keys:
                    tell(context, setting.root, key, _report(setting.root, key))
                yield without_event(setting.root)
            else:
                yield _report(setting.root, partition_of_run(context).key)

    return entry
