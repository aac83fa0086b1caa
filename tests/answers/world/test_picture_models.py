"""Encoders and generators take part by their protocols; small ones need nothing else."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from enact_assets.answers.world.picture_models import (
    Encoder,
    Generator,
    Image,
    MeanChange,
    Pixels,
    Unchanged,
    option_by_generator,
)
from enact_assets.engine.errors import PredictionError

CAPTIONS = ("open the left door", "open the right door", "switch the light on", "wait")


def room(*, left: int = 0, right: int = 0, light: int = 0) -> Image:
    """A grey room; an open door is bright."""
    picture = np.full((40, 60, 3), 90 + light, np.uint8)
    picture[10:30, 5:20] += np.uint8(left)
    picture[10:30, 40:55] += np.uint8(right)
    return picture


def examples() -> list[tuple[Image, Image, str]]:
    """Each action twice, by other light."""
    found = []
    for light in (0, 8):
        closed = room(light=light)
        found += [
            (closed, room(left=60, light=light), CAPTIONS[0]),
            (closed, room(right=60, light=light), CAPTIONS[1]),
            (closed, room(light=light + 30), CAPTIONS[2]),
        ]
    return found


AFTER = (room(left=60, light=4), room(right=60, light=4), room(light=34), room(light=4))


def test_a_generator_that_saw_each_action_finds_it_again() -> None:
    generator = MeanChange(examples())
    before = room(light=4)
    for option, after in enumerate(AFTER):
        assert option_by_generator(generator, Pixels(), (before, after), CAPTIONS, "q") == option


def test_nothing_is_known_by_one_that_changes_nothing() -> None:
    """Ties are broken by the question: over many, each letter comes about as often."""
    chosen = [
        option_by_generator(Unchanged(), Pixels(), (room(), AFTER[0]), CAPTIONS, f"q{k}")
        for k in range(200)
    ]
    assert min(np.bincount(chosen, minlength=4)) > 25


def test_pixels_differ_as_pictures_do() -> None:
    encoder: Encoder = Pixels()
    vectors = encoder.encode([room(), room(light=1), AFTER[0]])
    assert vectors.shape == (3, 32 * 32 * 3)
    assert np.abs(vectors[1] - vectors[0]).max() == pytest.approx(1)
    assert np.linalg.norm(vectors[2] - vectors[0]) > np.linalg.norm(vectors[1] - vectors[0])


def test_wrong_shapes_are_refused() -> None:
    class Flat:
        def encode(self, pictures: Sequence[Image]) -> NDArray[np.float64]:
            return np.zeros(len(pictures))

    generator: Generator = MeanChange(examples())
    with pytest.raises(PredictionError, match=r"Flat: 5 pictures were encoded as \(5,\)"):
        option_by_generator(generator, Flat(), (room(), room()), CAPTIONS, "q")
    small = room()[:20]
    with pytest.raises(PredictionError, match="Render both at one size"):
        option_by_generator(generator, Pixels(), (small, small), CAPTIONS, "q")
