"""Drawn pictures of simple scenes, with the object that each pixel shows."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

COLORS = ((190, 60, 40), (40, 90, 190), (60, 150, 70), (210, 180, 60), (90, 90, 95))


def drawn_scene(seed: int, size: int = 128) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """A picture (size, size, 3) of five things before a wall, and the objects in it (size, size);
    -1 is the wall.
    """
    draw = np.random.default_rng(seed)
    shade = np.linspace(200, 150, size)[:, None, None].repeat(size, 1)
    picture = Image.fromarray((shade * (1.0, 0.97, 0.9)).astype(np.uint8))
    objects = Image.new("I", (size, size), -1)
    for k, color in enumerate(COLORS):
        left = round(size * (0.05 + 0.18 * k))
        top, tall = draw.integers(size // 6, size // 2), draw.integers(size // 5, size // 3)
        box = (left, int(top), left + size // 6, int(top + tall))
        for target, fill in ((picture, color), (objects, k)):
            pen = ImageDraw.Draw(target)
            (pen.ellipse if k % 2 else pen.rectangle)(box, fill=fill)
    return np.array(picture), np.array(objects, np.int32)
