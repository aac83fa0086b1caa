"""Isaac Sim's settings and USD types."""

import types

SETTINGS = {}


class _Settings:
    def set(self, path, value):
        SETTINGS[path] = value


carb = types.SimpleNamespace(settings=types.SimpleNamespace(get_settings=_Settings))
pxr = types.SimpleNamespace(
    Sdf=types.SimpleNamespace(ValueTypeNames=types.SimpleNamespace(Token="token", Float="float"))
)
