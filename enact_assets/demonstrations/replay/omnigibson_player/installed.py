"""What the installed OmniGibson is and does, found by looking at its code and not at its version.

Nothing of it is run: probes look at what there is, and at what a function's code names. A place is
written ``package.module:Class.method``; what does not exist has no parameters, names or texts, so
that a probe says no instead of failing. One row of ``FEATURES`` per difference between the versions
that matters to the player: the answers that it can work with, each with a probe. The answers
together are :class:`Installed`; an OmniGibson for which a row has no answer is refused by the name
of that row. ``FUNCTIONS`` and what follows it are all names that the player uses, with the
arguments that it passes: :func:`check_api` compares them with what is installed, before anything
is played, and a test with the player's own imports and the signatures of each known version.
"""

import dis
import importlib
import inspect
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from enact_assets.demonstrations.replay.omnigibson_player.request import RefusalError

_LOOKS_UP = ("LOAD_ATTR", "LOAD_METHOD", "LOAD_GLOBAL")
MISSING = object()


def found_at(place: str) -> Any:
    """What is at ``place``; MISSING if there is nothing. Properties are not asked for a value."""
    module, _, name = place.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for part in name.split(".") if name else ():
            found = inspect.getattr_static(found, part)
    except (ImportError, AttributeError):
        return MISSING
    return found.__func__ if isinstance(found, (classmethod, staticmethod)) else found


def is_there(place: str) -> bool:
    """Whether there is something at ``place``."""
    return found_at(place) is not MISSING


def parameters_of(place: str) -> list[str]:
    """Names of the parameters of a function."""
    found = found_at(place)
    return list(inspect.signature(found).parameters) if inspect.isfunction(found) else []


def texts_in(place: str) -> set[str]:
    """Texts that the code of a function has, keys of dictionaries included."""
    return {text for code in _codes(place) for text in _texts(code.co_consts)}


def names_in(place: str) -> set[str]:
    """Attributes and globals that the code of a function uses."""
    return {name for code in _codes(place) for name in code.co_names}


def calls_before(place: str, first: str, then: str) -> bool:
    """Whether the code of a function names ``first``, and ``then`` anywhere after that."""
    used = [step.argval for step in _instructions(place) if step.opname in _LOOKS_UP]
    return first in used and then in used[used.index(first) :]


def skips_first(place: str) -> bool:
    """Whether the code of a function has a slice ``[1:]``."""
    steps = list(_instructions(place))
    for k, step in enumerate(steps):
        if step.argval == slice(1, None):
            return True
        if step.opname in ("BUILD_SLICE", "BINARY_SLICE") and k >= 2:
            ends = steps[k - 2 : k]
            if [e.argval for e in ends] == [1, None] and ends[0].argval is not True:
                return True
    return False


def tests_membership(place: str) -> bool:
    """Whether the code of a function asks if something is ``in`` something."""
    return any(step.opname == "CONTAINS_OP" for step in _instructions(place))


def has_switches(*switches: str) -> bool:
    """Whether all of ``switches`` are in ``omnigibson.macros.gm``.

    They are looked up as keys: reading one as an attribute would make an empty one where there is
    none, and bar it from being set.
    """
    gm = found_at("omnigibson.macros:gm")
    return gm is not MISSING and all(switch in gm for switch in switches)


def _codes(place: str) -> Iterator[types.CodeType]:
    found = found_at(place)
    if inspect.isfunction(found):
        yield from _nested(inspect.unwrap(found).__code__)


def _nested(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _nested(constant)


def _instructions(place: str) -> Iterator[dis.Instruction]:
    for code in _codes(place):
        yield from dis.get_instructions(code)


def _texts(constants: tuple[Any, ...]) -> Iterator[str]:
    for constant in constants:
        if isinstance(constant, str):
            yield constant
        elif isinstance(constant, (tuple, frozenset)):
            yield from _texts(tuple(constant))


OLD_PLAYBACK = "omnigibson.envs.data_wrapper:DataPlaybackWrapper"
NEW_PLAYBACK = "omnigibson.envs.hdf5_data_wrapper:HDF5PlaybackWrapper"
OLD_ROBOT = "omnigibson.robots.manipulation_robot:ManipulationRobot"
NEW_ROBOT = "omnigibson.robots.robot:Robot"
ENVIRONMENT = "omnigibson.envs.env_base:Environment"
GRASP = "ag_obj_constraint_params"
GRASP_MARKER = f"{NEW_ROBOT.partition(':')[0]}:_AG_MAGIC"
"""Number in a row of ``state`` before what assisted grasps hold."""


@dataclass(frozen=True)
class Installed:
    """The answers of ``FEATURES``, whose rows explain them; ``version`` is for messages only."""

    version: str
    playback: str
    record_argument: str
    steps: str
    transitions_first: str
    needs_init_metadata: str
    data_paths: str
    sensors: str
    grasps: str
    registry: str
    robots: str
    scene_graph: str

    @property
    def lead_in_steps(self) -> int:
        """Steps of an excerpt's playback before the first frame that was asked for.

        Where playback steps with every state, that is the state which an excerpt begins with.
        """
        return 1 if self.steps == "as_many" else 0

    @property
    def profile(self) -> str:
        """The known OmniGibson with these features, or the closest and in what they differ."""
        mine = {k: v for k, v in asdict(self).items() if k != "version"}
        differing = {
            name: [k for k in mine if mine[k] != known[k]] for name, known in PROFILES.items()
        }
        name = min(differing, key=lambda name: len(differing[name]))
        if not differing[name]:
            return name
        return f"{name}, but for {', '.join(differing[name])}"


@dataclass(frozen=True)
class Feature:
    """A question, and the answers with which the player can work: the first whose probe holds."""

    question: str
    answers: Mapping[str, Callable[[], bool]]


def _playback() -> str:
    """Where the playback wrapper's methods are looked up."""
    return NEW_PLAYBACK if is_there(NEW_PLAYBACK) else OLD_PLAYBACK


def _robot() -> str:
    return NEW_ROBOT if is_there(NEW_ROBOT) else OLD_ROBOT


def _episode() -> str:
    return f"{_playback()}.playback_episode"


def _transitions_come_before_loading() -> bool:
    return calls_before(_episode(), "remove_object", "load_state")


def _robot_expects_grasp() -> bool:
    return GRASP in texts_in(f"{_robot()}._load_state")


FEATURES: Mapping[str, Feature] = {
    "playback": Feature(
        "which class plays HDF5 files",
        {
            NEW_PLAYBACK: lambda: is_there(NEW_PLAYBACK),
            OLD_PLAYBACK: lambda: is_there(OLD_PLAYBACK),
        },
    ),
    "record_argument": Feature(
        "which argument of playback_episode turns recording off",
        {
            name: lambda name=name: name in parameters_of(_episode())  # type: ignore[misc]
            for name in ("record_data", "record")
        },
    ),
    # one_more: a file has one state more than actions, playback steps with state 1 and later, and
    # objects come and go before a state is loaded. as_many: it steps with every state, and objects
    # come and go after the step.
    "steps": Feature(
        "with which states playback steps, and when objects come and go",
        {
            "one_more": lambda: skips_first(_episode()) and _transitions_come_before_loading(),
            "as_many": lambda: (
                not skips_first(_episode())
                and calls_before(_episode(), "load_state", "remove_object")
                and not _transitions_come_before_loading()
            ),
        },
    ),
    "transitions_first": Feature(
        "whether objects come or go first within a transition",
        {
            "add": lambda: calls_before(_episode(), "add_object", "remove_object"),
            "remove": lambda: calls_before(_episode(), "remove_object", "add_object"),
        },
    ),
    # yes: playback returns without playing or failing where an episode has no such group.
    "needs_init_metadata": Feature(
        "whether an episode must have the group init_metadata",
        {
            "yes": lambda: "init_metadata" in texts_in(_episode()),
            "no": lambda: is_there(_episode()),
        },
    ),
    "data_paths": Feature(
        "which switches say where the data are",
        {
            "one": lambda: has_switches("DATA_PATH"),
            "three": lambda: has_switches("DATASET_PATH", "ASSET_PATH", "KEY_PATH"),
        },
    ),
    "sensors": Feature(
        "whether there is one environment or a list",
        {
            "per_environment": lambda: "env_indices" in parameters_of(f"{ENVIRONMENT}.get_obs"),
            "by_name": lambda: is_there(f"{ENVIRONMENT}.external_sensors"),
        },
    ),
    # unloadable: a state without the grasp fails to load; lost: it loads, and nothing is held.
    "grasps": Feature(
        "what becomes of assisted grasps when a state is loaded",
        {
            "in_rows": lambda: is_there(GRASP_MARKER),
            "lost": lambda: _robot_expects_grasp() and tests_membership(f"{_robot()}._load_state"),
            "unloadable": _robot_expects_grasp,
        },
    ),
    "registry": Feature(
        "how the state of a scene is nested",
        {
            "nested": lambda: (
                "registry" in texts_in("omnigibson.scenes.scene_base:Scene._dump_state")
            ),
            "flat": lambda: (
                "_registry" in names_in("omnigibson.scenes.scene_base:Scene._dump_state")
            ),
        },
    ),
    "robots": Feature(
        "whether robots are classes or models of one class",
        {
            "models": lambda: "model" in parameters_of(f"{NEW_ROBOT}.__init__"),
            "classes": lambda: is_there(OLD_ROBOT),
        },
    ),
    "scene_graph": Feature(
        "whose scene graph there is",
        {
            "enact": lambda: is_there("omnigibson.utils.scene_graph_utils:SceneGraphWriter"),
            "plain": lambda: is_there("omnigibson.scene_graphs.graph_builder:SceneGraphBuilder"),
        },
    ),
}

_3_7 = {
    "playback": OLD_PLAYBACK,
    "record_argument": "record_data",
    "steps": "one_more",
    "transitions_first": "remove",
    "needs_init_metadata": "yes",
    "data_paths": "one",
    "sensors": "by_name",
    "grasps": "lost",
    "registry": "nested",
    "robots": "classes",
    "scene_graph": "plain",
}
PROFILES: Mapping[str, Mapping[str, str]] = {
    "1.1.1": _3_7
    | {
        "record_argument": "record",
        "transitions_first": "add",
        "needs_init_metadata": "no",
        "data_paths": "three",
        "grasps": "unloadable",
        "registry": "flat",
    },
    "3.7": _3_7,
    "enact": _3_7 | {"scene_graph": "enact"},
    "3.9": _3_7
    | {
        "playback": NEW_PLAYBACK,
        "steps": "as_many",
        "sensors": "per_environment",
        "grasps": "in_rows",
        "robots": "models",
    },
}
"""What the tests' fakes are, made from signatures: 3.7 is main, enact the benchmark's branch."""


def counted(n: int) -> str:
    """So many differences, in words."""
    return f"{n} difference{'' if n == 1 else 's'}"


def read_installed() -> Installed:
    """The features of the OmniGibson of this interpreter.

    Errors: :class:`RefusalError` if it cannot be imported, or names the first feature whose answer
    is none of the known ones.
    """
    try:
        omnigibson = importlib.import_module("omnigibson")
    except ImportError as error:
        raise RefusalError(
            f"OmniGibson cannot be imported by this interpreter ({error}). OMNIGIBSON_PYTHON must "
            "name the interpreter it is installed in."
        ) from None
    except AssertionError as error:  # it looks for its data when it is imported
        raise RefusalError(
            f"OmniGibson cannot be imported: {error} Set OMNIGIBSON_DATA_PATH to the folder of its "
            "data sets."
        ) from None
    version = str(getattr(omnigibson, "__version__", "of unknown version"))
    found: dict[str, str] = {}
    unknown = []
    for name, feature in FEATURES.items():
        fitting = [answer for answer, holds in feature.answers.items() if holds()]
        if fitting:
            found[name] = fitting[0]
        else:
            unknown.append(f"{feature.question} ({name}: none of {', '.join(feature.answers)})")
    if unknown:
        raise RefusalError(
            f"OmniGibson {version} is not one that can be played with ({', '.join(PROFILES)}): "
            f"{counted(len(unknown))}, the first: {unknown[0]}"
        )
    return Installed(version=version, **found)


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
    robot = _robot_of(installed)
    episode = ("self", "episode_id", installed.record_argument)
    return {
        f"{installed.playback}.create_from_hdf5": ("cls", *EXCERPT_ARGUMENTS),
        f"{installed.playback}.playback_episode": episode,
        **{k: tuple(v) for k, v in FUNCTIONS.items()},
        **{f"{robot}.{k}": tuple(v) for k, v in ROBOT_FUNCTIONS.items()},
    }


def api_problems(installed: Installed) -> list[str]:
    """What of the used API is missing or takes other arguments; empty if nothing."""
    problems = [f"gm has no {s}" for s in SWITCHES if not has_switches(s)]
    places = [*NAMES, *(f"{_robot_of(installed)}.{name}" for name in ROBOT_NAMES)]
    problems += [f"no {place}" for place in places if not is_there(place)]
    for place, arguments in used_functions(installed).items():
        problems += _problems(place, arguments)
    return problems


def check_api(installed: Installed) -> None:
    """Errors: :class:`RefusalError` with the number of differences, and the first."""
    problems = api_problems(installed)
    if problems:
        raise RefusalError(
            f"OmniGibson {installed.version} (features of {installed.profile}) is not as the "
            f"player needs it: {counted(len(problems))}, the first: {problems[0]}"
        )


def _robot_of(installed: Installed) -> str:
    return NEW_ROBOT if installed.robots == "models" else OLD_ROBOT


def _problems(place: str, arguments: Sequence[str]) -> list[str]:
    """How the function at ``place`` refuses to be called with ``arguments``."""
    found: Any = found_at(place)
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
