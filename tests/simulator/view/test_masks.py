"""Masks: every pixel names the object that school geometry finds there.

They are cast in parts by several threads: nothing of that may show."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from simulator import room_pieces
from simulator.painted_world import first_state, small_world

from enact_assets.engine.errors import RenderError
from enact_assets.settings.fisheye_lens import CIRCLE_SHARE
from enact_assets.settings.registry import CameraSettings
from enact_assets.simulator.activities.base import HEAD_PITCH_RAD
from enact_assets.simulator.rooms import kitchen
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.shapes.world import World, WorldObject, WorldState
from enact_assets.simulator.skills.executor import Executor
from enact_assets.simulator.stage.stage_builder import StageBuilder
from enact_assets.simulator.view import masks
from enact_assets.simulator.view.cameras import camera_pose
from enact_assets.simulator.view.masks import MaskSize, geom_objects, mask_sizes, object_masks
from enact_assets.simulator.view.poses import pose_world

from reference.projections import project
from reference.ray_casts import Solid, Vec, fisheye_ray, nearest, pixel_ray

BASELINE = CameraSettings()


@pytest.fixture(scope="module")
def world() -> World:
    return small_world()


def index_of(world: World, name: str) -> int:
    return [o.name for o in world.objects].index(name)


def world_of(solids: list[Solid], objects: tuple[WorldObject, ...], pitch: float) -> World:
    bodies = "".join(
        f'<body name="{s.name}" pos="{" ".join(map(repr, s.centre))}"><geom name="{s.name}" '
        f'type="{"sphere" if s.is_sphere else "box"}" size="{" ".join(map(repr, s.size))}" '
        'group="1"/></body>'
        for s in solids
    )
    return World(
        xml=f'<mujoco><worldbody>{bodies}<body name="head" pos="0 0 1.5"/></worldbody></mujoco>',
        objects=objects,
        surfaces={s.name: Surface((0.5, 0.5, 0.5)) for s in solids},
        head_pitch_rad=pitch,
    )


@st.composite
def solid_shapes(draw: st.DrawFn) -> tuple[Vec, Vec, bool]:
    """Centre before the eye, half sizes, and whether it is a sphere."""
    x, y, z = (draw(st.floats(-1.0, 1.0)) for _ in range(3))
    is_sphere = draw(st.booleans())
    a, b, c = (draw(st.floats(0.05, 0.6)) for _ in range(3))
    return (x, y + 2.2, z + 1.2), (a, a, a) if is_sphere else (a, b, c), is_sphere


@st.composite
def solid_places(draw: st.DrawFn) -> tuple[Vec, Vec, bool]:
    """The same all around the eye and never over it: in six directions, a little off."""
    (x, y, z), size, is_sphere = draw(solid_shapes())
    off = (x, y - 2.2, z - 1.2)
    axis, sign = draw(st.integers(0, 2)), draw(st.sampled_from((-2.0, 2.0)))
    a, b, c = (off[k] + (sign if k == axis else 0.0) for k in range(3))
    return (a, b, c + 1.5), size, is_sphere


@given(st.lists(solid_shapes(), min_size=1, max_size=5), st.floats(-0.2, 1.0), st.floats(20, 80))
def test_masks_agree_with_one_ray_at_a_time(
    raw: list[tuple[Vec, Vec, bool]],
    pitch: float,
    aperture: float,
) -> None:
    """Transposed pictures, wrong depth order and see-through things all look like masks."""
    things = [Solid(f"thing_{k}", centre, size, flag) for k, (centre, size, flag) in enumerate(raw)]
    # The first thing belongs to no object.
    objects = tuple(WorldObject(s.name, "thing", (s.name,)) for s in things[1:])
    world = world_of(things, objects, pitch)
    size = 12
    state = WorldState(np.zeros(0), np.zeros((0, 3)), np.zeros((0, 4)), np.zeros(0))
    mask = object_masks(world, state, CameraSettings(aperture_mm=aperture), size)
    names = {o.name: k for k, o in enumerate(objects)}
    expected = [
        [
            names.get(
                nearest((0, 0, 1.5), pixel_ray((row, column), size, aperture / 17, pitch), things)
                or "",
                -1,
            )
            for column in range(size)
        ]
        for row in range(size)
    ]
    differ = (mask != np.array(expected)).sum()
    # A ray along an edge may go either way by the last digit.
    assert differ <= 1
    assert mask.dtype == np.int32


@given(st.lists(solid_places(), min_size=1, max_size=6), st.floats(-0.2, 1.0))
def test_fisheye_masks_agree_with_one_ray_at_a_time(
    raw: list[tuple[Vec, Vec, bool]], pitch: float
) -> None:
    """A mirrored side or a view that ends at 90 degrees still looks like a fisheye; a ray of no
    direction makes MuJoCo answer anything.
    """
    things = [Solid(f"thing_{k}", centre, size, flag) for k, (centre, size, flag) in enumerate(raw)]
    objects = tuple(WorldObject(s.name, "thing", (s.name,)) for s in things)
    world = world_of(things, objects, pitch)
    size = 16
    state = WorldState(np.zeros(0), np.zeros((0, 3)), np.zeros((0, 4)), np.zeros(0))
    mask = object_masks(world, state, CameraSettings(projection="fisheye"), size)
    names = {o.name: k for k, o in enumerate(objects)}
    expected = np.full((size, size), -1)
    for row, column in np.ndindex(size, size):
        ray = fisheye_ray((row, column), size, pitch)
        if ray is not None:
            expected[row, column] = names.get(nearest((0, 0, 1.5), ray, things) or "", -1)
    assert (mask != expected).sum() <= 1


def test_outside_its_circle_the_fisheye_shows_nothing() -> None:
    """Walls all around: only the circle keeps them out of the corners."""
    walls = [
        Solid(f"wall_{k}", centre, size, is_sphere=False)
        for k, (centre, size) in enumerate(
            (
                ((0.0, 3.0, 1.5), (3.0, 0.1, 3.0)),
                ((0.0, -3.0, 1.5), (3.0, 0.1, 3.0)),
                ((3.0, 0.0, 1.5), (0.1, 3.1, 3.0)),
                ((-3.0, 0.0, 1.5), (0.1, 3.1, 3.0)),
                ((0.0, 0.0, 4.5), (3.1, 3.1, 0.1)),
                ((0.0, 0.0, -1.5), (3.1, 3.1, 0.1)),
            )
        )
    ]
    objects = tuple(WorldObject(s.name, "wall", (s.name,)) for s in walls)
    world = world_of(walls, objects, 0.0)
    state = WorldState(np.zeros(0), np.zeros((0, 3)), np.zeros((0, 4)), np.zeros(0))
    mask = object_masks(world, state, CameraSettings(projection="fisheye"), 100)
    across = np.arange(100) + 0.5 - 50
    circle = np.hypot(*np.meshgrid(across, across)) <= 50 * CIRCLE_SHARE
    np.testing.assert_array_equal(mask >= 0, circle)
    # 98.5 degrees: the wall behind is beyond the edge of the walls beside, which fill the rim.
    assert set(np.unique(mask)) == {-1, 0, 2, 3, 4, 5}


def test_a_known_sphere_covers_the_pixels_worked_out_by_hand(world: World) -> None:
    """The ball's centre projects to one pixel; its mask must be a disc around it."""
    from enact_assets.simulator.view.cameras import camera_pose
    from enact_assets.simulator.view.poses import pose_world

    state = first_state(world)
    mask = object_masks(world, state, BASELINE, 256) == index_of(world, "ball")
    data = pose_world(world, state)
    centre = data.body("ball").xpos
    pose = camera_pose(world, data, BASELINE)
    x, y = project(centre[None], pose, BASELINE, 256)[0]
    rows, columns = np.nonzero(mask)
    assert columns.mean() + 0.5 == pytest.approx(x, abs=1.0)
    assert rows.mean() + 0.5 == pytest.approx(y, abs=1.0)
    # Radius 0.06 m at this depth; a sphere off the axis is drawn a little larger.
    depth = (centre - pose.position) @ pose.axes[2]
    radius_px = 0.06 / depth * 256 / (40 / 17)
    assert mask.sum() == pytest.approx(np.pi * radius_px**2, rel=0.15)


def test_rays_pass_through_collision_geometry(world: World) -> None:
    """The invisible box right before the eye would otherwise hide the table."""
    without = dataclasses.replace(
        world, xml=world.xml.replace('size="0.5 0.02 0.5"', 'size="0.001 0.001 0.001"')
    )
    assert world.xml != without.xml
    state = first_state(world)
    np.testing.assert_array_equal(
        object_masks(world, state, BASELINE, 64), object_masks(without, state, BASELINE, 64)
    )


def test_parts_belong_to_the_object_that_names_the_nearest_body(world: World) -> None:
    """A door is a child body of its cabinet; a drawer front may be an object of its own."""
    owners = geom_objects(world)
    model = world.model
    assert owners[model.geom("door_geom").id] == index_of(world, "cabinet")
    assert owners[model.geom("hand_geom").id] == index_of(world, "robot")
    assert owners[model.geom("blocker_geom").id] == -1
    apart = dataclasses.replace(
        world, objects=(*world.objects, WorldObject("door", "door", ("door",)))
    )
    assert geom_objects(apart)[model.geom("door_geom").id] == len(world.objects)


def test_opening_the_door_uncovers_the_cabinet(world: World) -> None:
    """A state that does not reach the masks would give every key frame the same visibility."""
    state = first_state(world)
    opened = state.qpos.copy()
    opened[-1] = 1.5
    apart = dataclasses.replace(
        world, objects=(*world.objects, WorldObject("door", "door", ("door",)))
    )
    closed_mask = object_masks(apart, state, BASELINE, 128)
    open_mask = object_masks(apart, dataclasses.replace(state, qpos=opened), BASELINE, 128)
    cabinet = index_of(apart, "cabinet")
    assert (open_mask == cabinet).sum() > 3 * (closed_mask == cabinet).sum()


def test_mask_sizes_count_pixels_and_bound_them() -> None:
    """Rows and columns swapped would pass on square things."""
    mask = np.full((4, 5), -1, dtype=np.int32)
    mask[1, 2:5] = 7
    mask[3, 3] = 7
    mask[0, 0] = 2
    assert mask_sizes(mask) == {2: MaskSize(1, 0, 0, 0, 0), 7: MaskSize(4, 2, 1, 4, 3)}
    assert mask_sizes(np.full((3, 3), -1, dtype=np.int32)) == {}


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("qpos", np.zeros(3), r"qpos has shape \(3,\), the world needs \(22,\)"),
        ("mocap_pos", np.zeros((2, 3)), r"mocap_pos has shape \(2, 3\)"),
        ("appearance", np.zeros(0), r"appearance has shape \(0,\), the world needs \(2,\)"),
        (
            "mocap_quat",
            np.array([[1.0, np.nan, 0, 0]]),
            "1 of 4 numbers in mocap_quat are not finite",
        ),
    ],
)
def test_a_state_of_another_world_is_refused(
    world: World, field: str, value: np.ndarray, message: str
) -> None:
    """MuJoCo would broadcast, or draw everything nowhere."""
    state = dataclasses.replace(first_state(world), **{field: value})
    with pytest.raises(RenderError, match=message):
        object_masks(world, state, BASELINE, 8)


def test_objects_that_share_or_lack_a_body_are_errors(world: World) -> None:
    """The later object would silently take the pixels of the earlier."""
    twice = dataclasses.replace(world, objects=(*world.objects, WorldObject("b", "b", ("ball",))))
    with pytest.raises(RenderError, match="body 'ball' belongs to 'ball' and to 'b'"):
        geom_objects(twice)
    lost = dataclasses.replace(world, objects=(WorldObject("ghost", "ghost", ("ghost",)),))
    with pytest.raises(RenderError, match="no body 'ghost'"):
        geom_objects(lost)


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


@pytest.mark.parametrize("names", [("ball",), ("cabinet", "robot"), ()])
def test_what_is_asked_for_has_all_its_pixels(world: World, names: tuple[str, ...]) -> None:
    """Parts in which none of it can show are left out."""
    state = first_state(world)
    whole = object_masks(world, state, BASELINE, 256)
    some = object_masks(world, state, BASELINE, 256, names)
    for name in names:
        k = index_of(world, name)
        assert ((some == k) == (whole == k)).all()
    assert ((some == whole) | (some == masks.NO_OBJECT)).all()
    assert (some != masks.NO_OBJECT).sum() < (whole != masks.NO_OBJECT).sum()


def test_what_stands_behind_glass_is_seen_and_the_glass_where_nothing_does() -> None:
    """A carafe of which only foot and rim counted was thought to be hidden."""
    stage = StageBuilder()
    stage.furnish(room_pieces.add_table(stage.scene, kitchen.STYLES[0]))
    stage.put("pitcher", "pitcher", (0.1, 0.5, 0.1), "table", (0.0, -0.15))
    stage.put("lemon", "lemon", (0.8, 0.6, 0.1), "pitcher")
    made = stage.finish(HEAD_PITCH_RAD)
    clear = made.world
    plain = {n: dataclasses.replace(s, finish="gloss") for n, s in clear.surfaces.items()}
    log = Executor(made, "behind glass").physics.log
    state = WorldState(log.qpos[0], log.mocap_pos[0], log.mocap_quat[0], log.appearance[0])
    px = []
    for world in (clear, dataclasses.replace(clear, surfaces=plain)):
        sizes = mask_sizes(object_masks(world, state, BASELINE, 256))
        px.append({world.objects[k].name: size.pixels for k, size in sizes.items()})
    through, opaque = px
    assert through["lemon"] > opaque["lemon"]
    assert through["pitcher"] == opaque["pitcher"] - (through["lemon"] - opaque["lemon"])
    assert through["table"] == opaque["table"]
