"""The two recorded replays in the release's folder layout, with small pictures where wanted."""

import io
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from enact_assets.cli import main
from enact_assets.questions.asked.official import (
    OfficialQuestion,
    image_paths,
    official_id,
    question_type,
)

from reference.conformance import TASKS, expected, replay_path


def write_inputs(root: Path, tasks: tuple[str, ...] = TASKS) -> Path:
    """``<root>/<task>/scene_graph_0.json.gz`` for each task."""
    for name in tasks:
        (root / name).mkdir(parents=True)
        shutil.copy(replay_path(name), root / name / "scene_graph_0.json.gz")
    return root


def png(pixels: np.ndarray) -> bytes:
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


def picture(frame_id: int) -> bytes:
    """A PNG of its own for every frame."""
    generator = np.random.default_rng(frame_id)
    return png(np.repeat(np.repeat(generator.integers(0, 255, (4, 4, 3), np.uint8), 16, 0), 16, 1))


def write_pictures(root: Path, name: str, without: tuple[int, ...] = ()) -> list[int]:
    """Pictures of all key frames of a task but ``without``; returns the ids that have one."""
    folder = root / name / "external_sensor1"
    folder.mkdir()
    ids = [i for i in expected(name)["segmentation"]["key_frame_ids"] if i not in without]
    for frame_id in ids:
        (folder / f"{frame_id:05d}.png").write_bytes(picture(frame_id))
    return ids


def fridge_frames() -> dict[str, dict[str, Any]]:
    """A folded fridge: from frame 300 on it is open too, from 600 on cooked too."""
    frames = {}
    for frame_id in range(912):
        states = ["Folded"] + ["Open"] * (frame_id >= 300) + ["Cooked"] * (frame_id >= 600)
        node: dict[str, Any] = {"name": "fridge_1", "category": "fridge", "states": states}
        node["visibility"] = {"external_sensor1": [500, 0, 0, 9, 9, 64, 64]}
        frames[str(frame_id)] = {"nodes": [node], "edges": [], "type": "full"}
    return frames


def a_question(task: str = "task_1") -> OfficialQuestion:
    """Of three key frames, as the release names it."""
    ids, type_ = ["59", "270", "481"], question_type("forward", 3, is_published=True)
    name = official_id(task, type_, ids)
    images = image_paths(name, type_, task, 3)
    return OfficialQuestion(name, type_, task, ids, images, "Which?\n", [], [2, 1])


def run(*arguments: object) -> int:
    return main([str(a) for a in arguments])


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def tree(root: Path) -> dict[str, bytes]:
    """Every file below ``root`` with its content."""
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}
