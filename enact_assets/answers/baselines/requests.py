"""Requests to a model, and the protocol that every model implements."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Protocol

from enact_assets.answers.models import messages
from enact_assets.demonstrations.pictures.thumbnails import Image
from enact_assets.engine.errors import PredictionError
from enact_assets.engine.ids import content_sha
from enact_assets.questions.asked.types import PictureKey, ShownPicture, type_of

ImageReader = Callable[..., Image]
"""The parts of a :data:`PictureKey` -> picture, uint8 (height, width, 3)."""


@dataclass(frozen=True)
class Picture:
    """One picture of a request: what it shows, its content hash, how to load it."""

    shown: ShownPicture
    sha: str | None
    read: ImageReader

    def load(self) -> Image:
        """The picture, uint8 (height, width, 3); raises whatever the store raises."""
        return self.read(*self.shown.key)


@dataclass(frozen=True)
class ModelRequest:
    """One question as a model gets it: ``parts`` are texts and pictures in the order shown.

    ``source`` of its demonstration, ``answer`` and ``told_components`` (what the actions say, noise
    included) are for baselines only and never leave the process.
    """

    question_id: str
    source: str
    kind: str
    n_steps: int
    parts: tuple[str | Picture, ...]
    answer: tuple[int, ...]
    told_components: tuple[tuple[str, ...], ...]

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """Its pictures in the order shown."""
        return tuple(part for part in self.parts if isinstance(part, Picture))

    @property
    def runs(self) -> list["str | tuple[Picture, ...]"]:
        """Its texts one by one, and its pictures together where they follow each other."""
        found: list[str | tuple[Picture, ...]] = []
        for is_picture, parts in groupby(self.parts, lambda part: isinstance(part, Picture)):
            if is_picture:
                found.append(tuple(part for part in parts if isinstance(part, Picture)))
            else:
                found += [part for part in parts if isinstance(part, str)]
        return found

    @property
    def message(self) -> messages.Message:
        """The message to a real model. Errors: :class:`PredictionError` if a picture is missing."""
        return messages.Message(self.question_id, tuple(map(_part, self.parts)))


@dataclass(frozen=True)
class Reply:
    """A reply: the model's text, or None with a reason."""

    raw_answer: str | None
    error: str | None = None


class ModelProtocol(Protocol):
    """Something that can be asked: a baseline, or the client of a real model."""

    def ask(self, requests: Sequence[ModelRequest]) -> Iterator[Reply]:
        """One reply per request, in their order; a failed request is a reply with an error."""
        ...


def build_request(
    question: Mapping[str, Any],
    images: ImageReader,
    image_shas: Mapping[PictureKey, str],
) -> ModelRequest:
    """The request for one row of ``asked_questions``; a missing picture has no hash."""

    def shown(part: str | ShownPicture) -> str | Picture:
        return part if isinstance(part, str) else Picture(part, image_shas.get(part.key), images)

    question_type = type_of(question)
    return ModelRequest(
        question["question_id"],
        question["source"],
        question["kind"],
        question_type.n_entries(question),
        tuple(map(shown, question_type.parts(question))),
        tuple(question["answer"]),
        tuple(tuple(components) for components in question["told_components"]),
    )


def request_sha(model: str, request: ModelRequest) -> str:
    """Hash of all inputs of a baseline: its name, the texts and picture hashes in order."""
    parts = [[part.sha] if isinstance(part, Picture) else part for part in request.parts]
    return content_sha([model, parts])


def _part(part: str | Picture) -> messages.Part:
    if isinstance(part, str):
        return messages.Text(part)
    if part.sha is None:
        raise PredictionError(
            f"{part.shown.name}: there is no picture of {part.shown.where}; {part.shown.how}."
        )
    return messages.Picture(part.sha)
