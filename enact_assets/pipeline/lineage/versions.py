"""Versions of inputs without a table: registry settings and external files."""

import dataclasses
import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from enact_assets.answers.baselines.known_models import KnownModels
from enact_assets.answers.people.answered import Answered
from enact_assets.demonstrations.pictures.demonstration_sources import EmbeddedSource
from enact_assets.demonstrations.pictures.recorded_pictures import picture_files, picture_name
from enact_assets.demonstrations.recordings.folders import (
    ANNOTATION_FILES,
    CAMERA,
    DEMONSTRATION_FILE,
    Recordings,
    has_picture_files,
    recorded_file,
    variant_places,
    video_file,
)
from enact_assets.demonstrations.replay.omnigibson import named_file, read_demonstration
from enact_assets.engine.errors import (
    EnactError,
    LakeError,
    PeopleError,
    PredictionError,
    ReplayError,
    SettingsError,
)
from enact_assets.engine.grids import Partition
from enact_assets.engine.ids import content_sha, sha256_bytes
from enact_assets.engine.parameters import SETTINGS
from enact_assets.engine.plurals import named
from enact_assets.pipeline.lineage.annotation_readings import reading_of
from enact_assets.pipeline.lineage.code import baseline_version
from enact_assets.pipeline.lineage.graph import dimensions
from enact_assets.pipeline.lineage.known_contents import KnownContents
from enact_assets.questions.asked.imported_questions import ImportedQuestions
from enact_assets.questions.files.imported import question_file
from enact_assets.questions.files.pictures import linked_pictures
from enact_assets.questions.world.step_files import step_file_version
from enact_assets.settings.classes import world_source_of
from enact_assets.settings.editing import EditingSettings
from enact_assets.settings.registry import Gating, Registry, settings_sha
from enact_assets.settings.world import EMBEDDED_WORLD
from enact_assets.simulator.activities import household_version

GONE = "gone"
"""Version of a missing file: different from all versions of an existing file."""
NOTHING = "nothing"
"""Version of the questions about a demonstration that no file has questions about, of an absent
image model, and of the step file of a question set that has none.
"""
EMBEDDED = "embedded"
"""Version for a simulated demonstration, which has no recording."""


def settings_of(registry: Registry, root: str, partition: Partition) -> Any:
    """The registry entry of config root ``root``."""
    named = dimensions(root)
    if named:
        return registry.entry(named[0], partition[0])
    world = registry.world
    return {
        "question_config": registry.questions,
        "worldprediction_config": world.questions,
        "clip_config": world.clips,
        "environment_config": world.environments,
        "world_filter_config": world.filters,
    }[root]


def entry_of(registry: Registry, kind: type, name: str | None) -> Any:
    """The entry of the settings type ``kind`` for ``name`` (None if the type has no dimension)."""
    return settings_of(registry, SETTINGS[kind].root, Partition.of_key(name))


def root_version(registry: Registry, root: str, partition: Partition) -> str:
    """Hash of the registry entry of config root ``root``."""
    return settings_sha(settings_of(registry, root, partition))


def reported_settings(registry: Registry, root: str, partition: Partition) -> Any:
    """The registry entry as JSON, which is reported to Dagster with its version."""
    return json.loads(json.dumps(dataclasses.asdict(settings_of(registry, root, partition))))


SHOWN_SETTINGS, SHOWN_LETTERS = 3, 60


def setting_changes(was: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """``camera.aperture_mm 80.0 -> 70.0``: the changed settings, or some of them."""
    found = list(_differences(was, now, ""))
    return named(found, SHOWN_SETTINGS)


def _differences(was: Mapping[str, Any], now: Mapping[str, Any], place: str) -> Iterator[str]:
    for name in dict.fromkeys([*now, *was]):
        old, new = was.get(name), now.get(name)
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            yield from _differences(old, new, f"{place}{name}.")
        elif old != new:
            yield f"{place}{name} {_short(old)} -> {_short(new)}"


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= SHOWN_LETTERS else f"{text[:SHOWN_LETTERS]}..."


class Arrived:
    """External inputs: recordings and their pictures, question files, entries of models.

    Versions of recordings depend on the content of their files (:class:`KnownContents`), but for
    raw HDF5 files, as in the player, on size and time of change. Any different time is a change,
    even an earlier one, as clocks jump and copies keep times. Of a recording's pictures, only those
    of key frames are included.
    """

    def __init__(
        self,
        recordings: Recordings,
        question_files: Path,
        models: KnownModels,
        step_files: Path | None = None,
        contents: KnownContents | None = None,
    ) -> None:
        self.contents = KnownContents() if contents is None else contents
        self._recordings = recordings
        self._question_files = question_files
        self._models = models
        self._asked = ImportedQuestions(question_files)
        self._step_files = step_files

    def version(self, asset: str, partition: Partition) -> str:
        """Version of one external input."""
        if asset == "annotator_answers":
            return self._people()
        name = partition[0]
        if asset == "recorded_variant":
            return content_sha(self._recordings.with_variant(name))
        if asset == "asked_model":
            return self._model(name)
        if asset == "step_source":
            return self._steps(world_source_of(name))
        return self._recording(name) if asset == "recording" else self._question_file(name)

    def given(self, asset: str, demonstration: str, gating: Gating) -> str:
        """Version of the questions or pictures of one demonstration in the question files of
        ``gating``.
        """
        if gating.question_file is None:
            return NOTHING  # a shortcut, as every plan calls this for every demonstration
        try:
            files = gating.takes(self._asked.files())
            if asset == "given_pictures":
                images = self._asked.images(demonstration, files)
                return content_sha([[n, of, self._pictures(n, of)] for n, of in images.items()])
            return self._asked.version(demonstration, files) or NOTHING
        except (EnactError, OSError):
            return GONE

    def image_model(self, editing: EditingSettings) -> str:
        """Version of the image model that repaints pictures of a variant."""
        try:
            return self._models.image_model_version(editing.model)
        except SettingsError:
            return GONE

    def occlusion_model(self, name: str) -> str:
        """Version of the model that is asked about pictures of states; none is named by ``""``."""
        return self._model(name) if name else NOTHING

    def _recording(self, demonstration: str) -> str:
        if not self._recordings.has(demonstration):
            if self._recordings.is_unreachable(demonstration):
                return GONE
            return self._without_recording(demonstration)
        folder = self._recordings.folder(demonstration)
        try:
            file = self._recordings.file(demonstration)
            found = [path for path in (file, video_file(folder)) if path is not None]
            marks: list[object] = [self._mark(demonstration, path) for path in found]
            if file.name == DEMONSTRATION_FILE:
                marks += self._raw_marks(file)
            elif file.name in ANNOTATION_FILES:
                about, content = f"{demonstration} reading", str(marks[0])
                read = self.contents.found(about, content, lambda: reading_of(file))
                marks += filter(None, [read])
        except (OSError, ReplayError):
            return GONE
        return content_sha(marks)

    def _mark(self, demonstration: str, path: Path) -> list[str]:
        return [path.name, self.contents.sha(f"{demonstration}/{path.name}", [str(path)])]

    def _raw_marks(self, description: Path) -> Iterator[list[object]]:
        about = read_demonstration(description)
        raw = named_file(description, about.file).stat()
        yield [raw.st_mtime_ns, raw.st_size]
        if about.full_scene_file is not None:
            scene = str(named_file(description, about.full_scene_file))
            yield [self.contents.sha(scene, [scene])]

    def recorded_pictures(
        self,
        partition: Partition,
        frames_version: Callable[[], str | None],
        frame_ids: Callable[[], list[int]],
    ) -> str | None:
        """Version of a recording's pictures of key frames, under any variant; None without a
        recording or key frames.

        ``partition`` is a partition of ``segmented_frames``. ``frames_version`` returns its version
        (None if it was not made), ``frame_ids`` its key frames.
        """
        demonstration, gating = partition
        about = f"{demonstration}|{gating}"
        try:
            # A shortcut, as every plan calls this for every demonstration and most have no
            # recording.
            if not os.path.isdir(f"{self._recordings.root}/{demonstration}"):  # noqa: PTH112
                return None
            folder = self._recordings.folder(demonstration)
            version = None if recorded_file(folder) is None else frames_version()
            if not version:
                return None
            found = self.contents.found(
                f"{about} key frames", version, lambda: " ".join(map(str, frame_ids()))
            )
            ids = list(map(int, found.split()))
            marks = []
            for place in (folder / CAMERA, *variant_places(folder)):
                if has_picture_files(place):
                    files = picture_files(place, ids)
                    # The expected path stands for a missing file.
                    pictures = [
                        str(path) for i in ids for path in files.get(i, [place / picture_name(i)])
                    ]
                    sha = self.contents.sha(f"{about} {place.name}", pictures)
                    marks.append([place.name, sha])
                elif place.is_file():
                    marks.append(self._mark(demonstration, place))
            return content_sha(marks)
        except (OSError, EnactError):
            return GONE

    def _pictures(self, question_file: str, images: list[tuple[str, list[str]]]) -> list[object]:
        place = linked_pictures(self._question_files, question_file)
        if place is None:
            return []
        return [place.where(""), *place.mark(image for _, of in images for image in of)]

    def _without_recording(self, demonstration: str) -> str:
        if EmbeddedSource().has(demonstration):
            own = household_version(demonstration.rpartition("-")[0])
            return EMBEDDED if own is None else own
        try:
            return self._asked.version(demonstration) or EMBEDDED
        except EnactError:
            return GONE

    def _model(self, name: str) -> str:
        try:
            is_baseline = self._models.pair(name) is None and self._models.find(name) is None
            version = baseline_version(name) if is_baseline else self._models.version(name)
            n = self._models.n_asked(name)
            return version if n is None else content_sha([version, n])
        except (SettingsError, PredictionError, PeopleError, OSError):
            return GONE

    def _people(self) -> str:
        try:
            return Answered(self._models.data_root.people).version()
        except PeopleError:
            return GONE

    def _steps(self, name: str | None) -> str:
        if name is None:
            return NOTHING
        if name == EMBEDDED_WORLD:
            return EMBEDDED
        if self._step_files is None:
            return GONE
        try:
            return step_file_version(self._step_files, name)
        except (OSError, EnactError):
            return GONE

    def _question_file(self, name: str) -> str:
        try:
            return sha256_bytes(question_file(self._question_files, name).read_bytes())
        except (OSError, LakeError):
            return GONE
