"""Pictures: the same every time, everything where the mask says, in the colour it was given."""

import dataclasses
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from simulator.painted_world import first_state, small_world

from enact_assets.engine.errors import RenderError, UnknownNameError
from enact_assets.settings.registry import (
    AppearanceSettings,
    CameraSettings,
    RendererSettings,
    Variant,
)
from enact_assets.simulator.rendering.meshes import face_normals, geom_mesh
from enact_assets.simulator.rendering.modes import tone_mapped
from enact_assets.simulator.rendering.renderer import Denoiser, Renderer, denoiser, guides
from enact_assets.simulator.rendering.scenes import TracedScene, drawn_geoms
from enact_assets.simulator.rendering.textures import TEXTURES, texture_colors, texture_picture
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.shapes.world import World, WorldState
from enact_assets.simulator.view.cameras import camera_pose
from enact_assets.simulator.view.masks import cast_picture, object_masks
from enact_assets.simulator.view.poses import pose_world

SIZE = 128
VARIANT = Variant(
    "small", "state", renderer=RendererSettings(path_depth=4, samples=2, size_px=SIZE)
)
Picture = NDArray[np.uint8]


@cache
def world() -> World:
    return small_world()


@cache
def renderer() -> Renderer:
    return Renderer(world(), VARIANT)


@cache
def first_picture() -> Picture:
    return renderer().render(first_state(world()))


def changed(**arrays: np.ndarray) -> WorldState:
    return dataclasses.replace(first_state(world()), **arrays)


def opened() -> WorldState:
    qpos = first_state(world()).qpos.copy()
    qpos[-1] = 1.5
    return changed(qpos=qpos)


def pixels_of(name: str, state: WorldState) -> NDArray[np.bool_]:
    index = [o.name for o in world().objects].index(name)
    return object_masks(world(), state, VARIANT.camera, SIZE) == index


def inner(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The mask without its border, where colours of neighbours mix."""
    padded = np.pad(mask, 1)
    return mask & padded[:-2, 1:-1] & padded[2:, 1:-1] & padded[1:-1, :-2] & padded[1:-1, 2:]


def test_the_same_state_gives_the_same_bytes_whatever_was_drawn_before() -> None:
    """A mesh left where the last state had it, or noise that runs on, makes pictures depend on
    the order they are rendered in, and so on the number of workers.
    """
    ours = renderer()
    before = first_picture()
    ours.render(opened())
    ours.render(changed(appearance=np.array([1.0, 1.0])))
    # Something round: what had moved once would look faceted, on being moved back too.
    qpos = first_state(world()).qpos.copy()
    qpos[[0, 7, 14]] += 0.05
    ours.render(changed(qpos=qpos))
    np.testing.assert_array_equal(ours.render(first_state(world())), before)
    fresh = Renderer(small_world(), VARIANT, threads=1)
    np.testing.assert_array_equal(fresh.render(first_state(world())), before)


def test_pictures_are_bright_and_neither_black_nor_burnt_out() -> None:
    """A lamp inside the ceiling or a wrong exposure still gives a picture."""
    picture = first_picture()
    assert picture.shape == (SIZE, SIZE, 3)
    assert picture.dtype == np.uint8
    assert 110 < picture.mean() < 215
    assert (picture.min(axis=-1) > 250).mean() < 0.05
    assert (picture.max(axis=-1) < 12).mean() < 0.05


def test_things_have_their_colours_where_their_masks_are() -> None:
    """Visibility is measured in the masks and asked about in the pictures."""
    picture = first_picture().astype(float)
    for name, strongest in (("ball", 0), ("bowl", 2)):
        inside = inner(pixels_of(name, first_state(world())))
        assert inside.sum() >= 6
        color = picture[inside].mean(axis=0)
        assert color.argmax() == strongest
        assert color[strongest] > 1.25 * np.delete(color, strongest).max()


def test_a_thing_that_moved_is_gone_from_where_it_was() -> None:
    """Meshes updated by adding instead of replacing would show it twice."""
    qpos = first_state(world()).qpos.copy()
    place = slice(world().model.joint(2).qposadr[0], world().model.joint(2).qposadr[0] + 3)
    qpos[place] += [-0.9, 0.0, 0.0]
    state = changed(qpos=qpos)
    picture = renderer().render(state).astype(float)
    redness = picture[..., 0] - picture[..., 1:].max(axis=-1)
    was, now = pixels_of("ball", first_state(world())), pixels_of("ball", state)
    assert redness[inner(was)].max() < 60 < redness[inner(now)].mean()


def test_a_cue_changes_its_own_geom_and_hardly_anything_else() -> None:
    """A burner whose glow cannot be seen makes the question unanswerable; a glow that lights the
    room gives the answer away everywhere.
    """
    state = changed(appearance=np.array([1.0, 0.0]))
    lit = renderer().render(state).astype(float)
    differs = np.abs(lit - first_picture().astype(float)).max(axis=-1)
    data = pose_world(world(), state)
    pose = camera_pose(world(), data, VARIANT.camera)
    hits = cast_picture(world(), data, pose, VARIANT.camera, SIZE)
    burner = (hits.geom == world().model.geom("burner_geom").id).reshape(SIZE, SIZE)
    assert differs[inner(burner)].mean() > 80
    # Picture and mask agree on its place to a fraction of a pixel.
    glowing = np.argwhere(differs > 60)
    np.testing.assert_allclose(glowing.mean(axis=0), np.argwhere(burner).mean(axis=0), atol=0.4)
    assert lit[inner(burner)][:, 0].mean() > 200
    assert differs[~pixels_of("stove", state)].mean() < 4


def test_a_cue_below_one_half_does_not_show() -> None:
    """Logged as 32-bit floats, zero and one stay what they are; anything between is rounded."""
    nearly = renderer().render(changed(appearance=np.array([0.4, 0.0])))
    np.testing.assert_array_equal(nearly, first_picture())


def test_the_denoiser_is_told_textures_and_normals() -> None:
    """Without texture in the guide the denoiser smears wood into a flat brown."""
    state = first_state(world())
    data = pose_world(world(), state)
    pose = camera_pose(world(), data, VARIANT.camera)
    hits = cast_picture(world(), data, pose, VARIANT.camera, SIZE)
    colors, normals = guides(hits, drawn_geoms(world()), data, world().surfaces, SIZE)
    can = inner(pixels_of("can", state))
    assert colors[can].std(axis=0).max() > 0.05
    assert colors[inner(pixels_of("ball", state))].std(axis=0).max() == pytest.approx(0, abs=1e-6)
    hit = (hits.geom >= 0).reshape(SIZE, SIZE)
    np.testing.assert_allclose(np.linalg.norm(normals[hit], axis=-1), 1.0, atol=1e-5)
    table = hits.geom.reshape(SIZE, SIZE) == world().model.geom("top_geom").id
    facing_up = np.abs(normals[table][:, 2] - 1.0) < 1e-6
    assert facing_up.mean() > 0.7


def test_textures_in_picture_and_guide_lie_in_the_same_place() -> None:
    """Shifted or mirrored by Mitsuba's texture convention, the guide would fight the picture."""
    board = Surface((0.9, 0.9, 0.9), "checks", "matte", (0.02, 0.02, 0.02), 0.6)
    plate = '<geom name="plate" type="box" size="1.3 1.1 .02" group="1"/>'
    flat = World(
        xml=f'<mujoco><worldbody><body name="b" pos=".13 .21 0">{plate}</body>'
        '<body name="head" pos="0 0 1"/></worldbody></mujoco>',
        objects=(),
        surfaces={"plate": board},
        head_pitch_rad=1.2,
    )
    state = WorldState(np.zeros(0), np.zeros((0, 3)), np.zeros((0, 4)), np.zeros(0))
    data = pose_world(flat, state)
    pose = camera_pose(flat, data, VARIANT.camera)
    geoms = drawn_geoms(flat)
    hits = cast_picture(flat, data, pose, VARIANT.camera, SIZE)
    colors, _ = guides(hits, geoms, data, flat.surfaces, SIZE)
    settings = RendererSettings(path_depth=2, samples=16, size_px=SIZE)
    traced = TracedScene(flat, geoms, flat.surfaces, data).trace(pose, VARIANT.camera, settings, 1)
    hit = inner((hits.geom == 0).reshape(SIZE, SIZE))
    assert hit.sum() > 1000
    agreement = np.corrcoef(traced[hit].mean(axis=-1), colors[hit].mean(axis=-1))[0, 1]
    assert agreement > 0.85


@pytest.mark.parametrize("name", sorted(TEXTURES))
def test_textures_keep_their_colour_and_repeat_without_a_seam(name: str) -> None:
    """A texture that drowns the colour makes objects of different colour look alike."""
    surface = Surface((0.6, 0.3, 0.1), name, scale_m=0.05, second=(0.1, 0.1, 0.5))  # type: ignore[arg-type]
    picture = texture_picture(surface)
    assert picture.shape == (256, 256, 3)
    share = (0.6 - picture[..., 0].mean()) / 0.5
    assert 0.0 <= share <= 0.55
    if name in ("wood", "marble", "speckles"):
        steps = np.abs(np.diff(picture, axis=0)).max()
        assert np.abs(picture[0] - picture[-1]).max() <= steps + 1e-6
        steps = np.abs(np.diff(picture, axis=1)).max()
        assert np.abs(picture[:, 0] - picture[:, -1]).max() <= steps + 1e-6
    span = np.array(TEXTURES[name][1]) * 0.05
    points = np.random.default_rng(0).uniform(-1, 1, (50, 2))
    np.testing.assert_allclose(
        texture_colors(surface, points), texture_colors(surface, points + 3 * span), atol=1e-9
    )


def test_meshes_close_and_face_outward_with_the_right_area() -> None:
    """A face turned inside out is black; a missing cap shows the wall behind."""
    model, geoms = world().model, drawn_geoms(world())
    areas = {
        "ball_geom": 4 * np.pi * 0.06**2,
        "lid_geom": 2 * np.pi * 0.043 * (0.043 + 0.008),
        "arm_geom": 4 * np.pi * 0.05**2 + 2 * np.pi * 0.05 * 0.5,
        "hand_geom": 8 * (0.04 * 0.06 + 0.06 * 0.03 + 0.04 * 0.03),
    }
    for name, area in areas.items():
        mesh = geoms[model.geom(name).id].mesh
        a, b, c = mesh.positions[0::3], mesh.positions[1::3], mesh.positions[2::3]
        found = np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2
        assert found == pytest.approx(area, rel=0.03)
        # The integral of the outward normal over a closed surface is zero, that of x.n is 3 V.
        normal = np.cross(b - a, c - a) / 2
        np.testing.assert_allclose(normal.sum(axis=0), 0.0, atol=1e-9)
        assert ((a + b + c) / 3 * normal).sum() > 0
        flat = np.repeat(face_normals(mesh.positions), 3, axis=0)
        assert (mesh.normals * flat).sum(axis=1).min() > 0.7


def test_shading_breaks_at_sharp_edges_only() -> None:
    """Smoothed over its edges a box looks like a pillow; unsmoothed a ball shows its triangles."""
    geoms, model = drawn_geoms(world()), world().model
    box = geoms[model.geom("hand_geom").id].mesh
    np.testing.assert_allclose(box.normals, np.repeat(face_normals(box.positions), 3, axis=0))
    ball = geoms[model.geom("ball_geom").id].mesh
    radial = ball.positions / np.linalg.norm(ball.positions, axis=1, keepdims=True)
    assert (ball.normals * radial).sum(axis=1).min() > 0.98


def test_a_shape_that_cannot_be_drawn_is_named() -> None:
    """It would be in the masks and not in the picture."""
    odd = World(
        xml='<mujoco><asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1" '
        'elevation="0 1 1 0"/></asset><worldbody>'
        '<geom name="hill" type="hfield" hfield="h" group="1"/></worldbody></mujoco>',
        objects=(),
        surfaces={"hill": Surface((0.5, 0.5, 0.5))},
    )
    with pytest.raises(RenderError, match="geom 'hill' is a mjGEOM_HFIELD"):
        geom_mesh(odd.model, 0)


def test_a_visible_geom_without_a_surface_is_named() -> None:
    """It would be in the masks and, without a colour, grey in the picture."""
    surfaces = {k: v for k, v in world().surfaces.items() if k != "ball_geom"}
    with pytest.raises(RenderError, match="geom 'ball_geom' of body 'ball' is visible but has no"):
        Renderer(dataclasses.replace(world(), surfaces=surfaces), VARIANT)


@pytest.mark.parametrize(
    ("variant", "message"),
    [
        (
            {"camera": CameraSettings(projection="kb")},
            r"camera projection 'kb' \(known: fisheye, pinhole\)",
        ),
        (
            {"appearance": AppearanceSettings("plaid")},
            r"robot appearance 'plaid' \(known: black_and_white, random, skin, white\)",
        ),
        (
            {"renderer": RendererSettings(mode="cartoon")},
            r"mode 'cartoon' \(known: default, path_tracing, ray_tracing_only, realistic\)",
        ),
    ],
)
def test_settings_nobody_defined_are_refused_with_the_known_ones(
    variant: dict[str, CameraSettings | AppearanceSettings | RendererSettings], message: str
) -> None:
    """A typing error in the registry must not render the baseline under another name."""
    with pytest.raises(UnknownNameError, match=message):
        Renderer(world(), dataclasses.replace(VARIANT, **variant))


def test_unknown_finishes_and_textures_are_refused() -> None:
    """They would otherwise surface as an error deep inside Mitsuba."""
    for change in ({"finish": "fur"}, {"texture": "tartan"}):
        odd = dataclasses.replace(world().surfaces["ball_geom"], **change)  # type: ignore[arg-type]
        dressed = dataclasses.replace(world(), surfaces={**world().surfaces, "ball_geom": odd})
        with pytest.raises(UnknownNameError, match=r"fur|tartan"):
            Renderer(dressed, VARIANT).render(first_state(dressed))


def test_tone_mapping_keeps_order_and_refuses_what_is_no_number() -> None:
    """A NaN cast to a byte becomes black, and black looks like an object."""
    ramp = np.repeat(np.linspace(0, 6, 200, dtype=np.float32)[None, :, None], 3, axis=2)
    mapped = tone_mapped(ramp)[0, :, 0].astype(int)
    assert mapped[0] == 0
    assert mapped[-1] == 255
    assert (np.diff(mapped) >= 0).all()
    # Below the shoulder it is sRGB: 0.5 linear is 188.
    assert tone_mapped(np.full((1, 1, 3), 0.5, dtype=np.float32))[0, 0, 0] == 188
    ramp[0, 3, 1] = np.nan
    with pytest.raises(
        RenderError, match=r"1 of 200 pixels are not finite, the first at .*\[0, 3\]"
    ):
        tone_mapped(ramp)


def test_the_denoiser_refuses_guides_of_another_size() -> None:
    """It would read beyond the end of the smaller picture."""
    picture = np.zeros((8, 8, 3), dtype=np.float32)
    with pytest.raises(RenderError, match="differ in shape"):
        Denoiser(1).denoise(picture, picture[:4], picture)


def test_renderers_of_many_worlds_share_one_denoiser(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library never gives its memory back: 40 MB and more for every demonstration."""
    made = []
    begin = Denoiser.__init__
    monkeypatch.setattr(Denoiser, "__init__", lambda d, n: (made.append(n), begin(d, n))[1])
    denoiser.cache_clear()
    tiny = dataclasses.replace(VARIANT, renderer=RendererSettings(1, 1, 8))
    for _ in range(3):
        Renderer(world(), tiny, threads=1).render(first_state(world()))
    assert made == [1]
