"""Playback: every episode begins with the scene file, objects come and go before their state."""

import json

import h5py
import omnigibson as og
from omnigibson.envs.env_base import Environment
from omnigibson.envs.env_wrapper import EnvironmentWrapper
from omnigibson.macros import gm


class DataPlaybackWrapper(EnvironmentWrapper):
    @classmethod
    def create_from_hdf5(
        cls,
        input_path,
        output_path,
        robot_obs_modalities,
        robot_sensor_config=None,
        external_sensors_config=None,
        n_render_iterations=5,
        only_successes=False,
    ):
        data = h5py.File(input_path, "r")["data"]
        config = json.loads(data.attrs["config"])
        config["scene"]["scene_file"] = json.loads(data.attrs["scene_file"])
        for robot in config["robots"]:
            robot["obs_modalities"] = robot_obs_modalities
        config["env"]["external_sensors"] = external_sensors_config
        made = cls(Environment(config))
        assert not gm.ENABLE_TRANSITION_RULES
        made.data, made.n_render_iterations = data, n_render_iterations
        made.scene_file = config["scene"]["scene_file"]
        return made

    def playback_episode(self, episode_id, record=True):
        demo = self.data[f"demo_{episode_id}"]
        transitions = json.loads(demo.attrs["transitions"])
        state, size = demo["state"][:], demo["state_size"][:]
        og.sim.restore(scene_files=[self.scene_file])
        self.reset()
        og.sim.load_state(state[0, : int(size[0])], serialized=True)
        assert not record, "observations of all frames would be kept in memory"
        for i, action in enumerate(demo["action"][:]):
            scene = og.sim.scenes[0]
            change = transitions.get(str(i), {})
            for name in change.get("systems", {}).get("add", []):
                scene.add_system(name)
            for name in change.get("systems", {}).get("remove", []):
                scene.clear_system(name)
            for info in change.get("objects", {}).get("add", []):
                scene.add(info["args"]["name"], info)
            for name in change.get("objects", {}).get("remove", []):
                scene.remove(name)
            og.sim.load_state(state[i + 1, : int(size[i + 1])], serialized=True)
            self.env.step(action=action, n_render_iterations=self.n_render_iterations)
