"""Folders and object stores: the same lake, the same pictures, the same errors."""

import io
import pickle
import uuid
from pathlib import Path

import fsspec
import polars as pl
import pytest
from fsspec.implementations.local import LocalFileSystem
from PIL import Image

from enact_assets.demonstrations.replay.tables import Facts
from enact_assets.engine.errors import (
    DamagedFileError,
    LakeError,
    MissingPartitionError,
    OutputError,
)
from enact_assets.engine.lake.file_verification import verify_files
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.lake.lake_index import LakeIndex
from enact_assets.engine.lake.parquet_files import read_records
from enact_assets.engine.provenance import InputVersion, Provenance
from enact_assets.engine.system.local_places import LocalPlace
from enact_assets.engine.system.place_urls import open_place
from enact_assets.engine.system.places import Place
from enact_assets.engine.system.remote_places import RemotePlace
from enact_assets.engine.tables import table

A, B = {"demonstration": "a-0"}, {"demonstration": "b-0"}
PROVENANCE = Provenance("c0de", {"recording": InputVersion("ab" * 32, 1)})


class Renaming(LocalFileSystem):  # type: ignore[misc] # fsspec is untyped
    """A file system that is no object store, reached through fsspec: it writes aside, and renames.

    Its errors are as strange as those of any client library.
    """

    protocol = "renaming"
    is_broken = False

    def mv(self, path1: str, path2: str, **kwargs: object) -> None:
        self._answer()
        super().mv(path1, path2, **kwargs)

    def find(self, *args: object, **kwargs: object) -> object:
        self._answer()
        return super().find(*args, **kwargs)

    def cat_file(self, *args: object, **kwargs: object) -> object:
        self._answer()
        return super().cat_file(*args, **kwargs)

    def _answer(self) -> None:
        if self.is_broken:
            raise RuntimeError("the session expired")


def renaming_place(folder: Path) -> RemotePlace:
    system = Renaming()
    system.is_broken = False  # fsspec hands out the same one to every test
    return RemotePlace(system, str(folder), "renaming://server/base")


@pytest.fixture(params=["folder", "file", "memory", "renaming"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if request.param == "folder":
        return open_place(tmp_path / "root")
    if request.param == "file":
        return open_place((tmp_path / "a b").as_uri())
    if request.param == "memory":
        return open_place(f"memory://{uuid.uuid4().hex}/root")
    return renaming_place(tmp_path / "root")


def lake_at(place: Place) -> Lake:
    lake = Lake(Path())
    lake.place = place
    return lake


def facts(name: str, n_frames: int = 1) -> pl.DataFrame:
    row = {"demonstration": name, "predicate": "Exists", "subject": "cup", "frame_from": 0}
    return Facts.build([{**row, "frame_to": n_frames}])


def png(shade: int) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (2, 2), (shade,) * 3).save(out, "PNG")
    return out.getvalue()


def test_a_place_reads_what_was_published(place: Place) -> None:
    """Names with several parts, replaced files, ends of files, listings: all that is needed."""
    assert list(place.files("")) == []
    assert place.entry("a/b.txt") is None
    for content in (b"before", b"after it"):
        with place.publishing("a/b.txt") as file:
            file.write(content)
    with place.publishing("a/c/d.txt") as file:
        file.write(b"deep")
    assert place.read("a/b.txt") == b"after it"
    assert (place.tail("a/b.txt", 2), place.tail("a/b.txt", 99)) == (b"it", b"after it")
    with place.open("a/b.txt") as file:
        file.seek(6)
        assert file.read() == b"it"
    entries = list(place.files("a"))
    assert [(e.name, e.size) for e in entries] == [("a/b.txt", 8), ("a/c/d.txt", 4)]
    assert [list(place.files(folder)) for folder in ("", "a/c", "b")] == [entries, entries[1:], []]
    assert sorted(place.names("a")) == ["b.txt", "c"]
    assert list(place.names("b")) == []
    assert place.entry("a/b.txt") == entries[0]
    assert place.entry("a") is None
    gone = entries[0]._replace(name="a/gone.txt")
    ends = list(place.tails([*entries, gone], 4))
    assert ends[:2] == [b"r it", b"deep"]
    assert isinstance(ends[2], FileNotFoundError)
    with pytest.raises(FileNotFoundError):
        place.read("a/gone.txt")


def test_the_mark_of_a_file_changes_with_its_content(place: Place) -> None:
    """Without it a scan would take the new file for the old one that it remembers."""
    seen = set()
    for content in (b"1", b"2", b"3"):
        with place.publishing("x") as file:
            file.write(content)
        seen.add(place.entry("x"))
    assert len(seen) == 3


def test_what_fails_half_way_is_not_published(place: Place) -> None:
    with place.publishing("x") as file:
        file.write(b"whole")
    with pytest.raises(ZeroDivisionError), place.publishing("x") as file:
        file.write(b"ha" * (1 // 0))
    assert place.read("x") == b"whole"
    assert [entry.name for entry in place.files("")] == ["x"]


def test_a_file_is_put_whole(place: Place, tmp_path: Path) -> None:
    path = tmp_path / "file"
    for content in (b"before", b"after it"):
        path.write_bytes(content)
        place.put_file(path, "a/b.bin")
        assert place.read("a/b.bin") == content
    with pytest.raises(OutputError if isinstance(place, RemotePlace) else FileNotFoundError):
        place.put_file(tmp_path / "none", "a/b.bin")
    assert [(entry.name, entry.size) for entry in place.files("")] == [("a/b.bin", 8)]


def test_a_lake_works_in_any_place(place: Place, tmp_path: Path) -> None:
    """Rows, provenance, listings and errors; the index sees new files and damaged ones."""
    lake = lake_at(place)
    sha = lake.write("facts", facts("a-0"), A, PROVENANCE)
    lake.write("facts", facts("b-0"), B)
    assert lake.read("facts", A).equals(facts("a-0"))
    assert (lake.content_sha("facts", A), lake.verify("facts", A)) == (sha, sha)
    assert lake.metadata("facts", A).provenance == PROVENANCE
    assert (lake.exists("facts", A), lake.exists("objects", A)) == (True, False)
    assert lake.partitions("facts") == [A, B]
    assert lake.read_all("facts").height == 2
    assert lake.foreign_files() == []
    assert lake.where("facts", A) == f"{place.address}/facts/a-0.parquet"
    with pytest.raises(MissingPartitionError, match=f"no file {place.address}/objects/a-0.parquet"):
        lake.read("objects", A)

    index = LakeIndex(lake, tmp_path / "index")
    assert index.scan()["facts"]["a-0",].provenance == PROVENANCE
    other = lake.write("facts", facts("a-0", 2), A)
    with place.publishing("facts/b-0.parquet") as file:
        file.write(b"PAR1 and so on")
    found = index.scan()["facts"]
    assert found["a-0",].content_sha == other
    assert "truncated or damaged" in str(found["b-0",].problem)
    with pytest.raises(DamagedFileError, match=f"{place.address}/facts/b-0.parquet: not usable"):
        lake.read("facts", B)
    aside = lake.set_aside("facts", B)
    assert aside is not None
    assert aside.startswith(f"{place.address}/facts/b-0.parquet.damaged-")
    assert place.read(aside.removeprefix(f"{place.address}/")) == b"PAR1 and so on"
    assert lake.set_aside("facts", B) == aside  # for another process that found it, too
    assert lake.set_aside("facts", A) is None
    assert lake.partitions("facts") == [A]
    assert "set aside as facts/b-0.parquet.damaged-" in str(index.scan()["facts"]["b-0",].problem)
    assert [(t, v) for t, v, _ in lake.files_aside()] == [("facts", ("b-0",))]
    assert lake.foreign_files() == []


def test_a_file_that_was_replaced_is_not_set_aside(place: Place) -> None:
    """Nor one that is gone: whoever looked at it has nothing to say about the new one."""
    with place.publishing("x") as file:
        file.write(b"damaged")
    seen = place.entry("x")
    assert seen is not None
    with place.publishing("x") as file:
        file.write(b"repaired")
    assert not place.set_aside(seen, "y")
    assert place.read("x") == b"repaired"
    place.delete("x")
    assert not place.set_aside(seen, "y")
    assert list(place.files("")) == []


def test_pictures_are_kept_in_any_place(place: Place) -> None:
    store = ImageStore(Path())
    store.place = place
    sha = store.put(png(3))
    assert store.exists(sha)
    assert store.read(sha)[0, 0].tolist() == [3, 3, 3]
    assert store.read_png(sha) == png(3)
    store.remember("1" * 64, sha)
    assert store.find("1" * 64) == sha
    assert [s for s, _ in store.entries()] == [sha]
    assert store.stored_heads().tolist() == [int(sha[:16], 16)]
    with pytest.raises(MissingPartitionError, match=f"{place.address}/00/0"):
        store.read("0" * 64)


def test_a_url_names_its_place_in_every_process() -> None:
    """Workers are sent the lake, and open it anew."""
    url = f"memory://{uuid.uuid4().hex}/x"
    Lake(url).write("facts", facts("a-0"), A)
    sent = pickle.loads(pickle.dumps(Lake(url)))  # noqa: S301 - our own
    assert sent.place.address == url
    assert sent.partitions("facts") == [A]
    with pytest.raises(LakeError, match=f"{url}: the lake must be in a folder"):
        sent.path("facts", A)
    with pytest.raises(LakeError, match=f"{url}: pictures must be in a folder"):
        ImageStore(url).path("0" * 64)


@pytest.mark.parametrize("url", ["nothing://x/y", "file://another_machine/x"])
def test_a_url_that_cannot_be_used_is_refused_at_once(url: str) -> None:
    """Not made a folder of that name, which a whole run would be written to."""
    with pytest.raises(LakeError, match=url):
        Lake(url)


def test_urls_of_files_are_folders() -> None:
    """With all that folders have: renaming and flushing, links, times to the nanosecond."""
    place = open_place("file:///some/where%20else")
    assert isinstance(place, LocalPlace)
    assert place.root == Path("/some/where else")


def test_what_cannot_be_published_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    """Client libraries raise errors of their own; people are told which file, and why."""
    place = renaming_place(tmp_path)
    lake = lake_at(place)
    lake.write("facts", facts("a-0"), A)
    place._system.is_broken = True
    with pytest.raises(OutputError, match=r"renaming://server/base/facts/a-0\.parquet: .* expired"):
        lake.write("facts", facts("a-0", 2), A)
    place._system.is_broken = False
    assert lake.read("facts", A).equals(facts("a-0"))
    assert [path.name for path in (tmp_path / "facts").iterdir()] == ["a-0.parquet"]


def test_an_outage_is_no_damage(tmp_path: Path) -> None:
    """Or a plan would make everything anew because of a network that was down for a minute."""
    place = renaming_place(tmp_path / "there")
    lake = lake_at(place)
    lake.write("facts", facts("a-0"), A)
    index = LakeIndex(lake, tmp_path / "index")
    place._system.is_broken = True
    for ask in (
        lambda: lake.read("facts", A),
        lambda: lake.metadata("facts", A),
        lambda: lake.partitions("facts"),
        index.scan,
    ):
        with pytest.raises(LakeError, match=r"renaming://.* cannot be reached \(.* expired"):
            ask()
    with pytest.raises(LakeError) as caught:
        lake.read("facts", A)
    assert not isinstance(caught.value, DamagedFileError)


def test_a_file_that_was_replaced_since_it_was_listed_is_no_damage(place: Place) -> None:
    """The end of the new one was asked for where the old one ended."""
    lake = lake_at(place)
    lake.write("facts", facts("a-0"), A)
    listed = list(lake.entries("facts"))
    sha = lake.write("facts", facts("a-0", 40_000), A)
    assert [r.content_sha for r in read_records(place, "facts", listed) if r] == [sha]
    assert [v.content_sha for v in verify_files(place, "facts", listed)] == [sha]
    place.delete("facts/a-0.parquet")
    assert read_records(place, "facts", listed) == [None]


def test_a_plan_lists_an_object_store_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was 504 listings for 84 pictures: of each folder of pictures, and of parents of absent
    ones. A listing comes in pages of a thousand, however deep the folders are.
    """
    url = f"memory://{uuid.uuid4().hex}/x"
    lake, store = Lake(f"{url}/lake"), ImageStore(f"{url}/images")
    for name in ("a-0", "b-0"):
        lake.write("facts", facts(name), {"demonstration": name}, PROVENANCE)
    lake.write("published_accuracies", table("published_accuracies").empty(), {}, PROVENANCE)
    shas = {store.put(png(shade)) for shade in range(5)}
    asked: list[str] = []

    class Counting:
        """The file system, and what is asked of it from outside."""

        def __init__(self, system: object) -> None:
            self.system = system

        def __getattr__(self, name: str) -> object:
            asked.append(name)
            return getattr(self.system, name)

    for place in (lake.place, store.place):
        monkeypatch.setattr(place, "_system", Counting(place._system))  # type: ignore[union-attr]
    index = LakeIndex(lake, tmp_path / "catalogue.db")
    found = index.files()
    assert asked == ["find", "cat_ranges", "cat_ranges"]  # the latter once for each table
    assert found["facts"].found.partition == ["a-0", "b-0"]
    assert found["published_accuracies"].found.partition == [""]
    asked.clear()
    assert len(store.stored_heads()) == len(shas) == 5
    assert asked == ["find"]


def test_a_file_system_without_times_is_refused(tmp_path: Path) -> None:
    """A partition written again at the same size would count as the old one, for ever."""
    place = open_place(f"memory://{uuid.uuid4().hex}/x")
    assert isinstance(place, RemotePlace)
    lake = lake_at(place)
    lake.write("facts", facts("a-0"), A)
    found = place._system.find

    def timeless(*args: object, **kwargs: object) -> object:
        return {k: {**v, "created": None} for k, v in found(*args, **kwargs).items()}

    place._system = type("Timeless", (), {"find": staticmethod(timeless)})()
    with pytest.raises(LakeError, match="gives no times of files"):
        lake.partitions("facts")


def test_listings_are_not_remembered_by_the_file_system(tmp_path: Path) -> None:
    """Other processes write too; fsspec's own cache would hide what they wrote."""
    place = open_place(f"memory://{uuid.uuid4().hex}/x")
    assert isinstance(place, RemotePlace)
    assert place._system.storage_options["use_listings_cache"] is False
    assert list(place.files("a")) == []
    fsspec.filesystem("memory").pipe_file(f"{place._root}/a/b", b"by somebody else")
    assert [entry.name for entry in place.files("a")] == ["a/b"]
