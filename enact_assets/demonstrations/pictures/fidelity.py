"""Measures whether a picture repainted by an image model still shows the same scene.

Paper B.4.1 gives limits (figure 21) and no measures. Here an unchanged picture has no error, and a
faithful copy, such as a JPEG file of quality 85, keeps the limits:

- edge similarity: structural similarity of lightness along the boundaries of objects, their mean;
- masks: an edited picture has none. Both pictures are cut anew into the known objects, each pixel
  near a boundary by the nearer of the colours on its sides. Of both cuts, intersection over union
  of all objects together: of a single small object, a seam one pixel wide decides it;
- colour: difference of the means of hue, less in pale colours, and of lightness; worst object.
  Medians of a small thing of several colours jump by more than the limit in a JPEG file;
- silhouettes: how far the edges of an object moved, at their 90th percentile; worst object.
  Edges are those of lightness; of colour, where an object is as light as what is around it.

For recordings it is unknown which object a pixel shows. Their pictures are measured along their own
edges and in square tiles instead of objects, and masks are not compared.

Lightness, hue and chroma are those of CIELAB. Grain and fine texture are smoothed away before.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from enact_assets.engine.errors import RenderError
from enact_assets.settings.arrays import Floats
from enact_assets.settings.editing import EditingSettings

Image = NDArray[np.uint8]
Labels = NDArray[np.int32]

_SMOOTHING_PX = 1.5
_BAND_PX = 4
"""How far from a boundary an edge is looked for."""
_MIN_CHROMA = 20.0
"""With less colour, differences of hue count less."""
_MIN_SHARE = 0.005
"""Objects that cover less of the picture are not measured: a pixel more or less would decide."""
_TILES = 8
"""Along each edge of a picture without known objects."""
_MIN_EDGE_PX = 20
"""An object with fewer pixels of edge has no silhouette to measure."""
_STEEP = 2.0
"""Lightness per pixel from which on a ridge of the gradient is an edge."""
_WHITE = np.array([0.95047, 1.0, 1.08883])
_TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
     [0.0193339, 0.1191920, 0.9503041]]
)  # fmt: skip


@dataclass(frozen=True)
class Fidelity:
    """Measures of an edited picture; fields as the limits in :class:`EditingSettings`."""

    edge_similarity: float
    mask_iou: float
    hue_degrees: float
    lightness: float
    silhouette_px: float

    def broken(self, limits: EditingSettings) -> list[str]:
        """Texts about the limits that the picture breaks."""
        least, most = ("edge_similarity", "mask_iou"), ("hue_degrees", "lightness", "silhouette_px")
        low = [n for n in least if getattr(self, n) < getattr(limits, n)]
        high = [n for n in most if getattr(self, n) > getattr(limits, n)]
        return [
            *(f"{n} {getattr(self, n):.3f} (at least {getattr(limits, n):g})" for n in low),
            *(f"{n} {getattr(self, n):.1f} (at most {getattr(limits, n):g})" for n in high),
        ]


def measure_fidelity(original: Image, edited: Image, objects: Labels | None) -> Fidelity:
    """How much of ``original`` (h, w, 3) is left in ``edited``; ``objects`` (h, w) says which
    object each pixel of the original shows. Without them ``mask_iou`` is not a number, and keeps
    every limit.

    Errors: :class:`RenderError` for arrays of different sizes.
    """
    from scipy import ndimage

    size = original.shape[:2]
    if original.shape != edited.shape or (objects is not None and objects.shape != size):
        raise RenderError(
            f"an edited picture has the shape {edited.shape}, where the original has "
            f"{original.shape}: scale it, or its objects, first"
        )
    before, after = (_smoothed(_lab(picture)) for picture in (original, edited))
    if objects is None:
        labels, boundary = _tiles(size), _edges(before[..., :1])
    else:
        labels = np.unique(objects, return_inverse=True)[1].reshape(size).astype(np.int32)
        boundary = _boundary(labels)
    band = ndimage.binary_dilation(boundary, iterations=2)
    large = np.flatnonzero(np.bincount(labels.ravel()) >= _MIN_SHARE * labels.size)
    hue, lightness = _colour_differences(
        before, after, labels, large, counts_pale=objects is not None
    )
    similar = _similarity(before[..., 0], after[..., 0])
    return Fidelity(
        edge_similarity=float(similar[band].mean()) if band.any() else 1.0,
        mask_iou=math.nan
        if objects is None
        else _iou(_cut(before, labels, boundary), _cut(after, labels, boundary)),
        hue_degrees=hue,
        lightness=lightness,
        silhouette_px=_moved(before, after, labels, boundary, large),
    )


def _lab(picture: Image) -> Floats:
    """SRGB as CIELAB (h, w, 3), white D65."""
    levels = np.arange(256) / 255
    linear = np.where(levels <= 0.04045, levels / 12.92, ((levels + 0.055) / 1.055) ** 2.4)
    xyz = linear[picture] @ _TO_XYZ.T / _WHITE
    root = np.where(xyz > 216 / 24389, np.cbrt(xyz), (xyz * 24389 / 27 + 16) / 116)
    x, y, z = np.moveaxis(root, -1, 0)
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def _smoothed(lab: Floats) -> Floats:
    from scipy import ndimage

    found: Floats = ndimage.gaussian_filter(lab, (_SMOOTHING_PX, _SMOOTHING_PX, 0))
    return found


def _tiles(size: tuple[int, ...]) -> Labels:
    """Labels (h, w) of square tiles."""
    rows, columns = (np.arange(n) * _TILES // n for n in size)
    return (rows[:, None] * _TILES + columns).astype(np.int32)


def _boundary(objects: Labels) -> NDArray[np.bool_]:
    """Pixels beside another object."""
    found = np.zeros(objects.shape, np.bool_)
    across, down = objects[:, 1:] != objects[:, :-1], objects[1:] != objects[:-1]
    found[:, 1:] |= across
    found[:, :-1] |= across
    found[1:] |= down
    found[:-1] |= down
    return found


def _similarity(a: Floats, b: Floats) -> Floats:
    """Structural similarity at each pixel (Wang et al. 2004), lightness from 0 to 100."""
    from scipy import ndimage

    def mean(values: Floats) -> Floats:
        found: Floats = ndimage.gaussian_filter(values, 1.5)
        return found

    c1, c2 = (0.01 * 100) ** 2, (0.03 * 100) ** 2
    ma, mb = mean(a), mean(b)
    va, vb = mean(a * a) - ma * ma, mean(b * b) - mb * mb
    both = mean(a * b) - ma * mb
    found: Floats = ((2 * ma * mb + c1) * (2 * both + c2)) / (
        (ma * ma + mb * mb + c1) * (va + vb + c2)
    )
    return found


def _cut(lab: Floats, objects: Labels, boundary: NDArray[np.bool_]) -> Labels:
    """``objects`` cut anew: near a boundary a pixel goes to the object whose colour around is
    nearest.
    """
    from scipy import ndimage

    band = ndimage.binary_dilation(boundary, iterations=_BAND_PX)
    best = np.full(objects.shape, np.inf, np.float32)
    cut, lab32 = objects.copy(), lab.astype(np.float32)
    margin = 3 * _BAND_PX
    for label, (rows, columns) in enumerate(ndimage.find_objects(objects + 1)):
        near = np.s_[
            max(0, rows.start - margin) : rows.stop + margin,
            max(0, columns.start - margin) : columns.stop + margin,
        ]
        is_it = objects[near] == label
        inside = ndimage.binary_erosion(is_it, iterations=2)
        kept = (inside if inside.any() else is_it).astype(np.float32)
        # The mean colour of the object around each pixel; box filters, which are quick.
        weight = _around(kept)
        colour = np.stack([_around(lab32[near][..., k] * kept) for k in range(3)], axis=-1)
        colour /= np.maximum(weight, 1e-3)[..., None]
        off = np.where(weight > 1e-3, ((lab32[near] - colour) ** 2).sum(-1), np.inf)
        is_better = (off < best[near]) & band[near]
        cut[near][is_better] = label
        best[near][is_better] = off[is_better]
    return cut


def _around(values: NDArray[np.float32]) -> NDArray[np.float32]:
    from scipy import ndimage

    found: NDArray[np.float32] = ndimage.uniform_filter(values, 4 * _BAND_PX + 1)
    return found


def _iou(before: Labels, after: Labels) -> float:
    """Intersection over union of all objects together: a pixel that changed hands is in neither
    intersection and in both unions.
    """
    same = int((before == after).sum())
    return same / (2 * before.size - same)


def _colour_differences(
    before: Floats,
    after: Floats,
    objects: Labels,
    labels: NDArray[np.intp],
    *,
    counts_pale: bool,
) -> tuple[float, float]:
    """Largest difference of hue in degrees, and of lightness, between the means of an object.

    Pale colours count by their chroma; of tiles, which mix things that differ, not at all.
    """
    hues, lightnesses = [0.0], [0.0]
    for label in labels:
        a, b = (lab[objects == label].mean(axis=0) for lab in (before, after))
        lightnesses.append(abs(float(a[0] - b[0])))
        chroma = [float(np.hypot(*values[1:])) for values in (a, b)]
        if min(chroma) < _MIN_CHROMA and max(chroma) >= 1.5 * _MIN_CHROMA:
            hues.append(180.0)  # colour came or went
        turn = np.degrees(np.arctan2(a[2], a[1]) - np.arctan2(b[2], b[1]))
        # The paler, the less: 3 degrees are as far as they are at the chroma from which hue counts.
        share = float(min(chroma) >= _MIN_CHROMA)
        if counts_pale:
            share = min(1.0, math.sqrt(chroma[0] * chroma[1]) / _MIN_CHROMA)
        hues.append(abs((float(turn) + 180) % 360 - 180) * share)
    return max(hues), max(lightnesses)


def _moved(
    before: Floats,
    after: Floats,
    objects: Labels,
    boundary: NDArray[np.bool_],
    labels: NDArray[np.intp],
) -> float:
    """How far edges of an object are from the nearest edge of the edited picture, in pixels: the
    90th percentile, of the worst object. Of a thing as light as what is around, edges of colour.
    """
    from scipy import ndimage

    near = ndimage.binary_dilation(boundary, iterations=1)
    found, left = [0.0], list(labels)
    for n_channels in (1, 3):
        edges = _edges(before[..., :n_channels]) & near
        # The same edge may be a little fainter.
        others = _edges(after[..., :n_channels], _STEEP / 2)
        distance = np.full(others.shape, float(max(others.shape)))
        if others.any():
            distance = ndimage.distance_transform_edt(~others)
        own = {label: distance[edges & (objects == label)] for label in left}
        left = [label for label in left if own[label].size < _MIN_EDGE_PX]
        found += [float(np.percentile(own[k], 90)) for k in own.keys() - left]
    return max(found)


def _edges(lab: Floats, steepness: float = _STEEP) -> NDArray[np.bool_]:
    """Ridges (h, w) of the gradient of all channels (h, w, n) together: pixels that are steep, and
    steeper than both neighbours along or across.
    """
    from scipy import ndimage

    channels = np.moveaxis(lab, -1, 0)
    dy, dx = (
        np.sqrt(sum((ndimage.sobel(channel, axis) / 8) ** 2 for channel in channels))
        for axis in (0, 1)
    )
    steep = np.hypot(dx, dy)
    across = (steep >= np.roll(steep, 1, 1)) & (steep >= np.roll(steep, -1, 1))
    down = (steep >= np.roll(steep, 1, 0)) & (steep >= np.roll(steep, -1, 0))
    found: NDArray[np.bool_] = np.where(dx >= dy, across, down) & (steep > steepness)
    return found
