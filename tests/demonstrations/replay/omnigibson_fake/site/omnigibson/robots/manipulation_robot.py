"""A robot with arms: facts ``Grasping:<arm>`` say what it holds by friction."""

import numpy as np
from omnigibson.controllers.controller_base import IsGraspingState
from omnigibson.objects.stateful_object import StatefulObject
from omnigibson.prims.material_prim import MaterialPrim
from omnigibson.prims.rigid_prim import RigidPrim


OPEN = 0.05


class Gripper:
    """A controller with the target of its last action."""

    def __init__(self, target):
        self.goal = {"target": np.array([target], np.float32)}
        self._command_output_limits = (np.zeros(1, np.float32), np.full(1, OPEN, np.float32))


class ManipulationRobot(StatefulObject):
    def __init__(self, scene, name, arms, grasping_mode):
        shell = MaterialPrim({"diffuse_texture": "shell.png", "diffuse_color_constant": [0, 0, 0]})
        super().__init__(scene, name, "agent", materials={shell, MaterialPrim({"glass": 1})})
        self._links |= self.head_links(name)
        self.scene, self._arms, self._mode = scene, arms, grasping_mode

        self._fingers = {arm: [RigidPrim(name, f"{arm}_finger")] for arm in arms}
        self._goals = dict.fromkeys(arms, OPEN)
        self._ag_obj_in_hand = dict.fromkeys(arms)

    @staticmethod
    def head_links(name):
        return {}

    def apply_action(self, action):
        for arm, target in zip(self._arms, action[2:]):
            self._goals[arm] = float(target)

    @property
    def controllers(self):
        return {f"gripper_{arm}": Gripper(goal) for arm, goal in self._goals.items()}

    @property
    def finger_links(self):
        return self._fingers

    def _find_gripper_contacts(self, arm="default", return_contact_positions=False):
        felt = [o for o in self.scene.objects if self.scene.holds(f"Touches:{arm}", o.name, None)]
        return {link.prim_path for thing in felt for link in thing.links.values()}, {}

    def _find_gripper_raycast_collisions(self, arm="default"):
        met = [o for o in self.scene.objects if self.scene.holds(f"Hit:{arm}", o.name, None)]
        return {link.prim_path for thing in met for link in thing.links.values()}

    def is_grasping(self, arm="default", candidate_obj=None):
        if self._mode != "physical":
            held = self._ag_obj_in_hand[arm]
            return IsGraspingState(1 if held is not None and held is candidate_obj else -1)
        held = [
            o for o in self.scene.objects if self.scene.holds(f"Grasping:{arm}", self.name, o.name)
        ]
        # As the real one: what the gripper feels, or a boolean about one object.
        return candidate_obj in held if held else IsGraspingState.UNKNOWN

    def _dump_state(self):
        return {}

    def _load_state(self, state):
        if self._mode == "physical":
            return
        for arm, held in state["ag_obj_constraint_params"].items():
            self._ag_obj_in_hand[arm] = held

    def holds(self, arm, thing):
        return self.scene.holds(f"Grasping:{arm}", self.name, thing.name)

    @property
    def arm_names(self):
        return self._arms
