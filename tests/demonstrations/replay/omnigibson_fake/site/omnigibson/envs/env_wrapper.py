"""Wrappers hand on what they do not have, and set what the wrapped one has on it."""


class EnvironmentWrapper:
    def __init__(self, env):
        self.env = env
        self.wrapped_obj = env

    def __getattr__(self, name):
        if name == "wrapped_obj":
            raise AttributeError("wrapped_obj attribute not initialized yet!")
        return getattr(self.wrapped_obj, name)

    def __setattr__(self, key, value):
        wrapped = self.__dict__.get("wrapped_obj")
        if wrapped is not None and hasattr(wrapped, key):
            setattr(wrapped, key, value)
        else:
            super().__setattr__(key, value)

    def step(self, action):
        return self.env.step(action)

    def reset(self):
        return self.env.reset()
