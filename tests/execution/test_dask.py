"""Steps on a real Dask cluster, two processes on the loopback interface."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from small_sites import WaitingStep, empty_site, outcomes, trivial
from test_processes import process_at, statuses

from enact_assets.contracts.errors import MaterializationError
from enact_assets.defs.instance import open_instance
from enact_assets.execution.agreement import Software, Terms, accept, offered_terms
from enact_assets.execution.contract import Site, StepRun
from enact_assets.execution.dask_runner import DaskRunner
from enact_assets.execution.steps import leave, workplace

from reference.servers import DaskCluster, dask_cluster, free_port

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


def test_nobody_at_the_address_is_said_within_the_time(site: Site) -> None:
    pytest.importorskip("distributed")
    address = f"tcp://127.0.0.1:{free_port()}"
    began = time.monotonic()
    with pytest.raises(MaterializationError, match=f"{address}: no Dask scheduler answers"):
        DaskRunner(site, address, timeout_s=0.5)
    assert time.monotonic() - began < 10


def test_a_worker_that_agrees_works_with_the_drivers_root(terms: Terms, tmp_path: Path) -> None:
    accepted = accept(terms, tmp_path)
    assert accepted.shares_root
    assert accepted.site == terms.site


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"boot": "of another machine"}, "another machine.*SQLite.*ENACT_POSTGRES_URL"),
        ({"has_postgres": True}, "set for the driver and not for the worker"),
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
    with pytest.raises(MaterializationError, match="not_mounted is not there"):
        accept(other, tmp_path)


@slow
def test_every_step_has_one_outcome(cluster: DaskCluster, site: Site) -> None:
    started: list[StepRun] = []
    runs = trivial("high", "low", "fisheye", "baseline")
    with DaskRunner(site, cluster.address) as runner:
        made = list(runner.run(runs, started.append, lambda _run, _progress: None))
        again = outcomes(runner, *runs, StepRun("variant_config", "nobody", {}))
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
def test_a_cluster_that_disappears_is_told(site: Site) -> None:
    """A walk would wait for ever for what nobody will do."""
    waiting = WaitingStep(empty_site(site.data_root / "inner"))
    inner = empty_site(site.data_root / "inner")
    instance = open_instance(inner.data_root)
    with dask_cluster(1) as cluster, DaskRunner(inner, cluster.address) as runner:

        def close() -> None:
            process_at(instance, "official_questions")
            for worker in cluster.workers:
                worker.kill()
            cluster.close()

        closer = threading.Thread(target=close)
        closer.start()
        with pytest.raises(MaterializationError, match="the cluster is gone"):
            outcomes(runner, waiting.run)
        closer.join()
    instance.dispose()
    leave()


def test_the_marks_of_an_agreement_are_removed(site: Site) -> None:
    def found() -> set[Path]:
        return {p for p in site.data_root.rglob("*probe*") if p.is_file()}

    with offered_terms(site, workplace(site).instance):
        assert len(found()) == 2, "in the data root and in the lake"
    assert not found()
