"""The asset graph as people see it in the UI."""

import re

import dagster as dg
import pytest

from enact_assets.engine.publishing.sql_files import read_sql_files, sql_folder
from enact_assets.engine.steps import STEPS
from enact_assets.engine.tables import TABLES
from enact_assets.pipeline.dagster.definitions import build_definitions
from enact_assets.pipeline.dagster.labels import LAYER_TAG
from enact_assets.pipeline.lineage.code import code_version
from enact_assets.pipeline.lineage.graph import dimensions
from enact_assets.simulator.activities import ACTIVITIES

DEFINITIONS = build_definitions()
GRAPH = DEFINITIONS.resolve_asset_graph()
KEYS = sorted(k.to_user_string() for k in GRAPH.materializable_asset_keys)
OF_SETS = {"question_set", "question_set_config", "kept_questions"}


def partitions_of(key: str) -> tuple[str, ...]:
    definition = GRAPH.get(dg.AssetKey(key)).partitions_def
    if definition is None:
        return ()
    if isinstance(definition, dg.MultiPartitionsDefinition):
        return tuple(d.name for d in definition.partitions_defs)
    if isinstance(definition, dg.DynamicPartitionsDefinition):
        return (str(definition.name),)
    names = set(definition.get_partition_keys())
    if names == set(ACTIVITIES):
        return ("training_activity",)
    if "state" not in names:
        return ("variant",)
    return ("question_set",) if key in OF_SETS else ("gating",)


@pytest.mark.parametrize("key", KEYS)
def test_every_asset_is_described_and_versioned(key: str) -> None:
    node = GRAPH.get(dg.AssetKey(key))
    assert node.description
    assert node.code_version
    assert node.kinds
    if key in TABLES:
        schema = node.metadata["dagster/column_schema"]
        assert [c.name for c in schema.columns] == list(TABLES[key].schema())
    assert node.group_name != "default"
    assert node.owners
    assert node.tags[LAYER_TAG]
    assert partitions_of(key) == dimensions(key)


def test_descriptions_have_no_marks_of_sphinx() -> None:
    """The UI shows Markdown: ``:class:`` stood there as it is written."""
    described = {k.to_user_string(): GRAPH.get(k).description for k in GRAPH.get_all_asset_keys()}
    described |= {job.name: job.description for job in DEFINITIONS.jobs or ()}
    marked = {n for n, text in described.items() if re.search(r"``|:\w+:`", text or "")}
    assert not marked


def test_every_sensor_and_schedule_is_described() -> None:
    """Dagster does not take docstrings over."""
    repository = DEFINITIONS.get_repository_def()
    assert [
        part.name
        for part in (*repository.sensor_defs, *repository.schedule_defs)
        if not part.description
    ] == []


def test_no_asset_hands_its_result_to_an_io_manager() -> None:
    """That of ``report`` wrote an empty pickle, and its path over that of the report."""
    outputs = [
        output
        for asset in DEFINITIONS.resolve_asset_graph().assets_defs
        if asset.is_executable
        for output in asset.op.output_defs
    ]
    assert len(outputs) >= len(KEYS)
    assert {o.dagster_type.display_name for o in outputs} <= {"Any", "Nothing"}


def test_every_mart_is_in_the_catalogue_with_what_its_sql_reads() -> None:
    """``leaderboard`` could not be found there: publishing was one opaque asset."""
    marts = {file.name for file in read_sql_files(sql_folder()) if file.stage == "marts"}
    found = {k.to_user_string() for k in GRAPH.get_all_asset_keys()} - set(KEYS)
    assert found == marts | {"stale_partitions"}
    for name in found:
        node = GRAPH.get(dg.AssetKey(name))
        assert node.owners
        assert node.tags[LAYER_TAG] == "mart"
        assert dg.AssetKey("warehouse") in node.parent_keys
    for mart, reads in (
        ("leaderboard", {"leaderboard_details"}),
        ("leaderboard_details", {"evaluation", "probes", "absent_evaluations"}),
    ):
        assert reads < {k.to_user_string() for k in GRAPH.get(dg.AssetKey(mart)).parent_keys}


def test_versions_by_hand_are_those_that_steps_declare() -> None:
    declared = {s.name: s.version for s in STEPS.values() if s.version is not None}
    assert set(declared) == {"clip_images", "frame_images", "predictions"}
    assert {name: code_version(name) for name in declared} == declared


def test_every_table_is_an_asset_of_the_same_name() -> None:
    assert set(TABLES) <= set(KEYS)


def test_dagster_loads_the_code_location() -> None:
    """Names of jobs and steps must differ, or the UI shows an empty code location."""
    DEFINITIONS.get_repository_def().load_all_definitions()


def test_every_asset_is_in_one_job() -> None:
    """An asset outside the jobs could not be launched or backfilled from the jobs page."""
    others = {"__ASSET_JOB", "collect_batches"}
    jobs = [j for j in DEFINITIONS.jobs or () if j.name not in others]
    covered: list[str] = []
    for job in jobs:
        covered += [k.to_user_string() for k in job.selection.resolve(GRAPH)]
    assert sorted(covered) == KEYS
