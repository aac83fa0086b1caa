"""Whether something is grasped."""

from enum import IntEnum


class IsGraspingState(IntEnum):
    TRUE = 1
    UNKNOWN = 0
    FALSE = -1
