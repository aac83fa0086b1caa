"""``enact-assets download``: from a hub on this machine, which breaks, refuses or is not there."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import official_files
import pytest

from enact_assets.cli import main
from enact_assets.commands.release import hub_files
from enact_assets.commands.release.published_data import BROWSER_FILES, DATA, TASKS, folder_of_task
from enact_assets.engine.errors import SettingsError

from reference.local_hub import Hub, local_hub
from reference.servers import free_port

RAWDATA = DATA["behavior-rawdata"]
WATER = {f"task-0017/episode_0017{k:04d}.hdf5": bytes([k]) * 70_000 for k in range(5)}
OTHER = {"task-0003/episode_00030010.hdf5": b"plates", "README.md": b"# about"}


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    pytest.importorskip("huggingface_hub", reason="the extra 'download' is not installed")
    import huggingface_hub.constants
    import huggingface_hub.file_download
    import huggingface_hub.utils._http

    patient = SimpleNamespace(
        **vars(huggingface_hub.file_download.time) | {"sleep": lambda _: None}
    )
    monkeypatch.setattr(huggingface_hub.file_download, "time", patient)
    monkeypatch.setattr(huggingface_hub.utils._http, "time", patient)
    # 10 MB as it is: what came of a piece that is not whole is lost.
    monkeypatch.setattr(huggingface_hub.constants, "DOWNLOAD_CHUNK_SIZE", 10_000)
    with local_hub(RAWDATA.repository, WATER | OTHER) as found:
        monkeypatch.setenv("HF_ENDPOINT", found.url)
        yield found


def tree(root: Path) -> dict[str, bytes]:
    """Every file but the notes that one was checked."""
    found = official_files.tree(root)
    return {name: found[name] for name in found if not name.endswith(hub_files.CHECKED)}


def download(to: Path, *options: str) -> int:
    return main(["download", "behavior-rawdata", "--to", str(to), *options])


WANTED = ("--task", "bringing_water", "--yes")


def test_one_task_comes_whole_and_once(
    hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert download(tmp_path / "raw", *WANTED) == 0
    assert tree(tmp_path / "raw") == WATER
    printed = capsys.readouterr().out
    assert "5 files, 0.3 MB, licence mit" in printed.replace("\n", " ")
    assert f"enact-assets import {tmp_path}/raw/task-0017/*.hdf5" in printed
    hub.sent.clear()
    assert download(tmp_path / "raw", "--task", "task-0017") == 0
    assert hub.sent == []


def test_all_tasks_come_without_a_name(hub: Hub, tmp_path: Path) -> None:
    hub.licence, hub.has_sha256 = ["mit", "other"], False
    assert download(tmp_path / "raw", "--yes") == 0
    assert tree(tmp_path / "raw") == WATER | {k: v for k, v in OTHER.items() if "hdf5" in k}


def test_enact_is_one_zip_and_the_rest_is_said_to_be_elsewhere(
    hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hub.repository, hub.files, hub.licence = "MLL-Lab/ENACT", {"QA.zip": b"PK", "a.png": b""}, None
    assert main(["download", "enact", "--yes", "--to", str(tmp_path / "qa")]) == 0
    assert tree(tmp_path / "qa") == {"QA.zip": b"PK"}
    printed = capsys.readouterr().out
    assert "licence not stated" in printed
    assert f"enact-assets import {tmp_path}/qa/QA.zip" in printed
    assert all(file.link in printed for file in BROWSER_FILES)
    hub.refuses = "RepoNotFound"
    assert main(["download", "enact", "--yes", "--to", str(tmp_path / "qa")]) == 2
    told = capsys.readouterr()
    assert all(file.link in told.out for file in BROWSER_FILES)
    assert "the hub has no such data set" in " ".join(told.err.split())


def test_the_challenge_comes_whole_and_what_can_be_imported_is_said(
    hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two of its names are known: whatever the rest is called, nothing is left behind."""
    hub.repository = "Inevitablevalor/ENACT-Challenge"
    hub.files = {
        "QA_test/enact_ordering_test.jsonl": b"{}\n",
        "QA_test/images.zip": b"PK",
        "QA_test/images/a.png": b"P",
        "README.md": b"#",
    }
    command = ["download", "enact-challenge", "--to", str(tmp_path / "c")]
    assert main([*command, "--yes"]) == 0
    assert tree(tmp_path / "c") == hub.files
    printed = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert [line for line in printed if line.startswith("enact-assets import")] == [
        f"enact-assets import {tmp_path}/c/QA_test/{name}"
        for name in ("enact_ordering_test.jsonl", "images.zip")
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
        assert main([*command, "--yes"]) == 2
    assert "download all its files from" in " ".join(capsys.readouterr().err.split())


def test_a_connection_that_breaks_goes_on_at_the_same_byte(hub: Hub, tmp_path: Path) -> None:
    hub.breaks_after = [30_000, 100, 20_500]
    assert download(tmp_path / "raw", *WANTED) == 0
    assert tree(tmp_path / "raw") == WATER
    name = next(iter(WATER))
    assert [s for s in hub.sent if s[0] == name] == [
        (name, 0, 30_000), (name, 30_000, 100), (name, 30_000, 20_500), (name, 50_000, 20_000),
    ]  # fmt: skip


@pytest.mark.parametrize("ignores_ranges", [False, True])
def test_a_download_that_stopped_goes_on_in_the_next_run(
    hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str], ignores_ranges: bool
) -> None:
    """17 GB in one file: begun anew, it may never end."""
    hub.breaks_after = [40_000, *[0] * 20]
    assert download(tmp_path / "raw", *WANTED) == 2
    assert "Run the same command again" in " ".join(capsys.readouterr().err.split())
    name = next(iter(WATER))
    (left,) = tree(tmp_path / "raw").items()
    assert left[0].startswith(f"{name}.")
    assert left[0].endswith(".incomplete")
    assert left[1] == WATER[name][:40_000]
    hub.breaks_after, hub.ignores_ranges = [], ignores_ranges
    hub.sent.clear()
    assert download(tmp_path / "raw", *WANTED) == 0
    assert tree(tmp_path / "raw") == WATER
    assert hub.sent[0] == ((name, 0, 70_000) if ignores_ranges else (name, 40_000, 30_000))
    assert "0.3 MB to download" in capsys.readouterr().out


@pytest.mark.parametrize("has_sha256", [True, False])
def test_a_file_of_the_right_size_but_another_content_is_downloaded(
    hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str], has_sha256: bool
) -> None:
    """The hub has a newer version, somebody changed a file; what came otherwise is taken."""
    hub.has_sha256 = has_sha256
    own, changed, newer, *_ = names = list(WATER)
    (tmp_path / "raw" / own).parent.mkdir(parents=True)
    (tmp_path / "raw" / own).write_bytes(WATER[own])
    assert download(tmp_path / "raw", *WANTED) == 0
    assert {name for name, *_ in hub.sent} == set(names[1:])
    (tmp_path / "raw" / changed).write_bytes(b"x" * 70_000)
    hub.files = {**hub.files, newer: b"y" * 70_000}
    hub.sent.clear()
    assert download(tmp_path / "raw", *WANTED) == 0
    assert {name for name, *_ in hub.sent} == {changed, newer}
    assert tree(tmp_path / "raw") == {n: c for n, c in hub.files.items() if n in WATER}
    assert "0.1 MB to download" in capsys.readouterr().out


def test_a_whole_file_is_read_once(hub: Hub, tmp_path: Path, monkeypatch) -> None:
    """17 GB take a minute."""
    assert download(tmp_path / "raw", *WANTED) == 0
    monkeypatch.setattr(hub_files, "_hash", lambda *_: pytest.fail("read again"))
    assert download(tmp_path / "raw", *WANTED) == 0


def test_what_was_damaged_is_no_file(
    hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hub.breaks_after = [40_000, *[0] * 20]
    assert download(tmp_path / "raw", *WANTED) == 2
    (part,) = (tmp_path / "raw" / "task-0017").iterdir()
    part.write_bytes(b"x" * 40_000)
    hub.breaks_after = []
    assert download(tmp_path / "raw", *WANTED) == 2
    assert "the download is damaged" in " ".join(capsys.readouterr().err.split())
    assert tree(tmp_path / "raw") == {}
    assert download(tmp_path / "raw", *WANTED) == 0
    assert tree(tmp_path / "raw") == WATER


def refuse(hub: Hub, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub.constants

    match why:
        case "no file":
            hub.lost = {next(iter(WATER))}
        case "no folder":
            hub.files = OTHER
        case "offline":
            monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
        case "no hub":
            monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{free_port()}")
        case _:
            hub.refuses = why


@pytest.mark.parametrize(
    "case",
    [
        ("no file", "of the data set is missing. Look at http"),
        ("no folder", "of the data set is missing. Look at http"),
        ("GatedRepo", "Accept them on http"),
        ("RepoNotFound", "or set HF_TOKEN"),
        ("offline", "or download task-0017/*.hdf5 from http"),
        ("no hub", "and import it. Run the same command again"),
    ],
)
def test_what_cannot_be_had_says_why_and_what_to_do(
    hub: Hub, tmp_path: Path, case: tuple[str, str], capsys, monkeypatch
) -> None:
    why, said = case
    refuse(hub, why, monkeypatch)
    assert download(tmp_path / "raw", *WANTED) == 2
    assert said in (printed := " ".join(capsys.readouterr().err.split()))
    assert "resumes" not in printed
    assert set(tree(tmp_path).values()) <= {b""}


def test_nothing_comes_unasked(
    hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch
) -> None:
    """Size and licence are said first; without a terminal nobody can answer."""
    assert download(tmp_path / "raw", *WANTED[:2]) == 2
    told = capsys.readouterr()
    assert "licence mit" in told.out
    assert "--yes" in told.err
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    for answer in ("", "n", "no"):
        monkeypatch.setattr("builtins.input", lambda _, answer=answer: answer)
        assert download(tmp_path / "raw", *WANTED[:2]) == 1
    assert tree(tmp_path) == {}
    assert hub.sent == []
    monkeypatch.setattr("builtins.input", lambda _: "y")
    assert download(tmp_path / "raw", *WANTED[:2]) == 0


def test_a_disk_that_is_too_small_is_known_before(
    hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=349_999))
    assert download(tmp_path / "raw", *WANTED) == 2
    assert "Name a folder on another disk" in " ".join(capsys.readouterr().err.split())
    assert tree(tmp_path) == {}


def test_a_name_that_leads_out_is_no_place(hub: Hub, tmp_path: Path) -> None:
    hub.files = {"task-0017/../../../out.hdf5": b"x"}
    assert download(tmp_path / "a" / "raw", *WANTED) == 2
    assert tree(tmp_path) == {}


def test_two_downloads_of_one_file_do_not_mix(
    hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import fcntl

    hub.breaks_after = [40_000, *[0] * 20]
    assert download(tmp_path / "raw", *WANTED) == 2
    (part,) = (tmp_path / "raw" / "task-0017").iterdir()
    with part.open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert download(tmp_path / "raw", *WANTED) == 2
    assert "another process" in " ".join(capsys.readouterr().err.split())


def test_without_its_library_it_says_how_to_install_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch
) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    assert download(tmp_path, "--yes") == 2
    assert hub_files.INSTALL in " ".join(capsys.readouterr().err.split())


def test_tasks_have_the_numbers_of_the_challenge() -> None:
    assert len(set(TASKS)) == 50
    assert folder_of_task(RAWDATA, "bringing_water") == "task-0017"
    assert folder_of_task(RAWDATA, "hiding_easter_eggs") == "task-0006"
    assert folder_of_task(RAWDATA, "make_pizza") == folder_of_task(RAWDATA, "task-0049")
    for name in ("task-0050", "task-17", "water", "../task-0017"):
        with pytest.raises(SettingsError, match="unknown task"):
            folder_of_task(RAWDATA, name)
    with pytest.raises(SettingsError, match="one file"):
        folder_of_task(DATA["enact"], "bringing_water")
