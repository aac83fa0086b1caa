"""SlicerActive."""

from omnigibson.object_states.object_state_base import BaseObjectState


class SlicerActive(BaseObjectState):
    is_binary = False
