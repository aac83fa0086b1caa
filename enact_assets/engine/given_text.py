"""Reads text that people give: UTF-8 without its byte order mark, and names in one Unicode form.

Spreadsheets and editors put a byte order mark before the text; macOS writes a letter and its accent
as two characters where others write one. The meaning is the same, so the mark is dropped and names
are compared in form NFC. Other encodings are refused, as most bytes are valid in several of them.
"""

import codecs
import unicodedata

from enact_assets.engine.errors import GivenTextError

MARK = codecs.BOM_UTF8
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
SAVE_AS_UTF8 = "Save the file as UTF-8 (a spreadsheet: as CSV UTF-8)"


def text_of(content: bytes) -> str:
    """The text of a whole file. Errors: :class:`GivenTextError` names line, byte and column."""
    content = without_mark(content)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        start = content.rfind(b"\n", 0, error.start) + 1
        line = content.count(b"\n", 0, error.start) + 1
        column = len(content[start : error.start].decode()) + 1
        found = f"byte 0x{content[error.start]:02x} at character {column} of the line"
        raise GivenTextError(line, found) from None


def without_mark(start: bytes) -> bytes:
    """``start`` of a file, with any byte order mark removed.

    Errors: :class:`GivenTextError` if the file is UTF-16.
    """
    # UTF-8 text does not begin with a zero byte; in European languages half of UTF-16 is zeros.
    if start.startswith(_WIDE) or b"\0" in start[:2]:
        raise GivenTextError(1, "it is UTF-16")
    return start.removeprefix(MARK)


def nfc(text: str) -> str:
    """``text`` in Unicode form NFC, in which equal names are equal. Costs nothing for ASCII."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)
