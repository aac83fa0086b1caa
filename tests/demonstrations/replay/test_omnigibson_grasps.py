"""What hands hold, read from a robot: closed or not, touched or not, met by the ray or not."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from enact_assets.demonstrations.replay.omnigibson_player.grasps import grasps, hand_of
from enact_assets.demonstrations.replay.omnigibson_player.request import RefusalError

MODES = ("physical", "assisted", "sticky")


class ContactBodies:
    def __init__(self, links: list[Any]) -> None:
        self._links = links

    def get_value(self) -> set[Any]:
        return set(self._links)


class Link:
    def __init__(self, path: str) -> None:
        self.prim_path = path


def robot_and_things(target: list[float], rays: set[str]) -> tuple[Any, dict[str, Any]]:
    finger = Link("/robot/left_finger")
    controllers = {
        f"gripper_{arm}": SimpleNamespace(
            goal={"target": np.array(value)},
            _command_output_limits=(np.array([0.0]), np.array([0.05])),
        )
        for arm, value in {"left": target, "right": [0.05]}.items()
    }
    asked: list[str] = []

    def rays_of(arm: str) -> set[str]:
        asked.append(arm)
        return rays

    robot = SimpleNamespace(
        name="robot_r1",
        arm_names=["left", "right"],
        controllers=controllers,
        finger_links={"left": [finger], "right": [Link("/robot/right_finger")]},
        links={"left_finger": finger},
        states={ContactBodies: ContactBodies([finger])},
        _find_gripper_raycast_collisions=rays_of,
        _find_gripper_contacts=lambda arm: ({"/apple/lid", "/towel/base_link", arm}, {}),
        _ag_obj_constraint_params={"left": None, "right": None},
        asked=asked,
    )
    touched = {
        "apple": [finger],
        "pear": [finger],
        "bowl": [Link("/table/top")],
    }
    things = {
        name: SimpleNamespace(
            name=name,
            links={"base_link": Link(f"/{name}/base_link"), "lid": Link(f"/{name}/lid")},
            states={ContactBodies: ContactBodies(links)},
        )
        for name, links in touched.items()
    }
    links = {"base_link": Link("/towel/base_link")}
    towel = SimpleNamespace(name="towel", links=links, states={})
    return robot, {**things, "towel": towel, "robot_r1": robot}


def test_6_a_closed_gripper_holds_what_it_touches_if_the_ray_meets_any_link_of_it() -> None:
    robot, things = robot_and_things([0.0], {"/apple/lid", "/bowl/base_link"})
    for mode in MODES:
        found = grasps(robot, mode, things, is_in_state=False)
        assert found == {("LeftGrasping", "robot_r1", "apple")}
    assert set(robot.asked) == {"left"}


def test_what_knows_no_contacts_is_held_if_the_gripper_feels_it() -> None:
    robot, things = robot_and_things([0.0], {"/towel/base_link", "/bowl/lid"})
    found = grasps(robot, "physical", things, is_in_state=False)
    assert found == {("LeftGrasping", "robot_r1", "towel")}


def test_a_gripper_that_is_not_all_closed_holds_nothing_and_casts_no_ray() -> None:
    for target in ([1e-3], [-0.01], [0.0, 0.01]):
        robot, things = robot_and_things(target, {"/apple/lid"})
        assert grasps(robot, "assisted", things, is_in_state=False) == set()
        assert robot.asked == []


def test_6_what_the_state_fixes_to_a_hand_is_held_unless_grasping_is_physical() -> None:
    """From 3.9 on; the rule would say that the left hand holds the apple."""
    robot, things = robot_and_things([0.0], {"/apple/lid"})
    robot._ag_obj_constraint_params["right"] = {"target_obj": things["bowl"]}
    by_rule = {("LeftGrasping", "robot_r1", "apple")}
    for mode in ("assisted", "sticky"):
        found = grasps(robot, mode, things, is_in_state=True)
        assert found == {("RightGrasping", "robot_r1", "bowl")}
    assert grasps(robot, "physical", things, is_in_state=True) == by_rule
    del things["bowl"]
    assert grasps(robot, "assisted", things, is_in_state=True) == set()


def test_a_gripper_without_target_is_refused() -> None:
    robot, things = robot_and_things([0.0], set())
    robot.controllers["gripper_left"].goal = None
    with pytest.raises(RefusalError, match=r'controller gripper_left .* "rules": "all"'):
        grasps(robot, "assisted", things, is_in_state=False)
    with pytest.raises(RefusalError, match="left and right cannot be told apart"):
        hand_of("0", ["0", "1"], "robot")
