"""SlicerActive."""

from omnigibson.object_states.object_state_base import AbsoluteObjectState, BooleanStateMixin


class SlicerActive(AbsoluteObjectState, BooleanStateMixin):
    pass
