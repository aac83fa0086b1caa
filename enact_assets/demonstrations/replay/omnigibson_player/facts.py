"""The state of the scene as atomic facts: of all objects, or as the authors' replay writes them.

States are asked one by one, and not of OmniGibson's builder of scene graphs: what that leaves out
differs from version to version. The robot is asked what each hand grasps. With rules ``all``
particle systems are asked about once they have particles; with rules ``enact`` ``enact_rules`` says
what counts. States that become facts, and those left out with a reason, are all classes of version
1.1.1 that derive from its ``BooleanStateMixin``: a test compares them with its source, and the
first with our catalogue of predicates.
"""

from collections.abc import Collection, Mapping
from typing import Any

from enact_assets.demonstrations.replay.omnigibson_player import enact_rules as rules
from enact_assets.demonstrations.replay.omnigibson_player.grasps import PHYSICAL, grasps, hand_of
from enact_assets.demonstrations.replay.omnigibson_player.reply import Fact, IntervalWriter
from enact_assets.demonstrations.replay.omnigibson_player.request import RefusalError

EXISTS = "Exists"
"""The fact that a thing is there; no state of OmniGibson's."""
PARTICLE_SYSTEM = "System"
"""Category of particle systems."""

RECORDED = (
    "AttachedTo",
    "Burnt",
    "Contains",
    "Cooked",
    "Covered",
    "Draped",
    "Folded",
    "Frozen",
    "Heated",
    "Inside",
    "OnTop",
    "Open",
    "Overlaid",
    "ToggledOn",
    "Touching",
    "Under",
    "Unfolded",
)
"""States that are facts under the same name."""
SYMMETRIC = ("Touching",)
"""Those that hold in both directions: stored once, the name that sorts first as subject."""
LEFT_OUT: Mapping[str, str] = {
    "Filled": "is about particle systems; no gating looks at it",
    "IsGrasping": "of robots, which are asked per hand; knows assisted grasps only",
    "NextTo": "no gating looks at it, and it is the most expensive of all",
    "Saturated": "is about particle systems; no gating looks at it",
    "SlicerActive": "a cool-down timer of knives, no state of the world",
}
"""States that are no facts, and why."""
PARTICLES_ONLY = ("Contains", "Covered", "Filled", "Saturated")
"""States whose second thing is a particle system: nobody asks them about objects."""


def holds(state: Any, *other: Any) -> bool:
    """Whether ``state`` of a thing holds, towards the ``other`` one if it takes one.

    One that fails does not hold, as for OmniGibson's builder of scene graphs and the authors'
    replay: some states fail for some pairs.
    """
    try:
        return bool(state.get_value(*other))
    except Exception:  # noqa: BLE001 # whatever the state raises
        return False


SYSTEM_STATES = ("Contains", "Covered")


class SceneFacts:
    """Facts of one scene, frame after frame. ``parents`` are known from how objects come and go."""

    def __init__(self, writer: IntervalWriter, mode: str, *, is_grasp_in_state: bool) -> None:
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
            for kind, state in (thing.states or {}).items() if systems else ():
                if (relation := kind.__name__) in SYSTEM_STATES:
                    asked = {n: s for n, s in systems.items() if _can_tell(scene, kind, thing, n)}
                    facts.update(
                        (relation, name, n) for n, s in asked.items() if state.get_value(s)
                    )
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


def _can_tell(scene: Any, kind: Any, thing: Any, system: str) -> bool:
    """``Covered`` fails for cloth and physical particles, such as a towel and water."""
    from omnigibson.utils.constants import PrimType

    if kind.__name__ != "Covered" or thing.prim_type != PrimType.CLOTH:
        return True
    return bool(scene.is_visual_particle_system(system_name=system))


def states_of(objects: Mapping[str, Any]) -> set[Fact]:
    """States of ``objects`` by name, and relations of each to each, that are recorded and hold.

    Like OmniGibson's builder of scene graphs, this takes a state that fails for not holding.
    """
    from omnigibson.object_states.object_state_base import (
        AbsoluteObjectState,
        BooleanStateMixin,
        RelativeObjectState,
    )

    facts: set[Fact] = set()
    for name, thing in objects.items():
        for kind, state in (thing.states or {}).items():
            if not (_is_asked(kind.__name__) and issubclass(kind, BooleanStateMixin)):
                continue
            if issubclass(kind, AbsoluteObjectState):
                if state.get_value():
                    facts.add((kind.__name__, name, None))
            elif issubclass(kind, RelativeObjectState):
                held = [n for n, o in objects.items() if n != name and holds(state, o)]
                facts.update(_relation(kind.__name__, name, other) for other in held)
    return facts


def _is_asked(name: str) -> bool:
    return name in RECORDED and name not in PARTICLES_ONLY


def held_now(robot: Any, objects: Mapping[str, Any]) -> set[Fact]:
    """What OmniGibson says that ``robot`` holds."""
    from omnigibson.controllers import IsGraspingState

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


class EnactFacts:
    """Facts of one scene, frame after frame, by rules ``enact``.

    ``is_grasp_in_state`` says whether rows of the demonstration hold what hands hold.
    """

    def __init__(
        self, writer: IntervalWriter, where: str, mode: str, *, is_grasp_in_state: bool
    ) -> None:
        self._writer = writer
        self._where = where
        self._mode = mode
        self._is_grasp_in_state = is_grasp_in_state
        self._selection: rules.Selection | None = None
        self._before: set[str] | None = None

    def at(self, env: Any, scene: Any) -> tuple[set[Fact], set[str]]:
        """All facts that hold now, and the names of all that counts; names what is new.

        Errors: :class:`RefusalError` if the task has no scope, or names nothing in the scene.
        """
        objects: dict[str, Any] = {o.name: o for o in scene.objects}
        systems: dict[str, Any] = dict(scene.active_systems)
        there = {*objects, *systems}
        robots = {robot.name for robot in scene.robots}
        if self._selection is None:
            self._selection = rules.Selection(task_names(env, there, self._where) | robots)
        chosen = self._selection.at(there)
        objects = {name: objects[name] for name in objects if name in chosen}
        systems = {name: systems[name] for name in systems if name in chosen}
        self._name_new(there, objects, systems)
        facts: set[Fact] = {(EXISTS, name, None) for name in chosen}
        about = {
            name: rules.Thing(thing.category, "robot" if name in robots else "object")
            for name, thing in objects.items()
        } | {name: rules.Thing(PARTICLE_SYSTEM, "system") for name in systems}
        edges: dict[rules.Pair, set[str]] = {}
        for name, thing in objects.items():
            states = {kind.__name__: state for kind, state in (thing.states or {}).items()}
            facts.update((s, name, None) for s in rules.STATES if s in states and holds(states[s]))
            for asked, others in (
                (rules.RELATIONS, objects),
                (rules.PARTICLE_RELATIONS, systems),
            ):
                for relation in [r for r in asked if r in states]:
                    for other, what in others.items():
                        if other != name and holds(states[relation], what):
                            edges.setdefault((name, other), set()).add(relation)
        for robot in scene.robots:
            found = grasps(robot, self._mode, objects, is_in_state=self._is_grasp_in_state)
            for hand, name, other in found:
                edges.setdefault((name, other), set()).add(hand)
        for (name, other), relations in rules.kept(edges, about).items():
            facts.update((relation, name, other) for relation in relations)
        return facts, chosen

    def _name_new(
        self, there: set[str], objects: Mapping[str, Any], systems: Collection[str]
    ) -> None:
        gone = (self._before or set()) - there
        known = self._before or set()
        for name in sorted({*objects, *systems} - known):
            is_system = name in systems
            parents = None
            if self._before is not None:
                parents = rules.parents_of(name, gone, is_system=is_system)
            category = PARTICLE_SYSTEM if is_system else objects[name].category
            self._writer.add_object(name, category, parents, is_particle_system=is_system)
        self._before = there


def task_names(env: Any, there: Collection[str], where: str) -> set[str]:
    """Names of what the BEHAVIOR task of ``env`` is about, as far as it is ``there``.

    Errors: :class:`RefusalError` for another kind of task, or if nothing of it is there.
    """
    task = getattr(env, "task", None)
    scope = getattr(task, "object_scope", None)
    if scope is None:  # in 3.9 there is one per environment
        scope = next(iter(getattr(task, "object_scopes", None) or ()), None)
    advice = 'Set "rules": "all" in omnigibson.json to record all objects.'
    if not scope:
        raise RefusalError(
            f"{where}: its task ({type(task).__name__}) has no objects of its own, by which rules "
            f"'enact' select. {advice}"
        )
    wrapped = [getattr(entity, "wrapped_obj", entity) for entity in scope.values()]
    names = {thing.name for thing in wrapped if thing is not None} & set(there)
    if not names:
        raise RefusalError(
            f"{where}: none of the {len(scope)} objects of its task is in the scene, the first: "
            f"{min(scope)!r}. {advice}"
        )
    return names
