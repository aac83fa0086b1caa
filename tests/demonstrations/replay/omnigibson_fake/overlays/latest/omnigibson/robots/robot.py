from hashlib import md5

import numpy as np
from omnigibson.controllers.controller_view import ControllerView

_AG_MAGIC = 1e8 + 123456
_AG_STATE_SIZE = 18


def has_uuid(thing, uuid):
    return np.float32(int(md5(thing.name.encode()).hexdigest(), 16) % 10**8) == np.float32(uuid)


class Robot:
    def __init__(self, scene, name, arms, grasping_mode, model):
        shell = MaterialPrim({"diffuse_texture": "shell.png", "diffuse_color_constant": [0, 0, 0]})
        super().__init__(scene, name, "agent", materials={shell, MaterialPrim({"glass": 1})})
        self._links |= {"zed_link": RigidPrim(name, "zed_link", (1.0, 2.0, 1.5))}
        self.scene, self._arms, self._mode, self.model = scene, arms, grasping_mode, model
        self._fingers = {arm: [RigidPrim(name, f"{arm}_finger")] for arm in arms}
        self._goals = dict.fromkeys(arms, OPEN)
        self._ag_obj_in_hand = dict.fromkeys(arms)
        self._ag_obj_constraint_params = dict.fromkeys(arms)

    @property
    def controllers(self):
        for arm, goal in self._goals.items():
            ControllerView.groups[f"group_{arm}"] = Gripper(goal)
        return {f"gripper_{arm}": (f"group_{arm}", 0) for arm in self._goals}

    def deserialize(self, state):
        """Has a grasp, of what, and fifteen numbers more per arm; nothing in older rows."""
        if self._mode == "physical" or not len(state) or state[0] != _AG_MAGIC:
            return {}, 0
        blocks = [state[1 + _AG_STATE_SIZE * k :] for k in range(len(self._arms))]
        held = {arm: block[1] for arm, block in zip(self._arms, blocks) if block[0]}
        return {"held": held}, 1 + _AG_STATE_SIZE * len(blocks)

    def _dump_state(self):
        if self._mode == "physical":
            return {}
        return {"params": self._ag_obj_constraint_params}

    def _load_state(self, state):
        if self._mode == "physical":
            return
        params = dict.fromkeys(self._arms)
        for arm, uuid in state.get("held", {}).items():
            (held,) = [o for o in self.scene.objects if has_uuid(o, uuid)]
            params[arm] = {"target_obj": held}
        params.update(state.get("params", {}))
        self._ag_obj_constraint_params = params
        self._ag_obj_in_hand = {arm: p and p["target_obj"] for arm, p in params.items()}
