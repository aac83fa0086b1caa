"""The activities of the embedded simulator, by name. The names are those of BEHAVIOR-1K.

Each is a module of its name here, or a file of its name in ``declarations``. It is loaded when it
is asked for, so that one that is broken stops no other.
"""

import importlib
import traceback
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from enact_assets.engine.errors import ActivityError, SettingsError
from enact_assets.engine.ids import content_sha
from enact_assets.settings import household
from enact_assets.settings.household import household_files
from enact_assets.simulator.activities.base import Activity

PACKAGE = Path(__file__).parents[2]


class Activities(Mapping[str, Activity]):
    """Activities by name, in the order of their names; each has a module of its name here, or is
    declared in a file.

    Looking one up raises :class:`ActivityError` if its module or file cannot be loaded; listing the
    names loads none.
    """

    def __init__(self, *names: str, declared: Mapping[str, Path] = MappingProxyType({})) -> None:
        self._names = tuple(sorted({*names, *declared}))
        self._declared = declared

    def __getitem__(self, name: str) -> Activity:
        if name not in self:
            raise KeyError(name)
        return _declared(self._declared[name]) if name in self._declared else _load(name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


@cache
def _declared(path: Path) -> Activity:
    """The activity that a file declares."""
    module = importlib.import_module(f"{__name__}.declared.activity")
    try:
        found: Activity = module.declared_activity(path)
    except (SettingsError, OSError, UnicodeDecodeError) as error:
        raise ActivityError(
            f"activity {path.stem!r} cannot be loaded: {error}. Mend that file; other activities "
            "go on working."
        ) from error
    return found


def _load(name: str) -> Activity:
    try:
        found = importlib.import_module(f"{__name__}.{name}").ACTIVITY
    except Exception as error:  # a module may fail in any way
        what = " ".join(str(error).split()).rstrip(".")
        raise ActivityError(
            f"activity {name!r} cannot be loaded: {type(error).__name__}: {what} "
            f"({_place(name, error)}). Mend that file; other activities go on working."
        ) from error
    if not isinstance(found, Activity) or found.name != name:
        raise ActivityError(
            f"activity {name!r}: simulator/activities/{name}.py must set ACTIVITY to an Activity "
            f"of this name, not {getattr(found, 'name', found)!r}"
        )
    return found


def _place(name: str, error: Exception) -> str:
    """File and line where loading failed; for a module that is not there, its file."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{_shown(error.filename)}, line {error.lineno}"
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename != __file__ and not frame.filename.startswith("<frozen importlib")
    ]
    if not frames:
        return f"simulator/activities/{name}.py"
    return f"{_shown(frames[-1].filename)}, line {frames[-1].lineno}"


def _shown(filename: str) -> str:
    path = Path(filename)
    return str(path.relative_to(PACKAGE) if path.is_relative_to(PACKAGE) else path)


DECLARATIONS = Path(__file__).parent / "declarations"
OWN = {path.stem: path for path in household_files(household.ACTIVITIES)}
"""Declarations of a user's household; one that has the name of ours is not carried out."""
SHIPPED = {path.stem: path for path in sorted(DECLARATIONS.glob("*.yaml"))}
"""Ours, which are those that references learn from."""
FILES = OWN | SHIPPED
ACTIVITIES: Mapping[str, Activity] = Activities(declared=FILES)


def household_version(name: str) -> str | None:
    """What an activity of a user's household depends on besides the code: the content of all its
    files; None for ours.
    """
    if FILES.get(name) != OWN.get(name, ""):
        return None
    files = household_files(household.ACTIVITIES, household.FURNITURE, household.THINGS)
    return content_sha([[path.name, path.read_text(encoding="utf-8")] for path in files])
