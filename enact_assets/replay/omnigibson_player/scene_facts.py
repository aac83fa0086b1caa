"""The scene graph of OmniGibson as atomic facts, with what its builder leaves out.

The builder skips robots as subjects, so the robot is asked what each hand grasps; it
compares objects with objects only, so particle systems are asked about here; and it never forgets
an object, so only what the object registry still has counts.
"""

from typing import Any

from omnigibson.controllers.controller_base import IsGraspingState
from omnigibson.object_states.contains import Contains
from omnigibson.object_states.covered import Covered
from omnigibson.object_states.filled import Filled
from omnigibson.object_states.next_to import NextTo
from omnigibson.object_states.saturated import Saturated
from omnigibson.object_states.slicer_active import SlicerActive
from omnigibson.scene_graphs.graph_builder import SceneGraphBuilder
from omnigibson.utils.constants import PrimType

from enact_assets.replay.omnigibson_player.intervals import Fact, IntervalWriter
from enact_assets.replay.omnigibson_player.request import RefusalError
from enact_assets.replay.omnigibson_player.state_names import RECORDED, SYMMETRIC

EXISTS = "Exists"
PARTICLE_SYSTEM = "System"
"""Category of particle systems."""
SYSTEM_STATES = (Covered, Contains)
NOT_ASKED = (Contains, Covered, Filled, NextTo, Saturated, SlicerActive)
"""Of the builder: what is about particle systems, or left out."""
LEFT, RIGHT = "LeftGrasping", "RightGrasping"


class SceneFacts:
    """Facts of one scene, frame after frame. ``parents`` are known from how objects come and go."""

    def __init__(self, writer: IntervalWriter) -> None:
        self._writer = writer
        self._builder: Any = None
        self._before: set[str] = set()

    def restart(self) -> None:
        """The scene was restored: nodes of the graph are other Python objects now."""
        self._builder = None

    def at(self, scene: Any) -> tuple[set[Fact], set[str]]:
        """All facts that hold now, and the names of all that is there; names what is new."""
        objects: dict[str, Any] = {o.name: o for o in scene.objects}
        systems = {n: s for n, s in scene.active_systems.items() if s.n_particles > 0}
        self._name_new(objects, systems)
        facts: set[Fact] = {(EXISTS, name, None) for name in (*objects, *systems)}
        graph = self._graph(scene)
        for node, states in graph.nodes(data="states"):
            if _is_there(node, objects):
                held = [s for s, holds in (states or {}).items() if holds and s in RECORDED]
                facts.update((s, node.name, None) for s in held)
        for subject, other, states in graph.edges(data="states"):
            if _is_there(subject, objects) and _is_there(other, objects):
                held = [s for s, holds in states if holds and s in RECORDED]
                facts.update(_relation(s, subject.name, other.name) for s in held)
        for name, thing in objects.items():
            for state in SYSTEM_STATES:
                if systems and state in thing.states:
                    value = thing.states[state].get_value
                    asked = {n: s for n, s in systems.items() if _can_tell(scene, state, thing, n)}
                    facts.update((state.__name__, name, n) for n, s in asked.items() if value(s))
        for robot in scene.robots:
            facts.update(_grasps(robot, objects))
        return facts, {*objects, *systems}

    def _graph(self, scene: Any) -> Any:
        if self._builder is None:
            self._builder = SceneGraphBuilder(
                robot_names=None,
                egocentric=False,
                full_obs=True,
                only_true=True,
                merge_parallel_edges=True,
                exclude_states=NOT_ASKED,
            )
            self._builder.start(scene)  # takes the first step too
        else:
            self._builder.step(scene)
        return self._builder.get_scene_graph()

    def _name_new(self, objects: dict[str, Any], systems: dict[str, Any]) -> None:
        now = {*objects, *systems}
        gone = self._before - now
        for name in sorted(now - self._before):
            parents = parents_of(name, gone) if self._before else []
            category = PARTICLE_SYSTEM if name in systems else objects[name].category
            self._writer.add_object(name, category, parents, is_particle_system=name in systems)
        self._before = now


def parents_of(name: str, gone: set[str]) -> list[str]:
    """Which of the objects that left as ``name`` came are its parents.

    OmniGibson calls the parts of ``apple_1`` ``half_apple_1_0`` and so on: then it is that one,
    so that two things cut at once do not share their halves. Otherwise all of them are: a
    transition takes its ingredients away in the step in which its product comes.
    """
    whole = [g for g in gone if name.startswith(f"half_{g}_")]
    return [max(whole, key=len)] if whole else sorted(gone)


def _relation(state: str, subject: str, other: str) -> Fact:
    """A symmetric one is stored once, whichever way it was found."""
    if state in SYMMETRIC:
        subject, other = sorted((subject, other))
    return state, subject, other


def _can_tell(scene: Any, state: Any, thing: Any, system: str) -> bool:
    """``Covered`` fails for cloth and physical particles, such as a towel and water."""
    if state is not Covered or thing.prim_type != PrimType.CLOTH:
        return True
    return bool(scene.is_visual_particle_system(system_name=system))


def _is_there(thing: Any, objects: dict[str, Any]) -> bool:
    return objects.get(thing.name) is thing


def _grasps(robot: Any, objects: dict[str, Any]) -> set[Fact]:
    arms = list(getattr(robot, "arm_names", []))
    facts: set[Fact] = set()
    for arm in arms:
        predicate = hand_of(arm, arms, robot.name)
        for name, thing in objects.items():
            # With physical grasping, the answer about one object is a plain boolean: True is 1.
            held = thing is not robot and robot.is_grasping(arm=arm, candidate_obj=thing)
            if held == IsGraspingState.TRUE:
                facts.add((predicate, robot.name, name))
    return facts


def hand_of(arm: str, arms: list[str], robot: str) -> str:
    """Which hand ``arm`` is. A single arm is the right one, as in OmniGibson's teleoperation.

    Errors: :class:`RefusalError` for several arms that do not say.
    """
    if "left" in arm:
        return LEFT
    if "right" in arm or len(arms) == 1:
        return RIGHT
    raise RefusalError(
        f"robot {robot!r} has arms {', '.join(arms)}: left and right cannot be told apart"
    )
