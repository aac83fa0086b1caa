"""Zips of recordings: unpacked once, and nothing that a zip says is believed unchecked."""

import gzip
import shutil
import stat
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from enact_assets.cli import main
from enact_assets.commands.release.importing import import_paths
from enact_assets.demonstrations.recordings import zips as recording_zips
from enact_assets.demonstrations.recordings.folders import Recordings
from enact_assets.demonstrations.recordings.zips import read_zip
from enact_assets.settings.paths import DataRoot

from reference.official_replays import CAMERA, write_replay
from reference.small_videos import write_video

TASKS = ("bringing_water_1750844141719178", "canning_food_1751278778230696")
GRAPHS = "scene_graph_0.json"
TOP = "replayed_activities"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("official") / TOP
    for task in TASKS:
        write_replay(folder / task, 70)
    return folder


@pytest.fixture
def files(folder: Path) -> dict[str, bytes]:
    """Name in the zip -> content, of two tasks."""
    found = sorted(p for p in folder.rglob("*") if p.is_file())
    return {f"{TOP}/{p.relative_to(folder)}": p.read_bytes() for p in found}


def zipped(
    path: Path,
    files: dict[str, bytes],
    compression: int = zipfile.ZIP_DEFLATED,
    level: int | None = None,
) -> Path:
    with zipfile.ZipFile(path, "w", compression, compresslevel=level) as written:
        for name, content in files.items():
            written.writestr(name, content)
    return path


def unpacked(path: Path, root: Path) -> tuple[dict[str, bytes], list[str]]:
    """Files of the recordings that came in, scene graphs as they are read; and what failed."""
    data = DataRoot(root)
    failures = [str(o.error) for o in import_paths([path], data).failures]
    found = {}
    for file in sorted(p for p in data.recordings.rglob("*") if p.is_file()):
        content = file.read_bytes()
        content = gzip.decompress(content) if file.suffix == ".gz" else content
        found[f"{TOP}/{file.relative_to(data.recordings)}".removesuffix(".gz")] = content
    left = sorted(p.name for p in data.recordings.glob("*"))
    assert left == Recordings(data.recordings).names()
    return found, failures


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_what_comes_in_is_what_was_packed(
    files: dict[str, bytes], tmp_path: Path, compression: int
) -> None:
    clutter = (f"__MACOSX/{TOP}/._{GRAPHS}", f"{TOP}/.DS_Store", f"{TOP}/notes.txt")
    path = zipped(tmp_path / "z.zip", files | dict.fromkeys(clutter, b"x"), compression)
    found, failures = unpacked(path, tmp_path / "data")
    assert failures == []
    assert found == files
    assert read_zip(path).n_unused == 1


def test_pictures_come_in_whatever_the_case_of_their_suffix(
    files: dict[str, bytes], tmp_path: Path
) -> None:
    task = next(iter(files)).rpartition("/")[0]
    given = {
        f"{task}/external_sensor1/{name}": b"x" for name in ("00001.PNG", "00002.jpg", "a.txt")
    }
    video = write_video(tmp_path / "v.mp4", 70).read_bytes()
    path = zipped(tmp_path / "z.zip", files | given | {f"{task}/variant_high.MP4": video})
    found, failures = unpacked(path, tmp_path / "data")
    assert failures == []
    names = {name.removeprefix(f"{task}/") for name in found.keys() - files.keys()}
    assert names == {"external_sensor1/00001.PNG", "external_sensor1/00002.jpg", "variant_high.MP4"}


def test_scene_graphs_take_no_more_room_than_in_the_zip(
    files: dict[str, bytes], tmp_path: Path
) -> None:
    path = zipped(tmp_path / "z.zip", files)
    [first, _] = read_zip(path).recordings
    unpacked(path, tmp_path / "data")
    packed = tmp_path / "data" / "recordings" / TASKS[0] / f"{GRAPHS}.gz"
    member = zipfile.ZipFile(path).getinfo(f"{TOP}/{TASKS[0]}/{GRAPHS}")
    assert packed.stat().st_size == member.compress_size + 18 < member.file_size / 5
    n_bytes = sum(p.stat().st_size for p in packed.parent.rglob("*") if p.is_file())
    assert first.n_bytes == n_bytes - 18


def test_a_recording_without_a_folder_is_called_as_the_zip(
    files: dict[str, bytes], tmp_path: Path
) -> None:
    inside = {Path(name).name: c for name, c in files.items() if TASKS[0] in name}
    path = zipped(tmp_path / f"{TASKS[0]}.zip", inside)
    found, failures = unpacked(path, tmp_path / "data")
    assert failures == []
    assert len(found) == 2
    assert all(TASKS[0] in name for name in found)


def edited(path: Path, name: str, change: Callable[[bytearray, int, int], None]) -> None:
    """Change the bytes of a zip; told are the places of a member's local and central header."""
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as opened:
        local = opened.getinfo(name).header_offset
    at = content.index(b"PK\1\2")
    while bytes(content[at + 46 : at + 46 + len(name)]) != name.encode():
        at = content.index(b"PK\1\2", at + 4)
    change(content, local, at)
    path.write_bytes(content)


def data_of(content: bytearray, local: int) -> int:
    return local + 30 + sum(struct.unpack_from("<HH", content, local + 26))


def a_wrong_checksum(content: bytearray, local: int, central: int) -> None:
    content[central + 16] ^= 1
    content[local + 14] ^= 1


def damaged_data(content: bytearray, local: int, _central: int) -> None:
    at = data_of(content, local) + 40
    content[at : at + 60] = bytes(60)


def encrypted(content: bytearray, local: int, central: int) -> None:
    content[central + 8] |= 1
    content[local + 6] |= 1


def another_method(content: bytearray, local: int, central: int) -> None:
    struct.pack_into("<H", content, central + 10, 14)
    struct.pack_into("<H", content, local + 8, 14)


def a_link(content: bytearray, _local: int, central: int) -> None:
    content[central + 5] = 3  # made on Unix
    struct.pack_into("<I", content, central + 38, (stat.S_IFLNK | 0o777) << 16)


def shorter_than_it_is(content: bytearray, _local: int, central: int) -> None:
    struct.pack_into("<I", content, central + 24, 100)


def elsewhere(content: bytearray, _local: int, central: int) -> None:
    struct.pack_into("<I", content, central + 42, 7)


def patched(content: bytearray, local: int, central: int) -> None:
    content[central + 8] |= 1 << 5
    damaged_data(content, local, central)


def a_bomb(content: bytearray, _local: int, central: int) -> None:
    struct.pack_into("<I", content, central + 24, 0xFFFFFFF0)


SPOILED = [
    (a_wrong_checksum, "is damaged"),
    (damaged_data, "is damaged"),
    (encrypted, "is encrypted"),
    (another_method, "is compressed by method 14"),
    (a_link, "is a link"),
    (shorter_than_it_is, "is damaged"),
    (elsewhere, "is damaged"),
    (patched, "is damaged"),
]


@pytest.mark.parametrize("member", [GRAPHS, f"{CAMERA}.mp4"])
@pytest.mark.parametrize("spoiled", SPOILED, ids=[s.__name__ for s, _ in SPOILED])
def test_a_spoiled_member_keeps_its_recording_out_and_no_other(
    spoiled: tuple[Callable[[bytearray, int, int], None], str],
    member: str,
    files: dict[str, bytes],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path, name = zipped(tmp_path / "z.zip", files), f"{TOP}/{TASKS[0]}/{member}"
    spoil, part = spoiled
    edited(path, name, spoil)
    found, [failure] = unpacked(path, tmp_path / "data")
    assert failure.startswith(f"{path}, {name}: {part}")
    assert found == {n: c for n, c in files.items() if TASKS[1] in n}
    assert main(["validate", str(path)]) == 1
    out = "".join(capsys.readouterr().out.splitlines())
    assert out.count(part) == 1
    assert "no problems. 71 frames" in out  # of the other


def test_a_bomb_is_not_unpacked(
    files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A picture that grows a hundred times is none; scene graphs do, and stay compressed."""
    name = f"{TOP}/{TASKS[0]}/{CAMERA}.mp4"
    path = zipped(tmp_path / "z.zip", files)
    edited(path, name, a_bomb)
    room = lambda _folder: type("Usage", (), {"free": 1 << 50})()  # noqa: E731
    monkeypatch.setattr(recording_zips.shutil, "disk_usage", room)
    _, [failure] = unpacked(path, tmp_path / "data")
    assert failure.startswith(f"{path}, {name}: would grow from ")
    many = {f"{TOP}/{TASKS[0]}/{CAMERA}/{k:05d}.png": bytes(1 << 20) for k in range(70)}
    path = zipped(tmp_path / "many.zip", files | many)
    _, [failure] = unpacked(path, tmp_path / "other")
    assert f"{TASKS[0]}: would grow from " in failure


def test_the_disk_is_not_filled(
    files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of the recordings would come in, and everything else on the disk would fail."""
    path = zipped(tmp_path / "z.zip", files)
    [first, second] = read_zip(path).recordings
    room = lambda _folder: type("Usage", (), {"free": first.n_bytes + 10})()  # noqa: E731
    monkeypatch.setattr(recording_zips.shutil, "disk_usage", room)
    found, [failure] = unpacked(path, tmp_path / "data")
    assert found == {}
    assert f"its 2 recordings take {first.n_bytes + second.n_bytes:,} bytes unpacked" in failure


@pytest.mark.parametrize("name", ["../x.png", "/etc/x.png", "a/../../x", "C:/x.png"])
def test_a_name_that_leads_out_refuses_the_zip(
    name: str, files: dict[str, bytes], tmp_path: Path
) -> None:
    path = zipped(tmp_path / "z.zip", files | {name: b"x"})
    found, [failure] = unpacked(path, tmp_path / "data")
    assert found == {}
    assert f"z.zip, {name!r}: leads out" in failure
    assert "1 of 5 members" in failure


def test_a_zip_with_backslashes_is_refused_and_says_how_to_make_another(
    files: dict[str, bytes], tmp_path: Path
) -> None:
    """Windows PowerShell 5 writes them; "leads out of the folder" helped nobody."""
    path = zipped(tmp_path / "z.zip", files | {"a\\x.png": b"x"})
    found, [failure] = unpacked(path, tmp_path / "data")
    assert found == {}
    assert "z.zip: names of its members have backslashes" in failure
    assert "7-Zip" in failure


def test_a_member_that_is_there_twice_is_refused(files: dict[str, bytes], tmp_path: Path) -> None:
    path, name = zipped(tmp_path / "z.zip", files), f"{TOP}/{TASKS[1]}/{GRAPHS}"
    with zipfile.ZipFile(path, "a") as added, pytest.warns(UserWarning, match="Duplicate"):
        added.writestr(name, b"{}")
    found, [failure] = unpacked(path, tmp_path / "data")
    assert failure.startswith(f"{path}, {name}: is in it 2 times")
    assert all(TASKS[0] in name for name in found)


def test_members_that_share_their_bytes_are_refused(
    files: dict[str, bytes], tmp_path: Path
) -> None:
    """Bombs are made so: a thousand members, and one megabyte of data for all of them."""
    path = zipped(tmp_path / "z.zip", files)
    name = f"{TOP}/{TASKS[0]}/{CAMERA}.mp4"
    size = path.stat().st_size
    edited(path, name, lambda content, _, at: struct.pack_into("<I", content, at + 20, size))
    found, [failure] = unpacked(path, tmp_path / "data")
    assert found == {}
    assert "overlap" in failure


@pytest.mark.parametrize("content", [b"", b"not a zip" * 100, "cut off"])
def test_what_is_no_zip_is_refused(
    content: bytes | str, files: dict[str, bytes], tmp_path: Path
) -> None:
    path = zipped(tmp_path / "z.zip", files)
    path.write_bytes(path.read_bytes()[:-200] if isinstance(content, str) else content)
    found, [failure] = unpacked(path, tmp_path / "data")
    assert found == {}
    assert failure.startswith(f"{path}: is no whole zip")
    assert failure.endswith("Copy it again.")


def test_halves_are_named_and_the_others_come_in(
    files: dict[str, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    without = {n: c for n, c in files.items() if n != f"{TOP}/{TASKS[0]}/{GRAPHS}"}
    path = zipped(tmp_path / "z.zip", without)
    found, [failure] = unpacked(path, tmp_path / "data")
    assert "pictures (external_sensor1.mp4), but no scene_graph_0.json" in failure
    assert all(TASKS[1] in name for name in found)
    lacking = {n: c for n, c in files.items() if n != f"{TOP}/{TASKS[1]}/{CAMERA}.mp4"}
    path = zipped(tmp_path / "lacking.zip", lacking)
    assert main(["import", str(path), "--data", str(tmp_path / "other")]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert f"lacking.zip, {TOP}/{TASKS[1]}: no pictures. Add" in out
    assert ".tmp" not in out
    path = zipped(tmp_path / "raw.zip", {"raw_hdf5/tidy.hdf5": b"x"})
    _, [failure] = unpacked(path, tmp_path / "third")
    assert "It has 1 .hdf5 files: unpack it and import those" in failure


def in_another_way(name: str, content: bytes) -> dict[str, bytes]:
    """The same file under another spelling of its name."""
    return {name.replace(TASKS[0], f"{TASKS[0]}/."): content}


def with_a_long_name(name: str, content: bytes) -> dict[str, bytes]:
    return {f"{name.removesuffix(GRAPHS)}{CAMERA}/{'9' * 300}.png": content[:9]}


@pytest.mark.parametrize(
    ("made", "part"), [(in_another_way, "is in it 2 times"), (with_a_long_name, "File name too")]
)
def test_a_member_that_cannot_land_is_named(
    made: Callable[[str, bytes], dict[str, bytes]],
    part: str,
    files: dict[str, bytes],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    name = f"{TOP}/{TASKS[0]}/{GRAPHS}"
    added = made(name, files[name])
    path = zipped(tmp_path / "z.zip", files | added)
    found, [failure] = unpacked(path, tmp_path / "data")
    assert failure.startswith(f"{path}, {next(iter(added)):.200}: ")
    assert part in failure
    assert all(TASKS[1] in n for n in found)
    assert main(["validate", str(path)]) == 1
    assert part in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_corrected_zip_is_not_what_was_unpacked(
    method: int, files: dict[str, bytes], tmp_path: Path
) -> None:
    """Same names and sizes: only checksums differ. What came in before is not replaced silently."""
    name = f"{TOP}/{TASKS[0]}/{GRAPHS}"
    wrong = files[name].replace(b"sink_1", b"sink_2")
    first = zipped(tmp_path / "first.zip", files | {name: wrong}, method, 0)
    path = zipped(tmp_path / "z.zip", files, method, 0)
    sizes = [[m.compress_size for m in zipfile.ZipFile(p).infolist()] for p in (first, path)]
    assert sizes[0] == sizes[1]
    assert unpacked(first, tmp_path / "data")[1] == []
    found, [failure] = unpacked(path, tmp_path / "data")
    assert f"already exists. Remove it to import {TASKS[0]} again" in failure
    assert found == files | {name: wrong}


def test_a_second_import_goes_on_where_the_first_stopped(
    files: dict[str, bytes], tmp_path: Path
) -> None:
    """After a Ctrl-C among fifty recordings; what has another size was not unpacked from it."""
    path, data = zipped(tmp_path / "z.zip", files), DataRoot(tmp_path / "data")
    unpacked(path, data.root)
    there = data.recordings / TASKS[1]
    before = (there / f"{GRAPHS}.gz").stat().st_mtime_ns
    shutil.rmtree(data.recordings / TASKS[0])
    summary = import_paths([path], data)
    assert summary.is_success
    assert f"{path}: 1 of 2 recordings already unpacked." in summary.notes
    assert Recordings(data.recordings).names() == sorted(TASKS)
    assert (there / f"{GRAPHS}.gz").stat().st_mtime_ns == before
    (there / f"{CAMERA}.mp4").write_bytes(b"another")
    found, [failure] = unpacked(path, data.root)
    assert "already exists" in failure
    assert found[f"{TOP}/{TASKS[1]}/{CAMERA}.mp4"] == b"another"


def test_a_name_of_an_embedded_demonstration_is_refused(
    files: dict[str, bytes], tmp_path: Path
) -> None:
    renamed = {n.replace(TASKS[0], "setting_the_table-7"): c for n, c in files.items()}
    found, [failure] = unpacked(zipped(tmp_path / "z.zip", renamed), tmp_path / "data")
    assert "embedded demonstration" in failure
    assert len(found) == 2


def test_long_streams_are_checked_in_pieces(
    files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording_zips, "_CHUNK", 100)
    found, failures = unpacked(zipped(tmp_path / "z.zip", files), tmp_path / "data")
    assert failures == []
    assert found == files
