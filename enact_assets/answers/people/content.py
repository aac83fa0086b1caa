"""Questions of a variant as a page shows them: places to fill, and items for them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from enact_assets.answers.models.messages import Message, Text
from enact_assets.engine.ids import content_sha
from enact_assets.questions.asked.types import Part, PictureKey, Row, type_of
from enact_assets.questions.world.shown_questions import SOME_OF_THE_CLIPS
from enact_assets.questions.world.stored_pictures import Stored
from enact_assets.settings.world import KINDS, PP, WM


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
    media: tuple[Stored, ...]
    accepted: tuple[tuple[int, ...], ...]
    shown_sha: str
    is_ambiguous: bool = False
    """Whether other orders are right too: practice would call them wrong."""
    reasons: tuple[str, ...] = ()
    """Why each option is right or wrong, in the order of labels; only of practice."""

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
    question: Row, pictures: Mapping[PictureKey, Stored], *, is_ambiguous: bool = False
) -> ShownQuestion | None:
    """A row of ``asked_questions`` as a page shows it; None if a picture is missing."""
    parts = type_of(question).parts(question)
    found: list[Stored] = []
    hashed: list[str | list[str]] = []
    for part in parts:
        if isinstance(part, str):
            hashed.append(part)
            continue
        picture = pictures.get(part.key)
        if picture is None:
            return None
        found.append(picture)
        hashed.append([picture[0]])
    is_choice = question["kind"] in KINDS
    content = _choice(question, parts) if is_choice else _order(question)
    return ShownQuestion(
        question_id=question["question_id"],
        variant=question["variant"],
        type="choose" if is_choice else "order",
        kind=question["kind"],
        length=question["length"],
        demonstration=question["demonstration"],
        content=content | {"for_models": [p if isinstance(p, str) else None for p in parts]},
        media=tuple(found),
        accepted=(tuple(question["answer"]),),
        shown_sha=shown_sha(hashed),
        is_ambiguous=is_ambiguous,
    )


def _order(question: Row) -> dict[str, Any]:
    return _forward(question) if question["kind"] == "forward" else _inverse(question)


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


_OTHER_ROOMS = (
    "Clips may be from other rooms, where things of the same kinds look different and stand "
    "elsewhere, left and right included. "
)
INSTRUCTIONS = {
    WM: "State 1 shows a room before one action, state 2 the same room afterwards. Which clip "
    f"shows that action? {_OTHER_ROOMS}Only the kind of action counts: the same is done with the "
    "same kind of thing.",
    PP: "State 1 shows a room before some actions, state 2 the same room afterwards. Each clip "
    "shows one action, and each plan is an order of the clips. Which plan leads from state 1 to "
    f"state 2? {_OTHER_ROOMS}In the room of the states the same is done with the same kinds of "
    "things.",
}
STATES = ("State 1, before", "State 2, afterwards")


def _choice(question: Row, parts: Sequence[Part]) -> dict[str, Any]:
    """Items are the clips of ``wm`` or the plans of ``pp``, in the order of their letters."""
    task = question["kind"].partition("_")[0]
    runs: list[list[int]] = []
    n_media, is_new = 0, True
    for part in parts:
        if isinstance(part, str):
            is_new = True
            continue
        if is_new:
            runs.append([])
        runs[-1].append(n_media)
        n_media, is_new = n_media + 1, False
    states = [part_of(media=run, caption=c) for run, c in zip(runs, STATES, strict=False)]
    clips = [part_of(media=run) | {"is_clip": True} for run in runs[len(STATES) :]]
    numbered = [clip | {"caption": f"Clip {number}"} for number, clip in enumerate(clips, 1)]
    plans = str(parts[-2]).splitlines()
    has_all = task == WM or len(clips) == question["length"]
    return {
        "noun": "Clip" if task == WM else "Plan",
        "instruction": INSTRUCTIONS[task]
        if has_all
        else INSTRUCTIONS[task].replace(*SOME_OF_THE_CLIPS),
        "context": states if task == WM else [*states, *numbered],
        "places": [],
        "items": clips if task == WM else [part_of(text=_plan(plan)) for plan in plans],
    }


def _plan(line: str) -> str:
    """``A: 1 3 2`` in words."""
    return "Clip " + ", then ".join(line.split()[1:])


def part_of(text: str = "", caption: str = "", media: Sequence[int] = ()) -> dict[str, Any]:
    """A part of the content of a question; ``media`` are numbers of its pictures."""
    return {"text": text, "caption": caption, "media": list(media)}
