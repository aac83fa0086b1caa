"""Data roots whose path is a pattern to DuckDB, polars or Dagster (faults N3).

They would use the rows and the database of a sibling: those of ``run1`` for ``run[1]``.
"""

import re
from pathlib import Path

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from enact_assets.cli import main
from enact_assets.engine.errors import SettingsError
from enact_assets.pipeline.bulk.batches import scan_table
from enact_assets.pipeline.runs.instance import open_instance
from enact_assets.settings.paths import NO_PLAIN_NAMES, DataRoot

NAMES = ["run[1]", "run*", "q?m", "per%41cent", "x%20y", "back\\slash", "50%"]
COMMANDS = ["plan", "materialize", "leaderboard", "verify", "gc", "list", "ui", "browse"]


@given(st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1))
@example("it's a {b,c} #1; $HOME ~ \n \N{SMILING FACE WITH SMILING EYES}")
@example("-leading")
def test_a_data_root_is_refused_by_name_exactly_if_its_path_is_a_pattern(name: str) -> None:
    path = Path("/nowhere", name)
    if set(name) & set(NO_PLAIN_NAMES):
        with pytest.raises(SettingsError, match=re.escape(str(path))):
            DataRoot(path, None)
        with pytest.raises(SettingsError, match="path of a lake"):
            DataRoot(Path("/nowhere"), str(path))
    elif name not in {".", ".."}:
        assert DataRoot(path, None).warehouse.parent == path


def test_an_object_store_may_have_any_address() -> None:
    assert DataRoot(Path("/nowhere"), "s3://bucket/a%20b").lake == "s3://bucket/a%20b/lake"


@pytest.mark.parametrize("name", NAMES)
def test_every_command_refuses_such_a_root_before_it_writes(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also behind a link, as the current folder, and from ``ENACT_HOME``."""
    root, link = tmp_path / name, tmp_path / "link"
    root.mkdir()
    link.symlink_to(root)
    monkeypatch.chdir(root)
    for command in COMMANDS:
        for given_as in (str(root), str(link), "."):
            assert main([command, "--data", given_as]) == 2
            printed = " ".join(capsys.readouterr().err.split())
            assert f"{name}: the path of a data root must not contain" in printed
    monkeypatch.setenv("ENACT_HOME", str(root))
    assert main(["plan"]) == 2
    with pytest.raises(SettingsError):
        open_instance(root)
    assert not list(root.iterdir())


def test_tables_of_bulk_runs_are_those_of_their_folder(tmp_path: Path) -> None:
    for name in ("run[1]", "run1"):
        folder = tmp_path / name / "batch-000000"
        folder.mkdir(parents=True)
        pl.DataFrame({"of": [name]}).write_parquet(folder / "qa.parquet")
    assert scan_table(tmp_path / "run[1]", "qa").collect().item() == "run[1]"
