"""Where everything stands on disk. The only module that knows the layout of the data root.

::

    <root>/lake/qa/make_a_salad-0/state.parquet  tables, one file per partition (storage/lake.py)
    <root>/images/4f/4f2c...e1.png               pictures by content (storage/images.py)
    <root>/images/renders/90/90ab...77           what a render came out as
    <root>/recordings/<task>/scene_graph_0.json  recorded replays (storage/recordings.py)
    <root>/question_files/<name>.jsonl           imported question files
    <root>/enact.duckdb                          the warehouse (storage/warehouse.py)
"""

import os
from dataclasses import dataclass
from pathlib import Path

HOME_VARIABLE = "ENACT_HOME"
DEFAULT_ROOT = Path("data")
LAKE_FOLDER = "lake"
IMAGES_FOLDER = "images"
RECORDINGS_FOLDER = "recordings"
QUESTION_FILES_FOLDER = "question_files"
WAREHOUSE_FILE = "enact.duckdb"


@dataclass(frozen=True)
class DataRoot:
    """The folder under which all data of one installation stand."""

    root: Path

    @classmethod
    def from_environment(cls) -> "DataRoot":
        """The folder named by ``ENACT_HOME``, or ``./data``; absolute either way."""
        return cls(Path(os.environ.get(HOME_VARIABLE) or DEFAULT_ROOT).absolute())

    @property
    def lake(self) -> Path:
        """Root folder of the Parquet lake, to be given to ``Lake``."""
        return self.root / LAKE_FOLDER

    @property
    def images(self) -> Path:
        """Root folder of the pictures, to be given to ``ImageStore``."""
        return self.root / IMAGES_FOLDER

    @property
    def recordings(self) -> Path:
        """Root folder of recorded replays, to be given to ``Recordings``."""
        return self.root / RECORDINGS_FOLDER

    @property
    def question_files(self) -> Path:
        """Folder of imported question files."""
        return self.root / QUESTION_FILES_FOLDER

    @property
    def warehouse(self) -> Path:
        """The DuckDB file, to be given to ``publish``."""
        return self.root / WAREHOUSE_FILE
