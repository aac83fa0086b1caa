"""The simulator, which renders and loads states."""


def _launch_simulator(*args, **kwargs):
    import omnigibson as og

    class Simulator:
        def __init__(self):
            self.scenes = []
            self.n_renders = 0

        def render(self):
            self.n_renders += 1

        def load_state(self, state, serialized=False):
            assert serialized
            self.scenes[0].state = state
            self.n_renders = 0

        def restore(self, scene_files):
            self.scenes[0].restore(scene_files[0])

    og.sim = Simulator()
    return og.sim
