"""What Dagster is told of lineage, and what we plan by, come from one declaration.

What is fresh or stale, what Dagster runs, and what is written: three notions, one to one."""

from dataclasses import replace
from pathlib import Path

import dagster as dg
import pytest
import yaml
from dagster._core.definitions.partitions.context import partition_loading_context
from pipeline.lineage.small_world import NAMES

from enact_assets.engine.graph import Follows, Input
from enact_assets.engine.grids import Partition
from enact_assets.engine.lake.lake import file_name, values_of
from enact_assets.engine.tables import TABLES, table
from enact_assets.pipeline.dagster.definitions import build_definitions
from enact_assets.pipeline.lineage.graph import (
    EXTERNAL,
    ROOTS,
    STEP_OF,
    STEPS,
    names_now,
)
from enact_assets.pipeline.runs.marts import mart_files
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.pipeline.steps.inputs import CAPTIONERS, LEARNED_MODELS, MIRRORED, PROMPTS_OF_FILE
from enact_assets.settings.registry import DEFAULT_REGISTRY, load_registry

from reference.lineage import upstream

DEMONSTRATIONS = ("fold-0", "pour-0")
BASELINE = (("variant", "baseline"),)
SAID_LESS = (
    Input("asked_questions", fixed=BASELINE, is_also_own=True),
    Input("variant_config", fixed=BASELINE, is_also_own=True),
)
"""Dagster has no mapping for them: it is told of the variant's own partition only."""
WORLD_SETS = (
    "world_questions",
    "annotated_actions",
    "training_plans",
    "film_images",
    "world_filters",
)
"""Their names decide a gating, and whether embedded demonstrations are read: Dagster maps all to
all. So it does where the names are some of the variants, and pictures of each variant are read.
"""

# Dagster is also told of all that variants of ENACT do not read and those of WorldPrediction do,
# and of question files that only variants in their prompts read.
SAID_MORE = (
    *(Input(asset, when=LEARNED_MODELS) for asset in ("fact_reader", "learned_precedences")),
    Input("captions", when=CAPTIONERS),
)
"""Models arrive, so Dagster is told of the model's own partition, also of one that is not trained
and has none."""


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory):
    """With a gating of every kind, and few variants."""
    entries = yaml.safe_load(DEFAULT_REGISTRY.read_text())
    entries.pop("demo", None)
    entries["gatings"]["release"] = {"profile": "release", "contact": True}
    kept = ("baseline", "aperture_80", "contact")
    entries["variants"] = {name: entries["variants"][name] for name in kept}
    entries["variants"]["release"] = {"gating": "release"}
    entries["models"] = ["fact_reader_transfer", "oracle", "random"]
    path: Path = tmp_path_factory.mktemp("registry") / "registry.yaml"
    path.write_text(yaml.safe_dump(entries))
    return load_registry(path)


def test_every_mapping_gives_the_partitions_that_are_declared(registry, tmp_path) -> None:
    """One that names too few leaves old rows for fresh in the UI, one too many rebuilds all."""
    sources = ("embedded", "filmed")
    for source in sources:
        (tmp_path / "step_files" / source).mkdir(parents=True)
    data = DataResource(root=str(tmp_path))
    graph = build_definitions(registry, data).resolve_asset_graph()
    models, files = registry.models, ("official",)
    names = names_now(registry, DEMONSTRATIONS, models, files, world_sources=sources)
    n_compared = 0
    with dg.instance_for_test() as instance:
        for dimension in ("demonstration", "model", "question_file"):
            instance.add_dynamic_partitions(dimension, list(names.of[dimension]))
        with partition_loading_context(dynamic_partitions_store=instance):
            for step in STEPS:
                for partition in names.partitions(step.assets[0]):
                    key = dg.AssetKey(step.assets[-1])
                    found = graph.get_parents_partitions(key, partition.key)
                    parents = {
                        (k.asset_key.to_user_string(), k.partition_key)
                        for k in found.parent_partitions
                    }
                    declared = {
                        (given.asset, theirs.key or None)
                        for given in step.inputs
                        if given.asset not in EXTERNAL and given not in SAID_LESS
                        for theirs in upstream(step, partition, given, names)
                    }
                    declared |= {(i.asset, partition[1]) for i in SAID_LESS if i in step.inputs}
                    declared |= {
                        (i.asset, partition[0] if i.asset != "captions" else partition.key)
                        for i in SAID_MORE
                        if i in step.inputs
                    }
                    if step.name in WORLD_SETS:
                        assert parents >= declared, (step.name, partition)
                        continue
                    of_some = {
                        i.asset
                        for i in step.inputs
                        if "WorldPrediction" in str(i.when) or i.when == PROMPTS_OF_FILE
                    }
                    # In two dimensions it has partitions that no condition leaves out.
                    parents = {
                        (asset, key)
                        for asset, key in parents
                        if (asset, key) in declared
                        or (asset not in of_some and names.has(asset, Partition.of_key(key)))
                    }
                    assert parents == declared, (step.name, partition)
                    n_compared += len(parents)
    assert n_compared > 500


def test_a_second_question_set_of_a_gating_reads_the_questions_of_that_gating(
    tmp_path: Path,
) -> None:
    """Dagster has no mapping for that: it is told of all questions, and the plan knows better."""
    entries = yaml.safe_load(DEFAULT_REGISTRY.read_text())
    entries["question_sets"] = {"reworded": {"gating": "state"}}
    entries["variants"]["high"]["question_set"] = "reworded"
    path = tmp_path / "registry.yaml"
    path.write_text(yaml.safe_dump(entries))
    registry = load_registry(path)
    assert registry.variant("high").gating == "state"
    names = names_now(registry, DEMONSTRATIONS, registry.models, ())
    follows = Follows(names, STEPS)

    def groups(step: str, partition: tuple[str, ...]) -> dict[str, tuple[tuple[str, ...], ...]]:
        return {follow.asset: follow.groups(partition) for follow in follows.of(step)}

    chosen = groups("question_set", ("reworded",))
    assert chosen["qa"] == chosen["gating_config"] == (("state",),)
    assert chosen["question_set_config"] == (("reworded",),)
    assert groups("asked_questions", ("high",))["question_set"] == (("reworded",),)
    assert groups("asked_questions", ("baseline",))["question_set"] == (("state",),)
    graph = build_definitions(registry).resolve_asset_graph()
    with dg.instance_for_test() as instance:
        instance.add_dynamic_partitions("demonstration", list(DEMONSTRATIONS))
        with partition_loading_context(dynamic_partitions_store=instance):
            key = dg.AssetKey("question_set")
            found = graph.get_parents_partitions(key, "reworded").parent_partitions
    of_qa = {k.partition_key for k in found if k.asset_key.to_user_string() == "qa"}
    assert of_qa >= {f"{name}|state" for name in DEMONSTRATIONS}


def test_every_table_is_made_by_one_step_and_has_its_partitions(registry) -> None:
    graph = build_definitions(registry).resolve_asset_graph()
    keys = {key.to_user_string() for key in graph.materializable_asset_keys}
    assert keys == set(STEP_OF) | {file.name for file in mart_files()}
    assert set(STEP_OF) == {*TABLES, *ROOTS, "warehouse", "report"}


@pytest.mark.parametrize("name", TABLES)
def test_a_partition_is_one_key_in_dagster_and_one_file(name: str) -> None:
    """Two partitions in one file would overwrite each other; one key for both would run once."""
    pair = {"model": (*NAMES.of["model"], "sees+reads")}  # captions are of pairs alone
    holds = {**NAMES.holds, MIRRORED: frozenset({"high"})}  # the small world mirrors nothing
    names = replace(NAMES, of={**NAMES.of, **pair}, holds=holds)
    contract, partitions = table(name), names.partitions(name)
    keys = [partition.key for partition in partitions]
    files = [file_name(contract, dict(zip(contract.by, p, strict=True))) for p in partitions]
    assert len(set(keys)) == len(set(files)) == len(partitions) > 0
    assert [Partition.of_key(key) for key in keys] == partitions
    assert [values_of(contract, file) for file in files] == partitions
