"""OmniGibson's fisheye and the embedded one show the same rays, and only its pictures depend on it.

The player's settings are read through Isaac Sim's documented formula: no GPU is needed.
"""

import dataclasses
import math

import numpy as np
import pytest

from enact_assets.demonstrations.pictures.images import render_sha
from enact_assets.demonstrations.pictures.omnigibson_source import (
    render_sha as omnigibson_render_sha,
)
from enact_assets.demonstrations.pictures.recorded_states import KeyFrameState
from enact_assets.demonstrations.replay.omnigibson_player.look import fisheye_attributes
from enact_assets.demonstrations.replay.omnigibson_player.request import (
    PLAYER_VERSION,
    PlaybackRequest,
    View,
)
from enact_assets.engine.ids import content_sha
from enact_assets.settings import fisheye_lens
from enact_assets.settings.classes import CameraSettings, Variant
from enact_assets.settings.fisheye_lens import lens_of
from enact_assets.simulator.shapes.world import World, WorldState
from enact_assets.simulator.view.cameras import fisheye_directions

WORLD = World("<mujoco/>", (), {})
STILL = WorldState(np.zeros(0), np.zeros((0, 3)), np.zeros((0, 4)), np.zeros(0))
STATE = KeyFrameState("d", "state", 0, 0, STILL, "sha")


@pytest.mark.parametrize("size", [64, 301, 512])
def test_each_pixel_shows_the_same_ray_in_omnigibson(size: int) -> None:
    """Another angle, circle or centre would put two lenses under one name."""
    lens = fisheye_attributes(size, lens_of("fisheye"))
    assert (lens["fthetaWidth"], lens["fthetaHeight"]) == (size, size)
    across = np.arange(size) + 0.5
    x, y = np.meshgrid(across - lens["fthetaCx"], lens["fthetaCy"] - across)
    r = np.hypot(x, y)
    angle = sum(lens[f"fthetaPoly{letter}"] * r**n for n, letter in enumerate("ABCDE"))
    rays = fisheye_directions(CameraSettings(projection="fisheye"), size)
    shown = np.isfinite(rays[..., 0])
    np.testing.assert_array_equal(shown, angle <= math.radians(lens["fthetaMaxFov"] / 2))
    aside = np.sin(angle) / np.where(r > 0, r, 1)
    expected = np.stack([x * aside, y * aside, np.cos(angle)], axis=-1)
    np.testing.assert_allclose(rays[shown], expected[shown], rtol=0, atol=1e-12)


def test_the_angle_rises_to_the_corner_so_that_the_circle_is_one() -> None:
    r = np.linspace(0, math.sqrt(2), 1000)
    b, c = fisheye_lens.RADIANS_PER_HALF_EDGE, fisheye_lens.RADIANS_PER_HALF_EDGE_SQUARED
    assert (np.diff(b * r + c * r * r) > 0).all()
    share = fisheye_lens.CIRCLE_SHARE
    assert share == pytest.approx(0.877, abs=5e-4)


def test_another_lens_renames_pictures_of_the_fisheye_and_no_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Names of pinhole pictures are those from before the lens was written down."""
    pinhole = Variant("high", "state", camera=CameraSettings(height_offset_m=0.5))
    variants = (pinhole, dataclasses.replace(pinhole, camera=CameraSettings("fisheye")))

    def names() -> list[str]:
        asked = [
            PlaybackRequest("d", "f", 0, "o", View(projection=v.camera.projection))
            for v in variants
        ]
        return [render_sha(WORLD, STATE, v) for v in variants] + [
            omnigibson_render_sha("w", a, 0) for a in asked
        ]

    before = names()
    monkeypatch.setattr(fisheye_lens, "FIELD_OF_VIEW_DEG", 190.0)
    after = names()
    assert [a == b for a, b in zip(before, after, strict=True)] == [True, False, True, False]
    settings = [dataclasses.asdict(View()), "default", ["black_and_white"], 3, None]
    assert before[2] == content_sha(["omnigibson", PLAYER_VERSION, "w", 0, settings])
