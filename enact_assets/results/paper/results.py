"""Reads the published results that ship with the package: one CSV file per table.

Numbers are those of the ENACT paper: percent written as fractions, variants called as in our
registry, models as in the paper. Columns are named apart from ours (``published_model``,
``published_variant``): they cannot be joined with measured ones by accident, and a model of
the paper is not a forgotten model.
"""

from pathlib import Path
from typing import TypeVar

import polars as pl

from enact_assets.engine.errors import TableContractError
from enact_assets.engine.package_files import file_bytes
from enact_assets.engine.tables import Of, Table

FOLDER = Path(__file__).parent


T = TypeVar("T", bound=Table)


def published_table(contract: type[T], folder: Path = FOLDER) -> Of[T]:
    """Rows of one of the tables in ``results/paper/tables.py``.

    Errors: :class:`TableContractError` for a file that is missing, cannot be read, or has other
    columns or types.
    """
    path = folder / f"{contract.table_name()}.csv"
    try:
        rows = pl.read_csv(file_bytes(path), schema_overrides=contract.schema())
    except (OSError, pl.exceptions.PolarsError) as error:
        raise TableContractError(
            f"{path}: published results cannot be read ({error}). Install the package again."
        ) from error
    return contract.arranged(rows)
