"""Where Dagster stores, and that everybody who opens it finds the same there."""

import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import threading
import tomllib
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
import sqlalchemy
import yaml
from dagster._core.workspace.load_target import get_target_from_toml_data

from enact_assets.answers.models.catalogue import load_catalogue
from enact_assets.commands.dagster_ui import GRPC_TIMEOUT_S
from enact_assets.engine.errors import SettingsError
from enact_assets.pipeline.runs import backfill_requests, postgres_storage, sqlite_storage
from enact_assets.pipeline.runs.code_location import (
    LOCATION,
    LOCATION_VARIABLE,
    MODULE,
    job_origin,
    note_code_location,
    write_workspace,
)
from enact_assets.pipeline.runs.instance import POLICY, instance_config, open_instance
from enact_assets.pipeline.runs.sqlite_storage import (
    KeptSqliteEventLogStorage,
    KeptSqliteRunStorage,
)
from enact_assets.pipeline.ui import server as ui_server

ROOT = Path(__file__).parents[3]
INSTANCES = [ROOT / "dagster.yaml", ROOT / "deploy" / "dagster.yaml"]


@pytest.mark.parametrize("path", INSTANCES, ids=["checkout", "deploy"])
def test_limits_are_the_same_wherever_dagster_stores(path: Path) -> None:
    """Whoever moves to PostgreSQL, or opens the UI of a checkout, would get other limits."""
    config = yaml.safe_load(path.read_text())
    assert {name: config.get(name) for name in POLICY} == dict(POLICY)


def test_the_ui_of_a_checkout_stores_as_the_driver_does(tmp_path: Path) -> None:
    config = yaml.safe_load(INSTANCES[0].read_text())
    written = instance_config(tmp_path)

    def classes(of: dict[str, Any]) -> dict[str, object]:
        return {k: (v["module"], v["class"]) for k, v in of.items() if "class" in v}

    assert classes(config) == classes(written)


def test_deploy_names_the_versions_that_are_locked() -> None:
    """A chart or launcher of another version of Dagster does not fit the image."""
    lock = (ROOT / "requirements.lock").read_text().split()
    dagster = next(line for line in lock if line.startswith("dagster==")).partition("==")[2]
    library = next(line for line in lock if line.startswith("dagster-postgres==")).partition("==")[
        2
    ]
    readme = (ROOT / "deploy" / "README.md").read_text()
    assert f"--version {dagster}" in readme
    assert f"dagster-k8s=={library}" in readme
    assert f"`dagster/dagster` {dagster}" in (ROOT / "deploy" / "helm-values.yaml").read_text()


def test_the_code_location_has_one_name_wherever_it_is_loaded(tmp_path: Path) -> None:
    """The UI shows runs of drivers below the name that they note."""
    places = [write_workspace(tmp_path), ROOT / "workspace.yaml", ROOT / "deploy/workspace.yaml"]
    for place in places:
        [target] = yaml.safe_load(place.read_text())["load_from"]
        [code] = target.values()
        assert code["location_name"] == LOCATION, place
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    # `dagster` reads the first of them before any workspace.yaml, `dg` the second.
    for place in (tools["dagster"], tools["dg"]["project"]):
        assert place["code_location_name"] == LOCATION
    target = get_target_from_toml_data({"tool": tools})
    assert target is not None
    assert not isinstance(target, list)
    [origin] = target.create_origins()
    assert origin.location_name == LOCATION
    assert tools["dagster"]["module_name"] == MODULE
    helm = yaml.safe_load((ROOT / "deploy" / "helm-values.yaml").read_text())
    [code] = helm["dagster-user-deployments"]["deployments"]
    assert {"name": LOCATION_VARIABLE, "value": code["name"]} in code["env"]


def test_runs_note_the_code_location_also_where_it_is_noted_twice() -> None:
    job = dg.JobDefinition(graph_def=dg.GraphDefinition("empty"), name="empty")
    with dg.DagsterInstance.ephemeral() as instance:
        for _ in range(2):
            note_code_location(instance)
        assert instance.create_run_for_job(job).remote_job_origin == job_origin("empty")


def test_containers_mount_what_the_instance_expects() -> None:
    """The data root of image, containers and ``dagster.yaml`` is one folder."""
    services = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())["services"]
    assert {"postgres", "webserver", "daemon", "scheduler", "worker", "driver"} <= set(services)
    instance = yaml.safe_load(INSTANCES[1].read_text())
    home = instance["local_artifact_storage"]["config"]["base_dir"].removesuffix("/dagster")
    for name in set(services) - {"postgres"}:
        assert services[name]["environment"]["ENACT_HOME"] == home, name
        assert f"data:{home}" in services[name]["volumes"], name
    code = yaml.safe_load((ROOT / "deploy" / "helm-values.yaml").read_text())
    code = code["dagster-user-deployments"]["deployments"][0]
    assert {"name": "ENACT_HOME", "value": home} in code["env"]
    assert code["volumeMounts"][0]["mountPath"] == home


def test_containers_are_guarded_and_watched(tmp_path: Path) -> None:
    """Passwords have any characters, Kubernetes wants a number as user, what hangs is found."""
    compose = (ROOT / "deploy" / "compose.yaml").read_text()
    services = yaml.safe_load(compose)["services"]
    environment = services["webserver"]["environment"]
    passed_on = {name for name, value in environment.items() if value is None}
    keys = {provider.key for provider in load_catalogue(tmp_path).providers.values()} - {""}
    assert keys < passed_on
    assert {"ENACT_UI_HOSTS", "ENACT_REGISTRY", "ENACT_ALERT_WEBHOOK"} < passed_on
    assert environment["ENACT_POSTGRES_URL"] == "postgresql://enact@postgres:5432/dagster"
    assert environment["PGPASSWORD"] == services["postgres"]["environment"]["POSTGRES_PASSWORD"]
    for name in ("webserver", "daemon", "scheduler", "worker", "code", "postgres"):
        assert services[name]["healthcheck"]["test"], name
    started = services["webserver"]["command"]
    unit = (ROOT / "deploy" / "systemd" / "enact-ui.service").read_text()
    assert f"python -m {ui_server.MODULE}" in " ".join(started)
    assert f'python" -m {ui_server.MODULE}' in unit
    ports = [port for service in services.values() for port in service.get("ports", ())]
    assert all(port.startswith("127.0.0.1:") for port in ports)
    lines = (ROOT / "deploy" / "Dockerfile").read_text().splitlines()
    images = [line.split()[1] for line in lines if line.startswith("FROM ")]
    images.append(services["postgres"]["image"])
    assert all(re.search(r":\d+\.\d+", image) for image in images), "a tag that moves"
    [user] = [line.split()[1] for line in lines if line.startswith("USER ")]
    helm = yaml.safe_load((ROOT / "deploy" / "helm-values.yaml").read_text())
    pods = [helm["dagsterWebserver"], helm["dagsterDaemon"]]
    pods += helm["dagster-user-deployments"]["deployments"]
    launched = helm["runLauncher"]["config"]["k8sRunLauncher"]["runK8sConfig"]["podSpecConfig"]
    for context in [pod["podSecurityContext"] for pod in pods] + [launched["securityContext"]]:
        assert context == {"runAsNonRoot": True, "runAsUser": int(user), "fsGroup": int(user)}


def test_the_image_is_not_built_without_what_renders() -> None:
    """A slim image lacks a library of Mitsuba's; it would be missed at the first picture."""
    lines = (ROOT / "deploy" / "Dockerfile").read_text().splitlines()
    (tried,) = [line for line in lines if line.startswith("RUN python -c ")]
    (program,) = shlex.split(tried)[3:]
    for module in ("mitsuba", "mujoco", "pyoidn"):
        assert module in program
    subprocess.run([sys.executable, "-c", program], check=True)  # noqa: S603 - our own file
    installed = [k for k, line in enumerate(lines) if "libatomic1" in line]
    assert installed < [lines.index(tried)]


def test_everybody_waits_as_long_for_a_large_lake_as_the_ui_on_one_machine() -> None:
    """After a minute Dagster gives a sensor up, and it would never come to an end. A run that takes
    more to start counts as failed."""
    compose = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())["services"]
    helm = yaml.safe_load((ROOT / "deploy" / "helm-values.yaml").read_text())
    pods = [helm["dagsterWebserver"], helm["dagsterDaemon"]]
    pods += helm["dagster-user-deployments"]["deployments"]
    found = [{e["name"]: e["value"] for e in pod["env"]} for pod in pods]
    found += [compose[name]["environment"] for name in ("code", "webserver", "daemon")]
    for kind in ("SENSOR_", "SCHEDULE_", ""):
        variable = f"DAGSTER_{kind}GRPC_TIMEOUT_SECONDS"
        assert {environment.get(variable) for environment in found} == {GRPC_TIMEOUT_S}


def test_the_daemon_of_the_chart_loads_what_our_storages_load(tmp_path: Path) -> None:
    """Its backfills would name checks that no run evaluates, and fail. Pools and limits go on."""
    helm = yaml.safe_load((ROOT / "deploy" / "helm-values.yaml").read_text())
    coordinator = helm["dagsterDaemon"]["runCoordinator"]
    assert coordinator["type"] == "CustomRunCoordinator"
    config = {"run_coordinator": coordinator["config"]["customRunCoordinator"]}
    config |= {"concurrency": POLICY["concurrency"]}
    (tmp_path / "dagster.yaml").write_text(yaml.safe_dump(config))
    with dg.DagsterInstance.from_config(str(tmp_path)) as instance:
        assert isinstance(instance.run_coordinator, backfill_requests.QueuedRuns)
        assert instance.run_coordinator.get_run_queue_config() is not None


def test_a_folder_that_is_replaced_is_found_by_those_who_had_it_open(tmp_path: Path) -> None:
    """With a connection that is kept, a UI would go on showing runs that were removed."""
    one = open_instance(tmp_path / "data")
    assert isinstance(one.run_storage, KeptSqliteRunStorage)
    assert isinstance(one.event_log_storage, KeptSqliteEventLogStorage)
    one.add_dynamic_partitions("demonstration", ["old"])
    shutil.rmtree(tmp_path / "data")
    other = open_instance(tmp_path / "data")
    other.add_dynamic_partitions("demonstration", ["new"])
    assert one.get_dynamic_partitions("demonstration") == ["new"]
    one.dispose()
    other.dispose()


def test_files_that_are_there_are_opened_without_reading_migrations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dagster imports every migration to learn the newest, and then makes nothing of it."""
    first = open_instance(tmp_path)
    first.add_dynamic_partitions("demonstration", ["a"])
    schema = schemas(tmp_path)
    first.dispose()
    looked: list[str] = []
    for module in (
        "dagster._core.storage.runs.sqlite.sqlite_run_storage",
        "dagster._core.storage.schedules.sqlite.sqlite_schedule_storage",
    ):
        found = sys.modules[module]
        monkeypatch.setattr(found, "check_alembic_revision", lambda *_: looked.append("looked"))
    again = open_instance(tmp_path)
    assert again.get_dynamic_partitions("demonstration") == ["a"]
    again.dispose()
    assert looked == []
    assert schemas(tmp_path) == schema


def test_a_file_that_was_half_made_is_made_whole(tmp_path: Path) -> None:
    """Its maker was killed between the tables and the note of their version."""
    open_instance(tmp_path).dispose()
    whole = schemas(tmp_path)
    for name, statement in (("runs", "drop table"), ("schedules", "delete from")):
        connection = sqlite3.connect(tmp_path / "dagster" / f"{name}.db")
        connection.execute(f"{statement} alembic_version")
        connection.commit()
        connection.close()
    open_instance(tmp_path).dispose()
    for name, (tables, version) in schemas(tmp_path).items():
        assert tables == whole[name][0]
        assert version


def schemas(data: Path) -> dict[str, tuple[set[str], list[tuple[str]]]]:
    """Tables and version of the files of runs and schedules."""
    found = {}
    for name in ("runs", "schedules"):
        connection = sqlite3.connect(data / "dagster" / f"{name}.db")
        tables = {row[0] for row in connection.execute("select name from sqlite_master")}
        found[name] = (tables, connection.execute("select * from alembic_version").fetchall())
        connection.close()
    return found


def test_a_process_that_ends_writes_logs_back(tmp_path: Path) -> None:
    """A copy of ``event_log.db`` alone would lack the last events."""
    instance = open_instance(tmp_path)
    instance.event_log_storage.set_concurrency_slots("some", 2)
    instance.run_storage.set_cursor_values({"some": "1"})
    logs = [tmp_path / "dagster" / f"{name}.db-wal" for name in ("runs", "event_log")]
    assert all(path.exists() for path in logs)
    sqlite_storage._close_connections()
    assert not any(path.exists() for path in logs)
    instance.dispose()


def test_writers_wait_for_each_other(tmp_path: Path) -> None:
    """``database is locked`` would fail a step that had nothing wrong with it."""
    instances = [open_instance(tmp_path) for _ in range(4)]
    errors: list[BaseException] = []

    def write(instance: dg.DagsterInstance, k: int) -> None:
        try:
            for i in range(25):
                instance.add_dynamic_partitions("demonstration", [f"{k}-{i}"])
                instance.run_storage.set_cursor_values({f"{k}": f"{i}"})
        except Exception as error:  # noqa: BLE001 - shown below
            errors.append(error)

    threads = [threading.Thread(target=write, args=(x, k)) for k, x in enumerate(instances)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert len(instances[0].get_dynamic_partitions("demonstration")) == 100
    for instance in instances:
        instance.dispose()


def test_a_database_that_does_not_answer_is_named_without_its_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("dagster_postgres")
    monkeypatch.setenv("ENACT_POSTGRES_URL", "postgresql://me:secret@127.0.0.1:9/runs")
    with pytest.raises(SettingsError, match=r"database runs on 127\.0\.0\.1:9") as told:
        open_instance(tmp_path)
    assert "secret" not in str(told.value)
    assert "secret" not in (tmp_path / "dagster" / "dagster.yaml").read_text()


def test_idle_connections_that_broke_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a restart of the database the driver died on its first statement."""
    monkeypatch.setattr(postgres_storage, "IDLE_S", 0.0)
    engine = sqlalchemy.create_engine("sqlite://", poolclass=sqlalchemy.pool.QueuePool)
    postgres_storage.ask_idle_connections(engine)
    for is_broken in (False, True, False):
        with engine.connect() as connection:
            assert connection.execute(sqlalchemy.text("select 1")).scalar() == 1
            kept = connection.connection.dbapi_connection
        if is_broken:
            assert kept is not None
            kept.close()  # as the server does
    engine.dispose()


def test_git_lists_nothing_of_a_new_data_root(tmp_path: Path) -> None:
    """Researcher, cosmetic: a root beside the code was dozens of new files."""
    new, own = tmp_path / "new", tmp_path / "own"
    own.mkdir()
    for root in (new, own):
        open_instance(root).dispose()
    git = ["git", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "--quiet"], check=True)  # noqa: S603 - our own words
    listed = subprocess.run(  # noqa: S603 - our own words
        [*git, "status", "--short"], check=True, capture_output=True, text=True
    ).stdout
    # A folder that was there may hold files that somebody keeps in git.
    assert listed.split() == ["??", "own/"]
