"""Sensors."""

from omnigibson.prims.prim_base import BasePrim


class BaseSensor(BasePrim):
    def get_obs(self):
        return self._get_obs()
