"""Files of a recording that others overwrote: whatever they feed is stale, and nothing else."""

import io
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from made_roots import RECORDED
from PIL import Image

from enact_assets.demonstrations.pictures.recorded_pictures import picture_file
from enact_assets.demonstrations.recordings.folders import CAMERA
from enact_assets.engine.ids import sha256_bytes
from enact_assets.engine.lake.lake import Lake
from enact_assets.pipeline.driver.materialize import Driver

GRAPHS, OTHER_CAMERA = "scene_graph_0.json", "variant_aperture_80"
BASELINE = {"demonstration": RECORDED, "variant": "baseline"}


@pytest.fixture
def copied(materialized, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the data root, free to be changed."""
    return materialized.copied(tmp_path, monkeypatch)[0]


def stale(root: Path) -> set[str]:
    """Steps of which a partition is stale."""
    plan, _ = Driver(root, workers=1).plan()
    return {row.step for row in plan.stale}


def key_frame(root: Path) -> int:
    return Lake(root / "lake").read("wanted_frames", BASELINE).item(2, "frame_id")


def recording(root: Path) -> Path:
    return root / "recordings" / RECORDED


def in_place(path: Path, content: bytes) -> None:
    """Written over what was there, with the time of before: only the inode's own time tells."""
    before = path.stat()
    with path.open("r+b") as file:
        file.write(content)
        file.truncate()
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def renamed(path: Path, content: bytes) -> None:
    """Another file under its name, with its time, as an archive with fixed times is unpacked."""
    before, other = path.stat(), path.with_name(f".{path.name}.other")
    other.write_bytes(content)
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(path)


def other_picture(path: Path) -> bytes:
    """Another picture of as many bytes: a PNG ends where its last chunk does."""
    out = io.BytesIO()
    with Image.open(path) as picture:
        Image.new("RGB", picture.size, (7, 77, 177)).save(out, "PNG")
    size = path.stat().st_size
    assert len(out.getvalue()) <= size
    return out.getvalue().ljust(size, b"\0")


def other_graphs(path: Path) -> bytes:
    """As many bytes, one of which is another: two things exchanged their names."""
    content = path.read_bytes()
    return (
        content.replace(b"cup_0", b"cup_X").replace(b"cup_1", b"cup_0").replace(b"cup_X", b"cup_1")
    )


@pytest.mark.parametrize("write", [in_place, renamed])
@pytest.mark.parametrize(
    ("camera", "is_planned_before"), [(CAMERA, False), (CAMERA, True), (OTHER_CAMERA, True)]
)
def test_a_picture_of_a_key_frame_that_was_overwritten(
    copied: Path,
    camera: str,
    *,
    is_planned_before: bool,
    write: Callable[[Path, bytes], None],
) -> None:
    """faults N5: also with as many bytes and the earlier time, whether or not a plan was made on
    this disk before.
    """
    if is_planned_before:
        assert stale(copied) == set()
    path = picture_file(recording(copied), key_frame(copied), camera)
    write(path, other_picture(path))
    assert stale(copied) == {"frame_images"}


@pytest.mark.parametrize("write", [in_place, renamed])
@pytest.mark.parametrize("is_planned_before", [False, True])
def test_scene_graphs_of_equal_size_and_time(
    copied: Path, *, is_planned_before: bool, write: Callable[[Path, bytes], None]
) -> None:
    """faults N5: whatever reads the recording is made again."""
    if is_planned_before:
        assert stale(copied) == set()
    path = recording(copied) / GRAPHS
    write(path, other_graphs(path))
    assert stale(copied) == {"replays", "frame_images", "clip_images"}


def test_what_shows_no_key_frame_or_is_as_it_was(copied: Path, tmp_path: Path) -> None:
    """faults N5 and N19: a copy of a data root is as fresh as it was, also one of hard links, and
    so is the one that it is a copy of; other files' times are nobody's input.
    """
    shown = picture_file(recording(copied), key_frame(copied))
    ids = set(Lake(copied / "lake").read_all("segmented_frames")["frame_id"].to_list())
    hidden = next(p for p in sorted(shown.parent.glob("*.png")) if int(p.stem) not in ids)
    in_place(hidden, other_picture(hidden))
    for path in (recording(copied) / GRAPHS, shown, shown.parent):
        os.utime(path)
        path.chmod(0o700)
    linked = Path(shutil.copytree(copied, tmp_path / "linked", copy_function=os.link))
    for root in (copied, linked):
        assert stale(root) == set()
    renamed(shown, b"of one of the two")
    assert (stale(copied), stale(linked)) == ({"frame_images"}, set())


def test_pictures_are_read_once(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan asks the system about each, as `catalogue.db` remembers them."""
    from enact_assets.pipeline.lineage import known_contents

    monkeypatch.setattr(known_contents, "NOT_SETTLED_NS", 0)
    read: list[str] = []
    sha_of = known_contents._sha_of
    monkeypatch.setattr(known_contents, "_sha_of", lambda p: read.append(str(p)) or sha_of(p))
    assert stale(copied) == set()
    assert len(read) > 1
    read.clear()
    assert stale(copied) == set()
    assert read == []


def test_the_picture_that_is_there_now_is_shown(copied: Path) -> None:
    """faults N5: as a clean build from the same files does."""
    path = picture_file(recording(copied), key_frame(copied))
    in_place(path, other_picture(path))
    report = Driver(copied, workers=1).run(assets=["frame_images"])
    assert report.is_success
    images = Lake(copied / "lake").read("frame_images", BASELINE)
    assert sha256_bytes(path.read_bytes()) in images["image_sha"].to_list()
    assert "frame_images" not in stale(copied)
