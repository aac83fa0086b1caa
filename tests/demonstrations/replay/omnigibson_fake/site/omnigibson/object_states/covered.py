"""Covered."""

from omnigibson.object_states.object_state_base import BooleanStateMixin, RelativeObjectState
from omnigibson.utils.constants import PrimType


class Covered(RelativeObjectState, BooleanStateMixin):
    def get_value(self, *args, **kwargs):
        (system,) = args
        if system.n_particles > 0 and not self.scene.is_visual_particle_system(system.name):
            assert self.obj.prim_type != PrimType.CLOTH, "Cloth objects currently cannot be Covered"
        return system.n_particles > 0 and super().get_value(system)
