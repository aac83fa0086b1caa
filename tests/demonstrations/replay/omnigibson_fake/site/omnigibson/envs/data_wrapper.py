"""Playback: every episode begins with the scene file, objects come and go before their state."""

import json

import h5py
import omnigibson as og
from omnigibson.envs.env_base import Environment
from omnigibson.envs.env_wrapper import EnvironmentWrapper
from omnigibson.macros import gm


class DataWrapper(EnvironmentWrapper):
    def read(self, input_path, n_render_iterations):
        assert not gm.ENABLE_TRANSITION_RULES
        self.data, self.n_render_iterations = (
            h5py.File(input_path, "r")["data"],
            n_render_iterations,
        )
        self.scene_file = json.loads(self.data.attrs["scene_file"])

    @staticmethod
    def environment(input_path, robot_obs_modalities, external_sensors_config):
        data = h5py.File(input_path, "r")["data"]
        config = json.loads(data.attrs["config"])
        config["scene"]["scene_file"] = json.loads(data.attrs["scene_file"])
        for robot in config["robots"]:
            robot["obs_modalities"] = robot_obs_modalities
        config["env"]["external_sensors"] = external_sensors_config
        return Environment(config)


class DataPlaybackWrapper(DataWrapper):
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
        env = cls.environment(input_path, robot_obs_modalities, external_sensors_config)
        made = cls(env)
        made.read(input_path, n_render_iterations)
        return made

    def playback_episode(self, episode_id, record=True):
        demo = self.data[f"demo_{episode_id}"]
        transitions = json.loads(demo.attrs["transitions"])
        state, size = demo["state"][:], demo["state_size"][:]
        og.sim.restore(scene_files=[self.scene_file])
        self.reset()
        og.sim.load_state(state[0, : int(size[0])], serialized=True)
        assert not record, "observations of all frames would be kept in memory"
        for i, (action, s, ss) in enumerate(zip(demo["action"][:], state[1:], size[1:])):
            change = transitions.get(str(i))
            if change is not None:
                scene = og.sim.scenes[0]
                for name in change["systems"]["add"]:
                    scene.add_system(name)
                for name in change["systems"]["remove"]:
                    scene.clear_system(name)
                for info in change["objects"]["add"]:
                    scene.add_object(info)
                for name in change["objects"]["remove"]:
                    scene.remove_object(name)
            og.sim.load_state(s[: int(ss)], serialized=True)
            self.env.step(action=action, n_render_iterations=self.n_render_iterations)
