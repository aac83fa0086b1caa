"""Questions of WorldPrediction as the page of annotators shows them: choose a clip, or a plan."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from enact_assets.answers.models.messages import Message
from enact_assets.answers.people.annotator_names import WORLD
from enact_assets.answers.people.content import ShownQuestion, message_sha, part_of, version_of
from enact_assets.answers.people.variant_questions import ShownQuestions
from enact_assets.answers.world.messages import message_of
from enact_assets.engine.errors import MissingPartitionError, PredictionError
from enact_assets.engine.ids import content_sha
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.questions.world.candidates import LETTERS, WM
from enact_assets.questions.world.film_frames import FilmPictures
from enact_assets.questions.world.items import WorldItem, items_of
from enact_assets.questions.world.pictures import WorldPictures
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import BASELINE
from enact_assets.settings.world import EMBEDDED_WORLD

Sizes = Mapping[str, tuple[int, int]]
"""SHA-256 of a picture -> its width and height in px."""

_OTHER_ROOMS = (
    "Clips may be from other rooms, where things of the same kinds look different and stand "
    "elsewhere, left and right included. "
)
INSTRUCTIONS = {
    "wm": "State 1 shows a room before one action, state 2 the same room afterwards. Which clip "
    f"shows that action? {_OTHER_ROOMS}Only the kind of action counts: the same is done with the "
    "same kind of thing.",
    "pp": "State 1 shows a room before some actions, state 2 the same room afterwards. Each clip "
    "shows one action, and each plan is an order of the clips. Which plan leads from state 1 to "
    f"state 2? {_OTHER_ROOMS}In the room of the states the same is done with the same kinds of "
    "things.",
}


def asked_under(world_source: str) -> str:
    """What stands for a variant in answers of annotators to questions of ``world_source``."""
    return f"{WORLD}{world_source}"


def version_shown(message: Message, world_source: str) -> str:
    """The version of the question that ``message`` shows, as answers of annotators name it."""
    return version_of(message.question_id, asked_under(world_source), message_sha(message))


def shown_world_question(
    item: WorldItem, pictures: WorldPictures, sizes: Sizes
) -> ShownQuestion | None:
    """One question as a page shows it; None if a picture is missing.

    Items are the clips of ``wm`` or the plans of ``pp``, in the order of their letters.
    """
    row = item.row
    try:
        message = message_of(item, pictures)
    except PredictionError:
        return None
    shown = [*pictures.state_shas(row)]
    states = [part_of(media=[k], caption=name) for k, name in enumerate(STATES)]
    clips = []
    for candidate in item.pool:
        shas = pictures.clip_shas(candidate)
        clips.append(part_of(media=range(len(shown), len(shown) + len(shas))) | {"is_clip": True})
        shown += shas
    is_wm = row["task"] == WM
    numbered = [clip | {"caption": f"Clip {number}"} for number, clip in enumerate(clips, 1)]
    content: dict[str, Any] = {
        "noun": "Clip" if is_wm else "Plan",
        "instruction": INSTRUCTIONS[row["task"]],
        "context": states if is_wm else [*states, *numbered],
        "places": [],
        "items": clips if is_wm else [part_of(text=_plan(option)) for option in item.options],
    }
    return ShownQuestion(
        question_id=row["question_id"],
        variant=asked_under(row["world_source"]),
        type="choose",
        kind=row["task"],
        length=row["length"],
        demonstration=row["recording"],
        content=content,
        media=tuple((sha, *sizes[sha]) for sha in shown),
        accepted=((LETTERS.index(row["answer"]) + 1,),),
        shown_sha=message_sha(message),
    )


STATES = ("State 1, before", "State 2, afterwards")


def _plan(option: tuple[Mapping[str, Any], ...]) -> str:
    return "Clip " + ", then ".join(str(candidate["pool"]) for candidate in option)


def shown_world_questions(
    root: DataRoot,
    world_source: str,
    condition: str,
    per_stratum: int | None = None,
    *,
    is_kept: bool = False,
) -> ShownQuestions:
    """All questions of a source under ``condition``, or the first ``per_stratum`` of each task and
    length; within these, recordings take turns. With ``is_kept`` only those that people kept.

    Errors: :class:`MissingPartitionError` if there are none or they were not materialized.
    """
    lake, of_source = Lake(root.lake), {"world_source": world_source}
    if not lake.exists("world_questions", of_source):
        raise MissingPartitionError(
            f"{root.lake}: there are no world_questions of {world_source!r}. Run `enact-assets "
            "world` first, with --step-file for films of people."
        )
    asked = lake.read("world_questions", of_source).filter(condition=condition)
    if asked.is_empty():
        raise MissingPartitionError(f"{world_source!r} asks nothing under condition {condition!r}")
    if is_kept:
        kept = lake.read("world_human_filter", of_source).filter("is_kept")
        asked = asked.join(kept, on="question_id", how="semi")
        if asked.is_empty():
            raise MissingPartitionError(
                f"people kept no question of {world_source!r} under condition {condition!r}: two "
                "persons must answer first, and `enact-assets world` read their answers"
            )
    drawn = pl.col("question_id").map_elements(content_sha, pl.String)
    by = ["task", "length"]
    turns = asked.with_columns(drawn=drawn).sort(*by, "drawn")
    turns = turns.with_columns(turn=pl.int_range(pl.len()).over(*by, "recording"))
    turns = turns.sort(*by, "turn", "drawn").drop("drawn", "turn")
    if per_stratum is not None:
        turns = turns.group_by(by, maintain_order=True).head(per_stratum)
    pictures, sizes = stored_pictures(root, world_source)
    candidates = lake.read("world_candidates", of_source)
    candidates = candidates.join(turns, on="question_id", how="semi")
    found = [shown_world_question(item, pictures, sizes) for item in items_of(turns, candidates)]
    shown = tuple(question for question in found if question is not None)
    return ShownQuestions(shown, len(found) - len(shown))


def stored_pictures(root: DataRoot, world_source: str) -> tuple[WorldPictures, Sizes]:
    """Pictures of states and clips of a source in the lake, and the size of each."""
    lake, read = Lake(root.lake), ImageStore(root.images).read
    columns = "image_sha", "width_px", "height_px"
    shown: WorldPictures
    tables: tuple[pl.DataFrame, ...]
    if world_source == EMBEDDED_WORLD:
        states, clips = (
            lake.read_all("frame_images", variant=BASELINE),
            lake.read_all("clip_images"),
        )
        tables, shown = (states, clips), WorldPictures(states, clips, read)
    else:
        films = lake.read("film_images", {"world_source": world_source})
        tables, shown = (films,), FilmPictures(films, read)
    rows = (row for table in tables for row in table.select(columns).iter_rows())
    return shown, {sha: (width, height) for sha, width, height in rows}
