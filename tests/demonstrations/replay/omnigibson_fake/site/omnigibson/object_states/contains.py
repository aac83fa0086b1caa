"""Contains."""

from omnigibson.object_states.object_state_base import BooleanStateMixin, RelativeObjectState


class Contains(RelativeObjectState, BooleanStateMixin):
    def get_value(self, *args, **kwargs):
        return args[0].n_particles > 0 and super().get_value(*args)
