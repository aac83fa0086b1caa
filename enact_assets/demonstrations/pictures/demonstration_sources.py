"""The sources of demonstrations: simulated, recorded, or known from questions alone.

Each implements :class:`~enact_assets.demonstrations.replay.sources.ReplaySource`. docs/sources.md
describes them.
"""

from dataclasses import dataclass
from typing import Protocol

import polars as pl

from enact_assets.demonstrations.pictures.images import render_key_frames
from enact_assets.demonstrations.pictures.omnigibson_source import OmniGibsonSource
from enact_assets.demonstrations.pictures.recorded_pictures import camera_of, recorded_key_frames
from enact_assets.demonstrations.recordings.folders import (
    ANNOTATION_FILES,
    CAMERA,
    GRAPH_FILES,
    Recordings,
)
from enact_assets.demonstrations.replay.annotated import read_annotated
from enact_assets.demonstrations.replay.embedded import check_may_be_asked, replay_embedded
from enact_assets.demonstrations.replay.frame_stream import bytes_read
from enact_assets.demonstrations.replay.recorded import NO_RATE_HZ, activity_of, read_recorded
from enact_assets.demonstrations.replay.result import ReplayTables, described
from enact_assets.demonstrations.replay.sources import PictureRequest, Sources
from enact_assets.demonstrations.replay.tables import Facts, Objects
from enact_assets.engine.errors import RenderError, ReplayError, UnknownNameError
from enact_assets.engine.progress import OnProgress
from enact_assets.settings.classes import EMBEDDED, QUESTIONS, RECORDED, VIDEO


class AskedTasks(Protocol):
    """Demonstrations named in imported question files."""

    def tasks(self) -> list[str]:
        """Demonstrations with imported questions, sorted."""
        ...

    def last_frame_id(self, task: str) -> int | None:
        """The largest frame id that a question about ``task`` names; None if none is about it."""
        ...

    def version(self, task: str) -> str | None:
        """Hash of the questions about ``task``; None without questions."""
        ...


@dataclass(frozen=True)
class QuestionsSource:
    """Demonstrations that question files name. Any other source of the same name is preferred."""

    asked: AskedTasks
    name: str = QUESTIONS

    def demonstrations(self) -> list[str]:
        """Those that questions name."""
        return self.asked.tasks()

    def has(self, demonstration: str) -> bool:
        """Whether a question names it."""
        return self.asked.last_frame_id(demonstration) is not None

    def explain(self, demonstration: str) -> str:  # noqa: ARG002
        """Whether there are questions at all."""
        return "No imported question file names it." if self.asked.tasks() else ""

    def replay(self, demonstration: str, on_progress: OnProgress) -> ReplayTables:  # noqa: ARG002
        """One row: frames up to the last that a question names, ids from 0, without a rate. How
        long the recording was and what happened in it is unknown.

        Errors: :class:`ReplayError` if no question names it any more.
        """
        last, version = self.asked.last_frame_id(demonstration), self.asked.version(demonstration)
        if last is None or version is None:
            raise ReplayError(
                f"{demonstration}: no imported question names it any more. Import its questions "
                f"or its recording, or `enact-assets forget demonstration {demonstration}`."
            )
        about = described(
            demonstration,
            source=QUESTIONS,
            activity=activity_of(demonstration),
            n_frames=last + 1,
            frame_rate_hz=NO_RATE_HZ,
            world_sha=version,
        )
        return ReplayTables(about, Facts.empty(), Objects.empty())

    def pictures(self, request: PictureRequest) -> pl.DataFrame:
        """None of its own: ``questions/files/given_pictures.py`` has those of the questions.

        Errors: :class:`RenderError` always; it is never asked.
        """
        raise RenderError(f"{request.demonstration}: there is no replay to take pictures from")


@dataclass(frozen=True)
class EmbeddedSource:
    """Demonstrations simulated on the spot, rendered under any variant."""

    name: str = EMBEDDED

    def demonstrations(self) -> list[str]:
        """None: every activity with any seed is one."""
        return []

    def has(self, demonstration: str) -> bool:
        """Whether it is an activity with a seed that is not reserved."""
        try:
            check_may_be_asked(demonstration)
        except UnknownNameError:
            return False
        return True

    def explain(self, demonstration: str) -> str:
        """Why the name is wrong."""
        try:
            check_may_be_asked(demonstration)
        except UnknownNameError as error:
            return str(error)
        return ""

    def replay(self, demonstration: str, on_progress: OnProgress) -> ReplayTables:
        """Simulate it. Errors: :class:`SimulationError`."""
        return replay_embedded(demonstration, on_progress)

    def pictures(self, request: PictureRequest) -> pl.DataFrame:
        """Render them, each once. Errors: as :func:`render_key_frames`."""
        return render_key_frames(
            request.demonstrations,
            request.read_states(),
            request.wanted,
            request.variant,
            request.store,
            on_progress=request.on_progress,
            workers=request.workers,
        )


@dataclass(frozen=True)
class RecordedSource:
    """Replays in the layout of the public release, with the pictures that came with them."""

    recordings: Recordings
    name: str = RECORDED

    def demonstrations(self) -> list[str]:
        """Recordings of the data root."""
        return [name for name in self.recordings.names() if self.has(name)]

    def has(self, demonstration: str) -> bool:
        """Whether its scene graphs are there, or would be, were their disk mounted."""
        if self.recordings.is_unreachable(demonstration):
            return True  # or an embedded one of that name would be simulated in its place
        found = self.recordings.find(demonstration)
        return found is not None and found.name in GRAPH_FILES

    def explain(self, demonstration: str) -> str:
        """Message with the existing recordings."""
        known = ", ".join(self.demonstrations()) or "none"
        return (
            f"Recordings: {known}. If it was recorded, its recording is missing: import it again, "
            f"or `enact-assets forget demonstration {demonstration}`."
        )

    def replay(self, demonstration: str, on_progress: OnProgress) -> ReplayTables:
        """Read it. Errors: :class:`RecordingError`."""
        file = self.recordings.file(demonstration)
        return read_recorded(file, demonstration, on_progress=on_progress)

    def pictures(self, request: PictureRequest) -> pl.DataFrame:
        """Those that came with it. Errors: as :func:`recorded_key_frames`."""
        folder = self.recordings.folder(request.demonstration)
        return recorded_key_frames(
            request.demonstrations,
            request.wanted,
            request.variant.name,
            folder,
            request.store,
            camera=camera_of(folder, request.variant) or CAMERA,
            on_progress=request.on_progress,
        )


@dataclass(frozen=True)
class VideoSource(RecordedSource):
    """Videos that a person annotated; their pictures are frames of the video."""

    name: str = VIDEO

    def has(self, demonstration: str) -> bool:
        """Whether its annotation exists."""
        found = self.recordings.find(demonstration)
        return found is not None and found.name in ANNOTATION_FILES

    def explain(self, demonstration: str) -> str:  # noqa: ARG002
        """Nothing that the other recordings do not say."""
        return ""

    def replay(self, demonstration: str, on_progress: OnProgress) -> ReplayTables:
        """Read annotation and video. Errors: :class:`AnnotationError`."""
        file = self.recordings.file(demonstration)
        tables = read_annotated(file, demonstration)
        size = file.stat().st_size
        on_progress(bytes_read(size, size))
        return tables


def all_sources(recordings: Recordings, asked: AskedTasks | None = None) -> Sources:
    """All sources. A recording is preferred to a simulation of the same name, and both to a name in
    ``asked``, the imported questions.
    """
    recorded = (RecordedSource(recordings), VideoSource(recordings), OmniGibsonSource(recordings))
    questions = () if asked is None else (QuestionsSource(asked),)
    return Sources((*recorded, EmbeddedSource(), *questions))
