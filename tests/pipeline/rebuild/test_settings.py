"""When and within what limits a data root is rebuilt: a file, or variables of a container."""

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import dagster as dg
import pytest

from enact_assets.engine.errors import SettingsError
from enact_assets.pipeline.rebuild.job import rebuild_definitions
from enact_assets.pipeline.rebuild.settings import RebuildSettings, read_settings
from enact_assets.pipeline.runs.resources import DataResource

BERLIN = ZoneInfo("Europe/Berlin")


def berlin(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN).timestamp()


def written(root: Path, text: str) -> RebuildSettings:
    (root / "schedule.yaml").write_text(text)
    return read_settings(root)


def test_without_a_file_it_is_off_and_a_file_switches_it_on(tmp_path: Path) -> None:
    assert not read_settings(tmp_path).enabled
    assert written(tmp_path, "").enabled
    assert not written(tmp_path, "enabled: false\n").enabled
    assert written(tmp_path, "cron: 0 3 * * *\nmax_usd: 5\n") == RebuildSettings(
        enabled=True, cron="0 3 * * *", max_usd=5.0
    )


def test_variables_come_before_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENACT_REBUILD", "1")
    monkeypatch.setenv("ENACT_REBUILD_HOURS", "3.5")
    monkeypatch.setenv("ENACT_REBUILD_MAX_PARTITIONS", "10")
    monkeypatch.setenv("ENACT_REBUILD_TIME_ZONE", "")  # as Compose passes one that is not set
    assert read_settings(tmp_path) == RebuildSettings(enabled=True, hours=3.5, max_partitions=10)
    assert written(tmp_path, "hours: 1\ntime_zone: Europe/Berlin\n") == RebuildSettings(
        enabled=True, hours=3.5, max_partitions=10, time_zone="Europe/Berlin"
    )
    monkeypatch.setenv("ENACT_REBUILD", "0")
    assert not read_settings(tmp_path).enabled


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("huors: 3\n", "unknown field `huors`"),
        ("hours: -1\n", r"> 0\.0 - at `\$\.hours`"),
        ("hours: 2\nuntil: '06:00'\n", "leave one out"),
        ("until: soon\n", "until: 'soon' is not a time of the day"),
        ("until: 25:00\n", "is not a time of the day"),
        ("cron: 0 3 * *\n", r"cron: '0 3 \* \*'.*five fields"),
        ("time_zone: Mars/Olympus\n", "Mars/Olympus.*not a time zone"),
        ("- cron\n", "Expected `object"),
        ("max_partitions: 0\n", "max_partitions"),
    ],
)
def test_a_wrong_file_is_named_with_what_is_wrong(tmp_path: Path, text: str, error: str) -> None:
    with pytest.raises(SettingsError, match=rf"schedule\.yaml: .*{error}.*Fields: enabled, cron"):
        written(tmp_path, text)


def test_a_wrong_variable_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, "hours: 2\n")
    monkeypatch.setenv("ENACT_REBUILD_MAX_PARTITIONS", "many")
    with pytest.raises(SettingsError, match=r"^ENACT_REBUILD_MAX_PARTITIONS: .*max_partitions"):
        read_settings(tmp_path)


def test_a_window_ends_by_the_clock_on_the_wall() -> None:
    """The night in which summer time ends has an hour more. Before midnight it is the next day."""
    until = RebuildSettings(time_zone="Europe/Berlin", until="06:00")
    for begin, end in (
        ("2026-10-25 01:30", "2026-10-25 06:00"),
        ("2026-11-20 22:00", "2026-11-21 06:00"),
        ("2026-11-20 06:00", "2026-11-21 06:00"),
    ):
        assert until.ends(berlin(begin)) == berlin(end)
    at = berlin("2026-10-25 01:30")
    assert RebuildSettings(hours=4).ends(at) == at + 4 * 3600
    assert RebuildSettings().ends(at) is None


def test_yaml_reads_a_time_without_quotes_as_a_number(tmp_path: Path) -> None:
    begin = berlin("2026-11-20 20:00")
    for text in ("until: 22:30\n", "until: '22:30'\n"):
        found = written(tmp_path, f"{text}time_zone: Europe/Berlin\n")
        assert found.ends(begin) == begin + 2.5 * 3600
        assert "until 22:30" in found.words()


def test_the_schedule_has_the_time_and_the_switch_of_the_root(tmp_path: Path) -> None:
    data = DataResource(root=str(tmp_path))
    for text, status in (
        ("cron: 30 2 * * *\ntime_zone: Europe/Berlin\n", dg.DefaultScheduleStatus.RUNNING),
        ("cron: 30 2 * * *\ntime_zone: Europe/Berlin\nenabled: false\n",
         dg.DefaultScheduleStatus.STOPPED),
    ):  # fmt: skip
        written(tmp_path, text)
        schedule = rebuild_definitions(data).get_repository_def().get_schedule_def("rebuild")
        assert (schedule.cron_schedule, schedule.execution_timezone) == (
            "30 2 * * *",
            "Europe/Berlin",
        )
        assert schedule.default_status == status
        assert schedule.job_name == "rebuild"
