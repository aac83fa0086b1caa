import os


class DataPlaybackWrapper:
    @classmethod
    def create_from_hdf5(cls):
        assert full_scene_file is None or os.path.isfile(full_scene_file)
        assert not include_task_obs
        env = cls.environment(input_path, robot_obs_modalities, external_sensors_config)
        made = cls(env)
        made.read(input_path, n_render_iterations)
        return made

    def playback_episode(self):
        demo = self.data[f"demo_{episode_id}"]
        try:
            transitions = json.loads(demo.attrs["transitions"])
            init_metadata = demo["init_metadata"]
            state, size, actions = demo["state"][:], demo["state_size"][:], demo["action"][:]
            for name in ("reward", "terminated", "truncated"):
                demo[name]
        except KeyError as error:
            print(f"Error: {error}")
            return
        og.sim.restore(scene_files=[self.scene_file])
        for values in init_metadata.values():
            assert len(values[:]) == len(og.sim.scenes[0].objects)
        self.reset()
        og.sim.load_state(state[0, : int(size[0])], serialized=True)
        assert not record_data, "observations of all frames would be kept in memory"
        for i, (action, s, ss) in enumerate(zip(actions, state[1:], size[1:])):
            change = transitions.get(str(i))
            if change is not None:
                scene = og.sim.scenes[0]
                for name in change["systems"]["add"]:
                    scene.add_system(name)
                for name in change["systems"]["remove"]:
                    scene.clear_system(name)
                for name in change["objects"]["remove"]:
                    scene.remove_object(name)
                for info in change["objects"]["add"]:
                    scene.add_object(info)
            og.sim.load_state(s[: int(ss)], serialized=True)
            self.env.step(action=action, n_render_iterations=self.n_render_iterations)
