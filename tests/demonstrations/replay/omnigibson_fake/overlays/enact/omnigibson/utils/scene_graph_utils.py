"""What the benchmark's branch writes scene graphs with."""


class SceneGraphWriter:
    def __init__(self):
        raise NotImplementedError

    def step(self):
        raise NotImplementedError

    def close(self):
        raise NotImplementedError
