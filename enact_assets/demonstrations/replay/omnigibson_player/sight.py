"""Views of a camera on each object, from instance segmentation."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from enact_assets.demonstrations.replay.omnigibson_player.intervals import Box


def boxes(labels: NDArray[Any], names: Mapping[Any, str], known: Collection[str]) -> dict[str, Box]:
    """Box of every object of ``known`` in ``labels`` (height, width): ids, named by ``names``.

    An object's parts may have several ids; background and what has no name are left out.
    """
    height, width = labels.shape
    ids, inverse = np.unique(labels, return_inverse=True)
    owners = [names.get(int(label), "") for label in ids]
    seen = sorted({owner for owner in owners if owner in known})
    if not seen:
        return {}
    # One more row collects unwanted labels.
    row_of = {name: k for k, name in enumerate(seen)}
    rows = np.array([row_of.get(owner, len(seen)) for owner in owners])[inverse.reshape(-1)]
    ys, xs = np.divmod(np.arange(labels.size), width)
    by_x = np.bincount(rows * width + xs, minlength=(len(seen) + 1) * width).reshape(-1, width)
    by_y = np.bincount(rows * height + ys, minlength=(len(seen) + 1) * height).reshape(-1, height)
    found: dict[str, Box] = {}
    for k, name in enumerate(seen):
        across, down = np.flatnonzero(by_x[k]), np.flatnonzero(by_y[k])
        pixels = int(by_x[k].sum())
        edges = (int(across[0]), int(down[0]), int(across[-1]), int(down[-1]))
        found[name] = (pixels, *edges, height, width)
    return found
