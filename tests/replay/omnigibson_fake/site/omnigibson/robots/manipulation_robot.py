"""A robot with arms: facts ``Grasping:<arm>`` say what it holds."""

from omnigibson.controllers.controller_base import IsGraspingState
from omnigibson.objects.stateful_object import StatefulObject
from omnigibson.prims.material_prim import MaterialPrim


class ManipulationRobot(StatefulObject):
    def __init__(self, scene, name, arms, grasping_mode):
        shell = MaterialPrim({"diffuse_texture": "shell.png", "diffuse_color_constant": [0, 0, 0]})
        super().__init__(scene, name, "agent", materials={shell, MaterialPrim({"glass": 1})})
        self.scene, self._arms, self._mode = scene, arms, grasping_mode

    def is_grasping(self, arm="default", candidate_obj=None):
        held = self.scene.holds(f"Grasping:{arm}", self.name, candidate_obj.name)
        if self._mode == "physical":
            return held
        return IsGraspingState.TRUE if held else IsGraspingState.FALSE

    @property
    def arm_names(self):
        return self._arms
