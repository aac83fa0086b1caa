"""What the installed OmniGibson does, found by looking at it and not at its version number.

One row of ``FEATURES`` per difference between the versions that matters to the player: the answers
that it can work with, each with a probe. The answers together are :class:`Installed`. An
OmniGibson for which a row has no answer is refused by the name of that row.
"""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass

from enact_assets.demonstrations.replay.omnigibson_player import code_probes as probes
from enact_assets.demonstrations.replay.omnigibson_player.request import RefusalError

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
    return NEW_PLAYBACK if probes.exists(NEW_PLAYBACK) else OLD_PLAYBACK


def _robot() -> str:
    return NEW_ROBOT if probes.exists(NEW_ROBOT) else OLD_ROBOT


def _episode() -> str:
    return f"{_playback()}.playback_episode"


def _transitions_come_before_loading() -> bool:
    return probes.calls_before(_episode(), "remove_object", "load_state")


def _robot_expects_grasp() -> bool:
    return GRASP in probes.constants(f"{_robot()}._load_state")


FEATURES: Mapping[str, Feature] = {
    "playback": Feature(
        "which class plays HDF5 files",
        {
            NEW_PLAYBACK: lambda: probes.exists(NEW_PLAYBACK),
            OLD_PLAYBACK: lambda: probes.exists(OLD_PLAYBACK),
        },
    ),
    "record_argument": Feature(
        "which argument of playback_episode turns recording off",
        {
            name: lambda name=name: name in probes.parameters(_episode())  # type: ignore[misc]
            for name in ("record_data", "record")
        },
    ),
    # one_more: a file has one state more than actions, playback steps with state 1 and later, and
    # objects come and go before a state is loaded. as_many: it steps with every state, and objects
    # come and go after the step.
    "steps": Feature(
        "with which states playback steps, and when objects come and go",
        {
            "one_more": lambda: (
                probes.skips_first(_episode()) and _transitions_come_before_loading()
            ),
            "as_many": lambda: (
                not probes.skips_first(_episode())
                and probes.calls_before(_episode(), "load_state", "remove_object")
                and not _transitions_come_before_loading()
            ),
        },
    ),
    "transitions_first": Feature(
        "whether objects come or go first within a transition",
        {
            "add": lambda: probes.calls_before(_episode(), "add_object", "remove_object"),
            "remove": lambda: probes.calls_before(_episode(), "remove_object", "add_object"),
        },
    ),
    # yes: playback returns without playing or failing where an episode has no such group.
    "needs_init_metadata": Feature(
        "whether an episode must have the group init_metadata",
        {
            "yes": lambda: "init_metadata" in probes.constants(_episode()),
            "no": lambda: probes.exists(_episode()),
        },
    ),
    "data_paths": Feature(
        "which switches say where the data are",
        {
            "one": lambda: probes.has_switches("DATA_PATH"),
            "three": lambda: probes.has_switches("DATASET_PATH", "ASSET_PATH", "KEY_PATH"),
        },
    ),
    "sensors": Feature(
        "whether there is one environment or a list",
        {
            "per_environment": lambda: "env_indices" in probes.parameters(f"{ENVIRONMENT}.get_obs"),
            "by_name": lambda: probes.exists(f"{ENVIRONMENT}.external_sensors"),
        },
    ),
    # unloadable: a state without the grasp fails to load; lost: it loads, and nothing is held.
    "grasps": Feature(
        "what becomes of assisted grasps when a state is loaded",
        {
            "in_rows": lambda: probes.exists(GRASP_MARKER),
            "lost": lambda: (
                _robot_expects_grasp() and probes.tests_membership(f"{_robot()}._load_state")
            ),
            "unloadable": _robot_expects_grasp,
        },
    ),
    "registry": Feature(
        "how the state of a scene is nested",
        {
            "nested": lambda: (
                "registry" in probes.constants("omnigibson.scenes.scene_base:Scene._dump_state")
            ),
            "flat": lambda: (
                "_registry" in probes.names("omnigibson.scenes.scene_base:Scene._dump_state")
            ),
        },
    ),
    "robots": Feature(
        "whether robots are classes or models of one class",
        {
            "models": lambda: "model" in probes.parameters(f"{NEW_ROBOT}.__init__"),
            "classes": lambda: probes.exists(OLD_ROBOT),
        },
    ),
    "scene_graph": Feature(
        "whose scene graph there is",
        {
            "enact": lambda: probes.exists("omnigibson.utils.scene_graph_utils:SceneGraphWriter"),
            "plain": lambda: probes.exists(
                "omnigibson.scene_graphs.graph_builder:SceneGraphBuilder"
            ),
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
