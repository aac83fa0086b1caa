"""Objects have a category."""

from omnigibson.prims.entity_prim import EntityPrim
from omnigibson.prims.rigid_prim import RigidPrim


class BaseObject(EntityPrim):
    def __init__(self, name, category, links=None, materials=None, prim_type=0):
        self.category = category
        links = links or {"base_link": RigidPrim(name, "base_link")}
        super().__init__(name, links, materials or set(), prim_type)
