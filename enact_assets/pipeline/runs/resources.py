"""Resources: the only place that sets the location of data and the number of processes."""

import os
from functools import lru_cache
from pathlib import Path

import dagster as dg
from pydantic import Field

from enact_assets.answers.baselines.known_models import KnownModels
from enact_assets.demonstrations.pictures.demonstration_sources import all_sources
from enact_assets.demonstrations.recordings.folders import Recordings
from enact_assets.demonstrations.replay.sources import Sources
from enact_assets.engine.lake.catalogue import Catalogue
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.pipeline.lineage.known_contents import KnownContents
from enact_assets.pipeline.lineage.lake_states import LakeStates
from enact_assets.pipeline.lineage.versions import Arrived
from enact_assets.questions.asked.imported_questions import ImportedQuestions
from enact_assets.settings.paths import DataRoot, lake_from_environment, root_from_environment
from enact_assets.settings.registry import Registry


@lru_cache(maxsize=4)
def _root(root: str, lake_url: str | None) -> DataRoot:
    """Cached, as a run uses it all the time."""
    return DataRoot(Path(root), lake_url)


class DataResource(dg.ConfigurableResource):  # type: ignore[type-arg]
    """The data root: Parquet lake, image store and DuckDB warehouse."""

    root: str = Field(
        default_factory=lambda: str(root_from_environment()),
        description="Folder of lake/, images/ and enact.duckdb. Default: ENACT_HOME, or ./data.",
    )
    lake_url: str | None = Field(
        default_factory=lake_from_environment,
        description="Folder or fsspec URL (s3://bucket/prefix) that holds lake/ and images/, if "
        "not the data root. Default: ENACT_LAKE.",
    )
    workers: int = Field(
        default_factory=lambda: os.cpu_count() or 1,
        ge=1,
        description="Processes that render pictures. The number does not affect results.",
    )

    def below_root(self, place: str | Path) -> str:
        """A path for Dagster: relative to the data root, so that it is valid after moving or
        copying the root; other paths and URLs are not shortened.
        """
        return str(place).removeprefix(f"{Path(self.root)}/")

    @property
    def data_root(self) -> DataRoot:
        """Paths within the data root."""
        return _root(self.root, self.lake_url)

    @property
    def lake(self) -> Lake:
        """The Parquet lake."""
        return Lake(self.data_root.lake, self.data_root.catalogue)

    @property
    def images(self) -> ImageStore:
        """Pictures by content."""
        return ImageStore(self.data_root.images)

    @property
    def recordings(self) -> Recordings:
        """Recorded replays."""
        return Recordings(self.data_root.recordings)

    @property
    def sources(self) -> Sources:
        """Sources of demonstrations."""
        return all_sources(self.recordings, self.asked)

    @property
    def question_files(self) -> Path:
        """Folder of imported question files."""
        return self.data_root.question_files

    @property
    def asked(self) -> ImportedQuestions:
        """Questions of imported question files."""
        return ImportedQuestions(self.question_files)

    @property
    def models(self) -> KnownModels:
        """Models that are named in this data root."""
        return KnownModels(self.data_root)

    @property
    def warehouse_path(self) -> Path:
        """The DuckDB file that people query."""
        return self.data_root.warehouse

    def states(self, registry: Registry) -> LakeStates:
        """The source of states for lineage."""
        return LakeStates(
            self.data_root,
            self.lake,
            self.images,
            Arrived(
                self.recordings,
                self.question_files,
                self.models,
                self.data_root.step_files,
                KnownContents(Catalogue(self.data_root.catalogue, self.lake.place.address)),
            ),
            registry,
        )
