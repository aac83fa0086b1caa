"""Marts that are made of some dozen demonstrations after another, each range a table of its own.

The relation is a view of these parts. Only parts of demonstrations that changed are made again, and
rows of one range at a time are in memory. The header says so: ``By: demonstration.``
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import duckdb

from enact_assets.contracts.errors import WarehouseError
from enact_assets.engine.publishing.former_file import part_from
from enact_assets.engine.publishing.sql_files import SqlFile
from enact_assets.engine.publishing.warehouse_checks import Within, instead_of


@dataclass(frozen=True)
class SplitMart:
    """The file of a mart, and the ranges of demonstrations that are together all of them."""

    file: SqlFile
    ranges: Sequence[Within]

    @property
    def parts(self) -> list[str]:
        """Names of the relations of all ranges, in order."""
        return [self.part(within) for within in self.ranges]

    def part(self, within: Within) -> str:
        """Name of the relation of one range."""
        return part_from(self.file.name, within.first)

    def rows_of(self, within: Within) -> str:
        """SQL: its rows about some demonstrations."""
        name = self.file.name
        if within not in self.ranges:
            return within.rows_of(name)
        return f"select * from {self.part(within)}"  # noqa: S608 - our own names

    def making(self, within: Within, rows: Mapping[str, str]) -> SqlFile:
        """What makes one part, of ``rows`` (relation -> SQL) about its demonstrations.

        Errors: :class:`WarehouseError` if the file does not begin with ``create table``.
        """
        name = self.file.name
        first, *_ = self._statements()
        _, found, query = first.partition(f"create table {name} as")
        if not found:
            raise WarehouseError(
                f"{self.file.place}: says 'By: demonstration.', so its first statement must be "
                f"'create table {name} as'"
            )
        query = query.rstrip().removesuffix(";")
        name = self.part(within)
        sql = f"create table {name} as {instead_of(rows)}select * from (\n{query}\n)"  # noqa: S608 - our own names
        return replace(self.file, name=name, header={}, text=sql)

    def gathering(self) -> SqlFile:
        """What makes the relation of all parts, and the rest of the file: comments."""
        _, *more = self._statements()
        sql = ";\n".join([view_of(self.file.name, self.parts), *more])
        return replace(self.file, text=sql)

    def _statements(self) -> list[str]:
        return [statement.query for statement in duckdb.extract_statements(self.file.text)]


def view_of(relation: str, parts: Sequence[str]) -> str:
    """SQL that makes a relation of its parts, whose rows follow each other."""
    rows = " union all ".join(f"select * from {part}" for part in parts)  # noqa: S608 - our own
    return f"create view {relation} as {rows}"
