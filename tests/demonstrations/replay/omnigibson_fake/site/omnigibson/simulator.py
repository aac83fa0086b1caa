"""The simulator, which renders and loads states."""


def _launch_simulator(*args, **kwargs):
    import omnigibson as og
    from omnigibson import lazy
    from omnigibson.macros import gm
    from omnigibson.utils.python_utils import Serializable

    class Simulator(Serializable):
        def __init__(self):
            self.scenes = []
            self.n_renders = 0
            settings = lazy.carb.settings.get_settings()
            for effect in ("reflections", "indirectDiffuse", "ambientOcclusion"):
                settings.set(f"/rtx/{effect}/enabled", gm.ENABLE_HQ_RENDERING)
            sampled = "/rtx/directLighting/sampledLighting/enabled"
            settings.set(sampled, not gm.ENABLE_HQ_RENDERING)

        def render(self):
            self.n_renders += 1

        def load_state(self, state, serialized=False):
            super().load_state(state, serialized)
            self.n_renders = 0

        def _dump_state(self):
            return {k: scene.dump_state() for k, scene in enumerate(self.scenes)}

        def _load_state(self, state):
            for k, scene in enumerate(self.scenes):
                scene.load_state(state[k])

        def deserialize(self, state):
            found, read = self.scenes[0].deserialize(state)
            return {0: found}, read

        def restore(self, scene_files):
            self.scenes[0].restore(scene_files[0])

    og.sim = Simulator()
    return og.sim
