class DataPlaybackWrapper:
    def __init__(self, env):
        self.create_dataset()
        super().__init__(env)

    def create_dataset(self):
        raise NotImplementedError

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
        for i, (action, s, ss) in enumerate(zip(actions, state, size)):
            og.sim.load_state(s[: int(ss)], serialized=True)
            self.env.step(action=action, n_render_iterations=self.n_render_iterations)
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
