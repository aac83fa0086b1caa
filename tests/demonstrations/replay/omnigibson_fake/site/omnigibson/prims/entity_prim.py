"""Entities have links and materials."""

from omnigibson.prims.prim_base import BasePrim
from omnigibson.utils.constants import PrimType


class EntityPrim(BasePrim):
    def __init__(self, name, links, materials, prim_type):
        super().__init__(name)
        self._links, self._materials = links, materials
        self._prim_type = PrimType(prim_type)

    @property
    def links(self):
        return self._links

    @property
    def materials(self):
        return self._materials

    @property
    def prim_type(self):
        return self._prim_type
