"""Backends of the path tracer: scalar, which needs nothing, and LLVM, in two thirds of the time.

Both draw the same picture from other random numbers: after the denoiser they differ as two
pictures with different seeds do. So the backend is a setting, and no machine chooses it.
"""

from functools import cache

from enact_assets.engine.errors import RenderError
from enact_assets.settings.classes import LLVM, SCALAR, RendererSettings

MITSUBA_VARIANTS = {SCALAR: "scalar_rgb", LLVM: "llvm_ad_rgb"}
LEAST_LLVM = 17
"""Older ones cannot compile Mitsuba's code and end the process."""


def choose_backend(backend: str) -> None:
    """Select Mitsuba's variant, unless it is selected; its plugins load only after that.

    Errors: :class:`RenderError` if LLVM is asked for and missing or too old.
    """
    import mitsuba as mi

    if backend == LLVM:
        llvm_major()
    if mi.variant() != MITSUBA_VARIANTS[backend]:
        mi.set_variant(MITSUBA_VARIANTS[backend])
        mi.set_log_level(mi.LogLevel.Error)


def backend_identity(settings: RendererSettings) -> dict[str, int]:
    """What pictures depend on beside Mitsuba's version: for LLVM, its major version.

    The settings name it, so that pictures of two versions are never mixed within a variant.
    Errors: as :func:`llvm_major`; :class:`RenderError` if another version is found.
    """
    if settings.backend != LLVM:
        return {}
    found, wanted = llvm_major(), settings.llvm_version
    if found != wanted:
        raise RenderError(
            f"renderer backend 'llvm': the registry says `llvm_version: {wanted}`, and Mitsuba "
            f"found LLVM {found}, which draws other noise. Name the library of LLVM {wanted} in "
            f"DRJIT_LIBLLVM_PATH; or set `llvm_version: {found}` in the baseline's renderer, "
            "which makes every picture again."
        )
    return {LLVM: found}


@cache
def llvm_major() -> int:
    """Major version of the LLVM library that Mitsuba loads.

    Errors: :class:`RenderError` if there is none, or an older one than ``LEAST_LLVM``.
    """
    import drjit

    found: int = drjit.detail.llvm_version()[0]
    if found < LEAST_LLVM:
        raise RenderError(
            "renderer backend 'llvm': Mitsuba found "
            + (f"LLVM {found}" if found > 0 else "no LLVM library")
            + f" and needs LLVM {LEAST_LLVM} or newer. Install it, and name its shared library in "
            "the environment variable DRJIT_LIBLLVM_PATH if Mitsuba does not find it; or set "
            "`backend: scalar` in the baseline's renderer."
        )
    return found
