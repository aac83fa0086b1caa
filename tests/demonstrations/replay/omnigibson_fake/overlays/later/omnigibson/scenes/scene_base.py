class Scene:
    def _dump_state(self):
        return {"pos": [0.0] * 3, "ori": [0.0] * 4, "registry": self._registry.dump_state()}

    def _load_state(self, state):
        self.load_facts(state["registry"])

    def deserialize(self, state):
        found, read = self.facts_in(state[7:])
        return {"pos": state[:3], "ori": state[3:7], "registry": found}, 7 + read
