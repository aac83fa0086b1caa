"""Masks are cast in parts by several threads: nothing of that may show."""

import numpy as np
import pytest
from simulator.painted_world import first_state, small_world

from enact_assets.settings.registry import CameraSettings
from enact_assets.simulator.view import masks
from enact_assets.simulator.view.cameras import camera_pose
from enact_assets.simulator.view.poses import pose_world

SIZE = 65


@pytest.mark.parametrize("projection", ["pinhole", "fisheye"])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_mask_is_what_one_cast_of_all_its_rays_hits(
    monkeypatch: pytest.MonkeyPatch, threads: int, projection: str
) -> None:
    """Parts put back shifted by a few pixels would still look like a mask."""
    monkeypatch.setattr(masks, "CAST_THREADS", threads)
    world, camera = small_world(), CameraSettings(projection=projection)
    state = first_state(world)
    data = pose_world(world, state)
    hits = masks.cast_picture(world, data, camera_pose(world, data, camera), camera, SIZE)
    expected = np.where(hits.geom >= 0, masks.geom_objects(world)[hits.geom], masks.NO_OBJECT)
    assert len(np.unique(expected)) > 3
    mask = masks.object_masks(world, state, camera, SIZE)
    np.testing.assert_array_equal(mask, expected.reshape(SIZE, SIZE))
