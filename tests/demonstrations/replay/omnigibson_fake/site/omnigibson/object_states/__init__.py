"""All states of the fake."""

from omnigibson.object_states.contains import Contains
from omnigibson.object_states.covered import Covered
from omnigibson.object_states.filled import Filled
from omnigibson.object_states.next_to import NextTo
from omnigibson.object_states.object_state_base import (
    AbsoluteObjectState,
    BooleanStateMixin,
    RelativeObjectState,
)
from omnigibson.object_states.saturated import Saturated
from omnigibson.object_states.slicer_active import SlicerActive


class Touching(RelativeObjectState, BooleanStateMixin):
    """As the real one: if it holds one way, it holds the other way too."""

    def get_value(self, *args, **kwargs):
        (other,) = args
        back = self.scene.holds("Touching", other.name, self.obj.name)
        return back or super().get_value(other)


class Under(RelativeObjectState, BooleanStateMixin):
    pass


class OnTop(RelativeObjectState, BooleanStateMixin):
    pass


class Inside(RelativeObjectState, BooleanStateMixin):
    pass


class Open(AbsoluteObjectState, BooleanStateMixin):
    pass


class ToggledOn(AbsoluteObjectState, BooleanStateMixin):
    pass


__all__ = [
    "Contains",
    "Covered",
    "Filled",
    "Inside",
    "NextTo",
    "OnTop",
    "Open",
    "Saturated",
    "SlicerActive",
    "ToggledOn",
    "Touching",
    "Under",
]
