"""The environment: one scene and its external sensors."""

from types import SimpleNamespace

import omnigibson as og
from omnigibson.macros import gm
from omnigibson.scenes.scene_base import Scene
from omnigibson.sensors import create_sensor
from omnigibson.simulator import _launch_simulator


class _Entity:
    """What a task names; it wraps an object, or a system, while that is there."""

    def __init__(self, name):
        self.name = name

    @property
    def wrapped_obj(self):
        scene = og.sim.scenes[0]
        return scene.registry.get(self.name) or scene.systems.get(self.name)


def _task(configs):
    """Its scope is named in the scene file, or else all that is there at first."""
    if configs.get("task", {}).get("type") != "BehaviorTask":
        return SimpleNamespace()
    scene_file = configs["scene"]["scene_file"]
    names = scene_file.get("fake_scope") or scene_file["objects_info"]["init_info"]
    return SimpleNamespace(object_scope={f"{name}.n.01_1": _Entity(name) for name in names})


class Environment:
    def __init__(self, configs, in_vec_env=False):
        assert gm.HEADLESS
        assert not configs["env"].get("automatic_reset")
        _launch_simulator()
        og.sim.scenes.append(Scene(configs["scene"]["scene_file"]))
        self._external_sensors = {}
        for config in configs["env"]["external_sensors"]:
            given = dict(config)
            position, given_orientation = given.pop("position"), given.pop("orientation")
            assert given.pop("pose_frame", "scene") == "parent"
            assert not given.pop("include_in_obs", True)
            sensor = create_sensor(**given)
            sensor.mount(position, given_orientation, scene_path=given["relative_prim_path"])
            self._external_sensors[sensor.name] = sensor

        self.task = _task(configs)

    def step(self, action, n_render_iterations=1):
        og.sim.scenes[0].robots[0].apply_action(action)
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
