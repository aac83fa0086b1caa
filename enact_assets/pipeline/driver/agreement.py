"""Checks that a driver and the workers of a cluster use the same software, data and storage.

Otherwise workers would silently make different rows, or write them to another place.
"""

import os
import socket
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import dagster as dg

from enact_assets import __version__
from enact_assets.engine.errors import MaterializationError
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.system.atomic import temporary_name
from enact_assets.engine.system.places import Place
from enact_assets.engine.system.process_identity import boot_id
from enact_assets.engine.tables import TABLES
from enact_assets.pipeline.driver.contract import Site
from enact_assets.pipeline.lineage.code import code_version
from enact_assets.pipeline.lineage.graph import WHOLE
from enact_assets.pipeline.root.scope import Scope, read_scope, write_scope
from enact_assets.pipeline.runs.driver_lock import POSTGRES_VARIABLE, postgres_url
from enact_assets.pipeline.runs.instance import INSTANCE_FOLDER, open_instance
from enact_assets.settings.paths import HOME_VARIABLE, LAKE_VARIABLE, DataRoot

PACKAGES = (
    "dagster", "distributed", "duckdb", "mitsuba", "mujoco", "numba", "numpy", "polars", "pyarrow",
    "pyoidn", "scipy",
)  # fmt: skip
"""Packages whose versions can affect rows, or the communication of driver and worker."""
PROBE_KEY = "enact/probe"
MARK = "probe"


@dataclass(frozen=True)
class Software:
    """Versions of everything that makes rows."""

    versions: dict[str, str]

    @classmethod
    def here(cls) -> "Software":
        """Versions in this process."""
        found = {"Python": f"{sys.version_info[0]}.{sys.version_info[1]}"}
        found["enact_assets"] = __version__
        for package in PACKAGES:
            with suppress(PackageNotFoundError):
                found[package] = version(package)
        # The package's version stays the same while code is edited, so code versions are compared,
        # too.
        found |= {f"code of {name}": code_version(name) for name in (*TABLES, *sorted(WHOLE))}
        return cls(found)

    def difference(self, other: "Software") -> str | None:
        """The first difference to ``other``, the versions of a worker; None if all are the same."""
        for name in sorted({*self.versions, *other.versions}):
            mine, theirs = self.versions.get(name, "none"), other.versions.get(name, "none")
            if mine != theirs:
                return f"{name} {theirs} (worker), {mine} (driver)"
        return None


@dataclass(frozen=True)
class Terms:
    """Requirements of a driver for its workers.

    ``mark`` names files that the driver has put into data root and lake, and a value in Dagster's
    storage: a worker that does not find them uses others. ``scope`` is the scope of the driver's
    data root, None without one.
    """

    site: Site
    scope: Scope | None
    software: Software
    boot: str
    has_postgres: bool
    mark: str


@contextmanager
def offered_terms(site: Site, instance: dg.DagsterInstance) -> Iterator[Terms]:
    """Terms of this process for ``site``; its marks exist within the block."""
    mark = temporary_name(Path(MARK)).name
    in_root = site.data_root / INSTANCE_FOLDER / mark
    place = _lake(site)
    with place.publishing(mark) as file:
        file.write(b"")
    in_root.touch()
    instance.run_storage.set_cursor_values({PROBE_KEY: mark})
    try:
        scope, has_postgres = read_scope(site.data_root), postgres_url() is not None
        yield Terms(site, scope, Software.here(), boot_id(), has_postgres, mark)
    finally:
        in_root.unlink(missing_ok=True)
        with suppress(OSError):
            place.delete(mark)


class DisagreementError(MaterializationError):
    """A worker would make different rows, or write them to another place; retrying there does not
    help.

    ``worker`` is the worker's address, empty without Dask.
    """

    worker = ""


@dataclass(frozen=True)
class Accepted:
    """A site as a worker uses it: with its own data root, which may be the driver's."""

    site: Site
    shares_root: bool


_accepted: dict[str, Accepted] = {}


def accept(terms: Terms, scratch: Path) -> Accepted:
    """Check in a worker that it fulfils ``terms``; the result is cached.

    A worker without access to the driver's data root keeps its own files in ``scratch``.
    Errors: :class:`DisagreementError` names the machine, the difference, and what to do.
    """
    if terms.mark not in _accepted:
        _accepted[terms.mark] = _accept(terms, scratch)
    return _accepted[terms.mark]


def _accept(terms: Terms, scratch: Path) -> Accepted:
    here = f"on worker machine {socket.gethostname()}"
    different = terms.software.difference(Software.here())
    if different is not None:
        raise DisagreementError(
            f"{here}: {different}. Install the same version from the same lock file on both."
        )
    has_postgres = postgres_url() is not None
    if has_postgres != terms.has_postgres:
        one, other = ("driver", "worker") if terms.has_postgres else ("worker", "driver")
        raise DisagreementError(
            f"{here}: {POSTGRES_VARIABLE} is set for the {one} but not for the {other}. Both must "
            "use the same Dagster storage."
        )
    if not has_postgres and boot_id() != terms.boot:
        raise DisagreementError(
            f"{here}: driver and worker run on different machines and cannot share Dagster's "
            f"SQLite files. Set {POSTGRES_VARIABLE} for the driver and the workers."
        )
    accepted = _with_a_root(terms, scratch, here)
    lake = _lake(accepted.site)
    if lake.entry(terms.mark) is None:
        raise DisagreementError(
            f"{here}: {lake.address} is not the driver's lake (the driver's probe file is missing)."
        )
    instance = open_instance(accepted.site.data_root)
    try:
        found = instance.run_storage.get_cursor_values({PROBE_KEY}).get(PROBE_KEY)
    finally:
        instance.dispose()
    if found != terms.mark:
        raise DisagreementError(
            f"{here}: {POSTGRES_VARIABLE} names a different database than the driver's, or a "
            "second driver has started."
        )
    return accepted


def _with_a_root(terms: Terms, scratch: Path, here: str) -> Accepted:
    mine = os.environ.get(HOME_VARIABLE)
    for root in (terms.site.data_root, *([Path(mine)] if mine else [])):
        if (root / INSTANCE_FOLDER / terms.mark).exists():
            return Accepted(replace(terms.site, data_root=root), shares_root=True)
    if terms.site.lake_url is None or not terms.has_postgres:
        raise DisagreementError(
            f"{here}: the driver's data root {terms.site.data_root} does not exist here"
            + (f", and {HOME_VARIABLE}={mine} is a different folder" if mine else "")
            + f". Mount it (and set {HOME_VARIABLE} for the workers if its path differs), or "
            f"keep lake and pictures in an object store ({LAKE_VARIABLE}), with "
            f"{POSTGRES_VARIABLE} set."
        )
    root = scratch / f"enact-{uuid.uuid4().hex[:12]}"
    root.mkdir(parents=True)
    if terms.scope is not None:
        write_scope(root, terms.scope)
    return Accepted(replace(terms.site, data_root=root), shares_root=False)


def _lake(site: Site) -> Place:
    return Lake(DataRoot(site.data_root, site.lake_url).lake).place
