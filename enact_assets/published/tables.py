"""Reads the published results that ship with the package: one CSV file per table.

Numbers are those of the ENACT paper: percent written as fractions, variants called as in our
registry, models as in the paper. Columns are named apart from ours (``published_model``,
``published_variant``): nobody joins them with measured ones by accident, and a model of the paper
is no model that was forgotten.
"""

from pathlib import Path

import polars as pl

from enact_assets.contracts.errors import TableContractError
from enact_assets.contracts.tables import table

FOLDER = Path(__file__).parent
PUBLISHED = (
    "published_accuracies",
    "published_probes",
    "published_error_shares",
    "published_handedness",
    "published_mismatch_rates",
    "published_question_counts",
)


def published_table(name: str, folder: Path = FOLDER) -> pl.DataFrame:
    """Rows of one of the tables :data:`PUBLISHED`.

    Errors: :class:`TableContractError` for a file that is not there, cannot be read, or does not
    keep the contract; :class:`UnknownNameError` for a table nobody defined.
    """
    contract, path = table(name), folder / f"{name}.csv"
    try:
        rows = pl.read_csv(path, schema_overrides=contract.schema)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise TableContractError(
            f"{path}: published results cannot be read ({error}). Install the package again."
        ) from error
    return contract.check(rows)
