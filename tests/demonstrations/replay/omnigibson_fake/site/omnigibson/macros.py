"""Switches: set before anybody read them, or not at all.

As the real one, a dictionary: reading one that is not there makes an empty one, which cannot be
set any more; ``in`` asks without reading.
"""

import os


class MacroDict(dict):
    def __init__(self, **values):
        super().__init__(values)
        self.__dict__["_read"] = set()

    def __getattr__(self, name):
        self._read.add(name)
        return self.setdefault(name, {})

    def __setattr__(self, name, value):
        if name in self._read:
            raise AttributeError(
                f"Cannot set attribute {name} in MacroDict, it has already been used."
            )
        self[name] = value


def data_folder(name):
    return os.environ.get(f"OMNIGIBSON_{name}", "")


gm = MacroDict(
    HEADLESS=False,
    RENDER_VIEWER_CAMERA=True,
    USE_GPU_DYNAMICS=False,
    ENABLE_HQ_RENDERING=False,
    ENABLE_OBJECT_STATES=True,
    ENABLE_TRANSITION_RULES=True,
)
DATA = {name: data_folder(name) for name in ("DATASET_PATH", "ASSET_PATH", "KEY_PATH")}
gm.update(DATA)


def data_set():
    return gm.DATASET_PATH
