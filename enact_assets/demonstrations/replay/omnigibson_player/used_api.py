"""Every name of OmniGibson that the player uses, and the arguments that it passes.

A test compares it with the player's own imports and with the signatures of each known version;
:func:`check_api` compares it with what is installed, before anything is played.
"""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from enact_assets.demonstrations.replay.omnigibson_player import code_probes
from enact_assets.demonstrations.replay.omnigibson_player.installed import (
    NEW_ROBOT,
    OLD_ROBOT,
    Installed,
    counted,
)
from enact_assets.demonstrations.replay.omnigibson_player.request import RefusalError

FUNCTIONS: Mapping[str, Sequence[str]] = {
    "omnigibson.envs.env_wrapper:EnvironmentWrapper.__init__": ("self", "env"),
    "omnigibson.envs.env_wrapper:EnvironmentWrapper.step": ("self", "action"),
    "omnigibson.envs.env_base:Environment.step": ("self", "action", "n_render_iterations"),
    "omnigibson.scenes.scene_base:Scene.is_visual_particle_system": ("self", "system_name"),
    "omnigibson.object_states.object_state_base:BaseObjectState.get_value": ("self",),
    "omnigibson.sensors.sensor_base:BaseSensor.get_obs": ("self",),
    "omnigibson.utils.python_utils:Serializable.dump_state": ("self", "serialized"),
}
"""Functions with the arguments they get."""
ROBOT_FUNCTIONS: Mapping[str, Sequence[str]] = {
    "_find_gripper_contacts": ("self", "arm"),
    "_find_gripper_raycast_collisions": ("self", "arm"),
    "is_grasping": ("self", "arm", "candidate_obj"),
}
ROBOT_NAMES = ("arm_names", "controllers", "finger_links")
"""Of the class of robots."""
EXCERPT_ARGUMENTS = (
    "input_path",
    "output_path",
    "robot_obs_modalities",
    "external_sensors_config",
    "n_render_iterations",
    "only_successes",
)
"""Of ``create_from_hdf5``, in every version."""
NAMES = (
    "omnigibson:tempdir",
    "omnigibson:sim",
    "omnigibson.controllers:IsGraspingState.TRUE",
    "omnigibson.envs.env_base:Environment.external_sensors",
    "omnigibson.envs.env_base:Environment.scene",
    "omnigibson.lazy",
    "omnigibson.macros:gm",
    "omnigibson.object_states.contains:Contains",
    "omnigibson.object_states.covered:Covered",
    "omnigibson.object_states.object_state_base:AbsoluteObjectState",
    "omnigibson.object_states.object_state_base:BooleanStateMixin",
    "omnigibson.object_states.object_state_base:RelativeObjectState",
    "omnigibson.prims.entity_prim:EntityPrim.links",
    "omnigibson.prims.entity_prim:EntityPrim.materials",
    "omnigibson.prims.entity_prim:EntityPrim.prim_type",
    "omnigibson.prims.prim_base:BasePrim.name",
    "omnigibson.prims.prim_base:BasePrim.prim",
    "omnigibson.scenes.scene_base:Scene.active_systems",
    "omnigibson.scenes.scene_base:Scene.objects",
    "omnigibson.scenes.scene_base:Scene.robots",
    "omnigibson.sensors.vision_sensor:VisionSensor.horizontal_aperture",
    "omnigibson.systems.system_base:BaseSystem.n_particles",
    "omnigibson.utils.constants:PrimType.CLOTH",
)
"""Classes, properties and values; what is only there at run time cannot be looked up."""
SWITCHES = (
    "ENABLE_HQ_RENDERING",
    "ENABLE_OBJECT_STATES",
    "ENABLE_TRANSITION_RULES",
    "HEADLESS",
    "RENDER_VIEWER_CAMERA",
    "USE_GPU_DYNAMICS",
)
"""Of ``gm``, set by the player."""


def used_functions(installed: Installed) -> dict[str, tuple[str, ...]]:
    """All functions with the arguments they get, for these features."""
    robot = _robot(installed)
    episode = ("self", "episode_id", installed.record_argument)
    return {
        f"{installed.playback}.create_from_hdf5": ("cls", *EXCERPT_ARGUMENTS),
        f"{installed.playback}.playback_episode": episode,
        **{k: tuple(v) for k, v in FUNCTIONS.items()},
        **{f"{robot}.{k}": tuple(v) for k, v in ROBOT_FUNCTIONS.items()},
    }


def check_api(installed: Installed) -> None:
    """Errors: :class:`RefusalError` with the number of differences, and the first."""
    problems = [f"gm has no {s}" for s in SWITCHES if not code_probes.has_switches(s)]
    names = [*NAMES, *(f"{_robot(installed)}.{name}" for name in ROBOT_NAMES)]
    problems += [f"no {place}" for place in names if not code_probes.exists(place)]
    for place, arguments in used_functions(installed).items():
        problems += _problems(place, arguments)
    if problems:
        raise RefusalError(
            f"OmniGibson {installed.version} (features of {installed.profile}) is not as the "
            f"player needs it: {counted(len(problems))}, the first: {problems[0]}"
        )


def _robot(installed: Installed) -> str:
    return NEW_ROBOT if installed.robots == "models" else OLD_ROBOT


def _problems(place: str, arguments: Sequence[str]) -> list[str]:
    """How the function at ``place`` refuses to be called with ``arguments``."""
    found: Any = code_probes.find(place)
    if not inspect.isfunction(found):
        return [f"no {place}"]
    there = inspect.signature(found).parameters
    takes_any = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in there.values())
    required = [
        name
        for name, p in there.items()
        if name not in arguments
        and p.default is inspect.Parameter.empty
        and p.kind not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    ]
    missing = [] if takes_any else [name for name in arguments if name not in there]
    return [f"{place} has no parameter {name!r}" for name in missing] + [
        f"{place} needs {name!r}" for name in required
    ]
