"""Steps on a real Dask cluster, two processes on the loopback interface."""

import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from small_sites import WaitingStep, empty_site, outcomes, trivial
from test_processes import process_at, statuses

from enact_assets.engine.errors import MaterializationError
from enact_assets.engine.progress import Progress
from enact_assets.engine.system.process_identity import ProcessIdentity
from enact_assets.pipeline.driver import dask_runner
from enact_assets.pipeline.driver.agreement import (
    Software,
    Terms,
    _with_a_root,
    accept,
    offered_terms,
)
from enact_assets.pipeline.driver.contract import Site
from enact_assets.pipeline.driver.dask_runner import DaskRunner
from enact_assets.pipeline.driver.step_runs import leave, workplace
from enact_assets.pipeline.root.scope import Scope, read_scope
from enact_assets.pipeline.runs.instance import open_instance
from enact_assets.pipeline.runs.lost_runs import process_of
from enact_assets.pipeline.runs.run import Outcome, Run

from reference.servers import DaskCluster, dask_cluster, free_port, postgres

slow = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    yield empty_site(tmp_path_factory.mktemp("site"))
    leave()


@pytest.fixture(scope="module")
def cluster() -> Iterator[DaskCluster]:
    with dask_cluster(2) as cluster:
        yield cluster


@pytest.fixture
def terms(site: Site) -> Iterator[Terms]:
    with offered_terms(site, workplace(site).instance) as terms:
        yield terms


@pytest.mark.slow
def test_nobody_at_the_address_is_said_within_the_time(site: Site) -> None:
    pytest.importorskip("distributed")
    address = f"tcp://127.0.0.1:{free_port()}"
    began = time.monotonic()
    with pytest.raises(MaterializationError, match=f"{address}: no Dask scheduler answers"):
        DaskRunner(site, address, timeout_s=0.5)
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    "address", ["nonsense", "foo://bar:1", "", "tcp://host", "tcp://:8786", "tcp://host:99999"]
)
def test_what_is_no_address_is_said_at_once(site: Site, address: str) -> None:
    """Dask would try for half a minute, or begin a cluster of its own."""
    pytest.importorskip("distributed")
    began = time.monotonic()
    with pytest.raises(MaterializationError, match=r"not the address.*tcp://host:8786"):
        DaskRunner(site, address)
    assert time.monotonic() - began < 5


def test_a_worker_that_agrees_works_with_the_drivers_root(terms: Terms, tmp_path: Path) -> None:
    accepted = accept(terms, tmp_path)
    assert accepted.shares_root
    assert accepted.site == terms.site


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"boot": "of another machine"}, "different machines.*SQLite.*ENACT_POSTGRES_URL"),
        ({"has_postgres": True}, "set for the driver but not for the worker"),
    ],
    ids=["machine", "storage"],
)
def test_a_worker_that_would_write_elsewhere_refuses(
    terms: Terms, tmp_path: Path, change: dict[str, object], told: str
) -> None:
    """Two machines on one SQLite file damage it, silently."""
    with pytest.raises(MaterializationError, match=told):
        accept(replace(terms, mark="x", **change), tmp_path)  # type: ignore[arg-type]


def test_a_worker_with_other_software_refuses(terms: Terms, tmp_path: Path) -> None:
    """Its rows would differ, and nobody would know why."""
    versions = terms.software.versions | {"polars": "0.1"}
    other = replace(terms, software=Software(versions), mark="y")
    with pytest.raises(MaterializationError, match=r"polars 2\S+ \(worker\), 0\.1 \(driver\)"):
        accept(other, tmp_path)


def test_a_worker_that_does_not_see_the_data_root_refuses(terms: Terms, tmp_path: Path) -> None:
    other = replace(terms, mark="z", site=replace(terms.site, data_root=tmp_path / "not_mounted"))
    with pytest.raises(MaterializationError, match="not_mounted does not exist"):
        accept(other, tmp_path)


def test_a_worker_with_a_root_of_its_own_keeps_to_the_drivers_scope(
    terms: Terms, tmp_path: Path
) -> None:
    """It saw the whole registry, so steps over all variants had other inputs than were planned."""
    scope = Scope({"variant": frozenset({"fisheye"})})
    elsewhere = replace(terms.site, data_root=tmp_path / "not_mounted", lake_url="memory://lake")
    offered = replace(terms, site=elsewhere, scope=scope, has_postgres=True)
    accepted = _with_a_root(offered, tmp_path, "here")
    assert not accepted.shares_root
    assert read_scope(accepted.site.data_root) == scope


@slow
def test_every_step_has_one_outcome(cluster: DaskCluster, site: Site) -> None:
    started: list[Run] = []
    runs = trivial("high", "low", "fisheye", "baseline")
    with DaskRunner(site, cluster.address) as runner:
        made = list(runner.run(runs, started.append, lambda _run, _progress: None))
        again = outcomes(runner, *runs, *trivial("nobody"))
    assert sorted(str(o.run) for o in made) == sorted(map(str, runs))
    assert sorted(map(str, started)) == sorted(map(str, runs))
    assert [o.error for o in made] == [None] * 4
    assert ["nobody" in str(o.error) for o in again if o.error] == [True]
    assert len(again) == 5


@slow
def test_a_worker_that_is_killed_loses_nothing(site: Site) -> None:
    waiting = WaitingStep(site)
    instance = open_instance(site.data_root)
    with dask_cluster(2) as cluster, DaskRunner(site, cluster.address) as runner:

        def kill() -> None:
            pid = process_at(instance, "official_questions")
            waiting.let_go()
            os.kill(pid, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        made = outcomes(runner, waiting.run, *trivial(*["high", "low"] * 5))
        killer.join()
    assert [o.error for o in made] == [None] * 11
    assert statuses(instance, "official_questions") == ["FAILURE", "SUCCESS"]
    instance.dispose()


@slow
def test_a_worker_that_dies_while_it_is_asked_holds_nobody_up(site: Site) -> None:
    """The question was for it alone, so nobody answered it within two minutes."""
    with dask_cluster(2) as cluster:
        dying = cluster.workers[0]
        dying.send_signal(signal.SIGSTOP)
        killer = threading.Timer(2.0, dying.kill)
        killer.start()
        began = time.monotonic()
        with DaskRunner(site, cluster.address) as runner:
            took_s = time.monotonic() - began
            (made,) = outcomes(runner, *trivial("high"))
        killer.join()
    assert made.error is None
    assert took_s < 60


@slow
def test_a_cluster_that_disappears_is_told(site: Site, capfd: pytest.CaptureFixture[str]) -> None:
    """A walk would wait for ever for what nobody will do. F15: Dask's tracebacks came first."""
    waiting = WaitingStep(empty_site(site.data_root / "inner"))
    inner = empty_site(site.data_root / "inner")
    instance = open_instance(inner.data_root)
    with dask_cluster(1) as cluster, DaskRunner(inner, cluster.address) as runner:

        def close() -> None:
            process_at(instance, "official_questions")
            for worker in cluster.workers:
                worker.kill()
            cluster.kill_scheduler()

        closer = threading.Thread(target=close)
        closer.start()
        with pytest.raises(MaterializationError, match="the cluster is gone"):
            outcomes(runner, waiting.run)
        closer.join()
    instance.dispose()
    leave()
    assert "Traceback" not in capfd.readouterr().err


def within(seconds: float, runner: DaskRunner, *runs: Run) -> list[Outcome]:
    """Outcomes of a runner that may wait for ever."""
    with ThreadPoolExecutor() as pool:
        made = pool.submit(outcomes, runner, *runs)
        try:
            return made.result(timeout=seconds)
        except TimeoutError:
            runner.close()
            raise


@slow
def test_without_a_worker_the_driver_does_what_needs_its_root_and_says_that_it_waits(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody has looked whether the workers to come see the driver's files."""
    monkeypatch.setattr(dask_runner, "NO_WORKER_S", 0.5)
    here = WaitingStep(site)
    here.let_go()
    told: list[str] = []
    with dask_cluster(0) as cluster, DaskRunner(site, cluster.address) as runner:
        (made,) = within(60, runner, here.run)
        assert made.error is None

        def heard(_run: Run, progress: Progress) -> None:
            told.append(progress.as_text())
            if len(told) == 1:
                cluster.add_worker()

        (made,) = runner.run(trivial("high"), lambda _run: None, heard)
    assert made.error is None
    assert told[0].startswith(f"no worker at {cluster.address} yet, waiting: ")
    assert len(told) == 1, "once a minute"


@slow
def test_a_late_worker_without_the_root_leaves_to_the_driver_what_needs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would find no such file in its own root, or write a warehouse that nobody looks for."""
    monkeypatch.chdir(tmp_path)
    with postgres() as url, dask_cluster(0) as cluster:
        monkeypatch.setenv("ENACT_POSTGRES_URL", url)
        # A relative path names another folder where a worker runs.
        site = replace(empty_site(Path("root")), lake_url=str(tmp_path / "store"))
        try:
            step = WaitingStep(site)
            step.let_go()
            with DaskRunner(site, cluster.address) as runner:
                runner._shares_root = True  # as the workers did that were asked
                cluster.add_worker({"ENACT_POSTGRES_URL": url})
                made = within(90, runner, step.run, *trivial("high"))
                assert not runner._shares_root
                assert [o.error for o in made] == [None] * 2
            instance = open_instance(site.data_root)
            here = [process_of(run) == ProcessIdentity.here() for run in instance.get_runs()]
            assert sorted(here) == [False, True], "one on the worker, one in the driver"
            instance.dispose()
        finally:
            leave()


@slow
def test_a_worker_that_cannot_work_yet_does_not_end_the_walk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database refuses a connection too many, and takes the next one."""
    with postgres() as url, dask_cluster(0) as cluster:
        monkeypatch.setenv("ENACT_POSTGRES_URL", url)
        site = empty_site(tmp_path)
        try:
            with DaskRunner(site, cluster.address) as runner:
                wrong = f"postgresql://enact@127.0.0.1:{free_port()}/postgres"
                cluster.add_worker({"ENACT_POSTGRES_URL": wrong})
                made = within(90, runner, *trivial("high", "low"))
                assert ["cannot be reached" in str(o.error) for o in made] == [True] * 2
                cluster.workers[0].kill()
                cluster.add_worker({"ENACT_POSTGRES_URL": url})
                (after,) = within(90, runner, *trivial("high"))
                assert after.error is None
        finally:
            leave()


@slow
def test_a_late_worker_that_disagrees_gets_no_further_step(site: Site) -> None:
    """A rolling update of the workers ended the walk."""
    elsewhere = {"ENACT_POSTGRES_URL": "postgresql://enact@127.0.0.1/other"}
    with dask_cluster(1) as cluster, DaskRunner(site, cluster.address) as runner:
        cluster.add_worker(elsewhere)
        cluster.wait_for_workers(2)
        made = within(240, runner, *trivial(*["high", "low"] * 5))
        assert [o.error for o in made] == [None] * 10
        assert len(runner._refused) == 1
        cluster.workers[0].kill()
        with pytest.raises(MaterializationError, match="set for the worker but not for the driver"):
            within(240, runner, *trivial("high"))


@slow
def test_with_certificates_nobody_else_connects(site: Site, tmp_path: Path) -> None:
    """As deploy/README.md says: whoever reaches a scheduler may run code on its workers."""
    dask = pytest.importorskip("dask")
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed: it makes the certificate")
    key, certificate = str(tmp_path / "enact.key"), str(tmp_path / "enact.crt")
    subprocess.run(  # noqa: S603 - makes a certificate in a folder of ours
        [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj",
         "/CN=enact", "-keyout", key, "-out", certificate],
        check=True, capture_output=True,
    )  # fmt: skip
    prefix = "DASK_DISTRIBUTED__COMM__"
    variables = {
        f"{prefix}REQUIRE_ENCRYPTION": "true",
        f"{prefix}TLS__CA_FILE": certificate,
    }
    for part in ("SCHEDULER", "WORKER", "CLIENT"):
        variables[f"{prefix}TLS__{part}__CERT"] = certificate
        variables[f"{prefix}TLS__{part}__KEY"] = key
    with ExitStack() as stack:
        names = (n.removeprefix("DASK_").lower().replace("__", ".") for n in variables)
        with dask.config.set(dict(zip(names, variables.values(), strict=True))):
            cluster = stack.enter_context(dask_cluster(1, variables, "tls"))
            with DaskRunner(site, cluster.address) as runner:
                (made,) = within(240, runner, *trivial("high"))
            assert made.error is None
        with pytest.raises(MaterializationError, match="under TLS"):
            DaskRunner(site, cluster.address, timeout_s=5)
        with pytest.raises(MaterializationError, match="no Dask scheduler answers"):
            DaskRunner(site, cluster.address.replace("tls", "tcp"), timeout_s=5)


def test_the_marks_of_an_agreement_are_removed(site: Site) -> None:
    def found() -> set[Path]:
        return {p for p in site.data_root.rglob("*probe*") if p.is_file()}

    with offered_terms(site, workplace(site).instance):
        assert len(found()) == 2, "in the data root and in the lake"
    assert not found()
