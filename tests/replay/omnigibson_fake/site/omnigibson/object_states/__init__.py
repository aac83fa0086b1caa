"""All states of the fake."""

from omnigibson.object_states.contains import Contains
from omnigibson.object_states.covered import Covered
from omnigibson.object_states.next_to import NextTo
from omnigibson.object_states.object_state_base import BaseObjectState


class Touching(BaseObjectState):
    pass


class OnTop(BaseObjectState):
    pass


class Inside(BaseObjectState):
    pass


class Open(BaseObjectState):
    is_binary = False


class ToggledOn(BaseObjectState):
    is_binary = False


__all__ = ["Contains", "Covered", "Inside", "NextTo", "OnTop", "Open", "ToggledOn", "Touching"]
