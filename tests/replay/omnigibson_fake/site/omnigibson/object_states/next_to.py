"""NextTo."""

from omnigibson.object_states.object_state_base import BaseObjectState


class NextTo(BaseObjectState):
    pass
