"""The two recorded replays in the release's folder layout, with small pictures where wanted."""

import io
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from reference.conformance import TASKS, expected, replay_path


def write_inputs(root: Path, tasks: tuple[str, ...] = TASKS) -> Path:
    """``<root>/<task>/scene_graph_0.json.gz`` for each task."""
    for name in tasks:
        (root / name).mkdir(parents=True)
        shutil.copy(replay_path(name), root / name / "scene_graph_0.json.gz")
    return root


def picture(frame_id: int) -> bytes:
    """A PNG of its own for every frame."""
    generator = np.random.default_rng(frame_id)
    out = io.BytesIO()
    pixels = np.repeat(np.repeat(generator.integers(0, 255, (4, 4, 3), np.uint8), 16, 0), 16, 1)
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


def write_pictures(root: Path, name: str, without: tuple[int, ...] = ()) -> list[int]:
    """Pictures of all key frames of a task but ``without``; returns the ids that have one."""
    folder = root / name / "external_sensor1"
    folder.mkdir()
    ids = [i for i in expected(name)["segmentation"]["key_frame_ids"] if i not in without]
    for frame_id in ids:
        (folder / f"{frame_id:05d}.png").write_bytes(picture(frame_id))
    return ids


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def tree(root: Path) -> dict[str, bytes]:
    """Every file below ``root`` with its content."""
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}
