"""Questions of WorldPrediction as they are asked: texts and still pictures in order.

The paper gives no prompt; its release asks for JSON such as ``{"action": "A"}``, and so do these.
Words are the same under every condition, so that conditions can be compared.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from enact_assets.engine.ids import content_sha
from enact_assets.questions.asked.choices import answer_key
from enact_assets.questions.asked.tables import AskedQuestions
from enact_assets.questions.asked.types import PictureKey, encoded_picture
from enact_assets.questions.world.items import Candidate, WorldItem, items_of
from enact_assets.settings.classes import EMBEDDED, NATURAL, VIDEO, Variant
from enact_assets.settings.world import EMBEDDED_WORLD, FILM, LETTERS, WM, ClipSettings

STATES = (
    "State 1 is a room before {}, state 2 the same room afterwards, through the eyes of whoever "
    "acts.\n"
)
BETWEEN = {"wm": "one action", "pp": "some actions"}
CLIPS = "\nEach clip shows one action as {} pictures in order."
CLIPS_IN_WORDS = "\nEach clip shows one action and is described in words."
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
SOME_OF_THE_CLIPS = ("an order of the clips", "an order of some of the clips")
"""How texts about plans change where no plan has all clips."""
FORMAT = 'Answer with JSON and nothing else: {"%s": "A"}, "B", "C" or "D".'
_TURN = ("kind", "length")

PicturesOf = Callable[[Candidate], Sequence[PictureKey]]
"""The pictures of the clip of a row of ``world_candidates``, in order."""


def ask_world_questions(
    questions: pl.DataFrame, candidates: pl.DataFrame, variant: Variant, pictures_of: PicturesOf
) -> pl.DataFrame:
    """Table ``asked_questions`` of a variant that asks about a world source: all its questions.

    ``questions`` and ``candidates`` are rows of ``world_questions`` and ``world_candidates``.
    ``place`` is drawn within kind and length; recordings take turns.
    """
    drawn = pl.col("question_id").map_elements(content_sha, pl.String)
    kind = pl.concat_str("task", "condition", separator="_")
    rows = questions.with_columns(drawn=drawn, kind=kind).sort(*_TURN, "drawn")
    turns = rows.with_columns(turn=pl.int_range(pl.len()).over(*_TURN, "recording"))
    placed = turns.sort(*_TURN, "turn", "drawn").with_columns(
        place=pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over(*_TURN)
    )
    items = items_of(placed, candidates)
    return AskedQuestions.build([_asked(item, variant, pictures_of) for item in items])


def clips_by_place(wanted_clips: pl.DataFrame) -> PicturesOf:
    """Pictures of clips of embedded demonstrations, from rows of ``wanted_clips``."""
    clip = ("demonstration", "view", "action")
    found: dict[tuple[str, str, int], list[PictureKey]] = {}
    for name, view, action, place in (
        wanted_clips.select(*clip, "place").sort(*clip, "place").rows()
    ):
        found.setdefault((name, view, action), []).append((name, view, action, place))
    return lambda row: found.get((row["recording"], row["view"], row["action"]), [])


def clips_of_films(film_images: pl.DataFrame | None) -> PicturesOf:
    """Pictures of clips of films, as many of each: also of those without a film, so that what is
    missing is known. ``film_images`` are rows of that table.
    """
    known = None if film_images is None else film_images["place"].max()
    places = range(1, int(str(known or ClipSettings().frames)) + 1)
    return lambda row: [(row["recording"], FILM, row["action"], place) for place in places]


def shown_parts(item: WorldItem, pictures_of: PicturesOf) -> list[str]:
    """All that a question shows in order, pictures as :func:`encoded_picture`."""
    states = [encoded_picture(key) for key in _states(item.row, pictures_of)]
    clips = [[encoded_picture(key) for key in pictures_of(clip)] for clip in item.pool]
    return list(_parts(item, states, clips))


def _parts(item: WorldItem, states: Sequence[str], clips: Sequence[list[str]]) -> Iterator[str]:
    task = item.row["task"]
    yield STATES.format(BETWEEN[task])
    for number, state in enumerate(states, 1):
        yield f"\nState {number}:\n"
        yield state
    yield CLIPS.format(_number_of_pictures(clips)) + ELSEWHERE
    names = LETTERS if task == WM else [str(number) for number in range(1, len(clips) + 1)]
    for name, clip in zip(names, clips, strict=True):
        yield f"\nClip {name}:\n"
        yield from clip
    has_all = task == WM or len(clips) == item.row["length"]
    yield ASKED[task] if has_all else ASKED[task].replace(*SOME_OF_THE_CLIPS)
    if task != WM:
        plans = zip(LETTERS, item.orders, strict=True)
        yield "".join(f"{letter}: {' '.join(map(str, order))}\n" for letter, order in plans)
    yield FORMAT % answer_key(task)


def in_words(parts: Iterable[str | None], captions: Iterable[str]) -> str:
    """What a question shows as one text: ``parts`` in order, ``captions`` in place of None, where
    it shows the pictures of a state or a clip.
    """
    words = iter(captions)
    found = []
    for text in parts:
        if text is None:
            found.append(f"{next(words)}\n")
        else:
            is_about_clips = text.endswith(ELSEWHERE)
            found.append(CLIPS_IN_WORDS + ELSEWHERE if is_about_clips else text)
    return "".join(found)


def _states(row: Mapping[str, Any], pictures_of: PicturesOf) -> list[PictureKey]:
    """Key frames before and after; of films the first and the last picture of what is between."""
    recording, first = row["recording"], row["first_action"]
    if row["key_frame_before"] is not None:
        return [(recording, row[f"key_frame_{when}"]) for when in ("before", "after")]
    ends = [
        pictures_of({"recording": recording, "action": action})
        for action in (first, first + row["length"] - 1)
    ]
    return [ends[0][0], ends[1][-1]]


def _number_of_pictures(clips: Sequence[Sequence[str]]) -> str:
    counts = sorted({len(clip) for clip in clips})
    return str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def _asked(item: WorldItem, variant: Variant, pictures_of: PicturesOf) -> dict[str, Any]:
    row = item.row
    shown = shown_parts(item, pictures_of)
    ends = [row["key_frame_before"], row["key_frame_after"]]
    key_frames = [frame for frame in ends if frame is not None]
    return {
        **{name: row[name] for name in ("question_id", "kind", "length", "place", "evidence_sha")},
        "variant": variant.name,
        "question_set": variant.question_set,
        "gating": variant.gating,
        "demonstration": row["recording"],
        "source": EMBEDDED if variant.world_source == EMBEDDED_WORLD else VIDEO,
        "in_probe_set": False,
        "key_frames": key_frames,
        "shown_key_frames": key_frames,
        "actions": shown,
        "told_components": [],
        "action_components": [],
        "answer": [LETTERS.index(row["answer"]) + 1],
        "wording": NATURAL,
        "noise_rate": 0.0,
        "n_perturbed": 0,
        "prompt": "".join(part for part in shown if not part.startswith("<")),
    }
