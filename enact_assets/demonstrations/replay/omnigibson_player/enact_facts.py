"""Facts as the authors' replay writes them: asks the simulator, and applies ``enact_rules``.

States are asked one by one, and not of OmniGibson's builder: that of branch ``enact`` follows
these rules itself, those of other versions skip robots and compare everything with everything.
"""

from collections.abc import Collection, Mapping
from typing import Any

from enact_assets.demonstrations.replay.omnigibson_player import enact_rules as rules
from enact_assets.demonstrations.replay.omnigibson_player.grasps import grasps
from enact_assets.demonstrations.replay.omnigibson_player.intervals import Fact, ObjectWriter
from enact_assets.demonstrations.replay.omnigibson_player.request import RefusalError
from enact_assets.demonstrations.replay.omnigibson_player.state_names import (
    EXISTS,
    PARTICLE_SYSTEM,
    holds,
)


class EnactFacts:
    """Facts of one scene, frame after frame, by rules ``enact``.

    ``is_grasp_in_state`` says whether rows of the demonstration hold what hands hold.
    """

    def __init__(
        self, writer: ObjectWriter, where: str, mode: str, *, is_grasp_in_state: bool
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
