"""The asset graph as people see it in the UI."""

import re

import dagster as dg
import pytest

from enact_assets.engine.publishing.sql_files import read_sql_files, sql_folder
from enact_assets.engine.steps import STEPS
from enact_assets.engine.tables import TABLES
from enact_assets.pipeline.dagster.checks import sql_check_specs
from enact_assets.pipeline.dagster.definitions import build_definitions
from enact_assets.pipeline.dagster.labels import LAYER_TAG
from enact_assets.pipeline.lineage.code import code_version
from enact_assets.pipeline.lineage.graph import dimensions
from enact_assets.simulator.activities import SHIPPED

DEFINITIONS = build_definitions()
GRAPH = DEFINITIONS.resolve_asset_graph()
KEYS = sorted(k.to_user_string() for k in GRAPH.materializable_asset_keys)
MARTS = {f.name for f in read_sql_files(sql_folder()) if f.stage == "marts"} | {"stale_partitions"}
OF_SETS = {
    *("question_set", "question_set_config", "kept_questions", "world_questions"),
    *("world_candidates", "annotated_actions", "training_plans", "film_images"),
}


def partitions_of(key: str) -> tuple[str, ...]:
    definition = GRAPH.get(dg.AssetKey(key)).partitions_def
    if definition is None:
        return ()
    if isinstance(definition, dg.MultiPartitionsDefinition):
        return tuple(d.name for d in definition.partitions_defs)
    if isinstance(definition, dg.DynamicPartitionsDefinition):
        return (str(definition.name),)
    names = set(definition.get_partition_keys())
    if names == set(SHIPPED):
        return ("training_activity",)
    if key in OF_SETS:
        return ("question_set",)
    of_some = {"mirrored", "world:embedded"}  # what mirrors, and what asks about the world
    is_variant = names <= of_some or ("state" not in names and "baseline" in names)
    return ("variant",) if is_variant else ("gating",)


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
    assert partitions_of(key) == (() if key in MARTS else dimensions(key))


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
    assert {k.to_user_string() for k in GRAPH.get_all_asset_keys()} == set(KEYS)
    assert set(KEYS) > MARTS
    for name in MARTS:
        node = GRAPH.get(dg.AssetKey(name))
        assert node.tags[LAYER_TAG] == "mart"
        assert "in one run" in str(node.description)
        assert node.execution_set_asset_keys == {dg.AssetKey(k) for k in MARTS | {"warehouse"}}
    for mart, reads in (
        ("leaderboard", {"leaderboard_details"}),
        ("question_ids", {"qa"}),
        ("leaderboard_details", {"evaluation", "probes", "absent_evaluations"}),
    ):
        assert reads <= {k.to_user_string() for k in GRAPH.get(dg.AssetKey(mart)).parent_keys}


def test_a_check_hangs_on_the_relation_that_it_is_about() -> None:
    """All of them hung on ``warehouse``: on the page of `qa` nobody saw that its check failed."""
    about = {spec.name: spec.asset_key.to_user_string() for spec in sql_check_specs()}
    assert set(about.values()) <= set(KEYS) - {"warehouse"}
    assert about["qa_answers_are_permutations"] == "qa"
    assert about["question_set_is_not_empty"] == "question_set"
    assert about["compared_components_add_up"] == "compared_components"
    assert about["leaderboard_counts_add_up"] == "leaderboard_details"
    assert about["scores_are_fractions"] == "evaluation"


QA = dg.AssetKey("qa")
OF_QA = {dg.AssetCheckKey(QA, n) for n in ("up_to_date", "qa_answers_are_permutations")}


@pytest.mark.parametrize(
    ("asked", "checks", "steps", "evaluated"),
    [
        ({QA}, None, ["qa"], set()),  # dagster asset materialize
        ({QA}, OF_QA, ["qa"], set()),  # Materialize in the UI, which names every check; a backfill
        ({dg.AssetKey("leaderboard")}, None, ["warehouse"], set()),
        (set(), OF_QA, ["sql_checks", "up_to_date"], OF_QA),  # Execute on the page of a check
    ],
)
def test_runs_that_make_assets_make_whole_steps_and_leave_out_what_is_about_more(
    asked: set[dg.AssetKey],
    checks: set[dg.AssetCheckKey] | None,
    steps: list[str],
    evaluated: set[dg.AssetCheckKey],
) -> None:
    """Each run of a backfill planned the whole lake; a mart alone could not be asked for."""
    job = DEFINITIONS.resolve_implicit_global_asset_job_def()
    part = job.get_subset(asset_selection=asked, asset_check_selection=checks)
    assert sorted(node.name for node in part.nodes) == steps
    assert part.asset_layer.asset_graph.asset_check_keys == evaluated


def test_versions_by_hand_are_those_that_steps_declare() -> None:
    declared = {s.name: s.version for s in STEPS.values() if s.version is not None}
    assert set(declared) == {"clip_images", "frame_images", "predictions"}
    assert {name: code_version(name) for name in declared} == declared


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
