"""Seals: no bit of a file changes unnoticed."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from enact_assets.engine.errors import DamagedFileError
from enact_assets.engine.lake.file_errors import TableFile
from enact_assets.engine.lake.parquet_files import N_ROWS, intact_key_values, read_key_values
from enact_assets.engine.lake.seals import SEAL, is_intact, sealed_parquet
from enact_assets.engine.tables import table

ZEROS = "0" * 64


def sealed(rows: int = 3) -> tuple[bytes, str]:
    # Zeros like those that hold the seal's place stand in the rows, and so in the statistics.
    table = pa.table({"sha": [ZEROS] * rows, "said": [SEAL] * rows})
    content = sealed_parquet(table, {"more": "1"}, compression="zstd", write_page_checksum=True)
    return content, read_key_values(content)[SEAL]


def test_a_sealed_file_is_parquet_with_all_its_metadata() -> None:
    content, seal = sealed()
    assert is_intact(content, seal)
    assert pq.ParquetFile(pa.BufferReader(content)).read().num_rows == 3
    assert read_key_values(content)["more"] == "1"
    assert sealed() == (content, seal)  # equal rows, equal bytes


def test_every_flipped_bit_breaks_the_seal() -> None:
    """Page checksums leave out page headers, the footer and the metadata."""
    content, seal = sealed()
    for at in range(len(content)):
        for bit in range(8):
            changed = bytearray(content)
            changed[at] ^= 1 << bit
            assert not is_intact(bytes(changed), seal), (at, bit)


@pytest.mark.parametrize("content", [b"", b"PAR1", SEAL.encode() + b"\x18\x40" + b"0" * 10])
def test_what_has_no_seal_is_not_intact(content: bytes) -> None:
    assert not is_intact(content, ZEROS)


def test_a_changed_file_is_found_before_anything_parses_it(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """A parser in Rust prints a panic on some flipped bits, which no Python code can prevent."""
    rows = pa.table({"sha": [ZEROS] * 3})
    content = sealed_parquet(rows, {N_ROWS: "3"}, compression="zstd")
    file = TableFile("here", table("actions"), {"demonstration": "cups-0"})
    for bit in range(8 * len(content)):
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        with pytest.raises((DamagedFileError, pa.ArrowInvalid)):
            intact_key_values(bytes(changed), file)
    assert capfd.readouterr().err == ""
