"""Types of questions: what people and models are shown, how their answers are read and judged.

Models, exports and pages show the same parts in the same order. Another type is one class and its
kinds in ``TYPES``.

The form of ``order`` (forward and inverse questions): each picture comes right after its name in
brackets, "[Current State]", then "[Next State 1]" and so on in the order shown, as our prompts name
them (``prompts/*.txt``). The prompt comes last, because it ends in the request for the answer, and
because it says "the list below" of its actions. The paper shows no picture in figures 14 and 15.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from enact_assets.engine.errors import QuestionError
from enact_assets.questions.asked.choices import WORDS, read_letter
from enact_assets.questions.asked.parsing import REASONS, WRONG_LENGTH, Labels, read_answer
from enact_assets.settings.world import FILM, KINDS, LETTERS

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class KeyFramePicture:
    """A picture of a question: its name in the prompt, and the key frame that it shows."""

    name: str
    demonstration: str
    key_frame: int

    @property
    def key(self) -> "PictureKey":
        """The picture among all that a variant shows."""
        return self.demonstration, self.key_frame

    @property
    def where(self) -> str:
        """What it shows, in words."""
        return f"key frame {self.key_frame} of {self.demonstration}"

    @property
    def how(self) -> str:
        """What gets it where it is missing."""
        return "materialize frame_images, unless an image model made none that keeps the scene"


@dataclass(frozen=True, slots=True)
class ClipPicture:
    """A picture of a clip: its name, and the action, camera and place in the clip."""

    name: str
    recording: str
    view: str
    action: int
    place: int

    @property
    def key(self) -> "PictureKey":
        """The picture among all that a variant shows."""
        return self.recording, self.view, self.action, self.place

    @property
    def where(self) -> str:
        """What it shows, in words."""
        return f"picture {self.place} of action {self.action} of {self.recording}"

    @property
    def how(self) -> str:
        """What gets it where it is missing."""
        if self.view == FILM:
            return "put the film beside the step file, and materialize film_images"
        return "materialize clip_images"


PictureKey = tuple[Any, ...]
"""Demonstration and key frame; or recording, camera, action and place in the clip."""
ShownPicture = KeyFramePicture | ClipPicture
Part = str | ShownPicture
"""Words, or a picture."""


class QuestionType(Protocol):
    """All that differs between types of questions."""

    def parts(self, question: Row) -> tuple[Part, ...]:
        """What is shown of a row of ``asked_questions``, in order."""
        ...

    def n_entries(self, question: Row) -> int:
        """How many entries the answer to a row of ``asked_questions`` has."""
        ...

    def parse(self, raw: str | None, question: Row) -> tuple[Labels | None, str | None]:
        """The labels that ``raw`` names, or None, and a key of ``parsing.REASONS`` if it is wrong.

        By the rules of profile ``paper``.
        """
        ...

    def feedback(self, verdict: Row) -> str:
        """A row of ``evaluation`` in words for the person who answered, without the solution."""
        ...


class Order:
    """Pictures to be ordered by actions, or actions by pictures."""

    def parts(self, question: Row) -> tuple[Part, ...]:
        """The pictures, each after its name; then the prompt."""
        parts: list[Part] = []
        for place, key_frame in enumerate(question["shown_key_frames"]):
            name = f"Next State {place}" if place else "Current State"
            picture = KeyFramePicture(name, question["demonstration"], key_frame)
            parts += [f"[{name}]", picture]
        return (*parts, question["prompt"])

    def n_entries(self, question: Row) -> int:
        """Steps between its key frames."""
        return int(question["length"]) - 1

    def parse(self, raw: str | None, question: Row) -> tuple[Labels | None, str | None]:
        """As :func:`parsing.read_answer`."""
        return read_answer(raw, self.n_entries(question))

    def feedback(self, verdict: Row) -> str:
        """Whether it is right; otherwise how many steps are, or why it could not be read."""
        reason = verdict["reason"]
        if verdict["answer_status"] == "missing":
            return f"There is no answer: {REASONS.get(reason, reason)}."
        if verdict["answer_status"] != "parsed" and reason == WRONG_LENGTH:
            return f"The answer could not be read: it needs {verdict['n_steps']} entries, not more."
        if verdict["answer_status"] != "parsed":
            return f"The answer could not be read: {REASONS.get(reason, reason)}."
        if verdict["is_exact"]:
            return "Right."
        if verdict["is_accepted"]:
            return "Right: the reference has another order, but yours is consistent as well."
        n_steps = verdict["n_steps"]
        found = f"Not right: {verdict['n_steps_passed']} of {n_steps} steps fit."
        if verdict.get("unverified") is not None:
            found = "Not the published order; steps were not compared (no replay imported)."
        if reason == WRONG_LENGTH:
            found += f" The answer has {len(verdict['answer'])} of {n_steps} entries."
        return found


def encoded_picture(key: PictureKey) -> str:
    """A picture among the texts of ``asked_questions.actions``."""
    return f"<{'|'.join(map(str, key))}>"


class Choice:
    """One of four clips or plans to be chosen: WorldPrediction.

    Column ``actions`` has all that is shown in order, texts and pictures.
    """

    def parts(self, question: Row) -> tuple[Part, ...]:
        """The texts as they are; each picture is named by the last of them."""
        parts: list[Part] = []
        name, number = "", 0
        for shown in question["actions"]:
            if not (shown.startswith("<") and shown.endswith(">")):
                name, number = shown.strip().removesuffix(":"), 0
                parts.append(shown)
                continue
            number += 1
            of, *rest = shown[1:-1].rsplit("|", 3)  # recordings of step files may have such names
            if len(rest) == 1:
                parts.append(KeyFramePicture(name, of, int(rest[0])))
            else:
                view, action, place = rest
                called = f"{name}, {number}"
                parts.append(ClipPicture(called, of, view, int(action), int(place)))
        return tuple(parts)

    def n_entries(self, _question: Row) -> int:
        """One: the option."""
        return 1

    def parse(self, raw: str | None, _question: Row) -> tuple[Labels | None, str | None]:
        """As :func:`choices.read_letter`, with the label of the letter."""
        if raw is None:
            return None, "no_answer"
        letter, reason = read_letter(raw)
        return None if letter is None else [LETTERS.index(letter) + 1], reason

    def feedback(self, verdict: Row) -> str:
        """Whether it is right, or why it could not be read."""
        reason = verdict["reason"]
        if verdict["answer_status"] == "missing":
            return f"There is no answer: {WORDS.get(reason, reason)}."
        if verdict["answer_status"] != "parsed":
            return f"The answer could not be read: {WORDS.get(reason, reason)}."
        return "Right." if verdict["is_accepted"] else "Not right."


TYPES: Mapping[str, QuestionType] = {
    **dict.fromkeys(("forward", "inverse"), Order()),
    **dict.fromkeys(KINDS, Choice()),
}
"""Kind of question -> its type."""


def type_of(question: Row) -> QuestionType:
    """The type of a row of ``asked_questions``. Errors: :class:`QuestionError` if it has none."""
    kind = question["kind"]
    if kind not in TYPES:
        raise QuestionError(f"questions of kind {kind!r} have no type (known: {', '.join(TYPES)})")
    return TYPES[kind]
