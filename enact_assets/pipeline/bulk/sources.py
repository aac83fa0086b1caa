"""Sources of demonstrations for a bulk run: the lake, recorded files, or a generator."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from enact_assets.demonstrations.replay.recorded import read_recorded
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.demonstrations.replay.tables import States
from enact_assets.engine.ids import content_sha
from enact_assets.engine.lake.lake import Lake

REPLAY_TABLES = ("demonstrations", "facts", "objects", "later_parents", "observability")


class BulkSource(Protocol):
    """One demonstration that can be loaded. Sources are sent to other processes, so keep them
    small.
    """

    @property
    def demonstration(self) -> str:
        """Its name, unique in a run."""
        ...

    @property
    def identity(self) -> str:
        """Hash of everything that decides its tables: if it differs, they may have changed."""
        ...

    def load(self) -> ReplayTables:
        """Its replay tables."""
        ...


@dataclass(frozen=True)
class LakeSource:
    """A demonstration whose replay tables are in the lake under ``root``."""

    root: Path
    demonstration: str

    @property
    def identity(self) -> str:
        """Content hashes of its tables. Errors: as :meth:`Lake.read`."""
        lake, partition = Lake(self.root), {"demonstration": self.demonstration}
        return content_sha([lake.content_sha(name, partition) for name in REPLAY_TABLES])

    def load(self) -> ReplayTables:
        """Read the tables, without states, which are not needed. Errors: as :meth:`Lake.read`."""
        lake, partition = Lake(self.root), {"demonstration": self.demonstration}
        tables: dict[str, Any] = {name: lake.read(name, partition) for name in REPLAY_TABLES}
        return ReplayTables(**tables, states=States.empty())


@dataclass(frozen=True)
class BulkRecording:
    """A recorded replay, ``.json`` or ``.json.gz``, read again in every run."""

    path: Path
    demonstration: str

    @property
    def identity(self) -> str:
        """Size and time of the file, as hashing its content would take as long as reading it."""
        found = self.path.stat()
        return content_sha([str(self.path.resolve()), found.st_size, found.st_mtime_ns])

    def load(self) -> ReplayTables:
        """Read the recording. Errors: :class:`RecordingError`."""
        return read_recorded(self.path, self.demonstration)


def lake_sources(root: Path, demonstrations: Iterable[str] | None = None) -> list[LakeSource]:
    """Sources for ``demonstrations``, sorted; by default for all that have facts in the lake."""
    if demonstrations is None:
        demonstrations = [p["demonstration"] for p in Lake(root).partitions("facts")]
    return [LakeSource(root, name) for name in demonstrations]
