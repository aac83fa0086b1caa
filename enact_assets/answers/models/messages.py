"""Messages to a model: texts and pictures in order, and the hash of everything that decides the
answer.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from enact_assets.engine.ids import content_sha

PICTURE_PX = 512
"""Edge of the square that every picture is scaled to before it is sent. Source: paper B.1.1."""
FORM = 1
"""Increase this when messages are sent in another form: answers to the older form are not
reused.
"""

PictureReader = Callable[[str], bytes]
"""Content hash -> the picture as a PNG file of ``PICTURE_PX`` by ``PICTURE_PX`` pixels."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text."""

    text: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture by its content hash."""

    sha: str


Part = Text | Picture


@dataclass(frozen=True, slots=True)
class Message:
    """One question as shown to a model, ``parts`` in order."""

    question_id: str
    parts: tuple[Part, ...]

    @property
    def n_pictures(self) -> int:
        """How many of its parts are pictures."""
        return sum(isinstance(part, Picture) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Target:
    """Everything about a model that decides its answers, besides the message.

    ``maker`` is its operator: two servers may use one name for different weights. ``channel`` names
    the wire format or the kind of model, ``version`` that of its API or code, ``snapshot`` the
    exact model (for an alias the one it means), ``parameters`` what is sent beside the message, as
    the provider names it.
    """

    maker: str
    channel: str
    version: str
    snapshot: str
    parameters: Mapping[str, Any]


def request_sha(target: Target, message: Message, repetition: int = 0) -> str:
    """Hash of everything that decides an answer, and of nothing else: no address, key, name of
    the question, time-out or number in flight. ``repetition`` counts from 0.
    """
    parts = [
        part.text if isinstance(part, Text) else {"picture": part.sha, "px": PICTURE_PX}
        for part in message.parts
    ]
    made_by = [
        target.maker,
        target.channel,
        target.version,
        target.snapshot,
        dict(target.parameters),
    ]
    return content_sha([FORM, *made_by, parts, repetition])
