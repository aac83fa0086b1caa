"""Dagster's storage in a real PostgreSQL, and the lock that holds across machines."""

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import dagster as dg
import pytest
import yaml
from small_sites import empty_site, outcomes, trivial

from enact_assets.engine.errors import MaterializationError
from enact_assets.engine.system.process_identity import ProcessIdentity
from enact_assets.pipeline.driver.agreement import accept, offered_terms
from enact_assets.pipeline.driver.process_runner import ProcessRunner
from enact_assets.pipeline.driver.step_runs import InProcessRunner, leave, workplace
from enact_assets.pipeline.runs.driver_lock import (
    ADVISORY_KEY,
    check_only_driver,
    connected,
    driver_at_work,
    only_driver,
)
from enact_assets.pipeline.runs.instance import instance_config, open_instance
from enact_assets.pipeline.runs.postgres_storage import IDLE_S

from reference.servers import postgres

pytestmark = pytest.mark.slow
DEPLOY = Path(__file__).parents[3] / "deploy"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with postgres() as url:
        yield url


@pytest.fixture(autouse=True)
def use_postgres(url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ENACT_POSTGRES_URL", url)
    yield
    leave()


def test_runs_are_kept_there_and_seen_from_another_folder(tmp_path: Path, url: str) -> None:
    """As by the UI on another machine: only the database is common."""
    site = empty_site(tmp_path / "one")
    (made,) = outcomes(InProcessRunner(site), *trivial("high"))
    assert made.error is None
    other = open_instance(tmp_path / "other")
    run = other.get_run_by_id(str(made.run_id))
    assert run is not None
    assert run.status == dg.DagsterRunStatus.SUCCESS
    other.dispose()
    assert not list((tmp_path / "one").rglob("*.db"))
    written = (tmp_path / "one" / "dagster" / "dagster.yaml").read_text()
    assert url not in written
    assert "not_shown" not in written


def test_processes_share_it(tmp_path: Path) -> None:
    with ProcessRunner(empty_site(tmp_path), 2) as runner:
        made = outcomes(runner, *trivial(*["high", "low"] * 10))
    assert [o.error for o in made] == [None] * 20


def test_a_second_driver_is_kept_out_from_another_folder_too(tmp_path: Path) -> None:
    """On another machine the file lock is another file, or no lock at all."""
    here = ProcessIdentity.here()
    who = rf"process {here.pid} on {here.host}, connected from 127\.0\.0\.1, since \d{{4}}-\d\d-"
    with (
        only_driver(tmp_path / "one"),
        pytest.raises(MaterializationError, match=who),
        only_driver(tmp_path / "other"),
    ):
        pass
    with only_driver(tmp_path / "other"):
        pass


def test_the_database_is_named_and_asked_who_drives(tmp_path: Path, url: str) -> None:
    """Its lock is not of a data root; only the database knows a driver on another machine."""
    with only_driver(tmp_path / "one"):
        told = driver_at_work(tmp_path / "other")
        assert f"process {ProcessIdentity.here().pid} on" in str(told)
        with (
            pytest.raises(MaterializationError, match=r"^database postgres on 127.*one per data"),
            only_driver(tmp_path / "other"),
        ):
            pass
    assert driver_at_work(tmp_path / "other") is None


def test_a_lock_that_was_lost_with_its_connection_is_taken_again(tmp_path: Path, url: str) -> None:
    """After a restart of the database two drivers would work, and not know of each other."""

    def cut() -> None:
        others = "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'"
        with connected(url).cursor() as cursor:
            cursor.execute(others)

    with only_driver(tmp_path / "one"):
        cut()
        assert driver_at_work(tmp_path / "other") is None
        check_only_driver()
        assert driver_at_work(tmp_path / "other") is not None
        cut()
        with connected(url).cursor() as cursor:
            cursor.execute("select pg_try_advisory_lock(%s)", (ADVISORY_KEY,))
            with pytest.raises(MaterializationError, match="another driver is at work"):
                check_only_driver()


def test_a_restart_of_the_database_breaks_no_statement_after_it(tmp_path: Path, url: str) -> None:
    """The driver died on a kept connection, with advice about disk space."""
    site = empty_site(tmp_path)
    instance = workplace(site).instance
    n_runs = len(instance.get_runs())
    assert instance.run_storage.get_cursor_values({"enact/probe"}) is not None
    time.sleep(IDLE_S)
    with closing(connected(url)) as connection, connection.cursor() as cursor:
        cursor.execute(
            "select count(pg_terminate_backend(pid)) from pg_stat_activity "
            "where pid <> pg_backend_pid() and datname = current_database()"
        )
        assert cursor.fetchone() > (0,)
    (made,) = outcomes(InProcessRunner(site), *trivial("high"))
    assert made.error is None
    assert len(instance.get_runs()) > n_runs


def test_a_worker_needs_no_data_root_if_the_lake_is_elsewhere(tmp_path: Path) -> None:
    """With an object store and PostgreSQL; it keeps what only it needs for itself."""
    site = replace(empty_site(tmp_path / "driver"), lake_url=str(tmp_path / "store"))
    with offered_terms(site, workplace(site).instance) as terms:
        hidden = replace(terms, site=replace(site, data_root=tmp_path / "not_mounted"))
        accepted = accept(hidden, tmp_path / "scratch")
        assert not accepted.shares_root
        assert accepted.site.data_root.parent == tmp_path / "scratch"
        assert accepted.site.lake_url == site.lake_url
        elsewhere = replace(hidden, mark=".x.probe.tmp")
        with pytest.raises(MaterializationError, match="store/lake is not the driver's lake"):
            accept(elsewhere, tmp_path / "scratch")


def test_the_file_in_deploy_is_what_the_driver_writes(tmp_path: Path) -> None:
    """Else webserver and daemon of the containers would store elsewhere, or with other limits."""
    written = yaml.safe_load((DEPLOY / "dagster.yaml").read_text())
    assert written == instance_config(Path("/data/dagster"))
    home = tmp_path / "home"
    home.mkdir()
    text = (DEPLOY / "dagster.yaml").read_text().replace("/data/dagster", str(home))
    (home / "dagster.yaml").write_text(text)
    instance = dg.DagsterInstance.from_config(str(home))
    assert type(instance.run_storage).__name__ == "PostgresRunStorage"
    assert instance.get_runs(limit=1) is not None
    instance.dispose()
