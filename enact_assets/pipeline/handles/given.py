"""Handles of steps that use imported questions instead of ours, and their pictures."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from enact_assets.demonstrations.pictures.demonstration_sources import all_sources
from enact_assets.demonstrations.pictures.recorded_pictures import (
    camera_of,
    is_shown,
    read_pictures,
)
from enact_assets.demonstrations.replay.sources import PictureRequest
from enact_assets.demonstrations.replay.tables import States
from enact_assets.engine.parameters import Later, provides
from enact_assets.engine.progress import unheard
from enact_assets.pipeline.handles.tools import Tools
from enact_assets.questions.asked.given_questions import key_frames_of, pictures_named
from enact_assets.questions.asked.imported_questions import FoundQuestion, ImportedQuestions
from enact_assets.questions.files.given_pictures import ShownPicture, given_key_frames
from enact_assets.questions.files.pictures import linked_pictures
from enact_assets.settings.classes import RENDERED
from enact_assets.settings.registry import Gating, Variant, load_registry


@dataclass(frozen=True)
class GivenQuestions:
    """Questions of imported files about one demonstration."""

    _asked: ImportedQuestions
    _demonstration: str
    _files: tuple[str, ...]

    @cached_property
    def found(self) -> list[FoundQuestion]:
        """Each question once, sorted by file and line. Errors: :class:`QuestionFileError`."""
        return self._asked.about(self._demonstration, self._files)


@provides(reads=("given_questions",))
def given_questions(
    tools: Tools, partition: Mapping[str, str], loaded: Mapping[str, Any]
) -> GivenQuestions:
    """Questions of the files that the gating uses."""
    asked = ImportedQuestions(tools.question_files)
    return GivenQuestions(asked, partition["demonstration"], _files(asked, loaded["gating"]))


@dataclass(frozen=True)
class GivenPictures:
    """Pictures that were imported with questions about one demonstration, else those of its
    recording.
    """

    _tools: Tools
    _asked: ImportedQuestions
    _files: tuple[str, ...]

    def __call__(
        self,
        demonstrations: pl.DataFrame,
        wanted: pl.DataFrame,
        variant: Variant,
        states: Later[States],
    ) -> pl.DataFrame:
        """Rows of ``frame_images``; a key frame without a picture has no row.

        Errors: as :func:`given_key_frames`.
        """
        columns = ("demonstration", "source", "n_frames", "frame_id_runs")
        name, source, n_frames, runs = demonstrations.select(columns).row(0)
        tools = self._tools
        on_progress = tools.progress(f"pictures {name} {variant.name}")

        def others(ids: Mapping[int, int]) -> Iterator[tuple[int, bytes]]:
            if not is_shown(tools.recordings, name, source, variant):
                return
            if source in RENDERED:
                rest = wanted.filter(pl.col("frame").is_in(list(ids))).unique("frame")
                places = tools.images, states, unheard, tools.workers
                request = PictureRequest(demonstrations, rest, variant, *places)
                made = all_sources(tools.recordings).named(source).pictures(request)
                for frame, sha in made.select("frame", "image_sha").iter_rows():
                    yield frame, tools.images.read_png(sha)
                return
            folder = tools.recordings.folder(name)
            camera = camera_of(folder, variant)
            if camera is not None:
                yield from read_pictures(folder, ids, n_frames, camera, frame_id_runs=runs)

        return given_key_frames(wanted, self._shown(name), tools.images, others, on_progress)

    def _shown(self, demonstration: str) -> Iterator[ShownPicture]:
        """Pictures of every file: the same question may have different pictures in each file."""
        places = {n: linked_pictures(self._asked.folder, n) for n in self._files}
        questions = self._asked.pictured(demonstration, self._files)
        number = {shown: k for k, shown in enumerate(key_frames_of(questions))}
        for shown, question, image in pictures_named(questions):
            place = places[question.file]
            found = None if place is None else place.find(image)
            if place is not None and found is not None:
                yield ShownPicture(number[shown], question.question.id, place, found)


@provides(reads=("given_questions", "given_pictures"))
def given_pictures(
    tools: Tools, _partition: Mapping[str, str], loaded: Mapping[str, Any]
) -> GivenPictures:
    """Pictures of the files that the gating of the variant uses."""
    asked = ImportedQuestions(tools.question_files)
    gating = load_registry().gating(loaded["variant"].gating)
    return GivenPictures(tools, asked, _files(asked, gating))


def _files(asked: ImportedQuestions, gating: Gating) -> tuple[str, ...]:
    return gating.takes(asked.files())
