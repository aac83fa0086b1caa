"""Frames of a video by number and by time: exact, whatever the pace and the codec."""

import io
import struct
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from enact_assets.demonstrations.recordings.videos import read_frames, read_times
from enact_assets.engine.errors import RenderError

from reference.small_videos import level, write_video

UNEVEN = [0.0, 0.04, 0.05, 0.5, 0.51, 0.9, 2.0, 2.01, 2.02, 3.5]


def decoded_times(path: Path) -> list[float]:
    """The slow way: decode every picture, and ask it when it is shown."""
    import av

    with av.open(str(path)) as container:
        times = [frame.time for frame in container.decode(video=0)]
    return [t - times[0] for t in times]


@pytest.mark.parametrize("suffix", [".mp4", ".mkv"])
@pytest.mark.parametrize(("codec", "b_frames"), [("mpeg4", 0), ("mpeg4", 2), ("libx264", 3)])
def test_times_are_those_of_the_decoded_pictures(
    tmp_path: Path, codec: str, b_frames: int, suffix: str
) -> None:
    """With B-frames, packets come in another order than pictures are shown."""
    path = write_video(tmp_path / f"v{suffix}", 40, codec=codec, b_frames=b_frames)
    if b_frames:
        import av

        with av.open(str(path)) as container:
            order = [p.pts for p in container.demux(video=0) if p.size]
        assert any(b < a for a, b in pairwise(order)), "no B-frame: this tests nothing"
    times = read_times(path)
    assert times.n_frames == 40
    assert times.is_even
    assert (times.width_px, times.height_px) == (48, 32)
    np.testing.assert_allclose(times.times_s, decoded_times(path), atol=2e-3)
    assert times.frame_rate_hz == pytest.approx(30, rel=1e-2)
    found = {frame: level(p) for frame, p in read_frames(path, {0, 7, 13, 39}, 40)}
    assert found == {0: 0, 7: 7, 13: 13, 39: 39 % 16}


@pytest.mark.parametrize("codec", ["mpeg4", "libx264"])
def test_a_time_finds_the_frame_that_is_shown_then(tmp_path: Path, codec: str) -> None:
    """At an uneven pace, time times rate is seconds off."""
    path = write_video(tmp_path / "v.mp4", 10, times_s=UNEVEN, codec=codec)
    times = read_times(path)
    np.testing.assert_allclose(times.times_s, UNEVEN, atol=2e-3)
    assert not times.is_even
    asked = {0.0: 0, 0.045: 1, 0.49: 2, 0.5: 3, 1.99: 5, 3.49: 8, 3.5: 9, 60.0: 9, -1.0: -1}
    assert {t: times.frame_at(t) for t in asked} == asked
    shown = {frame: level(p) for frame, p in read_frames(path, range(10), 10)}
    assert shown == {k: k for k in range(10)}


def test_a_picture_is_as_a_player_shows_it(tmp_path: Path) -> None:
    """Telephones write down how they were held: here a quarter turn clockwise to be upright."""
    picture = np.zeros((32, 48, 3), np.uint8)
    picture[:16, :24] = 255  # top left
    path = write_video(tmp_path / "v.mp4", [picture] * 3)
    content = bytearray(path.read_bytes())
    at = content.index(b"tkhd") + 4 + 40  # its matrix, after versions, times, sizes
    one = 1 << 16
    content[at : at + 36] = struct.pack(">9i", 0, one, 0, -one, 0, 0, 0, 0, 1 << 30)
    path.write_bytes(content)
    times = read_times(path)
    assert (times.width_px, times.height_px) == (32, 48)
    [(_, shown)] = read_frames(path, {1}, 3)
    assert shown.shape == (48, 32, 3)
    assert shown[:24, 16:].min() > 150  # top right
    assert shown[26:].max() < 100
    assert shown[:, :14].max() < 100


def noted(path: Path, a: float, b: float, c: float, d: float) -> Path:
    """``path`` with the display matrix ``a, b, c, d``."""
    content = bytearray(path.read_bytes())
    at = content.index(b"tkhd") + 4 + 40
    parts = [round(k * (1 << 16)) for k in (a, b, c, d)]
    matrix = *parts[:2], 0, *parts[2:], 0, 0, 0, 1 << 30
    content[at : at + 36] = struct.pack(">9i", *matrix)
    path.write_bytes(content)
    return path


EIGHT = [
    (1, 0, 0, 1), (-1, 0, 0, 1), (1, 0, 0, -1), (-1, 0, 0, -1), (0, 1, -1, 0), (0, -1, 1, 0),
    (0, 1, 1, 0), (0, -1, -1, 0),
]  # fmt: skip


@pytest.mark.parametrize("matrix", EIGHT)
def test_each_pixel_is_where_the_display_matrix_puts_it(
    matrix: tuple[int, int, int, int], tmp_path: Path
) -> None:
    """Cameras that look at who holds them mirror; the same eight were compared with FFmpeg's."""
    picture = np.zeros((32, 48, 3), np.uint8)
    picture[:16, :16], picture[16:, 16:32] = 255, 120
    as_coded = [(k, p) for k, p in read_frames(write_video(tmp_path / "v.mp4", [picture]), {0}, 1)]
    pixels = as_coded[0][1]
    a, b, c, d = matrix
    found = {
        (a * x + c * y, b * x + d * y): pixels[y, x].tolist() for y in range(32) for x in range(48)
    }
    left, top = (min(place[k] for place in found) for k in (0, 1))
    wanted = {(y - top, x - left): colour for (x, y), colour in found.items()}
    [(_, shown)] = read_frames(noted(tmp_path / "v.mp4", *matrix), {0}, 1)
    assert {place: shown[place].tolist() for place in np.ndindex(shown.shape[:2])} == wanted


def test_a_slanted_video_is_refused_and_rounding_is_not(tmp_path: Path) -> None:
    path = write_video(tmp_path / "v.mp4", 2)
    assert len(list(read_frames(noted(path, 1, 0.001, -0.001, 1), {0, 1}, 2))) == 2
    noted(path, 0.866, 0.5, -0.5, 0.866)
    with pytest.raises(RenderError, match=r"v\.mp4.*turned by 30.* degrees.*Convert it"):
        list(read_frames(path, {0, 1}, 2))


def test_a_cover_is_no_video(tmp_path: Path) -> None:
    """Its one picture was taken for the video."""
    import av

    source = write_video(tmp_path / "v.mp4", 5)
    cover = io.BytesIO()
    Image.new("RGB", (16, 16), "red").save(cover, "PNG")
    for name, is_with_video in (("both.mp4", True), ("cover.mp4", False)):
        with av.open(str(tmp_path / name), "w") as container, av.open(str(source)) as read:
            first = container.add_stream("png", rate=1)
            first.width = first.height = 16
            first.pix_fmt = "rgb24"
            first.disposition = av.stream.Disposition.attached_pic
            packets = []
            if is_with_video:
                second = container.add_stream_from_template(read.streams.video[0])
                for packet in read.demux(video=0):
                    if packet.dts is not None:
                        packet.stream = second
                        packets.append(packet)
            container.start_encoding()
            picture = av.Packet(cover.getvalue())
            picture.stream, picture.pts, picture.dts = first, 0, 0
            for packet in (picture, *packets):
                container.mux(packet)
    both = tmp_path / "both.mp4"
    with av.open(str(both)) as found:
        assert len(found.streams.video) == 2
    assert read_times(both).n_frames == 5
    assert [level(pixels) for _, pixels in read_frames(both, range(5), 5)] == list(range(5))
    with pytest.raises(RenderError, match="contains no video, only a cover"):
        read_times(tmp_path / "cover.mp4")


@pytest.mark.parametrize("n_frames", [11, 13])
def test_a_video_longer_or_shorter_than_its_replay_is_refused(
    tmp_path: Path, n_frames: int
) -> None:
    path = write_video(tmp_path / "v.mp4", n_frames, b_frames=2)
    with pytest.raises(RenderError, match=f"has {n_frames} frames, the replay 12"):
        list(read_frames(path, {0}, 12))


def test_what_is_no_video_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "v.mp4"
    path.write_bytes(b"not a video at all" * 50)
    for read in (read_times, lambda p: list(read_frames(p, {0}, 1))):
        with pytest.raises(RenderError, match=r"v\.mp4.*cannot be decoded"):
            read(path)


def test_a_file_of_sound_alone_is_refused(tmp_path: Path) -> None:
    import av

    path = tmp_path / "v.mkv"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("pcm_s16le", rate=8000, layout="mono")
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 800), np.int16), layout="mono")
        frame.sample_rate = 8000
        container.mux(stream.encode(frame))
    with pytest.raises(RenderError, match="contains no video"):
        read_times(path)


def test_a_video_that_was_cut_off_is_refused(tmp_path: Path) -> None:
    """The end of a half copied file: MP4 has its table there, Matroska just stops."""
    for suffix in (".mp4", ".mkv"):
        path = write_video(tmp_path / f"v{suffix}", 60, codec="libx264")
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        with pytest.raises(RenderError, match=r"cannot be decoded|the replay 60"):
            list(read_frames(path, {0}, 60))


def with_its_table_first(video: Path, to: Path) -> Path:
    """An MP4 as it is made for the web: ``video`` copied behind the table of its frames."""
    import av

    options = {"movflags": "faststart"}
    with av.open(str(video)) as read, av.open(str(to), "w", options=options) as written:
        stream = written.add_stream_from_template(read.streams.video[0])
        for packet in read.demux(video=0):
            if packet.dts is not None:
                packet.stream = stream
                written.mux(packet)
    return to


@pytest.mark.parametrize("suffix", [".mkv", ".mp4", ".avi"])
def test_times_of_a_video_that_was_cut_off_are_refused(tmp_path: Path, suffix: str) -> None:
    """Its header, where that stands in front, knows how long it was."""
    path = write_video(tmp_path / f"v{suffix}", 60)
    if suffix == ".mp4":
        path = with_its_table_first(path, tmp_path / "w.mp4")
    assert read_times(path).n_frames == 60
    content = path.read_bytes()
    path.write_bytes(content[: len(content) * 6 // 10])
    with pytest.raises(RenderError, match=r"was cut off.*Copy it again|cannot be read past"):
        read_times(path)


def test_a_long_last_picture_and_longer_sound_are_no_cut(tmp_path: Path) -> None:
    import av

    path = tmp_path / "v.mkv"
    with av.open(str(path), "w") as container:
        video = container.add_stream("mpeg4", rate=30)
        video.width, video.height, video.pix_fmt = 48, 32, "yuv420p"
        sound = container.add_stream("pcm_s16le", rate=8000, layout="mono")
        noise = av.AudioFrame.from_ndarray(np.zeros((1, 40_000), np.int16), layout="mono")
        noise.sample_rate = 8000
        container.mux(sound.encode(noise))
        for _ in range(30):
            black = np.zeros((32, 48, 3), np.uint8)
            container.mux(video.encode(av.VideoFrame.from_ndarray(black, format="rgb24")))
        container.mux(video.encode())
    assert read_times(path).n_frames == 30
    assert read_times(write_video(tmp_path / "w.mkv", 4, times_s=[0, 0.1, 0.2, 5])).n_frames == 4
