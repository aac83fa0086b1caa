"""What a command's names do to the scope of a data root."""

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from enact_assets.contracts.errors import UnknownNameError
from enact_assets.contracts.registry import load_registry
from enact_assets.data_root.scope import Scope, write_scope
from enact_assets.driver.scoping import scope_with
from enact_assets.runs.arrivals import names_found
from enact_assets.runs.resources import DataResource

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


def test_unknown_names_do_not_get_into_it(data) -> None:
    with pytest.raises(UnknownNameError, match="mirror"):
        after(data, {"variant": ["mirror"]})
    assert after(data, {"demonstration": ["fly-0"]}) == {"demonstration": frozenset()}


def test_a_demonstration_of_the_registry_that_trains_references_is_refused_by_name(data) -> None:
    """Asked about, it would be answered from memory."""
    named = ("setting_the_table-0", "setting_the_table-101")
    found, [problem] = names_found(data, replace(REGISTRY, demonstrations=named))
    assert found["demonstration"] == ["setting_the_table-0"]
    assert problem.startswith("registry: ")
    assert "'setting_the_table-101': seeds 100 to 115 are reserved" in problem
