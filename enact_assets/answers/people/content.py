"""Questions of a variant as a page shows them: places to fill, and items for them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from enact_assets.answers.models.messages import Message, Text
from enact_assets.engine.ids import content_sha
from enact_assets.questions.asked.types import KeyFramePicture, Row, type_of

Picture = tuple[str, int, int]
"""SHA-256, width and height in px."""


@dataclass(frozen=True)
class ShownQuestion:
    """A question as it goes into the database; ``accepted`` are right answers, in labels.

    ``media`` are its pictures, which parts of ``content`` name by number.
    """

    question_id: str
    variant: str
    type: str
    kind: str
    length: int
    demonstration: str
    content: Mapping[str, Any]
    media: tuple[Picture, ...]
    accepted: tuple[tuple[int, ...], ...]
    shown_sha: str
    is_ambiguous: bool = False
    """Whether other orders are right too: practice would call them wrong."""

    @property
    def version(self) -> str:
        """Hash of the question and of its content, which changes with it."""
        return version_of(self.question_id, self.variant, self.shown_sha)


def version_of(question_id: str, variant: str, shown: str) -> str:
    """Hash of a question and of all that it shows; ``shown`` is its :func:`shown_sha`."""
    return content_sha([question_id, variant, shown])


def shown_sha(parts: Sequence[str | list[str]]) -> str:
    """Hash of what a question shows: its texts, and each picture as ``[SHA-256]``."""
    return content_sha(list(parts))


def message_sha(message: Message) -> str:
    """As :func:`shown_sha` of what ``message`` shows to a model."""
    return shown_sha(
        [part.text if isinstance(part, Text) else [part.sha] for part in message.parts]
    )


def shown_question(
    question: Row, pictures: Mapping[tuple[str, int], Picture], *, is_ambiguous: bool = False
) -> ShownQuestion | None:
    """A row of ``asked_questions`` as a page shows it; None if a picture is missing.

    ``pictures`` maps (demonstration, key frame) -> its picture.
    """
    parts = type_of(question).parts(question)
    found: list[Picture] = []
    hashed: list[str | list[str]] = []
    for part in parts:
        if isinstance(part, KeyFramePicture):
            picture = pictures.get((part.demonstration, part.key_frame))
            if picture is None:
                return None
            found.append(picture)
            hashed.append([picture[0]])
        else:
            hashed.append(part)
    content = _forward(question) if question["kind"] == "forward" else _inverse(question)
    return ShownQuestion(
        question_id=question["question_id"],
        variant=question["variant"],
        type="order",
        kind=question["kind"],
        length=question["length"],
        demonstration=question["demonstration"],
        content=content,
        media=tuple(found),
        accepted=(tuple(question["answer"]),),
        shown_sha=shown_sha(hashed),
        is_ambiguous=is_ambiguous,
    )


def _forward(question: Row) -> dict[str, Any]:
    n = len(question["actions"])
    return {
        "noun": "Picture",
        "instruction": "The first picture shows the start. Then the robot does the actions below, "
        "one after the other. After which action was each of the other pictures taken?",
        "context": [part_of(media=[0], caption="Start")],
        "places": [part_of(text=action) for action in question["actions"]],
        "items": [part_of(media=[k]) for k in range(1, n + 1)],
    }


def _inverse(question: Row) -> dict[str, Any]:
    n = len(question["actions"])
    return {
        "noun": "Action",
        "instruction": "The pictures are in the order in which they were taken. Which action leads "
        "from each picture to the next?",
        "context": [],
        "places": [part_of(media=[k, k + 1], caption=f"Step {k + 1}") for k in range(n)],
        "items": [part_of(text=action) for action in question["actions"]],
    }


def part_of(text: str = "", caption: str = "", media: Sequence[int] = ()) -> dict[str, Any]:
    """A part of the content of a question; ``media`` are numbers of its pictures."""
    return {"text": text, "caption": caption, "media": list(media)}
