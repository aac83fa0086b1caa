"""Make the sample of docs/sources.md, an annotated video: ``python docs/make_sample_video.py``.

It is no film: the embedded simulator plays a demonstration, some of its frames are rendered, and
each picture stands until the next. The annotation says what the simulator knows, as a person would
write it down. So a user can try the way of an annotated video without having one.
"""

import argparse
import csv
import dataclasses
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets import (
    ImageStore,
    ReplayTables,
    load_registry,
    render_key_frames,
    replay_embedded,
)
from enact_assets.pipeline.steps.profiles import SEGMENT
from enact_assets.settings.registry import BASELINE

DEMONSTRATION = "picking_up_toys-0"
OUTPUT = Path(__file__).parent / "annotated_video" / "picking_up_toys_1"
COLUMNS = ("frame", "change", "predicate", "subject", "object", "category", "parents")
SIZE_PX = 256
QUALITY = {"crf": "30", "preset": "veryslow", "bf": "2", "threads": "1"}
"""Of H.264; one thread, so that the same pictures give the same file."""


def main() -> None:
    """Write video and annotation, and say how large they are."""
    arguments = _parser().parse_args()
    tables = replay_embedded(DEMONSTRATION)
    arguments.output.mkdir(parents=True, exist_ok=True)
    frames = frames_to_render(tables, arguments.every)
    with TemporaryDirectory() as folder:
        rendered = render(tables, frames, ImageStore(folder))
    write_video(arguments.output / "external_sensor1.mp4", tables, rendered)
    write_annotation(arguments.output / "annotation.csv", tables)
    for path in sorted(arguments.output.iterdir()):
        print(f"{path}: {path.stat().st_size / 1000:.0f} kB")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=30, help="frames from picture to picture")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    return parser


def frames_to_render(tables: ReplayTables, every: int) -> list[int]:
    """Every so many, and the key frames: questions show these."""
    registry = load_registry()
    found: set[int] = set(range(0, tables.demonstrations.item(0, "n_frames"), every))
    for gating in registry.gatings.values():
        segment = SEGMENT.of(gating.profile)
        recorded = tables.demonstrations, tables.facts, tables.objects
        segmented = segment(*recorded, gating, tables.later_parents)
        found |= set(segmented.segmented_frames["frame"].to_list())
    return sorted(found)


def render(
    tables: ReplayTables, frames: list[int], store: ImageStore
) -> dict[int, NDArray[np.uint8]]:
    """Pictures (SIZE_PX, SIZE_PX, 3) by frame."""
    variant = load_registry().variant(BASELINE)
    small = dataclasses.replace(variant.renderer, size_px=SIZE_PX)
    wanted = pl.DataFrame({"frame": frames}).select(
        pl.lit(DEMONSTRATION).alias("demonstration"),
        pl.lit(variant.gating).alias("gating"),
        pl.int_range(pl.len()).alias("key_frame"),
        "frame",
    )
    images = render_key_frames(
        tables.demonstrations,
        tables.states,
        wanted,
        dataclasses.replace(variant, renderer=small),
        store,
        on_progress=lambda p: print(f"\r{p.done} of {p.total} pictures", end="", flush=True),
    )
    print()
    return {frame: store.read(sha) for frame, sha in images.select("frame", "image_sha").rows()}


def write_video(path: Path, tables: ReplayTables, rendered: dict[int, NDArray[np.uint8]]) -> None:
    """All frames; each picture stands until the next."""
    import av

    n_frames, rate = tables.demonstrations.select("n_frames", "frame_rate_hz").row(0)
    with av.open(str(path), "w", options={"movflags": "faststart"}) as container:
        stream = container.add_stream("libx264", rate=Fraction(rate), options=QUALITY)
        stream.width = stream.height = SIZE_PX
        stream.pix_fmt = "yuv420p"
        pixels = rendered[0]
        for frame in range(n_frames):
            pixels = rendered.get(frame, pixels)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
        container.mux(stream.encode())


def write_annotation(path: Path, tables: ReplayTables) -> None:
    """Objects, then what begins and ends, in the order of frames."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        for name, category, parents in tables.objects.select(
            "object_name", "category", "parents"
        ).iter_rows():
            thing = {"change": "object", "subject": name, "category": category}
            writer.writerow(thing | {"parents": ";".join(parents or [])})
        for row in sorted(_changes(tables), key=lambda row: row["frame"]):
            writer.writerow(row)


def _changes(tables: ReplayTables) -> Iterator[dict[str, int | str]]:
    n_frames = tables.demonstrations.item(0, "n_frames")
    columns = ("predicate", "subject", "object", "frame_from", "frame_to")
    for predicate, subject, other, start, stop in tables.facts.select(columns).iter_rows():
        # Contacts are many and nobody writes them down; what exists all along goes without saying.
        if predicate == "Touching":
            continue
        row = {"predicate": predicate, "subject": subject, "object": other or ""}
        if predicate != "Exists" or start > 0:
            yield {"frame": start, "change": "add", **row}
        if stop < n_frames:
            yield {"frame": stop, "change": "remove", **row}


if __name__ == "__main__":
    main()
