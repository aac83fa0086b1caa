"""Scene graphs, of objects only; nodes stay when their object is gone."""

import contextlib
import copy

from omnigibson import object_states


class _Graph:
    """As much of networkx.DiGraph as is asked for."""

    def __init__(self):
        self.of_node, self.of_edge = {}, {}

    def nodes(self, data):
        assert data == "states"
        return list(self.of_node.items())

    def edges(self, data):
        assert data == "states"
        return [(a, b, states) for (a, b), states in self.of_edge.items()]


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
        assert full_obs, "without it, a robot needs a camera of its own"
        assert merge_parallel_edges
        self._G = None
        self._only_true = only_true
        self._exclude_states = set(exclude_states)

    def get_scene_graph(self):
        return copy.copy(self._G)

    def start(self, scene):
        assert self._G is None, "Cannot start graph builder multiple times."
        assert len(scene.robots) == 1
        self._G = _Graph()
        self._G.of_node[scene.robots[0]] = {}
        self.step(scene)

    def step(self, scene):
        assert self._G is not None, "Cannot step graph builder before starting it."
        objects = [o for o in scene.objects if o not in scene.robots]
        for one in objects:
            states = {c: s for c, s in one.states.items() if c not in self._exclude_states}
            self._G.of_node[one] = {
                c.__name__: True for c, s in states.items() if not c.is_binary and s.get_value()
            }
            for other in objects:
                self._G.of_edge.pop((one, other), None)
                held = []
                for c, state in states.items():
                    if c.is_binary and other is not one:
                        with contextlib.suppress(Exception):  # so does the real one
                            if state.get_value(other):
                                held.append((c.__name__, True))
                if held:
                    self._G.of_edge[one, other] = held
