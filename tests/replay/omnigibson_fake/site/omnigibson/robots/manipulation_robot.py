"""A robot with arms: facts ``Grasping:<arm>`` say what it holds."""

from omnigibson.controllers.controller_base import IsGraspingState
from omnigibson.objects.stateful_object import StatefulObject
from omnigibson.prims.material_prim import MaterialPrim


class ManipulationRobot(StatefulObject):
    def __init__(self, scene, name, arms, grasping_mode):
        shell = MaterialPrim({"diffuse_texture": "shell.png", "diffuse_color_constant": [0, 0, 0]})
        super().__init__(scene, name, "agent", materials={shell, MaterialPrim({"glass": 1})})
        self.scene, self._arms, self._mode = scene, arms, grasping_mode

        self._ag_obj_in_hand = dict.fromkeys(arms)

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
