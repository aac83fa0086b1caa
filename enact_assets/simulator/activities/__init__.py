"""The activities of the embedded simulator, by name. The names are those of BEHAVIOR-1K.

Each is a file of its name in ``declarations``, or in a user's household. It is read when it is
asked for, so that one that is broken stops no other.
"""

import importlib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from enact_assets.engine.errors import ActivityError, SettingsError
from enact_assets.engine.ids import content_sha
from enact_assets.engine.package_files import file_bytes
from enact_assets.settings import household
from enact_assets.settings.household import household_files
from enact_assets.simulator.activities.base import Activity


class Activities(Mapping[str, Activity]):
    """Activities by name, in the order of their names, each declared in a file.

    Looking one up raises :class:`ActivityError` if its file cannot be read; listing the names reads
    none.
    """

    def __init__(self, declared: Mapping[str, Path]) -> None:
        self._declared = dict(sorted(declared.items()))

    def __getitem__(self, name: str) -> Activity:
        return _declared(self._declared[name])

    def __contains__(self, name: object) -> bool:
        return name in self._declared

    def __iter__(self) -> Iterator[str]:
        return iter(self._declared)

    def __len__(self) -> int:
        return len(self._declared)


@cache
def _declared(path: Path) -> Activity:
    """The activity that a file declares."""
    module = importlib.import_module(f"{__name__}.declared.composed")
    try:
        found: Activity = module.declared_activity(path)
    except (SettingsError, OSError, UnicodeDecodeError) as error:
        raise ActivityError(
            f"activity {path.stem!r} cannot be loaded: {error}. Mend that file; other activities "
            "go on working."
        ) from error
    return found


DECLARATIONS = Path(__file__).parent / "declarations"
OWN = {path.stem: path for path in household_files(household.ACTIVITIES)}
"""Declarations of a user's household; one that has the name of ours is not carried out."""
SHIPPED = {path.stem: path for path in sorted(DECLARATIONS.glob("*.yaml"))}
"""Ours, which are those that references learn from."""
FILES = OWN | SHIPPED
ACTIVITIES: Mapping[str, Activity] = Activities(FILES)


def household_version(name: str) -> str | None:
    """What an activity of a user's household depends on besides the code: the content of all its
    files; None for ours.
    """
    if name in SHIPPED or name not in OWN:
        return None
    files = household_files(household.ACTIVITIES, household.FURNITURE, household.THINGS)
    return content_sha([[path.name, file_bytes(path).decode()] for path in files])
