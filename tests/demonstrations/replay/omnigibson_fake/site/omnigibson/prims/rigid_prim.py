"""A link."""

from omnigibson.prims.prim_base import BasePrim


class RigidPrim(BasePrim):
    def __init__(self, owner, name, position=(0.0, 0.0, 0.0)):
        super().__init__(name)
        self.prim_path = f"/{owner}/{name}"
        self._position = list(position)
