class ManipulationRobot:
    def _load_state(self, state):
        if self._mode == "physical":
            return
        held = {}
        if "ag_obj_constraint_params" in state:
            held = state["ag_obj_constraint_params"]
        self._ag_obj_in_hand = {arm: held.get(arm) for arm in self._arms}
