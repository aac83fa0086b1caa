"""Where a demonstration comes from: a recording of that name, or else the embedded simulator."""

from dataclasses import dataclass
from typing import Protocol

from enact_assets.contracts.errors import RecordingError, UnknownNameError
from enact_assets.replay.embedded import parse_demonstration, replay_embedded
from enact_assets.replay.recorded import read_recorded
from enact_assets.replay.tables import ReplayTables
from enact_assets.storage.recordings import Recordings


class ReplayProgress(Protocol):
    """Hears how far a replay is, in the unit of its source."""

    def simulated(self, seconds: float) -> None:
        """Seconds of robot time simulated; nobody knows how many there will be."""
        ...

    def read(self, done: int, total: int) -> None:
        """Bytes of a recording read."""
        ...


@dataclass(frozen=True)
class _Silent:
    def simulated(self, seconds: float) -> None:
        pass

    def read(self, done: int, total: int) -> None:
        pass


def check_demonstration(name: str, recordings: Recordings) -> None:
    """Raise :class:`UnknownNameError` if ``name`` is neither a recording nor an embedded one,
    :class:`RecordingError` if it is one that cannot be reached.
    """
    if recordings.has(name):
        return
    if recordings.is_unreachable(name):
        # Never simulated instead, should its name be that of an embedded one.
        raise RecordingError(
            f"{recordings.folder(name)}: the recording it links to cannot be reached. Mount its "
            f"disk, import it again, or `enact-assets forget demonstration {name}`."
        )
    try:
        parse_demonstration(name)
    except UnknownNameError as error:
        known = ", ".join(recordings.names()) or "none"
        raise UnknownNameError(
            f"{error} Recordings: {known}. If it was recorded, its recording is gone: import it "
            f"again, or `enact-assets forget demonstration {name}`."
        ) from None


def replay(
    name: str, recordings: Recordings, progress: ReplayProgress | None = None
) -> ReplayTables:
    """Replay tables of demonstration ``name``.

    Errors: :class:`UnknownNameError` for a name nobody defined, :class:`RecordingError` for a
    recording that cannot be read, :class:`SimulationError` if the simulator fails.
    """
    progress = progress or _Silent()
    check_demonstration(name, recordings)
    if recordings.has(name):
        return read_recorded(recordings.file(name), name, progress=progress.read)
    return replay_embedded(name, progress=progress.simulated)
