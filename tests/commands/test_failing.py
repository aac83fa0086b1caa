"""What people are told when a disk or a database fails."""

import sqlite3
from pathlib import Path

import pytest
import sqlalchemy

from enact_assets.commands.failing import storage_message


@pytest.mark.parametrize("is_wrapped", [False, True])
def test_a_damaged_database_of_dagster_comes_with_the_remedy(
    tmp_path: Path, *, is_wrapped: bool
) -> None:
    """It advised to look for space on the disk."""
    path = tmp_path / "runs.db"
    path.write_bytes(b"no database" * 1000)
    engine = sqlalchemy.create_engine(f"sqlite:///{path}")
    with pytest.raises(Exception, match="not a database") as failed:
        if is_wrapped:
            with engine.connect() as connection:
                connection.execute(sqlalchemy.text("select * from runs"))
        else:
            sqlite3.connect(path).execute("select * from runs")
    engine.dispose()
    told = str(storage_message(failed.value))
    assert "move the folder `dagster` of the data root away" in told
    assert "space" not in told
