"""Backends: LLVM draws what the scalar one draws, up to noise, and says what it lacks."""

from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from simulator.painted_world import first_state, small_world

from enact_assets.engine.errors import RenderError
from enact_assets.settings.registry import RendererSettings, Variant
from enact_assets.simulator.rendering import scenes
from enact_assets.simulator.rendering.backends import LEAST_LLVM, llvm_major
from enact_assets.simulator.rendering.renderer import Renderer

AGREEMENT = 1.5
"""Two backends may differ by so many times what two seeds of one differ by."""


@cache
def has_llvm() -> bool:
    try:
        return llvm_major() >= LEAST_LLVM
    except RenderError:
        return False


def picture(backend: str, threads: int = 1) -> NDArray[np.float64]:
    settings = RendererSettings(path_depth=6, samples=2, size_px=128, backend=backend)
    renderer = Renderer(small_world(), Variant("small", "state", renderer=settings), threads)
    return renderer.render(first_state(renderer.world)).astype(float)


@pytest.fixture
def forgotten() -> Iterator[None]:
    llvm_major.cache_clear()
    yield
    llvm_major.cache_clear()


@pytest.mark.parametrize(("found", "named"), [(-1, "no LLVM library"), (15, "LLVM 15")])
@pytest.mark.usefixtures("forgotten")
def test_a_missing_or_old_llvm_is_an_error_that_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, found: int, named: str
) -> None:
    """An old LLVM ends the process while it compiles; nothing could be said then."""
    monkeypatch.setattr("drjit.detail.llvm_version", lambda: (found, 0, 0))
    with pytest.raises(RenderError, match=f"{named} and needs LLVM {LEAST_LLVM}.*scalar"):
        picture("llvm")
    assert picture("scalar").std() > 0.0


@pytest.mark.slow
def test_llvm_agrees_with_scalar_and_threads_change_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another material or light under one backend would make probes compare backends."""
    if not has_llvm():
        pytest.skip(f"no LLVM {LEAST_LLVM} or newer; DRJIT_LIBLLVM_PATH names one")
    scalar, llvm = picture("scalar"), picture("llvm")
    np.testing.assert_array_equal(picture("llvm", threads=2), llvm)
    np.testing.assert_array_equal(picture("scalar"), scalar)
    monkeypatch.setattr(scenes, "SEED", scenes.SEED + 1)
    seeds = np.abs(picture("scalar") - scalar).mean()
    assert np.abs(llvm - scalar).mean() < AGREEMENT * seeds
    # A bias would not show in differences of noisy pixels, but in their mean.
    assert abs((llvm - scalar).mean()) < 1.0
