"""Data roots whose path is a pattern to DuckDB, polars or Dagster (faults N3).

The published file in an object store: whole, the newest, and not sent twice."""

import re
import uuid
from pathlib import Path

import fsspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from enact_assets.cli import main
from enact_assets.engine.errors import OutputError, SettingsError
from enact_assets.engine.system.place_urls import open_place
from enact_assets.pipeline.runs.instance import open_instance
from enact_assets.settings.paths import NO_PLAIN_NAMES, WAREHOUSE_FILE, DataRoot
from enact_assets.settings.shared_file import SAID, share_published

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


OBJECTS = [WAREHOUSE_FILE, SAID]


@pytest.fixture
def url() -> str:
    return f"memory://{uuid.uuid4().hex}/base"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / WAREHOUSE_FILE
    path.write_bytes(b"first")
    return path


def test_a_publication_is_put_once(url: str, file: Path) -> None:
    assert share_published(file, url, "1") == f"{url}/{WAREHOUSE_FILE}"
    place = open_place(url)
    first = list(place.files(""))
    assert [entry.name for entry in first] == OBJECTS
    assert place.read(WAREHOUSE_FILE) == b"first"
    share_published(file, url, "1")
    assert list(place.files("")) == first, "nothing was written again"
    file.write_bytes(b"second")
    share_published(file, url, "2")
    assert place.read(WAREHOUSE_FILE) == b"second"


@pytest.mark.parametrize("name", OBJECTS)
@pytest.mark.parametrize("content", [b"other", None])
def test_what_is_not_as_it_was_put_is_put_again(
    url: str, file: Path, name: str, content: bytes | None
) -> None:
    share_published(file, url, "1")
    place = open_place(url)
    if content is None:
        place.delete(name)
    else:
        with place.publishing(name) as there:
            there.write(content)
    share_published(file, url, "1")
    assert place.read(WAREHOUSE_FILE) == b"first"
    whole = list(place.files(""))
    share_published(file, url, "1")
    assert list(place.files("")) == whole


def test_a_store_that_refuses_keeps_what_it_has(
    url: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    share_published(file, url, "1")

    def refuse(*_: object, **__: object) -> None:
        raise RuntimeError("no more space")

    file.write_bytes(b"second")
    with monkeypatch.context() as broken:
        broken.setattr(type(fsspec.filesystem("memory")), "put_file", refuse)
        with pytest.raises(OutputError, match=rf"{url}/{WAREHOUSE_FILE}: .*no more space"):
            share_published(file, url, "2")
    assert open_place(url).read(WAREHOUSE_FILE) == b"first"
    share_published(file, url, "2")
    assert open_place(url).read(WAREHOUSE_FILE) == b"second"


def test_a_folder_gets_no_copy(tmp_path: Path, file: Path) -> None:
    """Its machines see the data root too."""
    lake = tmp_path / "elsewhere"
    for where in (None, str(lake), lake.as_uri()):
        assert share_published(file, where, "1") is None
    assert not lake.exists()
