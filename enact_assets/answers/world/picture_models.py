"""Models of pictures: an encoder makes a vector of one, a generator the picture after an action.

Anything with these methods can take part: DINOv2 as an encoder, a video diffusion model as a
generator, as in the paper. The small ones here need nothing but NumPy.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from enact_assets.demonstrations.pictures.thumbnails import thumbnail
from enact_assets.engine.errors import PredictionError
from enact_assets.questions.world.items import best_option

Image = NDArray[np.uint8]
"""(height, width, 3)."""
Vectors = NDArray[np.float64]


class Encoder(Protocol):
    """Makes vectors of pictures, near each other where the pictures are alike."""

    def encode(self, pictures: Sequence[Image]) -> Vectors:
        """Shape: n pictures -> (n, size)."""
        ...


class Generator(Protocol):
    """Makes the picture of a state after an action that is described in words."""

    def generate(self, state: Image, caption: str) -> Image:
        """The picture after; of any size."""
        ...


class Pixels:
    """Encoder: the blurred 32 x 32 thumbnail itself, (3072,), of values 0 to 255."""

    def encode(self, pictures: Sequence[Image]) -> Vectors:
        """Shape: n pictures -> (n, 3072)."""
        return np.array([thumbnail(picture).ravel() for picture in pictures])


class Unchanged:
    """Generator: nothing ever changes. All options are equally near."""

    def generate(self, state: Image, caption: str) -> Image:  # noqa: ARG002 - of the protocol
        """The state itself."""
        return state


class MeanChange:
    """Generator: adds the mean change of pictures that it saw under the same caption.

    ``examples`` are pictures before and after, and what was done, all of one size; none of them
    may be of a question that is asked. A caption that it never saw changes nothing.
    """

    def __init__(self, examples: Iterable[tuple[Image, Image, str]]) -> None:
        self._sums: dict[str, Vectors] = {}
        self._counts: dict[str, int] = {}
        for before, after, caption in examples:
            change = after.astype(np.float64) - before
            self._sums[caption] = self._sums.get(caption, np.zeros_like(change)) + change
            self._counts[caption] = self._counts.get(caption, 0) + 1

    def generate(self, state: Image, caption: str) -> Image:
        """Errors: :class:`PredictionError` for a state of another size than the examples."""
        if caption not in self._sums:
            return state
        mean = self._sums[caption] / self._counts[caption]
        if mean.shape != state.shape:
            raise PredictionError(
                f"caption {caption!r}: examples have shape {mean.shape}, the state {state.shape}. "
                "Render both at one size."
            )
        return np.asarray(np.clip(np.rint(state + mean), 0, 255).astype(np.uint8))


def option_by_generator(
    generator: Generator,
    encoder: Encoder,
    states: tuple[Image, Image],
    captions: Sequence[str],
    question_id: str,
) -> int:
    """The option, from 0, whose generated picture is nearest to the state after.

    ``states`` are before and after, ``captions`` describe the clip of each option. Ties are broken
    by ``question_id``. Errors: those of ``generator`` and ``encoder``; :class:`PredictionError` if
    the encoder returns another shape than it should.
    """
    before, after = states
    pictures = [after, *(generator.generate(before, caption) for caption in captions)]
    vectors = encoder.encode(pictures)
    if vectors.ndim != 2 or len(vectors) != len(pictures):
        raise PredictionError(
            f"{type(encoder).__name__}: {len(pictures)} pictures were encoded as {vectors.shape}; "
            f"expected ({len(pictures)}, size)."
        )
    distances = np.linalg.norm(vectors[1:] - vectors[0], axis=1)
    return best_option([-float(d) for d in distances], question_id)
