"""Saturated."""

from omnigibson.object_states.object_state_base import BooleanStateMixin, RelativeObjectState


class Saturated(RelativeObjectState, BooleanStateMixin):
    pass
