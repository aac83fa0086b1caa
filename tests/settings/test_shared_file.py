"""The published file in an object store: whole, the newest, and not sent twice."""

import uuid
from pathlib import Path

import fsspec
import pytest

from enact_assets.engine.errors import OutputError
from enact_assets.engine.system.place_urls import open_place
from enact_assets.settings.paths import WAREHOUSE_FILE
from enact_assets.settings.shared_file import SAID, share_published

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
