"""Paths of all files. The only module that knows the layout of the data root.

::

    <root>/lake/qa/make_a_salad-0/state.parquet  tables, one file per partition (engine/lake)
    <root>/images/4f/4f2c...e1.png               pictures by content (engine/lake/image_store.py)
    <root>/images/renders/90/90ab...77           what a render came out as
    <root>/recordings/<task>/scene_graph_0.json  replays (demonstrations/recordings/folders.py)
    <root>/question_files/<name>.jsonl           imported question files
    <root>/question_files/<name>.pictures        a link to the folder or zip of their pictures
    <root>/step_files/<name>/                    annotated steps of films, with their films
    <root>/answers/<model>/<variant>.jsonl       imported answers (answers/imported/answer_files.py)
    <root>/people.db                             answers by people (answers/people/store.py)
    <root>/ledger/<channel>/<model>/*.jsonl      answers that were bought (answers/models/ledger.py)
    <root>/models.yaml                           models, prices, what may be spent: yours
    <root>/scope.yaml                            names that are made (pipeline/root/scope.py)
    <root>/partitions.yaml                       shards (pipeline/root/partitions_file.py): yours
    <root>/alerts.yaml                           receivers of alerts (dagster/alerts.py): yours
    <root>/schedule.yaml                         when it is rebuilt (pipeline/rebuild): yours
    <root>/subsets.yaml                          how many questions models are asked
    <root>/forgotten.txt                         names left out (pipeline/root/forgotten.py)
    <root>/catalogue.db                          what files of the lake say (may be deleted)
    <root>/enact.duckdb                          the warehouse (engine/publishing/warehouse.py)
    <root>/enact.duckdb.seal                     its checksum (engine/publishing/warehouse_seal.py)
    <root>/report/report.html                    the report (results/report_files.py)

Tables and pictures may be elsewhere, for several machines to share: below the folder or fsspec
URL in ``ENACT_LAKE``, as ``<it>/lake`` and ``<it>/images``.
"""

import os
import shlex
from dataclasses import dataclass, field
from pathlib import Path

from enact_assets.engine.errors import SettingsError

HOME_VARIABLE = "ENACT_HOME"
LAKE_VARIABLE = "ENACT_LAKE"
PEOPLE_VARIABLE = "ENACT_PEOPLE"
DEFAULT_ROOT = Path("data")
LAKE_FOLDER = "lake"
IMAGES_FOLDER = "images"
PEOPLE_FILE = "people.db"
WAREHOUSE_FILE = "enact.duckdb"
SCOPE_FILE = "scope.yaml"
SUBSETS_FILE = "subsets.yaml"
PARTITIONS_FILE = "partitions.yaml"
ALERTS_FILE = "alerts.yaml"
SCHEDULE_FILE = "schedule.yaml"
NO_PLAIN_NAMES = "*?[\\%"
"""Characters that DuckDB, Dagster or SQLAlchemy would treat as a pattern or an escape: they would
use files of another folder, such as ``run1`` for ``run[1]``."""


def lake_from_environment() -> str | None:
    """The value of ``ENACT_LAKE``; None if it is unset or empty."""
    return os.environ.get(LAKE_VARIABLE) or None


def root_from_environment() -> Path:
    """The data root named by ``ENACT_HOME``, or ``./data``; absolute either way."""
    return Path(os.environ.get(HOME_VARIABLE) or DEFAULT_ROOT).absolute()


def check_path(folder: Path, what: str = "data root") -> None:
    """Errors: :class:`SettingsError` for a folder that cannot be used because of its path."""
    for path in (str(folder.absolute()), os.path.realpath(folder)):
        found = next((character for character in path if character in NO_PLAIN_NAMES), None)
        if found is not None:
            raise SettingsError(
                f"{path}: the path of a {what} must not contain {found!r}. DuckDB or Dagster would "
                "take it for a pattern and could use another folder. Rename or move the folder."
            )


@dataclass(frozen=True)
class DataRoot:
    """The folder that holds all data of one installation.

    ``lake_url``, a folder or URL, holds tables and pictures if it is set. Errors: as
    :func:`check_path`.
    """

    root: Path
    lake_url: str | None = field(default_factory=lake_from_environment)

    @classmethod
    def from_environment(cls) -> "DataRoot":
        """That of :func:`root_from_environment`. Errors: as :func:`check_path`."""
        return cls(root_from_environment())

    def __post_init__(self) -> None:
        check_path(self.root)
        if self.lake_url is not None and "://" not in self.lake_url:
            check_path(Path(self.lake_url), f"lake ({LAKE_VARIABLE})")

    @property
    def option(self) -> str:
        """Option for this root at the end of a command: empty, or a space and ``--data FOLDER``.

        Empty only for ``./data``, as a variable may be set for this command alone.
        """
        is_default = not os.environ.get(HOME_VARIABLE) and self.root == DEFAULT_ROOT.absolute()
        return "" if is_default else f" --data {shlex.quote(str(self.root))}"

    @property
    def lake(self) -> Path | str:
        """Root folder or URL of the Parquet lake, to be given to ``Lake``."""
        return self._shared(LAKE_FOLDER)

    @property
    def catalogue(self) -> Path:
        """The catalogue file for ``Lake`` and ``LakeIndex``; it may be deleted."""
        return self.root / "catalogue.db"

    @property
    def former_index(self) -> Path:
        """Folder of earlier versions, now replaced by the catalogue; ``gc`` removes it."""
        return self.root / "lake_index"

    @property
    def images(self) -> Path | str:
        """Root folder or URL of the pictures, to be given to ``ImageStore``."""
        return self._shared(IMAGES_FOLDER)

    @property
    def recordings(self) -> Path:
        """Root folder of recorded replays, to be given to ``Recordings``."""
        return self.root / "recordings"

    @property
    def question_files(self) -> Path:
        """Folder of imported question files."""
        return self.root / "question_files"

    @property
    def step_files(self) -> Path:
        """Folder of annotated steps of films, which WorldPrediction asks about."""
        return self.root / "step_files"

    @property
    def answers(self) -> Path:
        """Folder of imported answers."""
        return self.root / "answers"

    @property
    def people(self) -> str:
        """Database of answers by people: the value of ``ENACT_PEOPLE``, or a SQLite file."""
        return os.environ.get(PEOPLE_VARIABLE) or str(self.root / PEOPLE_FILE)

    @property
    def ledger(self) -> Path:
        """Folder of all bought answers; nothing in this package removes any."""
        return self.root / "ledger"

    @property
    def first_looks(self) -> Path:
        """Folder of pages on first answers of models."""
        return self.root / "first_looks"

    @property
    def shown(self) -> Path:
        """Folder of sheets of pictures that ``enact-assets show`` makes."""
        return self.root / "shown"

    @property
    def warehouse(self) -> Path:
        """The DuckDB file, to be given to ``publish``."""
        return self.root / WAREHOUSE_FILE

    @property
    def report(self) -> Path:
        """Folder of the report and its figures."""
        return self.root / "report"

    @property
    def folders(self) -> list[Path]:
        """Folders of this machine in which only this package may write."""
        shared = [place for place in (self.lake, self.images) if isinstance(place, Path)]
        return [*shared, self.recordings, self.question_files, self.answers]

    def _shared(self, folder: str) -> Path | str:
        if self.lake_url is None:
            return self.root / folder
        if "://" in self.lake_url:
            return f"{self.lake_url.rstrip('/')}/{folder}"
        return Path(self.lake_url).absolute() / folder


def link_target(folder: Path, place: Path) -> Path:
    """Target for a link in ``folder`` of a data root to the resolved ``place``: below the data root
    a relative path, so that the root can be moved.
    """
    is_inside = place.is_relative_to(folder.parent.resolve())
    return Path(os.path.relpath(place, folder.resolve())) if is_inside else place
