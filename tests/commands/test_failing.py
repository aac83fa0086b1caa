"""What people are told when a disk or a database fails."""

from pathlib import Path

import pytest
import sqlalchemy

from enact_assets.commands.failing import storage_message


def test_a_damaged_database_of_dagster_comes_with_the_remedy(tmp_path: Path) -> None:
    """It advised to look for space on the disk."""
    path = tmp_path / "runs.db"
    path.write_bytes(b"no database" * 1000)
    engine = sqlalchemy.create_engine(f"sqlite:///{path}")
    with (
        pytest.raises(sqlalchemy.exc.DatabaseError, match="not a database") as failed,
        engine.connect() as connection,
    ):
        connection.execute(sqlalchemy.text("select * from runs"))
    engine.dispose()
    for error in (failed.value, failed.value.orig):
        assert error is not None
        told = str(storage_message(error))
        assert "move the folder `dagster` of the data root away" in told
        assert "space" not in told


def test_a_process_that_gets_no_memory_says_so() -> None:
    """Faults N18: a traceback."""
    with pytest.raises(MemoryError) as failed:
        bytearray(2**62)
    assert "no more memory" in str(storage_message(failed.value))
