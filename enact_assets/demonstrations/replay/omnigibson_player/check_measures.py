"""What a check measures at some frames: lag of segmentation, speed, drift, the camera's pose."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from enact_assets.demonstrations.replay.omnigibson_player.intervals import Box, Fact

BOX_RGB = (255, 40, 40)
Pose = tuple[list[float], list[float]]
"""Position in metres, orientation as a quaternion (x, y, z, w)."""


@dataclass(frozen=True)
class Look:
    """What one frame showed, and when looking at it began and ended, in seconds.

    ``boxes`` by how many renders came before. ``held`` is what hands hold by the gripper's rule,
    ``said`` what OmniGibson says of it.
    """

    frame: int
    names: frozenset[str]
    boxes: Mapping[int, Mapping[str, Box]]
    held: frozenset[Fact]
    said: frozenset[Fact]
    facts_s: float
    render_s: float
    began_s: float
    ended_s: float

    def lagging(self, renders: int) -> list[str]:
        """Objects whose box after ``renders`` differs from the one after the last."""
        settled, then = self.boxes[max(self.boxes)], self.boxes[renders]
        return sorted(n for n in {*settled, *then} if settled.get(n) != then.get(n))


@dataclass
class Found:
    """What a check collects while it plays; what is found once is from the first frame."""

    looks: list[Look] = field(default_factory=list)
    camera: Pose | None = None
    link: Pose | None = None
    drift_m: dict[str, float] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)


def seconds_per_frame(looks: Sequence[Look]) -> float | None:
    """Seconds that a frame takes without looking at it; None if there were no such frames."""
    gaps = [
        (after.began_s - before.ended_s, after.frame - before.frame)
        for before, after in pairwise(looks)
    ]
    frames = sum(n for _, n in gaps)
    return sum(seconds for seconds, _ in gaps) / frames if frames else None


def save_beside(pixels: Any, boxes: Mapping[str, Box], path: Path) -> None:
    """Write a PNG file: the picture ``pixels`` (height, width, 3 or 4), and beside it the same
    with ``boxes`` and their names.
    """
    plain = Image.fromarray(np.ascontiguousarray(np.asarray(pixels)[..., :3].astype("uint8")))
    drawn = plain.copy()
    pen = ImageDraw.Draw(drawn)
    for name, (_, x_min, y_min, x_max, y_max, *_) in sorted(boxes.items()):
        pen.rectangle((x_min, y_min, x_max, y_max), outline=BOX_RGB)
        pen.text((x_min + 2, y_min + 1), name, fill=BOX_RGB)
    both = Image.new("RGB", (2 * plain.width, plain.height))
    both.paste(plain, (0, 0))
    both.paste(drawn, (plain.width, 0))
    both.save(path, "PNG")


def drift_of(
    registry: Mapping[str, Any], objects: Mapping[str, Any], robots: Sequence[str]
) -> dict[str, float]:
    """Distance in metres between where the scene file puts an object and where it is.

    ``registry`` is the object registry of the scene file; robots move at once and are left out.
    """
    found: dict[str, float] = {}
    for name, state in registry.items():
        recorded = state.get("root_link", {}).get("pos")
        if recorded is not None and name in objects and name not in robots:
            position, _ = pose_of(objects[name])
            found[name] = float(np.linalg.norm(np.subtract(position, recorded)))
    return found


def pose_of(thing: Any) -> Pose:
    """Pose of a prim in the world."""
    position, orientation = thing.get_position_orientation()
    return _numbers(position), _numbers(orientation)


def relative_pose(pose: Pose, base: Pose) -> Pose:
    """``pose`` in the frame of ``base``, both given in the world."""
    x, y, z, w = base[1]
    back = [-x, -y, -z, w]
    moved = [*np.subtract(pose[0], base[0]).tolist(), 0.0]
    return _product(_product(back, moved), base[1])[:3], _product(back, pose[1])


def angle_deg(a: Sequence[float], b: Sequence[float]) -> float:
    """Angle between two orientations; a quaternion and its negative are the same."""
    dot = abs(float(np.dot(a, b)) / float(np.linalg.norm(a) * np.linalg.norm(b)))
    return float(np.degrees(2 * np.arccos(min(dot, 1.0))))


def _product(a: Sequence[float], b: Sequence[float]) -> list[float]:
    """Product of two quaternions (x, y, z, w)."""
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
