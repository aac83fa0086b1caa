"""The environment: one scene and its external sensors."""

import omnigibson as og
from omnigibson.macros import gm
from omnigibson.scenes.scene_base import Scene
from omnigibson.sensors import create_sensor
from omnigibson.simulator import _launch_simulator


class Environment:
    def __init__(self, configs, in_vec_env=False):
        assert gm.HEADLESS
        assert not configs["env"].get("automatic_reset")
        _launch_simulator()
        og.sim.scenes.append(Scene(configs["scene"]["scene_file"]))
        self._external_sensors = {}
        for config in configs["env"]["external_sensors"]:
            given = dict(config)
            position, _ = given.pop("position"), given.pop("orientation")
            assert given.pop("pose_frame", "scene") == "parent"
            assert not given.pop("include_in_obs", True)
            sensor = create_sensor(**given)
            sensor.position = position
            self._external_sensors[sensor.name] = sensor

    def step(self, action, n_render_iterations=1):
        og.sim.scenes[0].maybe_wait()
        og.sim.scenes[0].maybe_crash()
        return {}, 0.0, False, False, {}

    def reset(self):
        return {}, {}

    def get_obs(self):
        return {}, {}

    @property
    def scene(self):
        return og.sim.scenes[0]

    @property
    def external_sensors(self):
        return self._external_sensors
