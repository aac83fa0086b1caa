"""Filled."""

from omnigibson.object_states.object_state_base import BooleanStateMixin, RelativeObjectState


class Filled(RelativeObjectState, BooleanStateMixin):
    pass
