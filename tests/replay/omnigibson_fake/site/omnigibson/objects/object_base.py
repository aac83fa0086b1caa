"""Objects have a category."""

from omnigibson.prims.entity_prim import EntityPrim


class BaseObject(EntityPrim):
    def __init__(self, name, category, links=None, materials=None, prim_type=0):
        self.category = category
        super().__init__(name, links or {"base_link": None}, materials or set(), prim_type)
