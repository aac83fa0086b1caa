"""``enact-assets qa`` with pictures: what drawing, linking and paths add to writing questions."""

import io
import json
import os
import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path

import numpy as np
from PIL import Image

from benchmarks.measuring import cpu_seconds
from benchmarks.synthetic import N_FRAMES, generate
from enact_assets.commands.release.asking import ask_folder
from enact_assets.commands.release.layout import SEGMENTED_FILE
from enact_assets.commands.release.segmenting import segment_folder
from enact_assets.demonstrations.pictures.recorded_pictures import picture_file
from enact_assets.demonstrations.recordings.folders import CAMERA
from enact_assets.demonstrations.replay.recorded_export import write_recorded
from enact_assets.settings.profile import RELEASE

N_TASKS = 5
N_PER_LENGTH = 30
"""Trajectories of each length, the class default of the release: 440 questions per task."""
SIZE_PX = 64


def main(n_frames: int = N_FRAMES) -> None:
    """Print CPU seconds of `qa` without and with pictures, again, and of the bare file calls."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        n_key_frames = _record(root, n_frames)

        def ask(name: str, *, with_pictures: bool) -> Callable[[], object]:
            output = root / name / "QA" / "all.jsonl"
            return lambda: ask_folder(
                root / "segmented", root / "replayed", output, RELEASE,
                n_per_length=N_PER_LENGTH, with_pictures=with_pictures,
            )  # fmt: skip

        ask("warm", with_pictures=False)()
        without = cpu_seconds(ask("without", with_pictures=False))
        first = cpu_seconds(ask("with", with_pictures=True))
        again = cpu_seconds(ask("with", with_pictures=True))
        pictures = sorted((root / "with").rglob("*.png"))
        n_distinct = len({path.stat().st_ino for path in pictures})
        contents = _read(pictures)
        bare = cpu_seconds(lambda: _write_bare(contents, root / "with", root / "bare"))
        n_questions = (root / "with" / "QA" / "all.jsonl").read_bytes().count(b"\n")
    print(
        f"\n{N_TASKS} tasks, {n_key_frames} key frames, {n_questions:,} questions, "
        f"{len(pictures):,} pictures of {SIZE_PX} px, {n_distinct:,} distinct\n"
    )
    print("| `qa` | CPU s | of that pictures | us per picture |\n|---|---|---|---|")
    print(f"| without pictures | {without:.2f} | - | - |")
    for name, spent in (("with pictures", first), ("again, all there", again)):
        more = spent - without
        print(f"| {name} | {spent:.2f} | {more:.2f} | {1e6 * more / len(pictures):.0f} |")
    print(
        f"\nThe same files by bare calls, nothing drawn or checked: {bare:.2f} CPU s; `qa` "
        f"spends {(first - without) / bare:.1f} times that",
        flush=True,
    )


def _record(root: Path, n_frames: int) -> int:
    """Write replays, their key frames and pictures of these; returns how many key frames."""
    n_key_frames = 0
    for seed in range(N_TASKS):
        place = root / "replayed" / f"household_{seed}"
        place.mkdir(parents=True)
        write_recorded(generate(seed, n_frames), place / "scene_graph_0.json.gz", flavour="diff")
    segment_folder(root / "replayed", root / "segmented", RELEASE)
    for place in (root / "replayed").iterdir():
        (place / CAMERA).mkdir()
        file = root / "segmented" / place.name / SEGMENTED_FILE
        for frame_id in json.loads(file.read_bytes()):
            picture_file(place, int(frame_id)).write_bytes(_picture(int(frame_id)))
            n_key_frames += 1
    return n_key_frames


def _picture(seed: int) -> bytes:
    blocks = np.random.default_rng(seed).integers(0, 255, (8, 8, 3), np.uint8)
    out = io.BytesIO()
    Image.fromarray(np.kron(blocks, np.ones((8, 8, 1), np.uint8))).save(out, "PNG")
    return out.getvalue()


def _read(pictures: list[Path]) -> dict[Path, tuple[int, bytes]]:
    return {path: (path.stat().st_ino, path.read_bytes()) for path in pictures}


def _write_bare(contents: dict[Path, tuple[int, bytes]], source: Path, root: Path) -> None:
    """One write per distinct picture under a temporary name, one link for each other place."""
    written: dict[int, Path] = {}
    temporary = (root / f"{k}.tmp" for k in count())
    for folder in {path.parent for path in contents}:
        (root / folder.relative_to(source)).mkdir(parents=True)
    for path, (inode, png) in contents.items():
        place = root / path.relative_to(source)
        if inode in written:
            os.link(written[inode], place)
        else:
            name = next(temporary)
            name.write_bytes(png)
            written[inode] = name.replace(place)
