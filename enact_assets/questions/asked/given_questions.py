"""Questions of imported files in place of ours: key frames, rows of ``qa``, pictures.

The public release draws "Current State" or "Next State 2" into the pictures of its questions, so
one frame has another picture at each place in which it is shown. A key frame is therefore a frame
*at a place*: the same frame at two places is two key frames, between which nothing changes.

What the sentences of a question say is read as components, as far as they can be read: in the
wordings of the published data set and our own of profile ``release``. A sentence of any other form
says nothing here: models get the text all the same.
"""

import re
from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.engine.errors import QuestionFileError
from enact_assets.engine.ids import sha256_bytes, short_id
from enact_assets.questions.asked.imported_questions import FoundQuestion
from enact_assets.questions.asked.official import OfficialQuestion, parse_type
from enact_assets.questions.asked.release_wording import OBJECT_STATES, PAIR_STATES
from enact_assets.questions.asked.tables import Qa
from enact_assets.settings.classes import NATURAL, QUESTIONS
from enact_assets.settings.components import Component, Operation
from enact_assets.settings.frame_ids import FrameIds

Shown = tuple[int, int]
"""Id of a frame, and the place in which it is shown: 0 is the current state.

Of an unlabelled question it is not known which frame a picture shows: its key frames are its own,
by a place that no other question has (:func:`place_of`).
"""
_PLACES = 16
"""More than any question shows pictures."""

_ACTION = re.compile(r"^\[Action ([1-9][0-9]?)\] (.+?)\s*$", re.MULTILINE)

_PUBLISHED_PAIRS = {
    "attached to": "AttachedTo",
    "containing": "Contains",
    "covered by": "Covered",
    "draped over": "Draped",
    "filled with": "Filled",
    "on top of and touching": "OnTop",
    "saturated with": "Saturated",
    "touching": "Touching",
    "using the left gripper to grasp": "LeftGrasping",
    "using the right gripper to grasp": "RightGrasping",
}
_PUBLISHED_STATES = {"turned on": "ToggledOn"}


def _pair_patterns() -> list[tuple[re.Pattern[str], str]]:
    """What is said of two objects, the longest first: "on top of and touching" has "touching"."""
    phrases = [(f"{words} {{O}}", name) for words, name in _PUBLISHED_PAIRS.items()]
    phrases += [(words.replace("{o}", "{O}"), name) for name, words in PAIR_STATES.items()]
    patterns = []
    for words, name in sorted(phrases, key=lambda phrase: -len(phrase[0])):
        before, after = map(re.escape, words.lower().split("{o}"))
        patterns.append((re.compile(f"{before}(?:the )?(?P<other>.+?){after}"), name))
    return patterns


_PAIRS = _pair_patterns()
_STATES = {words.lower(): name for name, words in OBJECT_STATES.items()} | _PUBLISHED_STATES
_SAID: Sequence[tuple[str, Operation | None]] = (
    # The published wording, then ours; None: a state that comes about, or a transition.
    ("(?:is|are) no longer", "remove"),
    ("(?:stopped|ceased) being", "remove"),
    ("(?:is|are) not(?= .* any more$)", "remove"),
    ("(?:has|have) turned into", "transition"),
    ("(?:becomes?|now becomes?|transitions? to be|changes? to be)", None),
    ("(?:is|are) now", "add"),
    ("(?:has|have) come to be", "add"),
    ("ends? up", "add"),
    ("(?:is|are)(?= .* from now on$)", "add"),
)
_VERBS = [
    (re.compile(f"the (?P<subject>.+?) {verb} (?P<state>.+)"), operation)
    for verb, operation in _SAID
]
_TAILS = re.compile(" (?:any more|from now on)$")


def actions_in(text: str, n_steps: int) -> list[str]:
    """The texts of actions 1 to ``n_steps`` that a prompt lists; none if it lists others.

    They are the last lines that begin with "[Action 1]", "[Action 2]" and so on.
    """
    found = [(int(label), said) for label, said in _ACTION.findall(text)][-n_steps:]
    if [label for label, _ in found] != list(range(1, n_steps + 1)):
        return []
    return [said for _, said in found]


def components_of(action: str) -> list[str]:
    """Components that the sentences of ``action`` say, in their order."""
    sentences = re.split(r"\.(?:\s+|$)", action)
    return [str(c) for sentence in sentences if (c := _component(sentence.strip().lower()))]


def _component(sentence: str) -> Component | None:
    for pattern, operation in _VERBS:
        found = pattern.fullmatch(sentence)
        if found is not None:
            return _of(operation, found["subject"], _TAILS.sub("", found["state"]))
    return None


def _of(operation: Operation | None, subject: str, state: str) -> Component | None:
    if operation == "transition":
        return _transition(subject, state)
    said: Operation = operation or "add"
    if state in _STATES:
        return Component(said, _STATES[state], subject)
    for pattern, name in _PAIRS:
        found = pattern.fullmatch(state)
        if found is not None:
            return Component(said, name, subject, found["other"])
    return _transition(subject, state) if operation is None and state.startswith("the ") else None


def _transition(parents: str, child: str) -> Component:
    if child == "something cooked":
        return Component("transition", "Cooked", parents.replace(" and the ", " and "))
    names = tuple(parents.split(" and the "))
    return Component.transition(names, child.removeprefix("the "))


def given_frames(
    demonstrations: pl.DataFrame, questions: Sequence[FoundQuestion]
) -> NDArray[np.int64]:
    """Position (M,), ascending, of each key frame of ``questions`` about one demonstration.

    Errors: :class:`QuestionFileError` names demonstration, file and the first frame that the
    replay lacks.
    """
    row = demonstrations.row(0, named=True)
    ids = np.array([frame_id for frame_id, _ in key_frames_of(questions)], np.int64)
    if row["source"] == QUESTIONS or not ids.size:
        return ids  # there is no replay that could lack one
    frames = FrameIds(tuple(row["frame_id_runs"])).find(ids, row["n_frames"])
    absent = np.unique(ids[frames < 0])
    if absent.size:
        first = next(q for q in questions if absent[0] in map(int, q.question.key_frame_ids))
        raise QuestionFileError(
            f"{row['demonstration']}: {absent.size} of {np.unique(ids).size} frame ids that "
            f"questions name are not in its replay, first {absent[0]} (line {first.line} of "
            f"imported file {first.file!r}). Replay and questions are of different tasks or "
            "versions: import the replay that the questions were made from, or `enact-assets "
            f"forget demonstration {row['demonstration']}`."
        )
    return frames


def key_frames_of(questions: Sequence[FoundQuestion]) -> list[Shown]:
    """All key frames of ``questions`` about one demonstration, in the order of their numbers."""
    return sorted({shown for found in questions for shown in _in_order_shown(found.question)})


def given_qa(segmented_frames: pl.DataFrame, questions: Sequence[FoundQuestion]) -> pl.DataFrame:
    """``questions`` about one demonstration as rows of ``qa``: ids and prompts as they are.

    ``segmented_frames`` has the key frames of :func:`given_frames`. ``trajectory_id`` is a hash of
    the frames: nothing was drawn. An unlabelled question has an empty ``answer``, and its key
    frames are those shown, in that order. Actions are read from the prompt, and what they change
    from their sentences, as far as both are in a known form.
    """
    if not questions:
        return Qa.empty()
    name, gating = segmented_frames.select("demonstration", "gating").row(0)
    number = {shown: k for k, shown in enumerate(key_frames_of(questions))}
    places: dict[tuple[str, int], int] = {}
    rows = []
    for found in questions:
        question = found.question
        kind, length = parse_type(question.type)
        place = places[kind, length] = places.get((kind, length), -1) + 1
        actions = actions_in(question.question, length - 1)
        shown = [number[one] for one in _in_order_shown(question)]
        is_ordered = kind == "forward" and not question.is_unlabelled
        later = question.gt_answer if is_ordered else range(1, length)
        rows.append(
            {
                "demonstration": name,
                "gating": gating,
                "question_id": question.id,
                "trajectory_id": short_id(name, gating, *question.key_frame_ids),
                "kind": kind,
                "length": length,
                "key_frames": [shown[0], *(shown[label] for label in later)],
                "shown_key_frames": shown,
                "actions": actions,
                "action_components": [components_of(action) for action in actions],
                "answer": question.gt_answer,
                "draw": place,
                "wording": NATURAL,
                "prompt": question.question,
                "question_file": found.file,
            }
        )
    return Qa.build(rows)


def pictures_named(
    questions: Sequence[FoundQuestion],
) -> Iterator[tuple[Shown, FoundQuestion, str]]:
    """Frame and place, question and path of every picture that ``questions`` show."""
    for found in questions:
        shown = _in_order_shown(found.question)
        for one, image in zip(shown, found.question.images, strict=True):
            yield one, found, image


def _in_order_shown(question: OfficialQuestion) -> list[Shown]:
    """Frame and place of each picture, in the order of ``images``."""
    kind, length = parse_type(question.type)
    ids = [int(frame_id) for frame_id in question.key_frame_ids] or list(range(length))
    if question.is_unlabelled:
        if kind == "forward" or not question.key_frame_ids:
            own = _PLACES * (1 + int(sha256_bytes(question.id.encode())[:12], 16))
            return [(frame_id, own + place) for place, frame_id in enumerate(ids)]
    elif kind == "forward":
        of_label = dict(zip(question.gt_answer, ids[1:], strict=True))
        ids = [ids[0], *(of_label[label] for label in range(1, len(ids)))]
    return [(frame_id, place) for place, frame_id in enumerate(ids)]


def place_of(shown: Shown) -> int:
    """The place in which a picture is shown, from 0."""
    return shown[1] % _PLACES
