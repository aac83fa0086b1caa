"""What a scan of the lake opens."""

import pytest

from enact_assets.engine.lake import listed_files, parquet_files
from enact_assets.engine.system import many_files


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the files whose footers a scan reads from here on."""
    names: list[str] = []
    real = parquet_files.read_records

    def noting(place: object, table_name: str, files: list[many_files.File]) -> object:
        names.extend(entry.name for _, entry in files)
        return real(place, table_name, files)  # type: ignore[arg-type]

    monkeypatch.setattr(listed_files, "read_records", noting)
    return names
