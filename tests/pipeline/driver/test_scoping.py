"""What a command's names do to the scope of a data root."""

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from enact_assets.engine.errors import SettingsError, UnknownNameError
from enact_assets.pipeline.arrivals import names_found
from enact_assets.pipeline.driver.materialize import Driver
from enact_assets.pipeline.driver.scoping import ScopeChange, keep_scope, scope_with
from enact_assets.pipeline.lineage.graph import names_now
from enact_assets.pipeline.root.forgotten import Forgotten
from enact_assets.pipeline.root.scope import Scope, write_scope
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.settings.paths import SCOPE_FILE
from enact_assets.settings.registry import load_registry

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
        return {step.key for step in steps if step.name == "replays"}

    assert planned() == {names[0], "setting_the_table-7"}
    assert len(driver.instance.get_dynamic_partitions("demonstration")) == 4
    assert driver.run(assets=["gating_config"]).is_success
    left = set(driver.instance.get_dynamic_partitions("demonstration"))
    assert left == planned() == {names[0], "setting_the_table-7"}


def test_a_new_root_is_told_what_is_made(data) -> None:
    """public K9: `world --step-file` said that the whole registry is made."""
    names = names_now(REGISTRY, REGISTRY.demonstrations, (), ())
    change = ScopeChange(Scope(), is_first=True, is_changed=False, has_new_variants=False)
    [everything] = change.words(names, REGISTRY)
    assert "The whole registry is made: 12 demonstrations" in everything
    [part] = change.words(names, REGISTRY, ("world_accuracies",))
    assert part == (
        "This data root is new. Made now is only world_accuracies, with what it is made from."
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
