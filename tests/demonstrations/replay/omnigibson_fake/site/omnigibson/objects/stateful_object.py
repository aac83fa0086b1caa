"""Objects with states: some that all have, and every one that some fact names of it."""

import importlib
from importlib.util import find_spec

from omnigibson.object_states.object_state_base import CLASSES
from omnigibson.objects.object_base import BaseObject

ALWAYS = {"Covered", "Touching"}
if find_spec("omnigibson.object_states.contact_bodies"):
    importlib.import_module("omnigibson.object_states.contact_bodies")
    ALWAYS.add("ContactBodies")


class StatefulObject(BaseObject):
    def __init__(self, scene, name, category, **kwargs):
        super().__init__(name, category, **kwargs)
        predicates = {p for p, subject, _ in scene.facts if subject == name and p in CLASSES}
        self._states = {CLASSES[p]: CLASSES[p](self, scene) for p in sorted(predicates | ALWAYS)}

    @property
    def states(self):
        return self._states
