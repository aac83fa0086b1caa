"""Renderer modes and robot appearances: each changes what it is meant to change, and no more.

Backends: LLVM draws what the scalar one draws, up to noise, and says what it lacks."""

import dataclasses
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from simulator.painted_world import first_state, small_world

from enact_assets.engine.errors import RenderError
from enact_assets.settings.registry import AppearanceSettings, RendererSettings, Variant
from enact_assets.simulator.rendering import scenes
from enact_assets.simulator.rendering.backends import LEAST_LLVM, llvm_major
from enact_assets.simulator.rendering.lighting import find_room, lights
from enact_assets.simulator.rendering.modes import GRAIN, MODES, filmed, render_mode, tone_mapped
from enact_assets.simulator.rendering.renderer import Renderer
from enact_assets.simulator.shapes.world import World, WorldState
from enact_assets.simulator.view.masks import object_masks
from enact_assets.simulator.view.poses import pose_world, state_seed

SIZE = 96
Floats = NDArray[np.float64]


@cache
def world() -> World:
    return small_world()


def variant(mode: str = "default", robot: str = "black_and_white") -> Variant:
    settings = RendererSettings(path_depth=4, samples=2, size_px=SIZE, mode=mode)
    return Variant("small", "state", renderer=settings, appearance=AppearanceSettings(robot))


@cache
def renderer(mode: str = "default", robot: str = "black_and_white") -> Renderer:
    return Renderer(world(), variant(mode, robot))


@cache
def picture(mode: str = "default", robot: str = "black_and_white") -> Floats:
    return renderer(mode, robot).render(first_state(world())).astype(float)


def moved() -> WorldState:
    """The robot a little to the side: another frame."""
    state = first_state(world())
    return dataclasses.replace(state, mocap_pos=state.mocap_pos + np.array([[0.01, 0.0, 0.0]]))


def inner(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The mask without its border, where colours of neighbours mix."""
    padded = np.pad(mask, 1)
    return mask & padded[:-2, 1:-1] & padded[2:, 1:-1] & padded[1:-1, :-2] & padded[1:-1, 2:]


@cache
def robot_pixels() -> NDArray[np.bool_]:
    index = [o.name for o in world().objects].index("robot")
    mask = object_masks(world(), first_state(world()), variant().camera, SIZE) == index
    assert inner(mask).sum() > 50
    return mask


@cache
def black_parts() -> NDArray[np.bool_]:
    """Pixels of the robot that are black in the baseline."""
    black = inner(robot_pixels()) & (picture().max(axis=-1) < 110)
    assert black.sum() >= 5
    return black


def around(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return ~inner(~mask)


@pytest.mark.parametrize("robot", ["white", "random", "skin"])
def test_an_appearance_recolours_the_robot_and_hardly_anything_else(robot: str) -> None:
    """A look that also dims the room would be measured as an effect of the robot's colour."""
    differs = np.abs(picture(robot=robot) - picture()).max(axis=-1)
    assert differs[black_parts()].mean() > 40
    assert differs[~around(robot_pixels())].mean() < 3


def test_a_white_robot_has_no_black_and_a_skin_one_is_warm() -> None:
    """A look that keeps the black hand is the baseline with cosmetics."""
    hand = black_parts()
    white, skin = picture(robot="white")[hand], picture(robot="skin")[hand]
    assert white.min() > 140
    assert np.ptp(white.mean(axis=0)) < 25
    red, green, blue = skin.mean(axis=0)
    assert red > green + 15 > blue + 25


def test_a_random_colour_changes_with_the_frame_and_repeats_for_it() -> None:
    """Kept from the last frame, it would depend on the order of rendering and so on the number of
    workers; the same for all frames, it would be one more plain colour.
    """
    ours, before = renderer(robot="random"), picture(robot="random")
    other = ours.render(moved()).astype(float)
    hand = inner(robot_pixels()) & inner(inner(robot_pixels()))
    assert np.abs(other[hand].mean(axis=0) - before[hand].mean(axis=0)).max() > 25
    np.testing.assert_array_equal(ours.render(first_state(world())), before)
    fresh = Renderer(small_world(), variant(robot="random"), threads=1)
    np.testing.assert_array_equal(fresh.render(first_state(world())), before)


def test_random_colours_are_many() -> None:
    """A hash cut too short gives most frames one colour."""
    state = first_state(world())
    seeds = {
        state_seed(dataclasses.replace(state, mocap_pos=state.mocap_pos + 0.001 * k))
        for k in range(50)
    }
    assert len(seeds) == 50


def test_a_seed_is_that_of_the_logged_numbers() -> None:
    """States are logged as 32-bit floats: the live state must get the colour of the logged one."""
    state = moved()
    logged = dataclasses.replace(
        state, mocap_pos=state.mocap_pos.astype(np.float32).astype(np.float64)
    )
    assert not np.array_equal(logged.mocap_pos, state.mocap_pos)
    assert state_seed(logged) == state_seed(state) != state_seed(first_state(world()))


def test_path_tracing_shows_the_default_with_less_noise() -> None:
    """Other light under this name would mix two settings in one probe."""
    difference = np.abs(picture("path_tracing") - picture())
    assert 0 < difference.mean() < 6
    settings = render_mode(variant("path_tracing").renderer).effort.of(variant().renderer)
    assert (settings.path_depth, settings.samples) == (12, 16)
    assert settings.size_px == SIZE


def test_ray_tracing_only_is_black_where_no_lamp_shines() -> None:
    """With one bounce more, or any ambient light, shadows are grey as in the default."""
    direct, usual = picture("ray_tracing_only"), picture()
    dark = direct.max(axis=-1) <= 2
    assert dark.mean() > 0.008
    # Shadows, not black things: the default shows something there.
    assert np.median(usual[dark].max(axis=-1)) > 60
    assert (direct <= usual + 12).mean() > 0.98
    room = find_room(world(), pose_world(world(), first_state(world())))
    assert set(lights(room, MODES["ray_tracing_only"].lighting)) == {"panel"}
    assert set(lights(room)) == {"ambient", "panel"}


def test_ray_tracing_only_has_no_reflections_and_keeps_glow() -> None:
    """A gloss lobe would still mirror the lamp; a dead burner would hide a state."""
    surfaces = {MODES["ray_tracing_only"].surface(s).finish for s in world().surfaces.values()}
    assert surfaces == {"matte"}
    glow = world().cues[0].surfaces_on["burner_geom"]
    for mode in MODES.values():
        assert mode.surface(glow) == glow
    assert render_mode(variant("ray_tracing_only").renderer).effort.of(variant().renderer) == (
        dataclasses.replace(variant().renderer, path_depth=2)
    )


def test_realistic_is_warmer_and_finer_but_the_same_scene() -> None:
    """It may change tone and detail; a thing that vanishes would change the answers."""
    real, usual = picture("realistic"), picture()
    warmth = [p[..., 0].mean() - p[..., 2].mean() for p in (real, usual)]
    assert warmth[0] > warmth[1] + 10
    assert 80 < real.mean() < 200
    steps = [np.abs(np.diff(p, axis=1)).mean(axis=-1) for p in (real, usual)]
    assert np.median(steps[0]) > np.median(steps[1]) + 0.5
    agreement = np.corrcoef(real.mean(axis=-1).ravel(), usual.mean(axis=-1).ravel())[0, 1]
    assert agreement > 0.8
    for name, strongest in (("ball", 0), ("bowl", 2)):
        index = [o.name for o in world().objects].index(name)
        masks = object_masks(world(), first_state(world()), variant().camera, SIZE)
        color = real[inner(masks == index)].mean(axis=0)
        assert color.argmax() == strongest
    again = renderer("realistic").render(first_state(world()))
    np.testing.assert_array_equal(again, real)


def test_grain_follows_the_seed_and_is_slight() -> None:
    """One pattern over all frames would be the same in pictures that should be told apart."""
    grey = np.full((64, 64, 3), 0.4, dtype=np.float32)
    one, two = filmed(grey, 1), filmed(grey, 2)
    np.testing.assert_array_equal(one, filmed(grey, 1))
    assert (one != two).mean() > 0.5
    assert one.astype(float).std() == pytest.approx(255 * GRAIN, rel=0.15)
    assert (one[..., 0] == one[..., 2]).all()
    assert not filmed(np.zeros((8, 8, 3), dtype=np.float32), 1).any()


def test_the_film_curve_deepens_shadows() -> None:
    """A curve that runs backwards inverts light and dark; one that is linear is the default."""
    ramp = np.repeat(np.linspace(0, 6, 200, dtype=np.float32)[None, :, None], 3, axis=2)
    mean = np.mean([filmed(ramp, k)[0, :, 0] for k in range(40)], axis=0)
    assert (np.diff(mean) > -2).all()
    assert mean[-1] > 240
    assert mean[1] < tone_mapped(ramp)[0, 1, 0] - 20


AGREEMENT = 1.5
"""Two backends may differ by so many times what two seeds of one differ by."""


@cache
def has_llvm() -> bool:
    try:
        return llvm_major() >= LEAST_LLVM
    except RenderError:
        return False


def drawn_by(backend: str, threads: int = 1) -> NDArray[np.float64]:
    settings = RendererSettings(path_depth=6, samples=2, size_px=128, backend=backend)
    renderer = Renderer(small_world(), Variant("small", "state", renderer=settings), threads)
    return renderer.render(first_state(renderer.world)).astype(float)


@pytest.fixture
def forgotten() -> Iterator[None]:
    llvm_major.cache_clear()
    yield
    llvm_major.cache_clear()


@pytest.mark.parametrize(("found", "named"), [(-1, "no LLVM library"), (15, "LLVM 15")])
@pytest.mark.usefixtures("forgotten")
def test_a_missing_or_old_llvm_is_an_error_that_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, found: int, named: str
) -> None:
    """An old LLVM ends the process while it compiles; nothing could be said then."""
    monkeypatch.setattr("drjit.detail.llvm_version", lambda: (found, 0, 0))
    with pytest.raises(RenderError, match=f"{named} and needs LLVM {LEAST_LLVM}.*scalar"):
        drawn_by("llvm")
    assert drawn_by("scalar").std() > 0.0


@pytest.mark.slow
def test_llvm_agrees_with_scalar_and_threads_change_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another material or light under one backend would make probes compare backends."""
    if not has_llvm():
        pytest.skip(f"no LLVM {LEAST_LLVM} or newer; DRJIT_LIBLLVM_PATH names one")
    scalar, llvm = drawn_by("scalar"), drawn_by("llvm")
    np.testing.assert_array_equal(drawn_by("llvm", threads=2), llvm)
    np.testing.assert_array_equal(drawn_by("scalar"), scalar)
    monkeypatch.setattr(scenes, "SEED", scenes.SEED + 1)
    seeds = np.abs(drawn_by("scalar") - scalar).mean()
    assert np.abs(llvm - scalar).mean() < AGREEMENT * seeds
    # A bias would not show in differences of noisy pixels, but in their mean.
    assert abs((llvm - scalar).mean()) < 1.0
