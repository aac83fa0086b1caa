"""What a check measures at some frames: lag of segmentation, speed, drift, the camera's pose."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from enact_assets.replay.omnigibson_player.intervals import Box, Fact

SETTLE_RENDERS = 8
"""Renders after which a picture is taken for settled: more than any replay uses."""
BOX_RGB = (255, 40, 40)


@dataclass
class Look:
    """What one frame showed; ``boxes`` by how many renders came before."""

    frame: int
    facts: set[Fact]
    names: set[str]
    boxes: dict[int, dict[str, Box]]
    picture: str
    facts_s: float
    render_s: float
    began_s: float
    ended_s: float

    def lagging(self, renders: int) -> list[str]:
        """Objects whose box after ``renders`` is another one than the settled one."""
        settled, then = self.boxes[max(self.boxes)], self.boxes[renders]
        return sorted(n for n in {*settled, *then} if settled.get(n) != then.get(n))


@dataclass
class Scene:
    """What is found once, at the first frame looked at: metres, quaternions (x, y, z, w)."""

    camera: tuple[list[float], list[float]]
    link: tuple[list[float], list[float]]
    drift_m: dict[str, float]
    missing: list[str]


@dataclass
class Found:
    """What a check collects while it plays."""

    looks: list[Look] = field(default_factory=list)
    scene: Scene | None = None
    grasps: list[tuple[int, str, str, bool, bool]] = field(default_factory=list)
    """Frame, hand, object; whether the facts say it is held, and whether OmniGibson does."""

    def play_s(self) -> float | None:
        """Seconds that a frame takes without looking; None if all were looked at, or one only."""
        gaps = [
            (after.began_s - before.ended_s, after.frame - before.frame)
            for before, after in zip(self.looks, self.looks[1:], strict=False)
        ]
        frames = sum(n for _, n in gaps)
        return sum(seconds for seconds, _ in gaps) / frames if frames else None


def save_beside(pixels: Any, boxes: Mapping[str, Box], path: Path) -> None:
    """Write a PNG file: the picture ``pixels`` (height, width, 3 or 4), and beside it the same
    with ``boxes`` and their names.
    """
    plain = Image.fromarray(np.asarray(pixels)[..., :3].astype("uint8"))
    drawn = plain.copy()
    pen = ImageDraw.Draw(drawn)
    for name, (_, x_min, y_min, x_max, y_max, *_) in sorted(boxes.items()):
        pen.rectangle((x_min, y_min, x_max, y_max), outline=BOX_RGB)
        pen.text((x_min + 2, y_min + 1), name, fill=BOX_RGB)
    both = Image.new("RGB", (2 * plain.width, plain.height))
    both.paste(plain, (0, 0))
    both.paste(drawn, (plain.width, 0))
    both.save(path, "PNG")


def drift_of(scene_file: Mapping[str, Any], objects: Mapping[str, Any]) -> dict[str, float]:
    """Distance in metres between where the scene file puts an object and where it is now."""
    registries = scene_file.get("state", {})
    registries = registries.get("registry", registries)
    found: dict[str, float] = {}
    for name, state in registries.get("object_registry", {}).items():
        recorded = state.get("root_link", {}).get("pos")
        if recorded is not None and name in objects:
            position, _ = pose_of(objects[name])
            found[name] = float(np.linalg.norm(np.subtract(position, recorded)))
    return found


def pose_of(thing: Any) -> tuple[list[float], list[float]]:
    """Position and orientation of a prim in the world."""
    position, orientation = thing.get_position_orientation()
    return _numbers(position), _numbers(orientation)


def relative_pose(
    pose: tuple[list[float], list[float]], base: tuple[list[float], list[float]]
) -> tuple[list[float], list[float]]:
    """``pose`` in the frame of ``base``, both given in the world."""
    turn = _rotation(base[1])
    position = turn.T @ np.subtract(pose[0], base[0])
    x, y, z, w = base[1]
    return position.tolist(), _product([-x, -y, -z, w], pose[1])


def angle_deg(a: list[float], b: list[float]) -> float:
    """Angle between two orientations; a quaternion and its negative are the same."""
    dot = abs(float(np.dot(a, b)) / float(np.linalg.norm(a) * np.linalg.norm(b)))
    return float(np.degrees(2 * np.arccos(min(dot, 1.0))))


def _rotation(quaternion: list[float]) -> Any:
    x, y, z, w = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def _product(a: list[float], b: list[float]) -> list[float]:
    x, y, z, w = a
    p, q, r, s = b
    return [
        w * p + x * s + y * r - z * q,
        w * q - x * r + y * s + z * p,
        w * r + x * q - y * p + z * s,
        w * s - x * p - y * q - z * r,
    ]


def _numbers(tensor: Any) -> list[float]:
    array = tensor.cpu().numpy() if hasattr(tensor, "cpu") else np.asarray(tensor)
    return [float(x) for x in array.reshape(-1)]
