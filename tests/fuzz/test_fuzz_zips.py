"""Zips of recordings that were damaged: a recording comes in as it was packed, or not at all."""

import gzip
import shutil
import tempfile
from functools import cache
from pathlib import Path

import pytest
from fuzz_cases import check_message, count, fuzz, scratch
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.commands.release.importing import import_paths
from enact_assets.settings.paths import DataRoot

from reference.official_replays import write_replay

pytestmark = pytest.mark.slow

TASKS = ("tidy_1", "tidy_2")


@cache
def good() -> tuple[bytes, dict[str, bytes]]:
    """A zip of two recordings, and content by name of file: the same in both."""
    with tempfile.TemporaryDirectory(prefix="fuzz") as folder:
        for task in TASKS:
            made = write_replay(Path(folder) / "replayed" / task, 60)
        path = shutil.make_archive(f"{folder}/good", "zip", folder, "replayed")
        return Path(path).read_bytes(), {p.name: p.read_bytes() for p in made.iterdir()}


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """Bytes replaced, put in or taken out, mostly in the headers of members."""
    data = bytearray(good()[0])
    headers = [k for k in range(len(data)) if data[k : k + 2] == b"PK"]
    for _ in range(draw(st.integers(1, 3))):
        near = min(len(data) - 1, draw(st.sampled_from(headers)) + draw(st.integers(0, 60)))
        at = draw(st.sampled_from([near, near, draw(st.integers(0, len(data) - 1))]))
        match draw(st.sampled_from(["replace", "replace", "put in", "take out", "cut off"])):
            case "replace":
                data[at] = draw(st.integers(0, 255))
            case "put in":
                data[at:at] = draw(st.binary(min_size=1, max_size=8))
            case "take out":
                del data[at : at + draw(st.integers(1, 40))]
            case _:
                del data[max(1, at) :]
    return bytes(data)


@given(damaged())
@fuzz()
def test_a_recording_comes_in_whole_or_not_at_all(data: bytes) -> None:
    with scratch() as folder:
        path, root = folder / "z.zip", DataRoot(folder / "data")
        path.write_bytes(data)
        summary = import_paths([path], root)
        for outcome in summary.failures:
            check_message(str(outcome.error), str(path))
        count("zips", "refused" if summary.failures else "accepted")
        files = {p for p in root.recordings.rglob("*") if p.is_file()}
        for file in files:
            content = file.read_bytes()
            content = gzip.decompress(content) if file.suffix == ".gz" else content
            assert content == good()[1][file.name.removesuffix(".gz")]
        assert {p.name for p in folder.iterdir()} <= {"z.zip", "data"}
        assert not any(p.name.startswith(".") for p in root.recordings.glob("*"))
