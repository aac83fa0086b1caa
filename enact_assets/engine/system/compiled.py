"""``njit`` for all kernels of this package: Numba's, cached, and quick to load from the cache.

Before Numba looks into the cache it imports all that it can compile, SciPy's linear algebra among
it: half a CPU second in each process. A kernel that is in the cache needs its machine code, its
constants, Numba's memory manager, and Python's secret for hashes of text only.
"""

import importlib
from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit as numba_njit
from numba.core import environment
from numba.core.caching import FunctionCache
from numba.core.runtime import rtsys  # type: ignore[attr-defined]

HASHING = "numba.cpython.hashing"
"""Module that tells machine code the secret; a kernel that hashes text crashes without."""
F = TypeVar("F", bound=Callable[..., Any])

_usual_environment = environment._rebuild_env


class QuickCache(FunctionCache):
    """Numba's cache, which gets Numba ready to compile only if a kernel is not there."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled kernel, or None: then everything is imported, and Numba compiles it."""
        rtsys.initialize(target_context)
        importlib.import_module(HASHING)
        with self._guard_against_spurious_io_errors():
            found = self._load_overload(sig, target_context)
            if found is not None:
                return found
        return super().load_overload(sig, target_context)


def njit(*, cache: bool, **options: Any) -> Callable[[F], F]:
    """As Numba's ``njit``: compiled for the types of each call, and kept for later processes."""

    def compiled(function: F) -> F:
        dispatcher: Any = numba_njit(**options)(function)
        if cache:
            dispatcher._cache = QuickCache(function)
        return cast("F", dispatcher)

    return compiled


def _environment(module: str, constants: list[Any], name: str) -> Any:
    """Constants of a function of Numba that is part of a kernel: what its module is made of is
    needed by the compiler alone.
    """
    if module.partition(".")[0] != "numba" or environment.lookup_environment(name) is not None:
        return _usual_environment(module, constants, name)
    made = environment.Environment({"__name__": module})
    made.consts[:] = constants
    made.env_name = name
    environment.Environment._memo[name] = made
    return made


environment._rebuild_env = _environment
