"""Controllers of robots."""

from omnigibson.controllers.controller_base import IsGraspingState

__all__ = ["IsGraspingState"]
