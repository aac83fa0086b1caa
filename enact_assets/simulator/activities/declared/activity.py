"""The activity that a file declares."""

from functools import partial
from pathlib import Path

from enact_assets.simulator.activities.base import Activity
from enact_assets.simulator.activities.declared.composed import composed
from enact_assets.simulator.activities.declared.declaration import read_declaration

ATTEMPTS = 3
"""So often places and order are drawn for a seed that cannot be carried out."""


def declared_activity(path: Path) -> Activity:
    """The activity declared in a file of its name. Errors: as :func:`read_declaration`."""
    declared = read_declaration(path)
    return Activity(path.stem, declared.says, partial(composed, declared), str(path), ATTEMPTS)
