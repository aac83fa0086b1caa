"""What a command's names do: what a plan and a walk are to make, and the scope of a data root."""

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from pipeline.lineage.small_world import World

from enact_assets.answers.baselines.references import WORLD_BASELINES
from enact_assets.answers.models.subsets import declare_subsets, subset_sizes
from enact_assets.demonstrations.pictures.demonstration_sources import all_sources
from enact_assets.demonstrations.recordings.folders import Recordings
from enact_assets.demonstrations.replay.sources import Sources
from enact_assets.engine.errors import MaterializationError, SettingsError, UnknownNameError
from enact_assets.engine.grids import Partition
from enact_assets.engine.planning.states import State
from enact_assets.engine.tables import TABLES
from enact_assets.pipeline.driver.chosen import Chosen, asking_nothing, choose
from enact_assets.pipeline.driver.materialize import Driver
from enact_assets.pipeline.lineage.graph import STEP_NAMED, names_now
from enact_assets.pipeline.root.forgotten import Forgotten
from enact_assets.pipeline.root.scope import Scope, write_scope
from enact_assets.pipeline.runs.driver_lock import only_driver
from enact_assets.pipeline.runs.names import ScopeChange, keep_scope, names_found, scope_with
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.settings.paths import SCOPE_FILE, SUBSETS_FILE
from enact_assets.settings.registry import BASELINE, load_registry
from enact_assets.settings.world import EMBEDDED_WORLD, world_name
from enact_assets.simulator.activities import SHIPPED

RECORDED, FILMED, EMBEDDED, GONE = "tidy_1", "film_1", "setting_the_table-0", "gone_1"


def sources_in(folder: Path) -> Sources:
    """Of a folder of recordings with a recorded and a filmed one."""
    for name, file in ((RECORDED, "scene_graph_0.json"), (FILMED, "annotation.csv")):
        (folder / name).mkdir()
        (folder / name / file).touch()
    return all_sources(Recordings(folder))


@pytest.fixture
def chosen(tmp_path: Path):
    """Of one demonstration per source: the partitions that are chosen of a step."""
    registry, sources = load_registry(), sources_in(tmp_path)
    names = names_now(registry, {RECORDED, FILMED, EMBEDDED, GONE}, {"oracle"}, ())

    def of(step: str, assets: list[str] | None = None, **only: list[str]) -> set[str]:
        found, spec = choose(assets, only, names, registry, sources), STEP_NAMED[step]
        return {"|".join(p) for p in names.partitions(spec.assets[0]) if found.is_chosen(spec, p)}

    return of


@pytest.mark.parametrize(
    ("variants", "demonstrations"),
    [
        (["recorded"], {RECORDED}),
        (["recorded", "real_world_video"], {RECORDED, FILMED}),
        (["fisheye"], {EMBEDDED}),
        ([], {RECORDED, FILMED, EMBEDDED}),
    ],
)
def test_variants_alone_mean_what_they_ask_about(chosen, variants, demonstrations) -> None:
    """All embedded demonstrations were simulated and rendered for one recording.

    A recording that is gone stays: its step says so.
    """
    assert chosen("replays", variant=variants) == {*demonstrations, GONE}


@pytest.mark.parametrize(
    ("only", "told"),
    [
        ({"variant": ["official"]}, "Variant official asks no question here: no question file"),
        ({"variant": ["recorded"]}, "Variant recorded asks no question here: no demonstration is"),
        ({"variant": ["recorded"], "demonstration": [EMBEDDED]}, None),
        ({"variant": ["fisheye"]}, None),
        ({}, None),
    ],
)
def test_a_variant_that_asks_nothing_here_is_mentioned(tmp_path: Path, only, told) -> None:
    """`plan --variant official` listed some leftovers, and not that no file was imported."""
    registry, sources = load_registry(), all_sources(Recordings(tmp_path))
    names = names_now(registry, {EMBEDDED}, {"oracle"}, ())
    chosen = choose(None, only, names, registry, sources)
    notes = asking_nothing(chosen, only, names, registry)
    assert len(notes) == (told is not None)
    assert not notes or notes[0].startswith(told)


@pytest.mark.parametrize(
    ("only", "others", "ours"),
    [
        ({"variant": ["real_world_video"]}, {"recorded", "fisheye"}, {"real_world_video"}),
        ({"demonstration": [RECORDED]}, {"real_world_video", "fisheye"}, {"recorded"}),
        ({"demonstration": [RECORDED, EMBEDDED]}, {"real_world_video"}, {"recorded", "fisheye"}),
    ],
)
def test_variants_about_other_sources_are_looked_at_again(
    tmp_path: Path, only, others, ours
) -> None:
    """researcher F9: a video shares its question set with recordings, whose rows became stale."""
    registry, sources = load_registry(), sources_in(tmp_path)
    names = names_now(registry, {RECORDED, FILMED, EMBEDDED}, {"oracle"}, ())
    bystanders = choose(None, only, names, registry, sources).bystanders
    assert others <= bystanders
    assert bystanders.isdisjoint(ours)


def test_a_bystander_is_asked_anew_where_its_question_set_is_made() -> None:
    lineage = World().lineage
    step = lineage.graph.step_named["asked_questions"]

    def is_made(assets: list[str] | None, variant: str) -> bool:
        chosen = Chosen(assets, {"variant": ["release"]})
        chosen.bystanders = frozenset({"high"})
        return chosen.complete(lineage).is_chosen(step, Partition.of(variant))

    assert is_made(None, "high")
    assert is_made(["evaluation"], "high")
    assert not is_made(["demonstrations"], "high")
    assert not is_made(["evaluation"], "contact")
    was = lineage.states.of["asked_questions"]["high",]
    lineage.states.set("asked_questions", ("high",), State(was.version))
    assert not is_made(None, "high")  # stale for another reason, which is not ours to mend


def test_a_demonstration_is_made_under_what_asks_about_it(chosen) -> None:
    """Imported questions name dozens of demonstrations, which no other gating has to segment."""
    assert chosen("segmentation", variant=["recorded"]) == {
        f"{RECORDED}|state", *(f"{GONE}|{name}" for name in ("contact", "state", "with_untold"))
    }  # fmt: skip
    assert chosen("frame_images", variant=["recorded"]) == {
        f"{RECORDED}|recorded", f"{GONE}|baseline", f"{GONE}|recorded"
    }  # fmt: skip
    of_both = chosen("segmentation", variant=["fisheye", "contact"])
    assert of_both >= {f"{EMBEDDED}|state", f"{EMBEDDED}|contact"}
    everything = chosen("segmentation", variant=["recorded"], demonstration=[EMBEDDED])
    assert everything == {f"{EMBEDDED}|{name}" for name in ("contact", "state", "with_untold")}


@pytest.mark.parametrize(
    ("models", "only", "trained"),
    [
        ({"oracle"}, {}, set()),
        ({"oracle", "fact_reader"}, {}, {"make_a_salad", "setting_the_table"}),
        ({"oracle", "fact_reader"}, {"model": ["oracle"]}, set()),
        ({"oracle", "fact_reader"}, {"variant": ["recorded"]}, set()),
        ({"fact_reader"}, {"variant": ["fisheye"]}, {"make_a_salad", "setting_the_table"}),
        ({"fact_reader"}, {"demonstration": [EMBEDDED]}, {"setting_the_table"}),
        ({"fact_reader_transfer"}, {"demonstration": [EMBEDDED]}, set(SHIPPED)),
        (
            {"fact_reader", "fact_reader_transfer"},
            {"demonstration": [EMBEDDED], "model": ["fact_reader"]},
            {"setting_the_table"},
        ),
    ],
)
def test_what_is_trained_follows_from_models_and_demonstrations(
    tmp_path: Path, models: set[str], only: dict[str, list[str]], trained: set[str]
) -> None:
    """Half a minute for each activity: none without a model that learns from it."""
    registry = load_registry()
    names = names_now(registry, {RECORDED, EMBEDDED, "make_a_salad-3"}, models, ())
    found = choose(None, only, names, registry, sources_in(tmp_path))
    spec = STEP_NAMED["training_statistics"]
    made = {
        a
        for (a,) in names.partitions("training_statistics")
        if found.is_chosen(spec, Partition.of(a))
    }
    assert made == trained
    learned = {model for model in models if model.startswith("fact")}
    assert set(names.partitions("fact_reader")) == {(model,) for model in learned}


def test_a_named_demonstration_is_made_whatever_is_asked_about_it(chosen) -> None:
    found = chosen("replays", variant=["recorded"], demonstration=[EMBEDDED])
    assert found == {EMBEDDED}


def test_the_baseline_comes_along_only_where_something_is_compared_with_it(chosen) -> None:
    """Answers that were imported under one variant failed for lack of the baseline's."""
    assert chosen("evaluation", variant=["recorded"]) == {"oracle|baseline", "oracle|recorded"}
    alone = chosen("evaluation", ["evaluation"], variant=["recorded"])
    assert alone == {"oracle|recorded"}
    both = chosen("evaluation", ["evaluation", "probes"], variant=["recorded"])
    assert both == {"oracle|baseline", "oracle|recorded"}


def test_an_unknown_variant_is_named(chosen) -> None:
    with pytest.raises(UnknownNameError, match="mirror"):
        chosen("replays", variant=["mirror"])


REGISTRY = load_registry()
DEMO = {dimension: frozenset(names) for dimension, names in REGISTRY.demo.items()}


@pytest.fixture
def data(tmp_path: Path) -> DataResource:
    return DataResource(root=str(tmp_path), lake_url=None)


def after(data: DataResource, named=None, part=None, *, is_whole: bool = False):
    """The scope after such a command, which is then remembered."""
    scope = scope_with(data, REGISTRY, named or {}, part, is_whole=is_whole)
    write_scope(data.data_root.root, scope)
    return scope.of


def test_a_new_data_root_has_what_the_first_command_makes(data) -> None:
    def first(*arguments, **options):
        return scope_with(data, REGISTRY, *arguments, **options).of

    assert first({}, None, is_whole=False) == {}
    assert first({}, REGISTRY.demo, is_whole=False) == DEMO
    assert first({}, REGISTRY.demo, is_whole=True) == {}
    assert first({}, {}, is_whole=False) == {}  # a registry without a part `demo`
    named = {"demonstration": ["setting_the_table-7"], "model": ["oracle"]}
    assert first(named, None, is_whole=False) == {"demonstration": {"setting_the_table-7"}}
    assert first({"variant": ["fisheye"]}, None, is_whole=False) == {"variant": {"fisheye"}}
    # `world --step-file` left an empty list of variants of ENACT, and later commands the baseline.
    of_films = {"variant": ["world:films"]}
    registry = REGISTRY.with_worlds(["films"])
    assert scope_with(data, registry, of_films, None, is_whole=False).of == {}


def test_names_widen_it_until_everything_is_in_it(data) -> None:
    """The advice after an import made twelve demonstrations under nineteen variants."""
    assert after(data, {}, REGISTRY.demo) == DEMO
    assert after(data) == DEMO
    wider = after(data, {"variant": ["fisheye"], "demonstration": ["setting_the_table-7"]})
    assert wider == {
        "demonstration": DEMO["demonstration"] | {"setting_the_table-7"},
        "variant": DEMO["variant"] | {"fisheye"},
    }
    assert after(data, {"model": ["oracle"]}) == wider
    assert after(data, {}, REGISTRY.demo) == wider
    assert after(data, is_whole=True) == {}
    assert after(data, {}, REGISTRY.demo) == {}


def test_what_was_made_before_there_were_scopes_stays_whole(data) -> None:
    path = Path(data.root) / "lake/demonstrations/setting_the_table-0.parquet"
    path.parent.mkdir(parents=True)
    pl.DataFrame({"demonstration": ["setting_the_table-0"]}).write_parquet(path)
    assert scope_with(data, REGISTRY, {}, REGISTRY.demo, is_whole=False) == Scope()


def test_partitions_that_the_ui_made_before_are_none_until_asked_for(data) -> None:
    """An import into a data root that the UI had open gave it all twelve demonstrations."""
    root = Path(data.root)
    driver = Driver(root, registry=REGISTRY, workers=1)
    names = REGISTRY.demonstrations[:3]
    driver.instance.add_dynamic_partitions("demonstration", [*names, "setting_the_table-7"])
    write_scope(root, Scope({"demonstration": frozenset(names[:1])}))

    def planned() -> set[str | None]:
        steps = driver.plan(assets=["replays"])[0].stale
        return {row.key for row in steps if row.step == "replays"}

    assert planned() == {names[0], "setting_the_table-7"}
    assert len(driver.instance.get_dynamic_partitions("demonstration")) == 4
    assert driver.run(assets=["gating_config"]).is_success
    left = set(driver.instance.get_dynamic_partitions("demonstration"))
    assert left == planned() == {names[0], "setting_the_table-7"}


def test_how_many_questions_a_model_is_asked_is_written_under_the_lock(data) -> None:
    """Two commands at once read the file before either wrote it, and one number was lost."""
    root = Path(data.root)
    driver = Driver(root, registry=REGISTRY, workers=1)
    declare_subsets(root, {"random": 5})
    with only_driver(root), pytest.raises(MaterializationError, match="another driver"):
        driver.run(assets=["gating_config"], parts={"oracle": 3})
    assert subset_sizes(root) == {"random": 5}
    assert driver.run(assets=["gating_config"], parts={"oracle": 3}).is_success
    assert subset_sizes(root) == {"random": 5, "oracle": 3}
    driver.forget("model", "random")
    assert subset_sizes(root) == {"oracle": 3}


def test_the_last_environment_is_forgotten_with_what_world_added(data) -> None:
    """researcher F7: after `world`, `forget demonstration` thrice left its steps in every plan."""
    root, environments = Path(data.root), ["setting_the_table-901", "setting_the_table-906"]
    held = {
        "demonstrations": [{"demonstration": name} for name in environments],
        "predictions": [
            {"model": name, "variant": BASELINE} for name in ("oracle", "markov", "medoid")
        ],
        "world_questions": [{"question_set": world_name(EMBEDDED_WORLD)}],
    }
    for table, partitions in held.items():
        for partition in partitions:
            data.lake.write(table, TABLES[table].empty(), partition)
    write_scope(root, Scope({**DEMO, "demonstration": frozenset(environments)}))
    (root / "models.txt").write_text("medoid\n")
    driver = Driver(root, registry=REGISTRY, workers=1)
    driver.instance.add_dynamic_partitions("model", ["oracle", "markov", "medoid"])
    driver.instance.add_dynamic_partitions("world_source", [EMBEDDED_WORLD])

    def current() -> tuple[set[str], set[str]]:
        names = driver.instance.get_dynamic_partitions
        found, _ = names_found(data, driver.registry)
        sources = {*names("world_source"), *found["world_source"]}
        return sources, {*names("model"), *found["model"]} & WORLD_BASELINES.keys()

    driver.forget("demonstration", environments[0])
    assert current() == ({EMBEDDED_WORLD}, WORLD_BASELINES.keys() & {*REGISTRY.world.models})
    driver.forget("demonstration", environments[1])
    assert current() == (set(), {"medoid"}), "models.txt names one"
    assert "oracle" in driver.instance.get_dynamic_partitions("model")


def test_plans_say_what_is_wrong_in_the_file_of_declared_parts(data) -> None:
    def said(content: str) -> list[str]:
        (Path(data.root) / SUBSETS_FILE).write_text(content)
        return names_found(data, REGISTRY)[1]

    assert said("random: 4") == []
    [unknown] = said("random: 4\nnobody: 7")
    assert "subsets.yaml: no model is called 'nobody'" in unknown
    [by_id] = said("openai/gpt-5-mini: 4")
    assert "is called 'openai:gpt-5-mini' here" in by_id
    [damaged] = said("random: few")
    assert "Repair it" in damaged


def test_a_new_root_is_told_what_is_made(data) -> None:
    """public K9: `world --step-file` said that the whole registry is made."""
    names = names_now(REGISTRY, REGISTRY.demonstrations, (), ())
    change = ScopeChange(Scope(), is_first=True, is_changed=False, has_new_variants=False)
    [everything] = change.words(names, REGISTRY)
    assert "The whole registry is made: 29 demonstrations" in everything
    [part] = change.words(names, REGISTRY, ("model_comparisons",))
    assert part == (
        "This data root is new. Made now is only model_comparisons, with what it is made from."
    )


def test_only_new_variants_need_a_reload_of_dagster(data) -> None:
    """Demonstrations and models are dynamic partitions."""
    root = Path(data.root)
    driver = Driver(root, registry=REGISTRY, workers=1)
    write_scope(root, Scope({**DEMO, "model": frozenset()}))

    def said(**named: str) -> str:
        names = {dimension: [name] for dimension, name in named.items()}
        scope = scope_with(data, REGISTRY, names, None, is_whole=False)
        change = keep_scope(driver.instance, data, REGISTRY, scope)
        of_registry = scope.of_registry(REGISTRY)
        [note] = change.words(names_now(of_registry, of_registry.demonstrations, (), ()), REGISTRY)
        return note

    assert said(model="oracle") == "Now in this data root: 3 demonstrations, 3 variants."
    seventh = said(demonstration="setting_the_table-7")
    assert seventh == "Now in this data root: 4 demonstrations, 3 variants."
    reload = "Reload the code location in a Dagster UI that is open."
    assert said(variant="fisheye").endswith(f" 4 variants. {reload}")


def test_a_damaged_scope_stops_forget_before_it_changes_anything(data) -> None:
    root = Path(data.root)
    driver = Driver(root, registry=REGISTRY, workers=1)
    driver.instance.add_dynamic_partitions("demonstration", ["setting_the_table-7"])
    (root / SCOPE_FILE).write_text("variants: 3\n")
    with pytest.raises(SettingsError, match=SCOPE_FILE):
        driver.forget("demonstration", "setting_the_table-7")
    assert not Forgotten(root).of("demonstration")


def test_unknown_names_do_not_get_into_it(data) -> None:
    with pytest.raises(UnknownNameError, match="mirror"):
        after(data, {"variant": ["mirror"]})
    assert after(data, {"demonstration": ["fly-0"]}) == {"demonstration": frozenset()}


def test_names_that_differ_in_case_only_are_refused(data) -> None:
    """Faults N20: one file on a disk that ignores case."""
    (data.data_root.root / "models.txt").write_text("vllm/one\nvllm/One\nvllm/two\n")
    found, [problem] = names_found(data, REGISTRY)
    assert {"vllm:one", "vllm:two"} <= set(found["model"])
    assert "vllm:One" not in found["model"]
    assert problem.startswith("model 'vllm:One': differs from 'vllm:one' in case only")


def test_a_demonstration_of_the_registry_that_trains_references_is_refused_by_name(data) -> None:
    """Asked about, it would be answered from memory."""
    named = ("setting_the_table-0", "setting_the_table-101")
    found, [problem] = names_found(data, replace(REGISTRY, demonstrations=named))
    assert found["demonstration"] == ["setting_the_table-0"]
    assert problem.startswith("registry: ")
    assert "'setting_the_table-101': seeds 100 to 115 are reserved" in problem
