"""Prims have a name, a pose, and a USD prim."""

import numpy as np


class _UsdAttribute:
    def __init__(self, attributes, name):
        self._attributes, self._name = attributes, name

    def Set(self, value):  # noqa: N802 - USD's name
        self._attributes[self._name] = value


class _UsdPrim:
    def __init__(self):
        self.attributes = {}

    def CreateAttribute(self, name, kind):  # noqa: N802 - USD's name
        assert kind in ("token", "float")
        return _UsdAttribute(self.attributes, name)


class BasePrim:
    def __init__(self, name):
        self._name = name
        self._prim = _UsdPrim()
        self._position, self._orientation = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]

    @property
    def name(self):
        return self._name

    def get_position_orientation(self):
        return np.array(self._position), np.array(self._orientation)

    @property
    def prim(self):
        return self._prim
