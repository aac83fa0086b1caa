"""Intel's Open Image Denoise on a given number of threads.

``pyoidn.denoise`` always takes all cores and pins its threads to them, which makes two rendering
processes fight for one core; so device and filter are set up here.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from enact_assets.contracts.errors import RenderError

Floats32 = NDArray[np.float32]


@cache
def denoiser(threads: int) -> "Denoiser":
    """The one denoiser of this process: each holds 40 MB or more, which the library keeps."""
    return Denoiser(threads)


class Denoiser:
    """Denoises linear pictures with noise-free guides; ``threads`` do not change the result."""

    def __init__(self, threads: int) -> None:
        import pyoidn

        self._device = pyoidn.Device(pyoidn.OIDN_DEVICE_TYPE_CPU)
        self._device.set_int("numThreads", threads)
        self._device.set_bool("setAffinity", False)  # noqa: FBT003 (pyoidn takes no keyword)
        self._device.commit()
        self._check("start")
        self._filter = pyoidn.Filter(self._device, pyoidn.OIDN_FILTER_TYPE_RT)
        self._check("make a filter")

    def denoise(self, color: Floats32, albedo: Floats32, normal: Floats32) -> Floats32:
        """Radiance (h, w, 3) without noise; ``albedo`` in [0, 1] and ``normal`` guide it.

        Errors: :class:`RenderError` if the shapes differ or the library fails.
        """
        import pyoidn

        if not color.shape == albedo.shape == normal.shape:
            raise RenderError(
                f"denoiser: picture {color.shape}, albedo {albedo.shape} and normal "
                f"{normal.shape} differ in shape"
            )
        result = np.zeros_like(color)
        images: dict[str, Any] = {
            pyoidn.OIDN_IMAGE_COLOR: np.ascontiguousarray(color, dtype=np.float32),
            pyoidn.OIDN_IMAGE_ALBEDO: np.ascontiguousarray(albedo, dtype=np.float32),
            pyoidn.OIDN_IMAGE_NORMAL: np.ascontiguousarray(normal, dtype=np.float32),
            pyoidn.OIDN_IMAGE_OUTPUT: result,
        }
        for name, image in images.items():
            self._filter.set_image(name, image, pyoidn.OIDN_FORMAT_FLOAT3)
        self._filter.set_bool("hdr", True)  # noqa: FBT003 (pyoidn takes no keyword)
        self._filter.set_quality(pyoidn.OIDN_QUALITY_HIGH)
        self._filter.commit()
        self._filter.execute()
        self._check("denoise")
        return result

    def _check(self, what: str) -> None:
        message = self._device.get_error()
        if message:
            raise RenderError(f"denoiser: could not {what}: {message}")
