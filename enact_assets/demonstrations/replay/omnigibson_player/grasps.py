"""What each hand of the robot holds, by gripper, contact and ray, or by the loaded state.

The authors' replay takes an object for held while the gripper is told to close all the way, a
finger touches the object, and a ray between the fingers hits it, whatever the mode of grasping.
Where rows of ``state`` say what an assisted grasp holds, as from OmniGibson 3.9.2 on, they decide.
"""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from enact_assets.demonstrations.replay.omnigibson_player.enact_rules import LEFT, RIGHT
from enact_assets.demonstrations.replay.omnigibson_player.installed import found_at
from enact_assets.demonstrations.replay.omnigibson_player.request import RefusalError

PHYSICAL = "physical"
"""Mode of grasping by friction alone; the others are ``assisted`` and ``sticky``."""
CONTACTS = "ContactBodies"
"""State of an object: the links that it touches."""


def grasps(
    robot: Any, mode: str, objects: Mapping[str, Any], *, is_in_state: bool
) -> set[tuple[str, str, str]]:
    """Facts about what ``robot`` holds of ``objects`` (name -> object): predicate, robot, name.

    Errors: :class:`RefusalError` if a gripper cannot be read, or for arms that cannot be told
    apart.
    """
    arms = list(getattr(robot, "arm_names", ()))
    facts: set[tuple[str, str, str]] = set()
    for arm in arms:
        predicate = hand_of(arm, arms, robot.name)
        held = _held(robot, arm, mode, objects, is_in_state=is_in_state)
        facts.update((predicate, robot.name, name) for name in held if name in objects)
    return facts


def _held(
    robot: Any, arm: str, mode: str, objects: Mapping[str, Any], *, is_in_state: bool
) -> frozenset[str]:
    """Names of what the hand ``arm`` holds: what its fingers touch and a ray between them meets, or
    what the loaded state fixes to it. Contacts and rays are asked of a closed gripper only: they
    cost time.
    """
    if is_in_state and mode != PHYSICAL:
        fixed = robot._ag_obj_constraint_params[arm]  # nothing public says it
        return frozenset((fixed["target_obj"].name,) if fixed else ())
    if not is_closed(robot, arm):
        return frozenset()
    touched = _touched(robot, arm, {n: o for n, o in objects.items() if o is not robot})
    if not touched:
        return touched
    paths = robot._find_gripper_raycast_collisions(arm=arm)
    links = {name: objects[name].links.values() for name in touched}
    return frozenset(n for n, of in links.items() if any(k.prim_path in paths for k in of))


def is_closed(robot: Any, arm: str) -> bool:
    """Whether the last action tells the gripper to go to its lower limit.

    Errors: :class:`RefusalError` if its controller has no such target.
    """
    controller, goal = _controller(robot, arm)
    limits = getattr(controller, "_command_output_limits", None)
    if limits is None or not goal or "target" not in goal:
        raise RefusalError(
            f"robot {robot.name!r}: controller gripper_{arm} ({type(controller).__name__}) has no "
            'target or no output limits that say when it is closed. Set "rules": "all" in '
            "omnigibson.json."
        )
    return bool(np.all(numbers_of(goal["target"]) == numbers_of(limits[0])))


def _controller(robot: Any, arm: str) -> tuple[Any, Any]:
    """The gripper's controller and its goal; newer versions keep one controller per group."""
    found = robot.controllers[f"gripper_{arm}"]
    if not isinstance(found, tuple):
        return found, found.goal
    view = found_at("omnigibson.controllers.controller_view:ControllerView")
    return view.get_controller(found[0]), view.get_goal(*found)


def numbers_of(tensor: Any) -> Any:
    """A tensor or array, wherever it is, as one row of numbers."""
    array = tensor.cpu().numpy() if hasattr(tensor, "cpu") else np.asarray(tensor)
    return array.reshape(-1)


def _touched(robot: Any, arm: str, objects: Mapping[str, Any]) -> frozenset[str]:
    """Objects that a finger of ``arm`` touches, by their state ``ContactBodies`` as in the authors'
    replay; by what the gripper feels where there is no such state, as in 3.9.
    """
    fingers = set(robot.finger_links[arm])
    found: set[str] = set()
    felt: Collection[str] | None = None
    for name, thing in objects.items():
        states = {kind.__name__: state for kind, state in (thing.states or {}).items()}
        if CONTACTS in states:
            is_touched = not fingers.isdisjoint(states[CONTACTS].get_value())
        else:
            if felt is None:
                felt, _ = robot._find_gripper_contacts(arm=arm)
            is_touched = any(link.prim_path in felt for link in thing.links.values())
        if is_touched:
            found.add(name)
    return frozenset(found)


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
