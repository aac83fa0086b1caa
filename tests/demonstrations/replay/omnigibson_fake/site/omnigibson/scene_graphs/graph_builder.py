"""The builder of scene graphs, which the player does without: it differs between versions."""

from omnigibson import object_states


class SceneGraphBuilder:
    def __init__(
        self,
        robot_names=None,
        egocentric=False,
        full_obs=False,
        only_true=True,
        merge_parallel_edges=False,
        exclude_states=(object_states.Touching, object_states.NextTo),
    ):
        raise NotImplementedError

    def get_scene_graph(self):
        raise NotImplementedError

    def start(self, scene):
        raise NotImplementedError

    def step(self, scene):
        raise NotImplementedError
