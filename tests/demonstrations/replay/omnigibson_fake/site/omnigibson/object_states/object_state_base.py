"""States: whether a fact of the scene holds now."""

CLASSES = {}
"""Name of a state -> its class."""


class BaseObjectState:
    def __init__(self, obj, scene):
        self.obj, self.scene = obj, scene

    def __init_subclass__(cls):
        CLASSES[cls.__name__] = cls

    def get_value(self, *args, **kwargs):
        other = args[0].name if args else None
        return self.scene.holds(type(self).__name__, self.obj.name, other)


class AbsoluteObjectState(BaseObjectState):
    pass


class RelativeObjectState(BaseObjectState):
    pass


class BooleanStateMixin(BaseObjectState):
    pass


for kind in (AbsoluteObjectState, RelativeObjectState, BooleanStateMixin):
    del CLASSES[kind.__name__]
