"""Rows of ``training_statistics`` from pictures of key frames and the changes between them."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from enact_assets.contracts.components import Component
from enact_assets.learned.picture_features import features_of
from enact_assets.learned.read_facts import change_of
from enact_assets.learned.reading_targets import Step, targets_of
from enact_assets.segmentation.component_index import ComponentIndex


def statistics_rows(
    activity: str, seed: int, pictures: NDArray[np.uint8], index: ComponentIndex
) -> Iterator[dict[str, Any]]:
    """Of one demonstration: ``pictures`` (n, 128, 128, 3) of its key frames, then mirrored."""
    steps, since_before = _steps(index), _since_before(index)
    for is_mirrored in (False, True):
        features = features_of(pictures[:, :, ::-1] if is_mirrored else pictures)
        targets = targets_of(steps, len(pictures), is_mirrored=is_mirrored)
        readings = sorted(targets.net)
        net = np.stack([targets.net[reading] for reading in readings], axis=1)
        for k in range(len(pictures)):
            (is_read,) = np.nonzero(net[k])
            yield {
                "training_activity": activity,
                "seed": seed,
                "is_mirrored": is_mirrored,
                "key_frame": k,
                "features": features[k].tolist(),
                "joined": np.flatnonzero(targets.joined[k]).tolist(),
                "readings": [readings[r] for r in is_read],
                "net": net[k, is_read].tolist(),
                "changes": since_before[k],
            }


def _steps(index: ComponentIndex) -> list[Step]:
    """Steps that a question may take."""
    pairs, _ = index.edges()
    changes = index.texts(index.visible_bits(pairs))
    return [
        Step(int(i), int(j), tuple(change_of(Component.parse(text)) for text in texts))
        for (i, j), texts in zip(pairs, changes, strict=True)
    ]


def _since_before(index: ComponentIndex) -> list[list[str]]:
    """Per key frame, visible changes since the one before, as text."""
    n = index.n_key_frames
    pairs = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    return [[], *index.texts(index.visible_bits(pairs)).to_list()]
