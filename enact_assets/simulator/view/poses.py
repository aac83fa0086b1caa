"""Where everything is in one logged frame: a :class:`WorldState` put into MuJoCo's kinematics."""

from typing import TYPE_CHECKING

import numpy as np

from enact_assets.engine.errors import RenderError
from enact_assets.engine.ids import sha256_bytes
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.shapes.world import World, WorldState

if TYPE_CHECKING:
    import mujoco


def check_state(world: World, state: WorldState) -> None:
    """Raise :class:`RenderError` if ``state`` cannot be a frame of ``world``.

    Every array must have the shape the world asks for and hold finite numbers only.
    """
    model = world.model
    expected = {
        "qpos": (model.nq,),
        "mocap_pos": (model.nmocap, 3),
        "mocap_quat": (model.nmocap, 4),
        "appearance": (len(world.cues),),
    }
    for name, shape in expected.items():
        values = np.asarray(getattr(state, name))
        if values.shape != shape:
            raise RenderError(
                f"state: {name} has shape {values.shape}, the world needs {shape}. "
                "The state was recorded in another world: replay the demonstration again."
            )
        bad = np.flatnonzero(~np.isfinite(values))
        if bad.size:
            raise RenderError(
                f"state: {bad.size} of {values.size} numbers in {name} are not finite, "
                f"the first at index {bad[0]}. Replay the demonstration again."
            )


def pose_world(
    world: World, state: WorldState, data: "mujoco.MjData | None" = None
) -> "mujoco.MjData":
    """Kinematics of ``state``: positions and orientations of all bodies and geoms.

    ``data`` is reused when given, which saves its allocation. Errors: :class:`RenderError` if the
    state does not fit the world.
    """
    import mujoco

    check_state(world, state)
    if data is None:
        data = mujoco.MjData(world.model)
    data.qpos[:] = state.qpos
    data.mocap_pos[:] = state.mocap_pos
    data.mocap_quat[:] = state.mocap_quat
    mujoco.mj_kinematics(world.model, data)
    return data


def cues_on(state: WorldState) -> tuple[int, ...]:
    """Indices of the cues that show in ``state``, ascending."""
    return tuple(int(k) for k in np.flatnonzero(np.asarray(state.appearance) >= 0.5))


def state_seed(state: WorldState) -> int:
    """A 63-bit number of the logged numbers of ``state``, which are 32-bit floats."""
    arrays = (state.qpos, state.mocap_pos, state.mocap_quat, state.appearance)
    logged = b"".join(np.asarray(a, dtype="<f4").tobytes() for a in arrays)
    return int(sha256_bytes(logged)[:16], 16) >> 1


def surfaces_shown(world: World, on: tuple[int, ...]) -> dict[str, Surface]:
    """Surface of every visible geom when the cues ``on`` show."""
    surfaces = dict(world.surfaces)
    for k in on:
        surfaces.update(world.cues[k].surfaces_on)
    return surfaces
