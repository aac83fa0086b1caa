"""Messages with questions of WorldPrediction: texts and still pictures in order.

The paper gives no prompt; its release asks for JSON such as ``{"action": "A"}``, and so do these.
Words are the same under every condition, so that conditions can be compared.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from enact_assets.answers.models.messages import Message, Part, Picture, Text
from enact_assets.engine.errors import PredictionError
from enact_assets.questions.world.candidates import LETTERS, WM
from enact_assets.questions.world.items import WorldItem
from enact_assets.questions.world.pictures import WorldPictures

STATES = (
    "State 1 is a room before {}, state 2 the same room afterwards, through the eyes of whoever "
    "acts.\n"
)
BETWEEN = {"wm": "one action", "pp": "some actions"}
CLIPS = "\nEach clip shows one action as {} pictures in order."
CLIPS_TOLD = "\nEach clip shows one action and is described in words."
ELSEWHERE = (
    " Clips may be from other rooms, where "
    "things of the same kinds look different and stand elsewhere, left and right included.\n"
)
ASKED = {
    "wm": "\nWhich clip shows the action that leads from state 1 to state 2? Only the kind of "
    "action counts: the same is done with the same kind of thing.\n",
    "pp": "\nWhich plan leads from state 1 to state 2? Each plan is an order of the clips, by "
    "their numbers; in the room of the states the same is done with the same kinds of things.\n",
}
FORMAT = 'Answer with JSON and nothing else: {"%s": "A"}, "B", "C" or "D".'


@dataclass(frozen=True)
class ShownPictures:
    """Pictures of one question by their names: two states, and the clips of the pool in order."""

    states: list[str]
    clips: list[list[str]]

    @classmethod
    def of(cls, item: WorldItem, pictures: WorldPictures) -> "ShownPictures":
        """Those of ``item``. Errors: :class:`PredictionError` if one is missing."""
        states = pictures.state_shas(item.row)
        clips = [pictures.clip_shas(candidate) for candidate in item.pool]
        if len(states) < 2 or not all(clips):
            n_missing = 2 - len(states) + sum(not clip for clip in clips)
            raise PredictionError(
                f"question {item.row['question_id']}: {n_missing} states or clips lack pictures"
            )
        return cls(states, clips)


def message_of(item: WorldItem, pictures: WorldPictures) -> Message:
    """The message of one question.

    Errors: :class:`PredictionError` if a picture is missing.
    """
    shown = ShownPictures.of(item, pictures)
    states = [[Picture(sha)] for sha in shown.states]
    clips = [[Picture(sha) for sha in clip] for clip in shown.clips]
    told = CLIPS.format(_number_of_pictures(shown.clips))
    return Message(item.row["question_id"], tuple(_parts(item, states, told, clips)))


def message_in_words(item: WorldItem, states: Sequence[str], clips: Sequence[str]) -> Message:
    """The message of one question with captions in place of pictures: texts alone."""
    parts = _parts(item, [[Text(f"{caption}\n")] for caption in states], CLIPS_TOLD,
                   [[Text(f"{caption}\n")] for caption in clips])  # fmt: skip
    texts = "".join(part.text for part in parts if isinstance(part, Text))
    return Message(item.row["question_id"], (Text(texts),))


def _parts(
    item: WorldItem,
    states: Sequence[Sequence[Part]],
    told: str,
    clips: Sequence[Sequence[Part]],
) -> Iterator[Part]:
    task = item.row["task"]
    yield Text(STATES.format(BETWEEN[task]))
    for number, state in enumerate(states, 1):
        yield Text(f"\nState {number}:\n")
        yield from state
    yield Text(told + ELSEWHERE)
    names = LETTERS if task == WM else [str(number) for number in range(1, len(clips) + 1)]
    for name, clip in zip(names, clips, strict=True):
        yield Text(f"\nClip {name}:\n")
        yield from clip
    yield Text(ASKED[task])
    if task != WM:
        plans = (" ".join(str(c["pool"]) for c in option) for option in item.options)
        yield Text("".join(f"{k}: {plan}\n" for k, plan in zip(LETTERS, plans, strict=True)))
    yield Text(FORMAT % ("action" if task == WM else "plan"))


def _number_of_pictures(clips: list[list[str]]) -> str:
    counts = sorted({len(clip) for clip in clips})
    return str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
