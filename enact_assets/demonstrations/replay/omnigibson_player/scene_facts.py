"""The state of the scene as atomic facts, for all objects that its registry has.

The robot is asked what each hand grasps, and nothing else; particle systems are asked about once
they have particles.
"""

from collections.abc import Mapping
from typing import Any

from omnigibson.controllers import IsGraspingState
from omnigibson.object_states.contains import Contains
from omnigibson.object_states.covered import Covered
from omnigibson.object_states.object_state_base import (
    AbsoluteObjectState,
    BooleanStateMixin,
    RelativeObjectState,
)
from omnigibson.utils.constants import PrimType

from enact_assets.demonstrations.replay.omnigibson_player.grasps import PHYSICAL, grasps, hand_of
from enact_assets.demonstrations.replay.omnigibson_player.intervals import Fact, ObjectWriter
from enact_assets.demonstrations.replay.omnigibson_player.state_names import (
    EXISTS,
    PARTICLE_SYSTEM,
    PARTICLES_ONLY,
    RECORDED,
    SYMMETRIC,
    holds,
)

SYSTEM_STATES = (Covered, Contains)


class SceneFacts:
    """Facts of one scene, frame after frame. ``parents`` are known from how objects come and go."""

    def __init__(self, writer: ObjectWriter, mode: str, *, is_grasp_in_state: bool) -> None:
        self._writer = writer
        self._mode = mode
        self._is_grasp_in_state = is_grasp_in_state
        self._before: set[str] = set()

    def at(self, env: Any, scene: Any) -> tuple[set[Fact], set[str]]:  # noqa: ARG002 # other rules
        """All facts that hold now, and the names of all that is there; names what is new."""
        objects: dict[str, Any] = {o.name: o for o in scene.objects}
        systems = {n: s for n, s in scene.active_systems.items() if s.n_particles > 0}
        self._name_new(objects, systems)
        facts: set[Fact] = {(EXISTS, name, None) for name in (*objects, *systems)}
        robots = {robot.name for robot in scene.robots}
        facts |= states_of({n: o for n, o in objects.items() if n not in robots})
        for name, thing in objects.items():
            for state in SYSTEM_STATES:
                if systems and state in (thing.states or {}):
                    value = thing.states[state].get_value
                    asked = {n: s for n, s in systems.items() if _can_tell(scene, state, thing, n)}
                    facts.update((state.__name__, name, n) for n, s in asked.items() if value(s))
        for robot in scene.robots:
            facts.update(self._grasps(robot, objects))
        return facts, {*objects, *systems}

    def _grasps(self, robot: Any, objects: dict[str, Any]) -> set[Fact]:
        if self._mode == PHYSICAL:
            return held_now(robot, objects)
        found = grasps(robot, self._mode, objects, is_in_state=self._is_grasp_in_state)
        return set[Fact](found)  # OmniGibson before 3.9 does not restore what is held

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


def states_of(objects: Mapping[str, Any]) -> set[Fact]:
    """States of ``objects`` by name, and relations of each to each, that are recorded and hold.

    They are asked one by one: what OmniGibson's own builder of scene graphs leaves out differs from
    version to version. Like the builder, this takes a state that fails for not holding.
    """
    facts: set[Fact] = set()
    for name, thing in objects.items():
        for kind, state in (thing.states or {}).items():
            if not _is_asked(kind):
                continue
            if issubclass(kind, AbsoluteObjectState):
                if state.get_value():
                    facts.add((kind.__name__, name, None))
            elif issubclass(kind, RelativeObjectState):
                held = [n for n, o in objects.items() if n != name and holds(state, o)]
                facts.update(_relation(kind.__name__, name, other) for other in held)
    return facts


def _is_asked(kind: Any) -> bool:
    name = kind.__name__
    return name in RECORDED and name not in PARTICLES_ONLY and issubclass(kind, BooleanStateMixin)


def held_now(robot: Any, objects: Mapping[str, Any]) -> set[Fact]:
    """What OmniGibson says that ``robot`` holds."""
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
