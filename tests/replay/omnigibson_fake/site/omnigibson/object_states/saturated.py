"""Saturated."""

from omnigibson.object_states.object_state_base import BaseObjectState


class Saturated(BaseObjectState):
    pass
