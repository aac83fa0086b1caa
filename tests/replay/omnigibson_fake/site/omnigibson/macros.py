"""Switches: set before anybody read them, or not at all."""

import os


class _Macros:
    def __init__(self, **values):
        self.__dict__.update(_values=values, _read=set())

    def __getattr__(self, name):
        self._read.add(name)
        return self._values[name]

    def __setattr__(self, name, value):
        if name in self._read:
            raise AttributeError(f"Cannot set attribute {name}, it has already been used.")
        self._values[name] = value


gm = _Macros(
    DATASET_PATH=os.environ.get("OMNIGIBSON_DATASET_PATH", ""),
    ASSET_PATH=os.environ.get("OMNIGIBSON_ASSET_PATH", ""),
    KEY_PATH=os.environ.get("OMNIGIBSON_KEY_PATH", ""),
    HEADLESS=False,
    RENDER_VIEWER_CAMERA=True,
    USE_GPU_DYNAMICS=False,
    ENABLE_HQ_RENDERING=False,
    ENABLE_OBJECT_STATES=True,
    ENABLE_TRANSITION_RULES=True,
)
