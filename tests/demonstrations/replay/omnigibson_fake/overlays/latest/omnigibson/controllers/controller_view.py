"""Controllers of all environments, in groups."""


class ControllerView:
    groups: dict = {}  # noqa: RUF012 # as the real one

    @classmethod
    def get_controller(cls, group_key):
        return cls.groups[group_key]

    @classmethod
    def get_goal(cls, group_key, controller_idx):
        assert controller_idx == 0
        return cls.groups[group_key].goal
