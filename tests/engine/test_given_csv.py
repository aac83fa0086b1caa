"""CSV of people and spreadsheets: what has one meaning is read, and nothing is read otherwise."""

import csv
import io
import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.engine.errors import GivenTextError
from enact_assets.engine.given_csv import SEPARATORS, read_csv
from enact_assets.engine.given_text import nfc, text_of
from enact_assets.engine.given_times import frame_of, seconds_of, wanted
from enact_assets.engine.given_truths import truth_of

KNOWN = ("start", "end_time", "verb")
_values = st.text("ab 1,;\t\"'\n.ü#u\u0308", max_size=6)


def slow_twin(text: str, separator: str) -> list[list[str]]:
    """Rows as Python's csv reads them, without what is empty and without blanks around."""
    rows = [
        [nfc(value.strip()) for value in row]
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    ]
    for row in rows:
        while row and not row[-1]:
            row.pop()
    return [row for row in rows if row and not row[0].startswith("#")]


def has_decimal_point(value: str) -> bool:
    """Whether a point can be nothing but decimal."""
    before, point, after = value.partition(".")
    digits = "".join(itertools.takewhile("0123456789".__contains__, after))
    if not (point and digits) or set(after[len(digits) :]) & set("0123456789"):
        return False
    if before in ("", "0") or (":" in before and re.fullmatch(r"[0-9]+:[0-9:]+", before)):
        return True
    return not set(before) - set("0123456789") and len(digits) != 3


def is_decimal(value: str, separator: str) -> bool:
    """Whether the comma of a number can be nothing but its decimal point."""
    before, comma, after = value.partition(",")
    digits = "".join(itertools.takewhile("0123456789".__contains__, after))
    is_number = bool(comma and digits) and not set(before) - set("0123456789:")
    is_number &= not set(after[len(digits) :]) & set("0123456789")
    return is_number and (separator == ";" or (separator == "\t" and len(digits) != 3))


@given(
    rows=st.lists(st.lists(_values, min_size=3, max_size=3), max_size=5),
    separator=st.sampled_from(SEPARATORS),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    header=st.sampled_from([("start", "end_time", "verb"), (" Start ", "END TIME", "verb")]),
)
def test_rows_are_those_of_pythons_csv(rows, separator, end, quoting, header) -> None:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator=end, quoting=quoting)
    writer.writerows([header, *rows])
    text = text_of(b"\xef\xbb\xbf" + out.getvalue().encode())
    found = read_csv(text, KNOWN, numbers=KNOWN)
    assert found.columns == KNOWN
    assert found.fault is None
    assert [row for _, row in found.rows] == slow_twin(out.getvalue(), separator)[1:]
    values = [value for _, row in found.rows for value in row]
    has_point = any(has_decimal_point(value) for value in values)
    assert found.has_decimal_comma == (
        any(is_decimal(value, separator) for value in values) and not has_point
    )


def test_remarks_lines_and_what_spreadsheets_add() -> None:
    text = 'sep=;\r\n# mine\r\n start ;Verb;;\r\n#no row;;;\r\n1;"a\r\nb";;\r\n;;;\r\n2;c;;x\r\n'
    found = read_csv(text, KNOWN)
    assert (found.header_line, found.columns) == (3, ("start", "verb"))
    assert found.rows == [(6, ["1", "a\r\nb"]), (8, ["2", "c", "", "x"])]
    named = read_csv("verb,start\n#3 cup,1\n# a remark\n", KNOWN, ("verb",))
    assert [row for _, row in named.rows] == [["#3 cup", "1"]]
    assert read_csv('start,verb\n1,"open\n', KNOWN).fault == (2, "unexpected end of data")
    assert read_csv("\n\n", KNOWN).columns == ()


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("62.5", 62.5),
        ("62,5", 62.5),
        ("62500 ms", 62.5),
        ("62500ms", 62.5),
        ("62.5 s", 62.5),
        ("1:02.5", 62.5),
        ("00:01:02,5", 62.5),
        ("00:00:01.56", 1.56),
        ("00:00:01,560", 1.56),
        ("25:00:00", 90000.0),
        ("75:30", 4530.0),
        ("0,500", 0.5),
        ("1e-05", 1e-05),
        *(
            (t, None)
            for t in ("-1", "nan", "NaN", "inf", "1:75", "0:60:00", "1.234,5", "1,234,500")
        ),
        *(
            (t, None)
            for t in ("", "soon", "00:01:02:15", "\u0661", "1 2", "1e400", "1" * 31, "1:2e1")
        ),
    ],
)
def test_the_clock(text: str, seconds: float | None) -> None:
    assert seconds_of(text) == seconds


def test_a_comma_that_may_part_thousands() -> None:
    assert seconds_of("1,250") is None
    assert seconds_of("1,250 ms") is None
    assert seconds_of("1,250", decimal_comma=True) == 1.25
    assert seconds_of("1.250", decimal_comma=True) is None
    assert seconds_of("0.250", decimal_comma=True) == 0.25
    assert wanted("1,250 ms").endswith("it could be 1250 or 1.250: write 1250 or 1.2500")
    assert seconds_of("1.2500") == 1.25
    assert [frame_of(t) for t in ("0", "120", "1.5", "-1", "", "9" * 10)] == [0, 120, *[None] * 4]


@pytest.mark.parametrize(
    ("text", "is_decimal_comma"),
    [
        ("start;verb\n1.250;a\n", False),
        ("start;verb\n1.250;a\n0:02,5;b\n", True),
        ("start;verb\n1.250;12,5 cups\n", False),
        ("start;end_time\n62.5;1,250\n", False),
        ("start\tverb\n1,250\t1,5 tbsp\n", False),
        ("start;end_time\n1,5;2;3,5\n", False),
        ("start\tverb\n1,250\ta\n", False),
        ("start\tverb\n1,250\ta\n62,5 s\tb\n", True),
        ('start,verb\n"62,5",a\n', False),
    ],
)
def test_a_file_says_what_its_commas_are(text: str, *, is_decimal_comma: bool) -> None:
    found = read_csv(text, KNOWN, numbers=("start", "end_time"))
    assert found.has_decimal_comma == is_decimal_comma


def test_yes_and_no_and_neither() -> None:
    yes, no = ("true", "TRUE", "wahr", "ja", "yes", "1"), ("0", "no", "FALSCH", "Nein", "False")
    assert {truth_of(word) for word in yes} == {True}
    assert {truth_of(word) for word in no} == {False}
    assert {truth_of(word) for word in ("", "2", "perhaps", "-", "nan")} == {None}


def test_text_is_utf_8_with_its_mark_or_without() -> None:
    assert text_of("\ufeffschüssel".encode()) == "schüssel"
    with pytest.raises(GivenTextError, match=r"line 2: .*byte 0xfc at character 5 of the line"):
        text_of("a\nüsch".encode() + b"\xfc")
    for coding in ("utf-16-le", "utf-16-be"):
        for mark in ("\ufeff", ""):
            with pytest.raises(GivenTextError, match="it is UTF-16"):
                text_of(f"{mark}time".encode(coding))
