"""Every relation of the DuckDB file with its columns, from a file published on an empty lake.

Grain, rule, types and meanings are the comments that ``duckdb_columns()`` shows for a real file.
``python docs/site/relation_pages.py`` writes the list in sql/README.md; with a version
(``0.3.0``) also sql/released.csv: the names that must answer for one version more.
"""

import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.publishing.relations import GIVEN
from enact_assets.engine.publishing.sql_files import (
    RELEASED,
    SqlFile,
    read_sql_files,
    released_columns,
    sql_folder,
)
from enact_assets.engine.publishing.warehouse import publish
from enact_assets.results.published import query

HEAD = """\
# SQL relations

What `data/enact.duckdb` holds. A *mart* is made by a file in `sql/marts/`, a *table* is a copy of
one of the lake. [sql/README.md](/sql/README.md) has queries to start from and says how sure the
numbers are; [Tables](/docs/tables.md) says what makes each table.

    enact-assets sql "select * from leaderboard"
    duckdb -readonly data/enact.duckdb

"""
_COLUMNS = """
    select table_name, column_name, lower(data_type), coalesce(comment, '')
    from duckdb_columns()
    where not internal and schema_name = 'main'
    order by table_name, column_index
"""


Columns = Mapping[str, Sequence[tuple[str, str, str]]]
"""Relation -> (name, type, meaning) of its columns."""


def relation_pages(columns: Columns) -> dict[str, str]:
    """Path -> Markdown: a list of all relations, then the marts and the tables in full."""
    files = read_sql_files(sql_folder())
    marts = sorted((file for file in files if file.stage == "marts"), key=_name)
    tables = sorted((file for file in files if file.stage == "staging"), key=_name)
    checks = [file for file in files if file.stage == "checks"]
    places = {f.name: f"/pages/sql/marts.md#{f.name}" for f in marts}
    places |= {f.name: f"/pages/sql/tables.md#{f.name}" for f in tables}
    listed = [
        *_list("Marts", marts, places),
        *_list("Copies of tables", tables, places),
        "## Checks\n\nOne row from any of these, and the new file is not published.\n",
        "| check | returns |\n|---|---|",
        *(f"| `{check.name}` | {_cell(check.meaning)} |" for check in checks),
    ]
    return {
        "pages/sql.md": HEAD + "\n".join(listed) + "\n",
        "pages/sql/marts.md": _page("Marts", marts, columns, places),
        "pages/sql/tables.md": _page("Copies of tables", tables, columns, places),
    }


def published_columns() -> Columns:
    """The columns of every relation of a file that is published on an empty lake."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "enact.duckdb"
        publish(Lake(Path(folder) / "lake"), path)
        for relation, *column in query(path, _COLUMNS).iter_rows():
            found.setdefault(relation, []).append(tuple(column))
    return found


def _list(title: str, files: list[SqlFile], places: dict[str, str]) -> list[str]:
    rows = [f"| [`{f.name}`]({places[f.name]}) | {_cell(f.meaning)} |" for f in files]
    return [f"## {title}\n", "| relation | holds |\n|---|---|", *rows, ""]


def _page(
    title: str,
    files: list[SqlFile],
    columns: Columns,
    places: dict[str, str],
) -> str:
    parts = [f"# {title}\n"]
    for file in files:
        parts.append(f"## `{file.name}`\n\n{_sentence(file.meaning)}\n")
        if "Reads" in file.header:
            links = [f"[`{name}`]({places[name]})" for name in file.reads]
            parts.append(f"Made from {', '.join(links)}.\n")
        if file.header.get("Rule"):
            parts.append(f"{_text(_sentence(file.header['Rule']))}\n")
        parts.append("| column | type | meaning |\n|---|---|---|")
        for name, data_type, meaning in columns[file.name]:
            parts.append(f"| `{name}` | `{data_type}` | {_cell(meaning)} |")
        parts.append("")
    return "\n".join(parts)


def _name(file: SqlFile) -> str:
    return file.name


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _cell(text: str) -> str:
    return _text(text).replace("|", "\\|").replace("\n", " ")


def _text(text: str) -> str:
    """Plain words as Markdown: nothing in them is markup but backticks."""
    return text if "`" in text else re.sub(r"([*_<\[])", r"\\\1", text)


BEGIN, END = "<!-- made by docs/site/relation_pages.py -->\n", "<!-- end -->\n"


def readme() -> str:
    """sql/README.md as it is, with the list of what is made of tables anew."""
    text = (sql_folder() / "README.md").read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    files = [f for f in read_sql_files(sql_folder()) if f.stage == "marts" or f.name in GIVEN]
    rows = []
    for file in sorted(files, key=_name):
        successor = file.successor
        former = f"; an old name of {successor}" if successor else ""
        rows.append(f"| `{file.name}` | {_cell(file.grain + former)} |\n")
    head = "| Relation | One row per |\n|---|---|\n"
    return before + BEGIN + head + "".join(rows) + END + rest.partition(END)[2]


def released(version: str) -> str:
    """sql/released.csv of ``version``: all relations and columns of now."""
    before = released_columns(sql_folder())
    lines = ["relation,since,columns"]
    for relation, columns in sorted(published_columns().items()):
        since, _ = before.get(relation, (version, []))
        lines.append(f"{relation},{since},{' '.join(name for name, *_ in columns)}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for version in sys.argv[1:]:
        (sql_folder() / RELEASED).write_text(released(version), encoding="utf-8")
    (sql_folder() / "README.md").write_text(readme(), encoding="utf-8")
