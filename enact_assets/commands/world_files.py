"""Files of WorldPrediction questions: ``world --export`` in the layout of the release, ``world
--sheets`` as pictures.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from enact_assets.answers.baselines.requests import build_request
from enact_assets.demonstrations.pictures.thumbnails import Image
from enact_assets.engine.errors import LakeError
from enact_assets.engine.ids import content_sha
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.plurals import counted
from enact_assets.engine.system.atomic import replacing
from enact_assets.questions.world.items import WorldItem, items_of
from enact_assets.questions.world.stored_pictures import stored_pictures
from enact_assets.results.world import release
from enact_assets.results.world.question_sheets import question_sheet
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import BASELINE, load_registry
from enact_assets.settings.world import EMBEDDED_WORLD, EQUIVALENT, world_name

ANSWERS = "answers.json"


def write_sheets(root: DataRoot, folder: Path, per_task: int, condition: str) -> str:
    """Write ``per_task`` questions of each task, drawn by their ids, as ``<id>.png``, and their
    answers into one file; returns a message about the files.

    Pictures show no answer. Errors: :class:`LakeError` if no question has been made.
    """
    lake, images = Lake(root.lake), ImageStore(root.images)
    source = {"question_set": world_name(EMBEDDED_WORLD)}
    if not lake.exists("world_questions", source):
        raise LakeError(f"{root.lake}: there are no world_questions. Run `enact-assets world`.")
    questions = lake.read("world_questions", source).filter(pl.col("condition") == condition)
    drawn = sorted(questions["question_id"], key=content_sha)
    place = pl.col("question_id").replace_strict(drawn, range(len(drawn)))
    chosen = questions.sort(place).group_by("task", maintain_order=True).head(per_task)
    stored = stored_pictures(lake, world_name(EMBEDDED_WORLD))
    shas = {key: sha for key, (sha, _, _) in stored.items()}
    asked = lake.read("asked_questions", {"variant": world_name(EMBEDDED_WORLD)})
    rows = {row["question_id"]: row for row in asked.iter_rows(named=True)}

    def picture(*key: str | int) -> Image:
        return images.read(shas[key])

    def sheet(item: WorldItem) -> bytes:
        runs = build_request(rows[item.row["question_id"]], picture, shas).runs
        shown = [[p.load() for p in run] for run in runs if not isinstance(run, str)]
        return question_sheet(item, [shown[0][0], shown[1][0]], shown[2:])

    answers: dict[str, Mapping[str, Any]] = {}
    folder.mkdir(parents=True, exist_ok=True)
    told = ("task", "answer", "plan", "classes", "recording", "n_videos")
    for item in items_of(chosen, lake.read("world_candidates", source)):
        name = item.row["question_id"]
        with replacing(folder / f"{name}.png") as temporary:
            temporary.write_bytes(sheet(item))
        answers[name] = {column: item.row[column] for column in told}
    with replacing(folder / ANSWERS) as temporary:
        temporary.write_text(json.dumps(answers, indent=1), encoding="utf-8")
    return f"{counted(len(answers), 'question')} in {folder}; their answers in {ANSWERS}."


def write_release(root: DataRoot, path: Path, sources: Sequence[str]) -> str:
    """Write questions of ``sources`` under condition ``equivalent`` to ``path``, as one file with
    the layout of ``WorldPrediction-WM.json``; returns a message about the file.

    Errors: :class:`LakeError` if a source has no questions.
    """
    lake, found = Lake(root.lake), release.Release()
    for name in sources:
        source = {"question_set": world_name(name)}
        if not lake.exists("world_questions", source):
            raise LakeError(f"{root.lake}: there are no world_questions of {name}.")
        if name == EMBEDDED_WORLD:
            gating = load_registry().variant(BASELINE).gating
            states = lake.read_all("action_states", gating=gating)
            spans = release.embedded_spans(states, lake.read_all("demonstrations"))
        else:
            spans = release.annotated_spans(lake.read("annotated_actions", source))
        questions = lake.read("world_questions", source).filter(condition=EQUIVALENT)
        found |= release.to_release(questions, lake.read("world_candidates", source), spans)
    with replacing(path) as temporary:
        temporary.write_bytes(release.release_bytes(found))
    n = sum(map(len, found.values()))
    return f"{path}: {counted(n, 'question')} of world modelling, unfiltered by people"
