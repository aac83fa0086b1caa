class Environment:
    def step(self):
        og.sim.scenes[0].robots[0].apply_action(action)
        og.sim.scenes[0].maybe_wait()
        og.sim.scenes[0].maybe_crash()
        return [{}], [0.0], [False], [False], [{}]

    def get_obs(self):
        return [{}], [{}]

    @property
    def external_sensors(self):
        return [self._external_sensors]
