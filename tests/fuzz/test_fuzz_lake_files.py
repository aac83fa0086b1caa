"""Files of the lake, damaged or forged: whole rows, or an error of ours that names the file."""

import hashlib
from functools import cache

import polars as pl
import pytest
from fuzz_cases import check_message, count, fuzz, scratch
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.engine.errors import LakeError
from enact_assets.engine.ids import table_sha
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.lake.seals import _ZEROS, _place_of_seal
from enact_assets.engine.tables import table

pytestmark = pytest.mark.slow

WHERE = {"demonstration": "cups-0"}


@cache
def sound() -> tuple[bytes, pl.DataFrame]:
    """A file of some hundred facts, and its rows."""
    facts = pl.DataFrame({"frame_from": range(300)}).with_columns(
        demonstration=pl.lit("cups-0"),
        predicate=pl.lit("OnTop"),
        subject=pl.col("frame_from").hash(0).cast(pl.String),
        object=pl.lit(None, pl.String),
        frame_to=pl.col("frame_from") + 1,
    )
    with scratch() as folder:
        lake = Lake(folder)
        lake.write("facts", facts.select(list(table("facts").schema())), WHERE)
        return (folder / "facts" / "cups-0.parquet").read_bytes(), lake.read("facts", WHERE)


def sealed(content: bytes) -> bytes:
    """With the seal that a forger would compute, if there is still a place for it."""
    at = _place_of_seal(content)
    if at is None or at + len(_ZEROS) > len(content):
        return content
    bare = content[:at] + _ZEROS + content[at + len(_ZEROS) :]
    return content[:at] + hashlib.sha256(bare).hexdigest().encode() + content[at + len(_ZEROS) :]


damages = st.tuples(
    st.sampled_from(["flip", "flip", "byte", "cut", "take out", "put in", "swap"]),
    st.booleans(),
    st.integers(0, 1 << 16),
    st.binary(min_size=1, max_size=12),
)
"""How, whether in the footer (which decides how all else is read), where, and with what."""


def damaged(how: list[tuple[str, bool, int, bytes]]) -> bytes:
    data = bytearray(sound()[0])
    for way, is_in_footer, place, value in how:
        n_footer = int.from_bytes(data[-8:-4], "little") + 8
        first = max(0, len(data) - n_footer) if is_in_footer else 0
        at = first + place % max(1, len(data) - first)
        match way:
            case "flip" if at < len(data):
                data[at] ^= 1 << value[0] % 8
            case "byte" if at < len(data):
                data[at] = value[0]
            case "cut":
                del data[at:]
            case "take out":
                del data[at : at + len(value)]
            case "swap" if at < len(data):
                other = int.from_bytes(value, "little") % max(1, len(data))
                data[at], data[other] = data[other], data[at]
            case _:
                data[at:at] = value
    return bytes(data)


@given(st.lists(damages, min_size=1, max_size=3), st.booleans())
@fuzz(4)
def test_a_file_of_the_lake_has_its_rows_or_is_refused(
    how: list[tuple[str, bool, int, bytes]], is_forged: bool
) -> None:
    """A forged one has a seal that fits: its rows may be others, but nothing worse happens."""
    rows, data = sound()[1], damaged(how)
    content = sealed(data) if is_forged else data
    with scratch() as folder:
        lake, path = Lake(folder), folder / "facts" / "cups-0.parquet"
        path.parent.mkdir()
        path.write_bytes(content)
        for act in (lake.metadata, lake.verify, lake.read):
            try:
                found = act("facts", WHERE)
            except LakeError as error:
                check_message(str(error), names=str(path))
                found = None
            if act == lake.read:
                count("lake files", "refused" if found is None else "read")
            if isinstance(found, pl.DataFrame):
                assert found.schema == rows.schema
                table_sha(found, table("facts").key())
                assert is_forged or found.equals(rows)
        # Whoever plans asks whether to set it aside; that never touches a whole file.
        aside = lake.set_aside("facts", WHERE)
        assert (aside is None) == path.exists()
        assert content != sound()[0] or aside is None
