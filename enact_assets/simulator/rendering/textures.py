"""Procedural textures: small tileable pictures in linear RGB, the same on every machine.

Each texture repeats after a whole number of periods of ``Surface.scale_m``. Renderer and denoiser
guide read the same picture at the same coordinates, so the guide shows what the renderer shows.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from enact_assets.engine.errors import entry_named
from enact_assets.settings.arrays import Floats, Floats32
from enact_assets.simulator.shapes.surfaces import Surface

EDGE_PX = 256


@lru_cache(maxsize=128)
def texture_picture(surface: Surface) -> Floats32:
    """Colours of one repeat of the texture, (256, 256, 3) linear RGB; rows run along v.

    Errors: :class:`UnknownNameError` for an unknown texture.
    """
    weight = _texture(surface.texture)[0]()
    first, second = np.array(surface.color), np.array(surface.second)
    mixed = first + weight[..., None] * (second - first)
    picture: Floats32 = np.clip(mixed, 0.0, 1.0).astype(np.float32)
    picture.setflags(write=False)
    return picture


def texture_colors(surface: Surface, coordinates_m: Floats) -> Floats:
    """Colours (n, 3) at surface coordinates (n, 2) in metres, bilinear and repeating."""
    if surface.texture == "plain":
        return np.broadcast_to(np.array(surface.color), (len(coordinates_m), 3)).copy()
    picture = texture_picture(surface).astype(np.float64)
    place = texture_uv(surface, coordinates_m) * EDGE_PX - 0.5
    low = np.floor(place).astype(np.int64)
    part = place - low
    u, v = part[:, :1], part[:, 1:]
    column, row = low[:, 0] % EDGE_PX, low[:, 1] % EDGE_PX
    right, below = (column + 1) % EDGE_PX, (row + 1) % EDGE_PX
    upper = picture[row, column] * (1.0 - u) + picture[row, right] * u
    lower = picture[below, column] * (1.0 - u) + picture[below, right] * u
    return np.asarray(upper * (1.0 - v) + lower * v)


def texture_uv(surface: Surface, coordinates_m: Floats) -> Floats:
    """Texture coordinates, in repeats of the picture, of surface coordinates in metres."""
    span = np.array(_texture(surface.texture)[1]) * surface.scale_m
    return np.asarray(coordinates_m / span)


def _grid() -> tuple[Floats, Floats]:
    """Coordinates u and v in [0, 1) at texel centres, each (256, 256)."""
    at = (np.arange(EDGE_PX) + 0.5) / EDGE_PX
    u, v = np.meshgrid(at, at)
    return u, v


def _noise(frequency_u: int, frequency_v: int, seed: int) -> Floats:
    """Smooth repeating noise in [-1, 1]: random values on a grid, cosine-blended."""
    values = np.random.default_rng(seed).uniform(-1.0, 1.0, (frequency_v, frequency_u))
    u, v = _grid()
    x, y = u * frequency_u, v * frequency_v
    column, row = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
    s = (1.0 - np.cos(np.pi * (x - column))) / 2.0
    t = (1.0 - np.cos(np.pi * (y - row))) / 2.0
    right, below = (column + 1) % frequency_u, (row + 1) % frequency_v
    upper = values[row, column] * (1.0 - s) + values[row, right] * s
    lower = values[below, column] * (1.0 - s) + values[below, right] * s
    return np.asarray(upper * (1.0 - t) + lower * t)


def _plain() -> Floats:
    return np.zeros((EDGE_PX, EDGE_PX))


def _wood() -> Floats:
    """Grain along u: two layers of bent lines and a slow change of tone."""
    _, v = _grid()
    bend = 0.035 * _noise(3, 3, 1) + 0.012 * _noise(7, 5, 2)
    lines = np.sin(2.0 * np.pi * 12.0 * (v + bend)) * 0.5 + 0.5
    fibres = _noise(10, 128, 3)
    tone = _noise(2, 6, 4)
    return np.clip(0.10 + 0.16 * lines**2 + 0.05 * fibres + 0.08 * tone, 0.0, 0.5)


def _tile() -> Floats:
    """Square tiles with a joint along each period; every tile has a tone of its own."""
    n = 4
    u, v = _grid()
    tone = np.random.default_rng(5).uniform(0.0, 0.07, (n, n))
    body = tone[(v * n).astype(np.int64), (u * n).astype(np.int64)]
    du, dv = np.abs((u * n) % 1.0 - 0.5), np.abs((v * n) % 1.0 - 0.5)
    joint = np.clip((np.maximum(du, dv) - 0.478) / 0.012, 0.0, 1.0)
    return np.asarray(body * (1.0 - joint) + 0.45 * joint)


def _marble() -> Floats:
    """Thin veins where a warped field crosses zero, over soft clouds."""
    u, v = _grid()
    warp = _noise(3, 3, 6) + 0.5 * _noise(6, 6, 7) + 0.25 * _noise(12, 12, 8)
    vein = np.abs(np.sin(np.pi * (2.0 * u + 1.0 * v + 0.9 * warp)))
    return np.clip(0.5 * np.exp(-vein * 9.0) + 0.07 * (1.0 + _noise(4, 4, 9)), 0.0, 0.6)


def _stripes() -> Floats:
    u, _ = _grid()
    return np.where(u * 4.0 % 1.0 < 0.5, 0.0, 1.0)


def _checks() -> Floats:
    u, v = _grid()
    return np.where((np.floor(u * 8.0) + np.floor(v * 8.0)) % 2.0 == 0.0, 0.0, 1.0)


def _speckles() -> Floats:
    """Round dots of the second colour, about three per period, none cut at the border."""
    u, v = _grid()
    rng = np.random.default_rng(10)
    weight = np.zeros((EDGE_PX, EDGE_PX))
    for x, y, radius in zip(
        rng.uniform(size=48), rng.uniform(size=48), rng.uniform(0.012, 0.03, 48), strict=True
    ):
        du = np.abs(u - x)
        dv = np.abs(v - y)
        away = np.hypot(np.minimum(du, 1.0 - du), np.minimum(dv, 1.0 - dv))
        weight = np.maximum(weight, np.clip((radius - away) * EDGE_PX / 2.0, 0.0, 1.0))
    return weight


def _brick() -> Floats:
    """Courses of bricks a third as high as long, each shifted by half a brick; paler joints."""
    n_u, n_v = 4, 12
    u, v = _grid()
    course = (v * n_v).astype(np.int64)
    along = u * n_u + 0.5 * (course % 2)
    tone = np.random.default_rng(11).uniform(0.0, 0.16, (n_v, n_u))
    body = tone[course, along.astype(np.int64) % n_u]
    du, dv = np.abs(along % 1.0 - 0.5), np.abs(v * n_v % 1.0 - 0.5)
    joint = np.clip(np.maximum((du - 0.46) / 0.02, (dv - 0.4) / 0.05), 0.0, 1.0)
    return np.asarray(body * (1.0 - joint) + 0.7 * joint)


def _mottled() -> Floats:
    """Faint clouds and finer grit: paint and plastic that have been used."""
    clouds = 0.10 * _noise(5, 5, 20) + 0.05 * _noise(13, 11, 21)
    grit = 0.05 * _noise(61, 59, 22) + 0.04 * _noise(128, 128, 23)
    return np.clip(0.14 + clouds + grit, 0.0, 0.5)


def _brushed() -> Floats:
    """Fine scratches along u, over a slow change of tone."""
    scratches = 0.14 * _noise(3, 128, 24) + 0.08 * _noise(11, 97, 25)
    return np.clip(0.22 + scratches + 0.06 * _noise(4, 3, 26), 0.0, 0.5)


def _fine_wood() -> Floats:
    """Wood with rings of uneven width, dark pores and figure across the grain."""
    _, v = _grid()
    bend = 0.035 * _noise(3, 3, 1) + 0.015 * _noise(7, 5, 2) + 0.004 * _noise(23, 17, 27)
    rings = 0.6 * np.sin(2.0 * np.pi * 12.0 * (v + bend)) + 0.4 * np.sin(
        2.0 * np.pi * 31.0 * (v + 1.3 * bend)
    )
    pores = np.clip(_noise(20, 128, 28) - 0.35, 0.0, 1.0)
    figure = 0.05 * _noise(40, 9, 29) + 0.08 * _noise(2, 6, 4)
    return np.clip(0.10 + 0.17 * (0.5 + 0.5 * rings) ** 2 + 0.3 * pores + figure, 0.0, 0.6)


def _worn_tile() -> Floats:
    """Tiles with dirt in uneven joints and a cloudy glaze."""
    glaze = 0.05 * _noise(9, 9, 30) + 0.03 * _noise(43, 41, 31) + 0.02 * _noise(128, 128, 32)
    return np.clip(1.2 * _tile() + 0.05 + glaze, 0.0, 0.6)


def _texture(name: str) -> tuple[Callable[[], Floats], tuple[int, int]]:
    return entry_named(TEXTURES, name, "texture")


TEXTURES: dict[str, tuple[Callable[[], Floats], tuple[int, int]]] = {
    "plain": (_plain, (1, 1)),
    "wood": (_wood, (8, 4)),
    "tile": (_tile, (4, 4)),
    "marble": (_marble, (4, 4)),
    "stripes": (_stripes, (4, 4)),
    "checks": (_checks, (4, 4)),
    "speckles": (_speckles, (4, 4)),
    "brick": (_brick, (4, 4)),
    "mottled": (_mottled, (4, 4)),
    "brushed": (_brushed, (4, 4)),
    "fine_wood": (_fine_wood, (8, 4)),
    "worn_tile": (_worn_tile, (4, 4)),
}
"""Name -> what makes its picture, and how many periods of ``scale_m`` that spans along u and v."""
