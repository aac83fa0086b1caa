"""Entities have links and materials."""

from omnigibson.prims.prim_base import BasePrim


class EntityPrim(BasePrim):
    def __init__(self, name, links, materials):
        super().__init__(name)
        self._links, self._materials = links, materials

    @property
    def links(self):
        return self._links

    @property
    def materials(self):
        return self._materials
