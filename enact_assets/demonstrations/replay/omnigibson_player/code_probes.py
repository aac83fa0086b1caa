"""Looks at what is installed without running it: what there is, and what a function's code names.

A place is written ``package.module:Class.method``. What does not exist has no parameters, no names
and no constants, so that a probe says no instead of failing.
"""

import dis
import importlib
import inspect
import types
from collections.abc import Iterator
from typing import Any

_LOOKS_UP = ("LOAD_ATTR", "LOAD_METHOD", "LOAD_GLOBAL")
MISSING = object()


def find(place: str) -> Any:
    """What is at ``place``; MISSING if there is nothing. Properties are not asked for a value."""
    module, _, name = place.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for part in name.split(".") if name else ():
            found = inspect.getattr_static(found, part)
    except (ImportError, AttributeError):
        return MISSING
    return found.__func__ if isinstance(found, (classmethod, staticmethod)) else found


def exists(place: str) -> bool:
    """Whether there is something at ``place``."""
    return find(place) is not MISSING


def parameters(place: str) -> list[str]:
    """Names of the parameters of a function."""
    found = find(place)
    return list(inspect.signature(found).parameters) if inspect.isfunction(found) else []


def constants(place: str) -> set[str]:
    """Texts that the code of a function has, keys of dictionaries included."""
    return {text for code in _codes(place) for text in _texts(code.co_consts)}


def names(place: str) -> set[str]:
    """Attributes and globals that the code of a function uses."""
    return {name for code in _codes(place) for name in code.co_names}


def calls_before(place: str, first: str, then: str) -> bool:
    """Whether the code of a function names ``first``, and ``then`` anywhere after that."""
    used = [step.argval for step in _instructions(place) if step.opname in _LOOKS_UP]
    return first in used and then in used[used.index(first) :]


def skips_first(place: str) -> bool:
    """Whether the code of a function has a slice ``[1:]``."""
    steps = list(_instructions(place))
    for k, step in enumerate(steps):
        if step.argval == slice(1, None):
            return True
        if step.opname in ("BUILD_SLICE", "BINARY_SLICE") and k >= 2:
            ends = steps[k - 2 : k]
            if [e.argval for e in ends] == [1, None] and ends[0].argval is not True:
                return True
    return False


def tests_membership(place: str) -> bool:
    """Whether the code of a function asks if something is ``in`` something."""
    return any(step.opname == "CONTAINS_OP" for step in _instructions(place))


def has_switches(*switches: str) -> bool:
    """Whether all of ``switches`` are in ``omnigibson.macros.gm``.

    They are looked up as keys: reading one as an attribute would make an empty one where there is
    none, and bar it from being set.
    """
    gm = find("omnigibson.macros:gm")
    return gm is not MISSING and all(switch in gm for switch in switches)


def _codes(place: str) -> Iterator[types.CodeType]:
    found = find(place)
    if inspect.isfunction(found):
        yield from _nested(inspect.unwrap(found).__code__)


def _nested(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _nested(constant)


def _instructions(place: str) -> Iterator[dis.Instruction]:
    for code in _codes(place):
        yield from dis.get_instructions(code)


def _texts(constants: tuple[Any, ...]) -> Iterator[str]:
    for constant in constants:
        if isinstance(constant, str):
            yield constant
        elif isinstance(constant, (tuple, frozenset)):
            yield from _texts(tuple(constant))
