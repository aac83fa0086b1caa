"""Resources: the one place that names where data lives and how many processes may work."""

import os
from pathlib import Path

import dagster as dg
from pydantic import Field

from enact_assets.storage.images import ImageStore
from enact_assets.storage.lake import Lake
from enact_assets.storage.paths import DataRoot
from enact_assets.storage.recordings import Recordings


class DataResource(dg.ConfigurableResource):  # type: ignore[type-arg]
    """The data root: Parquet lake, image store and DuckDB warehouse below one folder."""

    root: str = Field(
        default_factory=lambda: str(DataRoot.from_environment().root),
        description="Folder of lake/, images/ and enact.duckdb. Default: ENACT_HOME, or ./data.",
    )
    workers: int = Field(
        default_factory=lambda: os.cpu_count() or 1,
        ge=1,
        description="Processes that render pictures. Results do not depend on it.",
    )

    @property
    def lake(self) -> Lake:
        """The Parquet lake."""
        return Lake(DataRoot(Path(self.root)).lake)

    @property
    def images(self) -> ImageStore:
        """Pictures by content."""
        return ImageStore(DataRoot(Path(self.root)).images)

    @property
    def recordings(self) -> Recordings:
        """Recorded replays."""
        return Recordings(DataRoot(Path(self.root)).recordings)

    @property
    def question_files(self) -> Path:
        """Folder of imported question files."""
        return DataRoot(Path(self.root)).question_files

    @property
    def warehouse_path(self) -> Path:
        """The DuckDB file people query."""
        return DataRoot(Path(self.root)).warehouse
