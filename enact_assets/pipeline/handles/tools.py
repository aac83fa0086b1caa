"""Handles: the files and services that a step may use besides its tables. Each gives access to one
of them only.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.answers.baselines.model_asker import ModelAsker
from enact_assets.answers.baselines.picture_editor import PictureEditor
from enact_assets.answers.people.answered import Answered
from enact_assets.demonstrations.pictures.demonstration_sources import all_sources
from enact_assets.demonstrations.pictures.mirrored import mirror_images
from enact_assets.demonstrations.pictures.recorded_pictures import is_shown
from enact_assets.demonstrations.pictures.tables import FrameImages
from enact_assets.demonstrations.recordings.folders import Recordings
from enact_assets.demonstrations.recordings.videos import length_s
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.demonstrations.replay.sources import (
    PictureRequest,
    Sources,
    replay,
)
from enact_assets.demonstrations.replay.tables import States
from enact_assets.engine.errors import RenderError
from enact_assets.engine.ids import sha256_bytes
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.parameters import Later, provides
from enact_assets.engine.progress import OnProgress, unheard
from enact_assets.questions.asked.imported_questions import ImportedQuestions
from enact_assets.questions.asked.official import ImportedQuestion, read_questions
from enact_assets.questions.asked.types import PictureKey
from enact_assets.questions.files.imported import question_file
from enact_assets.questions.world.annotated_actions import Annotated, annotated_actions
from enact_assets.questions.world.film_images import film_images
from enact_assets.questions.world.pictures import picture_shas
from enact_assets.questions.world.step_files import (
    annotations_in,
    films_in,
    read_step_file,
    twin_films,
)
from enact_assets.settings.classes import world_source_of
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import Variant


@dataclass(frozen=True)
class Tools:
    """The parts that handles are made from: places of the data root, processes, progress.

    ``progress`` returns the receiver of a step's progress reports, for a text that names the step.
    """

    images: ImageStore
    recordings: Recordings
    question_files: Path
    workers: int = 1
    progress: Callable[[str], OnProgress] = lambda _text: unheard
    data_root: DataRoot = field(default_factory=DataRoot.from_environment)
    """Models of the data root, and the ledger of their answers."""
    usd_until: Callable[[], float | None] = lambda: None
    """See :class:`ModelAsker`. A function, called only when models are asked, as it reads a user's
    file.
    """


@dataclass(frozen=True)
class Replayer:
    """Replays one demonstration."""

    _sources: Sources
    _progress: Callable[[str], OnProgress]

    def __call__(self, demonstration: str) -> ReplayTables:
        """Replay tables of the demonstration. Errors: those of its source."""
        return replay(demonstration, self._sources, self._progress(f"replaying {demonstration}"))


@provides(reads=("recording",))
def replayer(tools: Tools, _partition: Mapping[str, str], _loaded: Mapping[str, Any]) -> Replayer:
    """A handle that replays a demonstration by its source."""
    asked = ImportedQuestions(tools.question_files)
    return Replayer(all_sources(tools.recordings, asked), tools.progress)


@dataclass(frozen=True)
class PictureMaker:
    """Makes pictures of key frames of one demonstration, or takes them from the recording."""

    _sources: Sources
    _tools: Tools

    def __call__(
        self,
        demonstrations: pl.DataFrame,
        wanted: pl.DataFrame,
        variant: Variant,
        states: Later[States],
    ) -> pl.DataFrame:
        """Rows of ``frame_images``; no rows if the variant's camera cannot be rendered.

        Errors: :class:`RenderError` names demonstration and frame.
        """
        if wanted.is_empty():
            return FrameImages.empty()
        name, source = demonstrations.select("demonstration", "source").row(0)
        tools, text = self._tools, f"pictures {name} {variant.name}"
        if not is_shown(tools.recordings, name, source, variant):
            return FrameImages.empty()
        hears = tools.progress(text)
        made = self._sources.named(source).pictures(
            PictureRequest(
                demonstrations, wanted, variant, tools.images, states, hears, tools.workers
            )
        )
        return mirror_images(made, tools.images) if variant.is_mirrored else made

    def stored(self, image_sha: str) -> NDArray[np.uint8]:
        """Pixels (h, w, 3) of a stored picture. Errors: as :meth:`ImageStore.read`."""
        return self._tools.images.read(image_sha)


@provides(reads=("recording",))
def picture_maker(
    tools: Tools, _partition: Mapping[str, str], _loaded: Mapping[str, Any]
) -> PictureMaker:
    """A handle that makes pictures by the source of the demonstration."""
    return PictureMaker(all_sources(tools.recordings), tools)


class KeyFramePictures(PictureMaker):
    """Makes pictures of key frames of one gating: of a recording's pictures, only these PNG files
    are inputs.
    """


@provides(reads=("recording", "recorded_pictures"))
def key_frame_pictures(
    tools: Tools, _partition: Mapping[str, str], _loaded: Mapping[str, Any]
) -> KeyFramePictures:
    """A handle that makes pictures of key frames of one gating."""
    return KeyFramePictures(all_sources(tools.recordings), tools)


@dataclass(frozen=True)
class RecordedVariants:
    """Which demonstrations have pictures under a variant, or can have them made."""

    _recordings: Recordings

    def lacking(self, demonstrations: pl.DataFrame, variant: Variant) -> list[str]:
        """Demonstrations of the table ``demonstrations`` that lack such pictures."""
        rows = demonstrations.select("demonstration", "source").iter_rows()
        return [d for d, source in rows if not is_shown(self._recordings, d, source, variant)]


@provides(reads=("recorded_variant",))
def recorded_variants(
    tools: Tools, _partition: Mapping[str, str], _loaded: Mapping[str, Any]
) -> RecordedVariants:
    """A handle for all recordings."""
    return RecordedVariants(tools.recordings)


@dataclass(frozen=True)
class MirrorImage:
    """Says that a variant shows mirror images: read where that is so, and None elsewhere."""


@provides()
def mirror_image(
    _tools: Tools, _partition: Mapping[str, str], _loaded: Mapping[str, Any]
) -> MirrorImage:
    """The mark of a mirrored variant."""
    return MirrorImage()


@dataclass(frozen=True)
class Pictures:
    """Reads the pictures that rows of arguments ``images``, ``clips`` and ``films`` name, and no
    others.

    ``shas`` maps each picture that questions may show -> its hash.
    """

    shas: Mapping[PictureKey, str]
    _store: ImageStore

    def __call__(self, *key: str | int) -> NDArray[np.uint8]:
        """Pixels (h, w, 3). Errors: as :meth:`ImageStore.read`, ``KeyError`` for any other."""
        return self._store.read(self.shas[key])


@provides()
def pictures(tools: Tools, _partition: Mapping[str, str], loaded: Mapping[str, Any]) -> Pictures:
    """A handle for the pictures in the rows of these arguments."""
    parts = (loaded["images"], loaded.get("clips"), loaded.get("films"))
    return Pictures(picture_shas(*parts), tools.images)


@dataclass(frozen=True)
class QuestionFile:
    """One imported question file."""

    name: str
    path: Path

    def questions(self) -> list[ImportedQuestion]:
        """Its questions. Errors: :class:`QuestionFileError`."""
        return read_questions(self.path)

    def sha(self) -> str:
        """SHA-256 of its bytes."""
        return sha256_bytes(self.path.read_bytes())


@dataclass(frozen=True)
class AnnotatedFilms:
    """One step file, and the user's films of its recordings."""

    name: str
    folder: Path
    _store: ImageStore

    @classmethod
    def of(cls, root: DataRoot, name: str) -> "AnnotatedFilms":
        """The step file ``name`` of a data root; files are opened only when needed."""
        return cls(name, root.step_files / name, ImageStore(root.images))

    def actions(self) -> Annotated:
        """The actions of the file, and their problems. An unreadable film counts as missing.

        Errors: :class:`StepFileError` if nothing in the file can be used.
        """
        file = read_step_file(annotations_in(self.folder), self.name)
        lengths, problems = {}, twin_films(self.folder)
        for recording, film in films_in(self.folder).items():
            try:
                lengths[recording] = length_s(film)
            except RenderError as error:
                problems.append(f"{error} Its recording counts as one without pictures.")
        found = annotated_actions(file, lengths)
        return Annotated(found.rows, (*found.problems, *problems))

    def images(self, wanted: pl.DataFrame, size_px: int) -> pl.DataFrame:
        """Rows of ``film_images`` for ``wanted`` pictures, with edges of ``size_px`` at most.

        Errors: :class:`RenderError` for a film that is truncated or cannot be decoded.
        """
        return film_images(self.name, films_in(self.folder), wanted, size_px, self._store.put)


@provides(reads=("step_source",))
def annotated_films(
    tools: Tools, partition: Mapping[str, str], _loaded: Mapping[str, Any]
) -> AnnotatedFilms:
    """A handle for the step file that the partition names."""
    source = world_source_of(partition["question_set"])
    return AnnotatedFilms.of(tools.data_root, str(source))


@provides(reads=("question_source",))
def imported_file(
    tools: Tools, partition: Mapping[str, str], _loaded: Mapping[str, Any]
) -> QuestionFile:
    """A handle for the question file that the partition names."""
    name = partition["question_file"]
    return QuestionFile(name, question_file(tools.question_files, name))


@provides(reads=("asked_model",))
def model_asker(
    tools: Tools, partition: Mapping[str, str], _loaded: Mapping[str, Any]
) -> ModelAsker:
    """A handle that asks models, or reads their earlier answers."""
    hears = tools.progress(f"asking {' '.join(partition.values())}")
    return ModelAsker(tools.data_root, tools.images.read_png, tools.usd_until(), hears)


@dataclass(frozen=True)
class PictureJudge:
    """``ask`` asks the model that the occlusion filter of WorldPrediction names."""

    ask: ModelAsker


@provides(reads=("occlusion_model",))
def picture_judge(
    tools: Tools, partition: Mapping[str, str], _loaded: Mapping[str, Any]
) -> PictureJudge:
    """A handle that asks one model about pictures, or reads its earlier answers."""
    return PictureJudge(model_asker(tools, partition, _loaded))


@provides(reads=("image_model",))
def picture_editor(
    tools: Tools, partition: Mapping[str, str], _loaded: Mapping[str, Any]
) -> PictureEditor:
    """A handle that has pictures edited by the image model of the variant."""
    hears = tools.progress(f"editing pictures {' '.join(partition.values())}")
    return PictureEditor(tools.data_root, tools.images, tools.usd_until(), hears)


@provides(reads=("annotator_answers",))
def answered(tools: Tools, _partition: Mapping[str, str], _loaded: Mapping[str, Any]) -> Answered:
    """A handle for the answers of annotators."""
    return Answered(tools.data_root.people)
