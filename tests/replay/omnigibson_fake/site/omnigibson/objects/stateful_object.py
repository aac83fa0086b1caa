"""Objects with states: some that all have, and every one that some fact names of it."""

from omnigibson.object_states.object_state_base import CLASSES
from omnigibson.objects.object_base import BaseObject

ALWAYS = {"ContactBodies", "Covered", "Touching"}


class StatefulObject(BaseObject):
    def __init__(self, scene, name, category, **kwargs):
        super().__init__(name, category, **kwargs)
        predicates = {p for p, subject, _ in scene.facts if subject == name and p in CLASSES}
        self._states = {CLASSES[p]: CLASSES[p](self, scene) for p in sorted(predicates | ALWAYS)}

    @property
    def states(self):
        return self._states
