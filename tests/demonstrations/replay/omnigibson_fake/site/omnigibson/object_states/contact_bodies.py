"""ContactBodies."""

from omnigibson.object_states.object_state_base import AbsoluteObjectState


class ContactBodies(AbsoluteObjectState):
    """Fingers of arms of which ``Touches:<arm>`` holds."""

    def get_value(self, *args, **kwargs):
        (robot,) = self.scene.robots
        arms = [a for a in robot.arm_names if self.scene.holds(f"Touches:{a}", self.obj.name, None)]
        return {finger for arm in arms for finger in robot.finger_links[arm]}
