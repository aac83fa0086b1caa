"""The scope file of a data root: what it narrows, and what is said of a damaged one.

The file beside it says how many shards of demonstrations Dagster has."""

from pathlib import Path

import pytest

from enact_assets.engine.errors import SettingsError
from enact_assets.engine.planning.shards import Shards
from enact_assets.pipeline.root.partitions_file import read_shards
from enact_assets.pipeline.root.scope import Scope, read_scope, scoped_registry, write_scope
from enact_assets.settings.paths import PARTITIONS_FILE, SCOPE_FILE
from enact_assets.settings.registry import BASELINE, load_registry

FIRST_LOOK = Scope(
    {
        "demonstration": frozenset({"setting_the_table-0", "setting_the_table-7"}),
        "variant": frozenset({"fisheye", "contact", "of_another_registry"}),
    }
)


def test_without_a_file_everything_is_in_scope(tmp_path: Path) -> None:
    """A data root of a former version goes on where it was."""
    assert read_scope(tmp_path) is None
    assert scoped_registry(tmp_path) == load_registry()


def test_a_scope_is_read_as_it_was_written(tmp_path: Path) -> None:
    for scope in (FIRST_LOOK, Scope(), Scope({"model": frozenset()})):
        write_scope(tmp_path, scope)
        assert read_scope(tmp_path) == scope


def test_the_registry_keeps_what_the_scope_needs_and_no_more(tmp_path: Path) -> None:
    write_scope(tmp_path, FIRST_LOOK)
    whole, found = load_registry(), scoped_registry(tmp_path)
    assert set(found.variants) == {BASELINE, "fisheye", "contact"}
    assert set(found.gatings) == set(found.question_sets) == {"state", "contact"}
    assert found.demonstrations == ("setting_the_table-0", "setting_the_table-7")
    assert found.models == whole.models
    (said,) = FIRST_LOOK.unknown(whole)
    assert "of_another_registry is left out" in said
    assert set(FIRST_LOOK.widened({"variant": ["fisheye"]}).of_registry(whole).gatings) == {
        "state", "contact"
    }  # fmt: skip
    only_pictures = Scope({"variant": frozenset({"fisheye"})}).of_registry(whole)
    assert set(only_pictures.gatings) == {"state"}
    assert only_pictures.demonstrations == whole.demonstrations


def test_a_name_is_taken_out_of_everything_and_of_a_part() -> None:
    registry = load_registry()
    first, *others = registry.demonstrations
    assert Scope().without("demonstration", first, registry).of == {
        "demonstration": frozenset(others)
    }
    assert FIRST_LOOK.without("demonstration", "fly-0", registry) == FIRST_LOOK
    assert (
        "setting_the_table-7"
        not in FIRST_LOOK.without("demonstration", "setting_the_table-7", registry)
        .of_registry(registry)
        .demonstrations
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("demonstrations: [", "scope.yaml: "),
        ("demonstrations: 3\n", "demonstrations"),
        ("variant: [fisheye]\n", "variant"),
        ("variants: [../fisheye]\n", r"variants\[0\]: '../fisheye' cannot be a name"),
        ("variants: [baseline, 7]\n", "variants"),
        ("\xff", "scope.yaml: "),
        ("- all\n", "scope.yaml: "),
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / SCOPE_FILE).write_bytes(text.encode("latin-1"))
    with pytest.raises(SettingsError, match=said):
        read_scope(tmp_path)


def test_without_a_file_a_partition_is_a_demonstration(tmp_path: Path) -> None:
    assert read_shards(tmp_path) is None
    (tmp_path / PARTITIONS_FILE).write_text("demonstration_shards: 100\n")
    assert read_shards(tmp_path) == Shards("demonstration", 100)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "demonstration_shards: many",
        "demonstrations: 100",
        "demonstration_shards: 1.5",
        "\xff: [",
        "100",
    ],
)
def test_a_file_that_says_nothing_else_is_refused_with_an_example(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / PARTITIONS_FILE).write_text(text, "latin-1")
    with pytest.raises(SettingsError, match=r"partitions\.yaml: .*`demonstration_shards: 100`"):
        read_shards(tmp_path)


@pytest.mark.parametrize("n", [0, -1, 4_001])
def test_numbers_that_dagster_cannot_hold_are_refused(tmp_path: Path, n: int) -> None:
    (tmp_path / PARTITIONS_FILE).write_text(f"demonstration_shards: {n}")
    with pytest.raises(SettingsError, match=f"demonstration_shards: {n}; must be between 1 and 4,"):
        read_shards(tmp_path)
