"""Pictures that came with a recording: the right frame, byte for byte, or an error naming it."""

import io
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from demonstrations.pictures.small_tables import segmented
from PIL import Image

from enact_assets.demonstrations.pictures.recorded_pictures import (
    picture_file,
    read_pictures,
    recorded_key_frames,
)
from enact_assets.engine.errors import RenderError
from enact_assets.engine.given_pictures import decode_png
from enact_assets.engine.ids import sha256_bytes
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.settings.registry import load_registry

from reference.builders import build_demonstrations
from reference.small_videos import Pixels, grey, level, write_video

N_FRAMES = 12


def as_png(pixels: Pixels) -> bytes:
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


def write_pngs(folder: Path, ids: range) -> None:
    (folder / "external_sensor1").mkdir(parents=True)
    for k, frame_id in enumerate(ids):
        picture_file(folder, frame_id).write_bytes(as_png(grey(k)))


def film(folder: Path) -> None:
    write_video(folder / "external_sensor1.mp4", N_FRAMES)


def tables(ids: dict[int, int]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """A demonstration, and its key frames at the frames of which ``ids`` has the ids."""
    key_frames = segmented(list(ids)).with_columns(frame_id=pl.Series(ids.values()))
    return build_demonstrations(N_FRAMES), key_frames


def test_pictures_are_found_by_id_and_kept_byte_for_byte(tmp_path: Path) -> None:
    """Ids count from 1, positions from 0: the neighbour's picture would go unnoticed."""
    write_pngs(tmp_path, range(1, N_FRAMES + 1))
    store = ImageStore(tmp_path / "images")
    rows = recorded_key_frames(*tables({3: 4, 9: 10}), "baseline", tmp_path, store)
    assert [level(store.read(sha)) for sha in rows["image_sha"]] == [3, 9]
    assert store.path(rows["image_sha"][0]).read_bytes() == as_png(grey(3))
    assert rows.select("width_px", "height_px").row(0) == (48, 32)


def test_video_frames_are_counted_not_guessed(tmp_path: Path) -> None:
    """Seeking by time lands a frame off in many files."""
    film(tmp_path)
    found = dict(read_pictures(tmp_path, {0: 1, 7: 8, 11: 12}, N_FRAMES))
    levels = {f: level(np.asarray(decode_png(png, "video"))) for f, png in found.items()}
    assert levels == {0: 0, 7: 7, 11: 11}


def test_an_empty_folder_hides_no_video_and_png_files_go_first(tmp_path: Path) -> None:
    film(tmp_path)
    (tmp_path / "external_sensor1").mkdir()
    (tmp_path / "external_sensor1" / "Thumbs.db").write_bytes(b"")
    (tmp_path / "external_sensor1" / "._00008.png").write_bytes(b"")
    [(frame, _)] = read_pictures(tmp_path, {7: 8}, N_FRAMES)
    assert frame == 7
    picture_file(tmp_path, 8).write_bytes(as_png(grey(2)))
    assert list(read_pictures(tmp_path, {7: 8}, N_FRAMES)) == [(7, as_png(grey(2)))]


def test_missing_pictures_are_counted_and_cost_their_key_frames_only(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_pngs(tmp_path, range(1, 5))
    store = ImageStore(tmp_path / "images")
    rows = recorded_key_frames(*tables({3: 4, 9: 10, 11: 12}), "baseline", tmp_path, store)
    assert rows.select("frame", "image_sha").rows() == [(3, sha256_bytes(as_png(grey(3))))]
    expected = r"try-0: 2 of 3 key frames have no picture, first .*00010\.png\. .* not asked\."
    assert re.search(expected, caplog.text)
    with pytest.raises(
        RenderError, match=r"try-0: 2 of 2 key frames have no picture, first .*00010"
    ):
        recorded_key_frames(*tables({9: 10, 11: 12}), "baseline", tmp_path, store)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("00004.png", "JPEG"), ("00004.PNG", "PNG"), ("4.jpg", "JPEG"), ("00004.WebP", "WEBP")],
)
def test_pictures_are_read_by_what_they_are(name: str, kind: str, tmp_path: Path) -> None:
    place = tmp_path / "external_sensor1"
    place.mkdir()
    Image.fromarray(np.full((64, 64, 3), 90, np.uint8)).save(place / name, kind)
    [(frame, png)] = read_pictures(tmp_path, {3: 4}, N_FRAMES)
    shown = np.asarray(decode_png(png, name), dtype=int)
    assert (frame, abs(shown - 90).max() < 3, shown.shape) == (3, True, (64, 64, 3))


@pytest.mark.parametrize("suffix", [".MP4", ".MoV"])
def test_a_video_counts_in_capitals_too(suffix: str, tmp_path: Path) -> None:
    film(tmp_path)
    (tmp_path / "external_sensor1.mp4").rename(tmp_path / f"external_sensor1{suffix}")
    assert [frame for frame, _ in read_pictures(tmp_path, {7: 8}, N_FRAMES)] == [7]


def test_two_pictures_of_one_frame_are_not_chosen_from(tmp_path: Path) -> None:
    place = tmp_path / "external_sensor1"
    place.mkdir()
    for name in ("4.png", "00004.JPG"):
        Image.fromarray(grey(1)).save(place / name)
    with pytest.raises(RenderError, match=r"00004\.JPG and 4\.png show one frame. Keep one"):
        list(read_pictures(tmp_path, {3: 4}, N_FRAMES))
    (place / "00004.png").write_bytes(as_png(grey(3)))
    assert list(read_pictures(tmp_path, {3: 4}, N_FRAMES)) == [(3, as_png(grey(3)))]


def test_a_file_that_is_no_picture_is_named(tmp_path: Path) -> None:
    write_pngs(tmp_path, range(1, 5))
    picture_file(tmp_path, 4).write_bytes(b"GIF89a nonsense")
    with pytest.raises(RenderError, match=r"frame 4 .*00004\.png"):
        recorded_key_frames(*tables({3: 4}), "baseline", tmp_path, ImageStore(tmp_path / "images"))


def test_a_recording_shows_itself_under_variants_that_change_no_picture() -> None:
    variants = load_registry().variants
    shown = {name for name, variant in variants.items() if variant.is_as_recorded}
    told_otherwise = {n for n, v in variants.items() if v.wording != "natural" or v.noise.rate}
    assert len(told_otherwise) == 5
    others = {"baseline", "contact", "with_untold", "mirrored"}
    assert shown == others | {"recorded", "real_world_video", "official"} | told_otherwise
