"""Kinds of prims."""

from enum import IntEnum


class PrimType(IntEnum):
    RIGID = 0
    CLOTH = 1
