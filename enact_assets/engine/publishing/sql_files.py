"""SQL of the warehouse: a copy of each table, then the marts and checks of folder ``sql``.

Each file of the folder makes one relation or check, and opens with a header that explains it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from enact_assets.engine.errors import WarehouseError
from enact_assets.engine.publishing.relations import StalePartitions
from enact_assets.engine.tables import TABLES, Table

MARTS, CHECKS = "marts", "checks"
STAGES = (MARTS, CHECKS)
"""Sub-folders in the order in which they run; within one, a file runs after the files it reads."""
STAGING = "staging"
"""Stage before these: relations that are copied from tables."""

_FIELD = re.compile(r"-- (?P<field>\w+):\s*(?P<text>.*)")
_WORD = re.compile(r"\w+")
_MORE = re.compile(r"--\s{2,}(?P<text>\S.*)")


@dataclass(frozen=True)
class SqlFile:
    """One file: its stage, its name (of the relation or check), header fields and text.

    ``header`` maps a field to its text: the file's own name to the grain, ``Reads``, ``Rule``,
    ``By``, and for checks ``Fix``.
    """

    stage: str
    name: str
    header: dict[str, str]
    text: str

    @property
    def place(self) -> str:
        """Path for messages: ``sql/marts/leaderboard.sql``."""
        return f"sql/{self.stage}/{self.name}.sql"

    @property
    def meaning(self) -> str:
        """What the relation contains, or which rows the check returns."""
        return self.header.get(self.name, "")

    @property
    def reads(self) -> list[str]:
        """Relations in the header's field ``Reads``, in order, without repetition."""
        return list(dict.fromkeys(_WORD.findall(self.header.get("Reads", ""))))

    @property
    def is_by_demonstration(self) -> bool:
        """Whether its rows about a demonstration depend only on rows about the same
        demonstration.
        """
        return self.header.get("By") == "demonstration."

    @property
    def query(self) -> str:
        """The text without its closing semicolon, for use inside another query."""
        return self.text.rstrip().removesuffix(";")


def sql_folder() -> Path:
    """The folder ``sql``: inside an installed package, beside the package in a checkout."""
    package = Path(__file__).parents[2]
    for folder in (package / "sql", package.parent / "sql"):
        if all((folder / stage).is_dir() for stage in STAGES):
            return folder
    raise WarehouseError(
        f"no folder sql with {', '.join(STAGES)} in {package} or beside it: reinstall the package"
    )


@cache
def packaged_sql() -> Sequence[SqlFile]:
    """Files of :func:`sql_folder`, read once per process, so that the files that run are the ones
    that were hashed as code.
    """
    return read_sql_files(sql_folder())


def staging() -> list[SqlFile]:
    """Copies of all published tables of the lake, and of tables given by the publisher."""
    copies = [_copy("lake", table) for table in TABLES.values() if table.is_published]
    return [*copies, _copy("given", StalePartitions)]


def _copy(prefix: str, table: type[Table]) -> SqlFile:
    name = table.table_name()
    text = f"create table {name} as select * from {prefix}_{name};"  # noqa: S608 - our own names
    header = {name: f"{table.grain()}.", "Rule": table.rule()}
    return SqlFile(STAGING, name, header, text)


def read_sql_files(root: Path) -> list[SqlFile]:
    """Copies of tables, then all files below ``root``, in the order in which they run.

    Errors: :class:`WarehouseError` if one of the sub-folders is missing, a file has the name of a
    table, or files read each other circularly.
    """
    files = staging()
    tables = {file.name for file in files}
    for stage in STAGES:
        if not (root / stage).is_dir():
            raise WarehouseError(f"{root}: no sub-folder {stage!r} (expected {', '.join(STAGES)})")
        of_stage = []
        for path in sorted((root / stage).glob("*.sql")):
            if path.stem in tables:
                raise WarehouseError(f"{path}: a table has this name, too: rename one of them")
            text = path.read_text()
            of_stage.append(SqlFile(stage, path.stem, _header(text), text))
        files += _after_what_they_read(of_stage)
    return files


def _after_what_they_read(files: Sequence[SqlFile]) -> list[SqlFile]:
    """``files`` of one stage, each after the files that its header says it reads."""
    named = {file.name: file for file in files}
    reads = {
        file.name: [name for name in file.reads if name in named and name != file.name]
        for file in files
    }
    try:
        return [named[name] for name in TopologicalSorter(reads).static_order()]
    except CycleError as error:
        circle = " -> ".join(named[name].place for name in reversed(error.args[1]))
        raise WarehouseError(f"SQL files read each other in a circle: {circle}") from None


def _header(text: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    name = ""
    for line in text.splitlines():
        if found := _FIELD.match(line):
            name = found["field"]
            fields[name] = found["text"].strip()
        elif name and (more := _MORE.match(line)):
            fields[name] += " " + more["text"].strip()
        else:
            break
    return fields
