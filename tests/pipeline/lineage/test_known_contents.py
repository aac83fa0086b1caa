"""Files of recordings are read in threads, with progress, and each once."""

from pathlib import Path

import pytest

from enact_assets.engine.lake.catalogue import Catalogue
from enact_assets.pipeline.lineage import known_contents
from enact_assets.pipeline.lineage.known_contents import KnownContents


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(known_contents, "NOT_SETTLED_NS", 0)
    paths = [tmp_path / f"{k}.png" for k in range(20)]
    for k, path in enumerate(paths):
        path.write_bytes(bytes([k]) * (k + 1))
    return [str(path) for path in paths]


def test_what_is_gathered_is_read_once_with_progress(
    files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A first plan read every byte in one thread and said nothing."""
    plain = KnownContents()
    expected = [plain.sha(path, [path]) for path in files]
    catalogue = Catalogue(tmp_path / "catalogue.db", "here")
    contents, shares = KnownContents(catalogue), list[float]()
    contents.recall_all()
    with contents.gathering():
        assert {contents.sha(path, [path]) for path in files} == {""}
    assert contents.n_wanted == len(files)
    contents.read_wanted(shares.append)
    assert (len(shares), shares[-1], shares) == (len(files), 1.0, sorted(shares))
    monkeypatch.setattr(known_contents, "_sha", None)
    assert [contents.sha(path, [path]) for path in files] == expected
    contents.keep()
    again = KnownContents(catalogue)
    again.recall_all()
    with again.gathering():
        assert [again.sha(path, [path]) for path in files] == expected
    assert again.n_wanted == 0


def test_what_changes_after_it_was_gathered_is_read_again(files: list[str]) -> None:
    contents = KnownContents()
    with contents.gathering():
        contents.sha("a", files[:1])
    contents.read_wanted(lambda _: None)
    Path(files[0]).write_bytes(b"another content")
    assert contents.sha("a", files[:1]) == KnownContents().sha("a", files[:1])
