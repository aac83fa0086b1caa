"""SQL of the warehouse: a copy of each table, then the marts and checks of folder ``sql``.

Each file of the folder makes one relation or check, and opens with a header that explains it.
"""

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from enact_assets.engine.errors import WarehouseError
from enact_assets.engine.publishing.relations import (
    Relations,
    StalePartitions,
    duckdb_type,
    literal,
)
from enact_assets.engine.tables import TABLES, Table

MARTS, CHECKS = "marts", "checks"
STAGES = (MARTS, CHECKS)
"""Sub-folders in the order in which they run; within one, a file runs after those it reads."""
RELEASED = "released.csv"
"""Names that the last version had: relation, version it came with, columns."""
STAGING = "staging"
"""Stage before these: relations that are copied from tables."""

_FIELD = re.compile(r"-- (?P<field>\w+):\s*(?P<text>.*)")
_WORD = re.compile(r"\w+")
_MORE = re.compile(r"--\s{2,}(?P<text>\S.*)")


@dataclass(frozen=True)
class SqlFile:
    """One file: its stage, its name (of the relation or check), header fields and text.

    ``header`` maps a field to its text: the file's own name to the grain, ``Reads``, ``Rule``,
    ``By``, ``Successor`` of an old name (the relation to read instead), and for checks ``Fix``.
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
    def grain(self) -> str:
        """What one row is about."""
        begins = "one row per "
        is_usual = self.meaning.lower().startswith(begins)
        return self.meaning[len(begins) if is_usual else 0 :].removesuffix(".")

    @property
    def reads(self) -> list[str]:
        """Relations in the header's field ``Reads``, in order, without repetition."""
        return list(dict.fromkeys(_WORD.findall(self.header.get("Reads", ""))))

    @property
    def successor(self) -> str:
        """Of an old name the relation to read instead; empty for others."""
        return self.header.get("Successor", "").removesuffix(".")

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


def released_columns(root: Path) -> dict[str, tuple[str, list[str]]]:
    """Relation of the last version -> the version it came with, and its columns then."""
    if not (root / RELEASED).is_file():
        return {}
    try:
        with (root / RELEASED).open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
        return {row["relation"]: (row["since"], row["columns"].split()) for row in rows}
    except (KeyError, AttributeError, ValueError, csv.Error) as error:
        raise WarehouseError(
            f"{root / RELEASED}: expected UTF-8 and the columns relation,since,columns ({error!r})"
        ) from error


def staging() -> list[SqlFile]:
    """Copies of all published tables of the lake, and of tables given by the publisher."""
    copies = [_copy("lake", table) for table in TABLES.values() if table.is_published]
    return [*copies, _copy("given", StalePartitions)]


def _copy(prefix: str, table: type[Table]) -> SqlFile:
    name = table.table_name()
    text = f"create table {name} as select * from {prefix}_{name};"  # noqa: S608 - our own names
    return SqlFile(STAGING, name, _header_of(table), text)


def _header_of(table: type[Table]) -> dict[str, str]:
    return {table.table_name(): f"{table.grain()}.", "Rule": table.remark()}


def read_sql_files(root: Path) -> list[SqlFile]:
    """Copies of tables, then all files below ``root``, in the order in which they run.

    Errors: :class:`WarehouseError` if one of the sub-folders is missing, a file has the name of a
    table, or files read each other circularly.
    """
    files = staging()
    tables = {*(file.name for file in files), Relations.table_name()}
    for stage in STAGES:
        if not (root / stage).is_dir():
            raise WarehouseError(f"{root}: no sub-folder {stage!r} (expected {', '.join(STAGES)})")
        of_stage = []
        for path in sorted((root / stage).glob("*.sql")):
            if path.stem in tables:
                raise WarehouseError(f"{path}: a table has this name, too: rename one of them")
            try:
                text = path.read_text(encoding="utf-8-sig")
            except UnicodeDecodeError as error:
                raise WarehouseError(f"{path}: not a text file in UTF-8 ({error})") from error
            of_stage.append(SqlFile(stage, path.stem, _header(text), text))
        files += _after_what_they_read(of_stage)
    return [_contract(files, released_columns(root)), *files]


def _contract(files: Sequence[SqlFile], released: Mapping[str, tuple[str, list[str]]]) -> SqlFile:
    """What makes ``relations``, of the headers of all others."""
    name, header = Relations.table_name(), _header_of(Relations)
    described = [SqlFile(STAGING, name, header, ""), *(f for f in files if f.stage != CHECKS)]
    rows = []
    for file in sorted(described, key=lambda file: file.name):
        since, _ = released.get(file.name, ("", []))
        successor = file.successor
        if successor and successor not in {known.name for known in described}:
            raise WarehouseError(f"{file.place}: Successor {successor!r} is no relation")
        row = (file.name, file.grain, since or None, successor or None)
        values = ("null" if value is None else literal(value) for value in row)
        rows.append(f"({', '.join(values)})")
    columns = Relations.schema()
    typed = ", ".join(f"cast({c} as {duckdb_type(of)}) as {c}" for c, of in columns.items())
    listed = "(values\n" + ",\n".join(rows) + f"\n) as listed ({', '.join(columns)})"
    text = f"create table {name} as select {typed} from {listed};"  # noqa: S608 - our own
    return SqlFile(STAGING, name, header, text)


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
