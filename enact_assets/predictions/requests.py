"""Requests to a model, and the protocol that every model implements."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from enact_assets.contracts.ids import content_sha

Image = NDArray[np.uint8]
ImageReader = Callable[[str, int], Image]
"""(demonstration, key frame) -> picture, uint8 (height, width, 3)."""


@dataclass(frozen=True)
class Picture:
    """One picture of a request: its name in the prompt, its content hash, how to load it."""

    name: str
    sha: str | None
    demonstration: str
    key_frame: int
    read: ImageReader

    def load(self) -> Image:
        """The picture, uint8 (height, width, 3); raises whatever the store raises."""
        return self.read(self.demonstration, self.key_frame)


@dataclass(frozen=True)
class Request:
    """One question as a model gets it: the prompt and the pictures in the order shown.

    ``answer`` and ``told_components`` (what the actions say, noise included) are for baselines only
    and never leave the process.
    """

    question_id: str
    kind: str
    n_steps: int
    prompt: str
    pictures: tuple[Picture, ...]
    answer: tuple[int, ...]
    told_components: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Reply:
    """What came back: the model's words, or None with the reason why there are none."""

    raw_answer: str | None
    error: str | None = None


class Model(Protocol):
    """Whoever can be asked. Clients of real models implement this beside the baselines."""

    def ask(self, requests: Sequence[Request]) -> Iterator[Reply]:
        """One reply per request, in their order; a failed request is a reply with an error."""
        ...


def build_request(
    question: Mapping[str, Any],
    images: ImageReader,
    image_shas: Mapping[tuple[str, int], str],
) -> Request:
    """The request for one row of ``asked_questions``; a missing picture has no hash."""
    demonstration = question["demonstration"]
    pictures = tuple(
        Picture(
            "Current State" if place == 0 else f"Next State {place}",
            image_shas.get((demonstration, key_frame)),
            demonstration,
            key_frame,
            images,
        )
        for place, key_frame in enumerate(question["shown_key_frames"])
    )
    return Request(
        question["question_id"],
        question["kind"],
        question["length"] - 1,
        question["prompt"],
        pictures,
        tuple(question["answer"]),
        tuple(tuple(components) for components in question["told_components"]),
    )


def request_sha(model: str, request: Request) -> str:
    """Hash of all a model is given: its name, the prompt and the ordered picture hashes."""
    return content_sha([model, request.prompt, [picture.sha for picture in request.pictures]])
