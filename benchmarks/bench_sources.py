"""An hour of play, 108,000 frames, by each source that reads files: CPU seconds, peak memory."""

import csv
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import in_fresh_process, megabytes
from benchmarks.synthetic import generate
from enact_assets.demonstrations.replay.recorded_export import FLAVOURS, write_recorded
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.settings.predicates import EXISTS

N_FRAMES = 108_000
SIZE_PX = 256
N_CLIP = 1_500
N_PICTURES = 100
COLUMNS = ("frame", "change", "predicate", "subject", "object", "category")


def main(n_frames: int = N_FRAMES) -> None:
    """Print one row for each source; files are made in a temporary folder, about 1 GB."""
    print("| source | file | read | check | pictures | peak memory |\n|---|---|---|---|---|---|")
    replay = generate(0, n_frames)
    with tempfile.TemporaryDirectory() as folder:
        for flavour in FLAVOURS:
            place = Path(folder, flavour)
            place.mkdir()
            write_recorded(replay, place / "scene_graph_0.json.gz", flavour=flavour)
            _print(f"recorded, {n_frames} frames, {flavour}", place / "scene_graph_0.json.gz")
        place = Path(folder, "video")
        place.mkdir()
        _annotate(replay, place / "annotation.csv")
        _film(place / "external_sensor1.mp4", n_frames)
        _print(f"video, {n_frames} frames of {SIZE_PX} px", place / "annotation.csv")


def _print(what: str, file: Path) -> None:
    found = in_fresh_process("source", str(file), str(N_PICTURES))
    size = sum(path.stat().st_size for path in file.parent.iterdir())
    pictures = f"{found['pictures_s']:.1f} s" if "pictures_s" in found else "-"
    print(
        f"| {what} | {megabytes(size)} | {found['read_s']:.1f} s | {found['check_s']:.2f} s | "
        f"{pictures} | {megabytes(found['peak_bytes'])} |",
        flush=True,
    )


def _annotate(replay: ReplayTables, path: Path) -> None:
    """Every fact with its beginning and end; existence where it is not that of the whole video."""
    n_frames = replay.demonstrations.item(0, "n_frames")
    rows: list[tuple[Any, ...]] = []
    names = ("predicate", "subject", "object", "frame_from", "frame_to")
    for predicate, subject, other, start, stop in replay.facts.select(names).iter_rows():
        if predicate != EXISTS or start > 0:
            rows.append((start, "add", predicate, subject, other, ""))
        if stop < n_frames:
            rows.append((stop, "remove", predicate, subject, other, ""))
    rows.sort(key=itemgetter(0))
    things = replay.objects.select("object_name", "category").iter_rows()
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(("", "object", "", name, "", category) for name, category in things)
        writer.writerows(rows)


def _film(path: Path, n_frames: int) -> None:
    """A clip, its packets repeated: encoding an hour takes longer than all that is measured."""
    import av

    clip = path.with_name("clip.mp4")
    with av.open(str(clip), "w") as container:
        stream = container.add_stream(
            "libx264", rate=Fraction(30), options={"preset": "ultrafast", "bf": "2"}
        )
        stream.width = stream.height = SIZE_PX
        stream.pix_fmt = "yuv420p"
        for pixels in _pictures(N_CLIP):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
        container.mux(stream.encode())
    with av.open(str(clip)) as source, av.open(str(path), "w") as container:
        played: Any = source.streams.video[0]
        stream = container.add_stream_from_template(played)
        packets: list[Any] = [packet for packet in source.demux(played) if packet.size]
        length = round(N_CLIP / 30 / played.time_base)
        for k in range(n_frames // N_CLIP):
            for packet in packets:
                again = av.Packet(bytes(packet))
                again.pts, again.dts = packet.pts + k * length, packet.dts + k * length
                again.time_base, again.duration = played.time_base, packet.duration
                again.is_keyframe, again.stream = packet.is_keyframe, stream
                container.mux(again)
    clip.unlink()


def _pictures(n_frames: int) -> Iterator[NDArray[np.uint8]]:
    """A square that wanders over a pattern."""
    ramp = np.arange(SIZE_PX, dtype=np.uint8)
    ground = np.full((SIZE_PX, SIZE_PX, 3), 90, np.uint8)
    ground[..., 0], ground[..., 1] = ramp[:, None], ramp
    for k in range(n_frames):
        picture = ground.copy()
        x, y = 3 * k % (SIZE_PX - 40), 2 * k % (SIZE_PX - 40)
        picture[y : y + 40, x : x + 40] = (k % 256, 200, 255 - k % 256)
        yield picture
