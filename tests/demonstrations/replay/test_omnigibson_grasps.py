"""What hands hold: the truth table of the rule, and how it is read from a robot."""

import itertools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from enact_assets.demonstrations.replay.omnigibson_player.grasps import Hand, grasps, hand_of
from enact_assets.demonstrations.replay.omnigibson_player.request import RefusalError

MODES = ("physical", "assisted", "sticky")


@pytest.mark.parametrize(
    ("mode", "is_closed", "touches", "hits"),
    list(itertools.product(MODES, (False, True), (False, True), (False, True))),
)
def test_6_held_is_what_a_closed_gripper_touches_and_a_ray_meets(
    mode: str, is_closed: bool, touches: bool, hits: bool
) -> None:
    apple, pear = frozenset(["apple"]), frozenset(["pear"])
    touched, hit = (apple if touches else pear), (apple if hits else frozenset(["bowl"]))
    held = Hand(mode, is_closed, touched, hit).holds()
    assert held == (apple if is_closed and touches and hits else frozenset())


@pytest.mark.parametrize(
    ("mode", "attached"), list(itertools.product(MODES, (None, "pear"))), ids=str
)
def test_6_from_3_9_on_the_loaded_state_decides_unless_grasping_is_physical(
    mode: str, attached: str | None
) -> None:
    apple = frozenset(["apple"])
    hand = Hand(mode, is_closed=True, touched=apple, hit=apple, attached=attached, is_in_state=True)
    if mode == "physical":
        assert hand.holds() == apple
    else:
        assert hand.holds() == (frozenset() if attached is None else frozenset([attached]))


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


def test_a_closed_gripper_holds_what_it_touches_if_the_ray_meets_any_link_of_it() -> None:
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


def test_what_the_state_fixes_to_a_hand_is_held_if_it_counts() -> None:
    robot, things = robot_and_things([0.05], set())
    robot._ag_obj_constraint_params["right"] = {"target_obj": things["bowl"]}
    found = grasps(robot, "assisted", things, is_in_state=True)
    assert found == {("RightGrasping", "robot_r1", "bowl")}
    del things["bowl"]
    assert grasps(robot, "assisted", things, is_in_state=True) == set()
    assert grasps(robot, "physical", things, is_in_state=True) == set()


def test_a_gripper_without_target_is_refused() -> None:
    robot, things = robot_and_things([0.0], set())
    robot.controllers["gripper_left"].goal = None
    with pytest.raises(RefusalError, match=r'controller gripper_left .* "rules": "all"'):
        grasps(robot, "assisted", things, is_in_state=False)
    with pytest.raises(RefusalError, match="left and right cannot be told apart"):
        hand_of("0", ["0", "1"], "robot")
