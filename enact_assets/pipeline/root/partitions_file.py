"""Sets Dagster's partitions of a data root: ``<root>/partitions.yaml``, written by people.

::

    demonstration_shards: 100

Without the file a partition is one demonstration. The setting changes no data and no versions.
"""

from pathlib import Path

import msgspec

from enact_assets.engine.errors import SettingsError
from enact_assets.engine.planning.shards import Shards
from enact_assets.settings.paths import PARTITIONS_FILE
from enact_assets.settings.root_files import read_root_file

SHARDED = "demonstration"
"""The dimension that can have thousands of names."""
MOST_SHARDS = 4_000
"""With 22 variants this gives about 100,000 partitions, the most that Dagster recommends for an
asset.
"""


class _File(msgspec.Struct, forbid_unknown_fields=True):
    demonstration_shards: int


def read_shards(root: Path) -> Shards | None:
    """Shards of the demonstrations in the data root ``root``; None if each is a partition.

    Errors: :class:`SettingsError` names the file and what is wrong in it.
    """
    path = root / PARTITIONS_FILE
    found = read_root_file(
        path,
        _File,
        "Write one line such as `demonstration_shards: 100`, or remove the file: then a partition "
        "is a demonstration.",
    )
    if found is None:
        return None
    n = found.demonstration_shards
    if not 1 <= n <= MOST_SHARDS:
        raise SettingsError(
            f"{path}: demonstration_shards: {n}; must be between 1 and {MOST_SHARDS:,}. About one "
            "for every 100 demonstrations is recommended."
        )
    return Shards(SHARDED, n)
