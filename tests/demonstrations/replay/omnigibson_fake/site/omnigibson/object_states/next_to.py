"""NextTo."""

from omnigibson.object_states.object_state_base import BooleanStateMixin, RelativeObjectState


class NextTo(RelativeObjectState, BooleanStateMixin):
    pass
