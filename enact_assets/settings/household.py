"""A user's own things, furniture and activities: the folder ``household`` of a data root.

The simulator knows no data root, and reads its kinds once in a process: the caller that knows the
root says where the household is before that, in a variable that processes of steps inherit.
"""

import os
from pathlib import Path

VARIABLE = "ENACT_HOUSEHOLD"
FOLDER = "household"
THINGS, FURNITURE, ACTIVITIES = "things", "furniture", "activities"


def use_household_of(root: Path) -> None:
    """From now on the household is that of a data root, unless the variable names another one."""
    os.environ.setdefault(VARIABLE, str(root.absolute() / FOLDER))


def household_files(*folders: str) -> list[Path]:
    """The files in some folders of the household; none without a household."""
    named = os.environ.get(VARIABLE)
    places = (Path(named) / folder for folder in folders) if named else ()
    return [path for place in places for path in sorted(place.glob("*.yaml"))]
