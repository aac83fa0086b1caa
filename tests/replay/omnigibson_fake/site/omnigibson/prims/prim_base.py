"""Prims have a name and a USD prim."""


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

    @property
    def name(self):
        return self._name

    @property
    def prim(self):
        return self._prim
