"""Make the pictures of README.md from a data root: ``python docs/make_pictures.py [data]``.

Writes all settings for one pair of key frames, and two questions; pictures of the settings that are
not there yet are rendered. Sheets of key frames, for people to look at before a change of the
simulator is committed, need no data root: ``--only key_frames --activity NAME``.
"""

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl

from enact_assets import (
    DataRoot,
    ImageStore,
    Lake,
    Registry,
    contact_sheet,
    load_registry,
    question_strip,
    render_key_frames,
)
from enact_assets.demonstrations.replay.embedded import replay_embedded
from enact_assets.questions.key_frames.segment import segment
from enact_assets.settings.registry import BASELINE
from enact_assets.simulator.activities import SHIPPED

DOCS = Path(__file__).parent
PARTS = ("key_frames", "settings", "questions")
KEY_FRAMES_SHOWN, KEY_FRAME_COLUMNS, KEY_FRAME_PX = 18, 6, 200
RENDERED_PX = 384
"""Edge of the pictures that these are scaled from."""
SETTING_COLUMNS, SETTING_PX = 7, 200


def main() -> None:
    """Write the pictures and say which."""
    arguments = _parser().parse_args()
    root, registry = DataRoot(arguments.data), load_registry()
    lake, images = Lake(root.lake), ImageStore(root.images)
    made = [
        d
        for d in registry.demonstrations
        if lake.exists("frame_images", {"demonstration": d, "variant": BASELINE})
    ]
    if "key_frames" in arguments.only:
        for activity in arguments.activity or sorted(SHIPPED):
            write_key_frames(activity, arguments.output)
    if "settings" in arguments.only:
        write_settings(
            lake,
            images,
            registry,
            demonstration=arguments.demonstration or made[0],
            pair=arguments.key_frames,
            output=arguments.output,
        )
    if "questions" in arguments.only:
        for kind in ("forward", "inverse"):
            write_question(lake, images, kind, arguments.output)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "data", nargs="?", type=Path, default=DataRoot.from_environment().root, help="data root"
    )
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="parts to make")
    parser.add_argument(
        "--activity", nargs="+", choices=sorted(SHIPPED), metavar="NAME",
        help="whose key frames are shown, at seed 0 (default: all)",
    )  # fmt: skip
    parser.add_argument("--demonstration", help="whose settings are shown (default: the first)")
    parser.add_argument(
        "--key-frames", nargs=2, type=int, metavar="K", help="the pair (default: at 1/3 and 2/3)"
    )
    parser.add_argument("--output", type=Path, default=DOCS, help="folder (default: docs)")
    return parser


def write_key_frames(activity: str, output: Path) -> None:
    """Key frames of seed 0 of an activity, evenly spread, under the baseline."""
    registry, replay = load_registry(), replay_embedded(f"{activity}-0")
    variant = registry.variant(BASELINE)
    gating = registry.gating(variant.gating)
    cut = segment(replay.demonstrations, replay.facts, replay.objects, gating)
    frames = cut.segmented_frames.sort("key_frame")
    n = min(frames.height, KEY_FRAMES_SHOWN)
    chosen = frames[np.linspace(0, frames.height - 1, n).round().astype(int).tolist()]
    small = replace(variant, renderer=replace(variant.renderer, size_px=RENDERED_PX))
    with TemporaryDirectory() as folder:
        images = ImageStore(Path(folder))
        shown = render_key_frames(
            replay.demonstrations, replay.states, chosen, small, images,
            workers=os.cpu_count() or 1,
        ).sort("key_frame")  # fmt: skip
        pictures = [images.read(sha) for sha in shown["image_sha"]]
    labels = [str(k) for k in shown["key_frame"]]
    sheet = contact_sheet(pictures, labels, KEY_FRAME_COLUMNS, KEY_FRAME_PX)
    _write(output / f"key_frames_{activity}.jpg", sheet)


def write_settings(
    lake: Lake,
    images: ImageStore,
    registry: Registry,
    *,
    demonstration: str,
    pair: Sequence[int] | None,
    output: Path,
) -> None:
    """Two key frames under every setting that makes pictures of its own, one above the other."""
    replay = {"demonstration": demonstration}
    gating = registry.variant(BASELINE).gating
    segmented = lake.read("segmented_frames", {**replay, "gating": gating})
    pair = pair or [segmented.height // 3, 2 * segmented.height // 3]
    wanted = segmented.filter(pl.col("key_frame").is_in(list(pair)))
    variants = [v for v in registry.variants.values() if v.name == BASELINE or not v.is_as_recorded]
    shown = {}
    for variant in variants:
        rows = render_key_frames(
            lake.read("demonstrations", replay),
            lake.read("states", replay),
            wanted,
            variant,
            images,
            workers=os.cpu_count() or 1,
        )
        shown[variant.name] = [images.read(sha) for sha in rows["image_sha"]]
    blank = np.full((SETTING_PX, SETTING_PX, 3), 255, np.uint8)
    pictures, labels = [], []
    for first in range(0, len(shown), SETTING_COLUMNS):
        names = list(shown)[first : first + SETTING_COLUMNS]
        n_blank = SETTING_COLUMNS - len(names)
        for place in range(2):
            pictures += [*(shown[name][place] for name in names), *[blank] * n_blank]
            labels += [*names, *[""] * n_blank]
    _write(output / "settings.jpg", contact_sheet(pictures, labels, SETTING_COLUMNS, SETTING_PX))


def write_question(lake: Lake, images: ImageStore, kind: str, output: Path) -> None:
    """The first probe question of length 4 whose answer is not the order shown, as it is shown."""
    asked = lake.read("asked_questions", {"variant": BASELINE}).select("question_id")
    rows = lake.read_all("qa", gating="state").join(asked, on="question_id", how="semi")
    rows = rows.filter(pl.col("answer").list.diff().list.min() < 0, kind=kind, length=4)
    row = rows.sort("question_id").row(0, named=True)
    shas = dict(
        lake.read("frame_images", {"demonstration": row["demonstration"], "variant": BASELINE})
        .select("key_frame", "image_sha")
        .iter_rows()
    )
    pictures = [images.read(shas[k]) for k in row["shown_key_frames"]]
    _write(output / f"question_{kind}.jpg", question_strip(pictures, kind, thumbnail_px=320))
    for k, action in enumerate(row["actions"], 1):
        print(f"[Action {k}] {action}")
    print(f"Answer: {row['answer']}")


def _write(path: Path, jpeg: bytes) -> None:
    path.write_bytes(jpeg)
    print(f"{path} ({len(jpeg) / 1e3:.0f} kB)")


if __name__ == "__main__":
    main()
