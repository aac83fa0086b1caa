"""Time and limits of the rebuilds of a data root: ``<root>/schedule.yaml``, written by people.

::

    cron: "0 3 * * *"
    time_zone: Europe/Berlin
    hours: 4              # or until: "07:00"
    max_partitions: 500
    max_usd: 5

All fields are optional. A variable such as ``ENACT_REBUILD_HOURS`` replaces a field, and
``ENACT_REBUILD`` the field ``enabled``, so containers need no file.
"""

import os
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import dagster as dg
import msgspec

from enact_assets.engine.errors import SettingsError
from enact_assets.engine.given_files import read_given
from enact_assets.settings.paths import SCHEDULE_FILE

VARIABLE = "ENACT_REBUILD"
HOUR_S = 3600.0

Positive = Annotated[int, msgspec.Meta(ge=1)]


class RebuildSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``hours`` or ``until`` (``HH:MM`` in ``time_zone``) limit a night: nothing starts later.

    ``max_partitions`` is the most that a night starts, ``max_usd`` the most that its models may
    cost; without it nothing is bought. ``workers`` and ``dask`` are as for `materialize`.
    """

    enabled: bool = False
    cron: str = "0 3 * * *"
    time_zone: str = "UTC"
    hours: Annotated[float, msgspec.Meta(gt=0)] | None = None
    until: str | int | None = None
    max_partitions: Positive | None = None
    max_usd: Annotated[float, msgspec.Meta(ge=0)] | None = None
    workers: Positive | None = None
    dask: str | None = None

    def ends(self, begin: float) -> float | None:
        """End of the window of a night planned for ``begin`` (both Unix time, s); None without a
        window.
        """
        if self.hours is not None:
            return begin + self.hours * HOUR_S
        if (minutes := self._until_minutes()) is None:
            return None
        local = datetime.fromtimestamp(begin, ZoneInfo(self.time_zone))
        end = local.replace(hour=minutes // 60, minute=minutes % 60, second=0, microsecond=0)
        return (end if end > local else end + timedelta(days=1)).timestamp()

    def words(self) -> str:
        """The limits of a night in one sentence."""
        limits = ["no window"]
        if self.hours is not None:
            limits = [f"a window of {self.hours:g} hours"]
        elif (minutes := self._until_minutes()) is not None:
            limits = [f"a window until {minutes // 60:02d}:{minutes % 60:02d}"]
        most = self.max_partitions
        limits.append("any number of partitions" if most is None else f"{most:,} partitions")
        nothing = "nothing is bought" if self.max_usd is None else f"{self.max_usd:.2f} USD"
        return f"{', '.join(limits)}, {nothing}"

    def check(self) -> None:
        """Raise ValueError for invalid fields."""
        if self.hours is not None and self.until is not None:
            raise ValueError("hours and until both end the window: leave one out")
        self._until_minutes()
        try:
            dg.ScheduleDefinition(
                name="checked",
                job_name="checked",
                cron_schedule=self.cron,
                execution_timezone=self.time_zone,
            )
        except dg.DagsterInvalidDefinitionError as error:
            what = f"cron: {self.cron!r}, time_zone: {self.time_zone!r}"
            raise ValueError(
                f"{what}: not a cron expression of five fields, or not a time zone such as "
                f"Europe/Berlin ({' '.join(str(error).split())})"
            ) from error

    def _until_minutes(self) -> int | None:
        """Minutes after midnight. YAML reads 22:30 without quotes as that number."""
        if self.until is None:
            return None
        hours, colon, minutes = str(self.until).partition(":")
        if isinstance(self.until, int):
            found = self.until
        elif colon and hours.isdecimal() and minutes.isdecimal() and int(minutes) < 60:
            found = 60 * int(hours) + int(minutes)
        else:
            found = -1
        if not 0 <= found < 24 * 60:
            raise ValueError(
                f'until: {self.until!r} is not a time of the day such as "07:00", in quotes'
            )
        return found


def read_settings(root: Path) -> RebuildSettings:
    """The settings of the data root ``root``: enabled if there is a file or ``ENACT_REBUILD`` is
    set so.

    Errors: :class:`SettingsError` names the file or the variables, and what is wrong.
    """
    path = root / SCHEDULE_FILE
    given: dict[str, Any] = {}
    try:
        given = {"enabled": True} | (msgspec.yaml.decode(read_given(path), type=dict | None) or {})
        _converted(given)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read ({error.strerror})") from error
    except (msgspec.MsgspecError, UnicodeDecodeError, ValueError) as error:
        raise SettingsError(_wrong(path, error)) from error
    fields = {f"{VARIABLE}_{name.upper()}": name for name in RebuildSettings.__struct_fields__}
    variables = {v: os.environ[v] for v in (VARIABLE, *fields) if os.environ.get(v)}
    fields[VARIABLE] = "enabled"
    try:
        return _converted(given | {fields[v]: text for v, text in variables.items()})
    except (msgspec.MsgspecError, ValueError) as error:
        raise SettingsError(_wrong(", ".join(variables), error)) from error


def _converted(fields: dict[str, Any]) -> RebuildSettings:
    # Not strict, as variables are texts.
    found = msgspec.convert(fields, RebuildSettings, strict=False)
    found.check()
    return found


def _wrong(place: Path | str, error: Exception) -> str:
    names = ", ".join(RebuildSettings.__struct_fields__)
    return (
        f"{place}: {' '.join(str(error).split())}. Fields: {names}; all are optional "
        "(docs/operations.md, Scheduled rebuilds)."
    )
