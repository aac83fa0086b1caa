"""CSV files that people give, as spreadsheets write them.

Fields are separated by comma, semicolon or tab: by what the first line separates most known names
with. Spreadsheets write ``;`` where the comma is the decimal point. Names of columns count without
capitals, blanks and ``_``; values lose blanks around them and are in Unicode form NFC. Passed over
are rows without a value, remarks (rows that begin with ``#``) and the line ``sep=;`` of Excel.
"""

import csv
import io
import re
from collections.abc import Collection
from dataclasses import dataclass, field

from enact_assets.engine.given_text import nfc

SEPARATORS = (",", ";", "\t")
# Quotes around a field with a comma say nothing of what the comma is, nor do three digits after it.
_DECIMAL_COMMAS = {
    ",": re.compile(r"(?!)"),
    ";": re.compile(r"[\d:]*,\d+\D*", re.ASCII),
    "\t": re.compile(r"[\d:]*,(\d{1,2}|\d{4,})\D*", re.ASCII),
}
_DECIMAL_POINT = re.compile(r"(0|\d+:[\d:]+)?\.\d+\D*|\d*\.(\d{1,2}|\d{4,})\D*", re.ASCII)


@dataclass
class GivenCsv:
    """A CSV file: ``columns`` of line ``header_line``, and ``rows`` with the lines they end in.

    Rows have no empty fields at their end, and may have more fields than there are columns. Where
    reading stopped, ``fault`` is the line and the reason; rows before it are kept. A file without
    a row has neither columns nor a fault. ``has_decimal_comma`` if a number has a comma that can
    part nothing but decimals (where ``;`` separates, that is any), and none has such a point.
    """

    has_decimal_comma: bool = False
    header_line: int = 0
    columns: tuple[str, ...] = ()
    rows: list[tuple[int, list[str]]] = field(default_factory=list)
    fault: tuple[int, str] | None = None

    def of(self, row: list[str]) -> dict[str, str]:
        """Column -> value of ``row``; empty for those that it lacks."""
        return dict.fromkeys(self.columns, "") | dict(zip(self.columns, row, strict=False))


def read_csv(
    text: str,
    known: Collection[str],
    naming: Collection[str] = (),
    numbers: Collection[str] = (),
) -> GivenCsv:
    """The rows of ``text``, whose columns should be ``known``; others are kept as they are called.

    Columns called ``numbers`` say what a comma is. Where the first column is one of ``naming``, a
    ``#`` may begin a name: a row is a remark only if nothing follows it.
    """
    separator = _separator(text, known)
    found = GivenCsv()
    called = {_squashed(name): name for name in known}
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=separator)
    while True:
        try:
            row = [nfc(value.strip()) for value in next(reader)]
        except StopIteration:
            break
        except csv.Error as error:
            found.fault = reader.line_num, str(error)
            break
        while row and not row[-1]:
            row.pop()  # empty columns behind the last: spreadsheets remember what once stood there
        if not row or _is_remark(row, found.columns, naming):
            continue
        if found.columns:
            found.rows.append((reader.line_num, row))
        elif not row[0].lower().startswith("sep="):
            found.header_line = reader.line_num
            found.columns = tuple(called.get(_squashed(n), n.lower()) for n in row)
    commas = _DECIMAL_COMMAS[separator]
    whole = [found.of(row) for _, row in found.rows if len(row) <= len(found.columns)]
    said = [of[name] for of in whole for name in numbers if name in of]
    found.has_decimal_comma = any(map(commas.fullmatch, said)) and not any(
        map(_DECIMAL_POINT.fullmatch, said)
    )
    return found


def _separator(text: str, known: Collection[str]) -> str:
    """Separator with most known names in the first line that is no comment; comma if unsure."""
    names = {_squashed(name) for name in known}
    marks = "".join(SEPARATORS) + '" '
    lines = (line.strip() for line in io.StringIO(text, newline=""))
    passed = ("#", "sep=", '"#', '"sep=')
    first = next((s for s in lines if s.strip(marks) and not s.lower().startswith(passed)), "")

    def n_known(separator: str) -> int:
        return sum(_squashed(name.strip(' "')) in names for name in first.split(separator))

    return max(SEPARATORS, key=n_known)


def _squashed(name: str) -> str:
    return "".join(name.lower().replace("_", " ").split())


def _is_remark(row: list[str], columns: tuple[str, ...], naming: Collection[str]) -> bool:
    is_name = bool(columns) and columns[0] in naming
    return row[0].startswith("#") and not (is_name and any(row[1:]))
