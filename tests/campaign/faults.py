"""Disks, files, clocks, second drivers and servers that go wrong, and what is there afterwards."""

import os
import random
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from campaign.events import Events
from campaign.forks import Walk
from campaign.services import SERVICES, Opened, SkippedError, check_installed
from campaign.small_inputs import IN_FLIGHT
from campaign.small_roots import counts

DISK_MB = 256
MADE_KB = 80_000
"""More than a walk writes."""
DAY_S = 86_400
FAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")


class Faults(Events):
    """One fault after the other, of each kind in turn."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._kinds: dict[str, Callable[[Path], None]] = {
            "disk full": self._full_disk,
            "file size limit": self._small_files,
            "too few open files": self._few_files,
            "disk read-only": self._read_only,
            "damaged files": self._damaged_files,
            "damaged databases of Dagster": self._damaged_databases,
            "two drivers": self._two_drivers,
            "clock that steps": self._stepping_clock,
            "files of other times": self._other_times,
        }
        self._kinds |= self.events()
        self._kinds |= {kind: partial(self._service, opened) for kind, opened in SERVICES.items()}

    @property
    def kinds(self) -> tuple[str, ...]:
        """What is done in turn."""
        return tuple(self._kinds)

    def one(self) -> None:
        """The next fault."""
        number = self._tally.units["faults"]
        kind = list(self._kinds)[number % len(self._kinds)]
        self._random = random.Random(f"{self._tally.seed} {number}")  # noqa: S311 - a test
        self._lines, self._may_buy = [], 0
        self._made()  # which buys answers, too, if it is not there yet
        before = counts(self._server).sold
        root = self._folder / f"fault_{number}"
        try:
            self._kinds[kind](root)
            self._tally.faults[kind] += 1
        except (SkippedError, pytest.skip.Exception) as error:
            self._tally.skipped[f"{kind}: {error}"] += 1
            self._told(f"fault {number}: {kind}: NOT TRIED: {error}")
            return
        finally:
            self._tally.units["faults"] += 1
        n_sold = counts(self._server).sold - before
        if n_sold > self._may_buy:
            self._lines.append(f"{n_sold} answers were bought, {self._may_buy} may have been")
        for place in self._folder.glob(f"{root.name}*"):
            shutil.rmtree(place, ignore_errors=True)
        self._tally.found(kind, number, self._lines)
        self._told(f"fault {number}: {kind}" + f", {len(self._lines)} findings" * bool(self._lines))

    def _service(self, opened: Opened, root: Path) -> None:
        """A server goes away one to three times while a walk is at work, and comes back."""
        check_installed()
        self._fresh(root)
        with opened(root, self._made().environment) as service:
            processes = self._random.choice([1, 2])
            words = service.words or ("--workers", str(processes))
            made = self._with(service.environment, words)
            n_tables = sum(1 for _ in (made.root / "lake").rglob("*.parquet"))
            walk, n_gone = made.walk(root, splits_early=processes > 1), 0
            for n in sorted(self._random.sample(range(n_tables), self._random.randrange(1, 4))):
                while walk.is_alive() and service.n_tables() < n:
                    time.sleep(0.05)
                time.sleep(self._random.uniform(0.0, 0.5))
                if not walk.is_alive():
                    break
                service.goes_away(self._random)
                self._may_buy += IN_FLIGHT
                n_gone += 1
            if not n_gone:
                self._lines.append("the walk ended before anything went away")
            self._told_well(walk, 0, 1, 2)
            self._goes_on(root, made)

    def _full_disk(self, root: Path) -> None:
        """A disk of any size, from nothing at all to just enough."""
        with _disk(self._folder / "disk") as disk:
            at = disk / "data"
            self._fresh(at)
            used = sum(p.stat().st_size for p in disk.rglob("*") if p.is_file()) // 1024
            _mounted("remount", f"size={used + self._random.randrange(0, MADE_KB)}k", disk)
            self._told_well(self._made().walk(at), 0, 1, 2)
            _mounted("remount", f"size={DISK_MB}m", disk)
            self._goes_on(at)

    def _small_files(self, root: Path) -> None:
        self._fresh(root)
        limit = int(10 ** self._random.uniform(3.0, 6.7))
        self._told_well(self._made().walk(root, limits={resource.RLIMIT_FSIZE: limit}), 0, 1, 2)
        self._goes_on(root)

    def _few_files(self, root: Path) -> None:
        self._fresh(root)
        limit = self._random.randrange(16, 80)
        self._told_well(self._made().walk(root, limits={resource.RLIMIT_NOFILE: limit}), 0, 1, 2)
        self._goes_on(root)

    def _read_only(self, root: Path) -> None:
        """A disk that the kernel sets read-only after an error."""
        with _disk(self._folder / "disk") as disk:
            at = disk / "data"
            self._copied(at)
            for path in self._some_files(at, "lake", self._random.randrange(1, 4)):
                path.unlink()
            _mounted("remount", "ro", disk)
            self._told_well(self._made().walk(at), 1, 2)
            _mounted("remount", "rw", disk)
            self._goes_on(at)

    def _damaged_files(self, root: Path) -> None:
        self._copied(root)
        places = ["lake", "lake", "images", "enact.duckdb", "catalogue.db", "report", ""]
        place = self._random.choice(places)
        for path in self._some_files(root, place, self._random.randrange(1, 4)):
            self._damage(path)
        self._goes_on(root)

    def _damaged_databases(self, root: Path) -> None:
        """A message says to remove or restore it; that is done, and nothing is lost with it."""
        self._copied(root)
        for path in self._some_files(root, "dagster", 1):
            self._damage(path)
        code = self._told_well(self._made().walk(root), 0, 1, 2)
        if code:
            shutil.rmtree(root / "dagster")
        self._goes_on(root)

    def _two_drivers(self, root: Path) -> None:
        self._fresh(root)
        other = root.with_name(f"{root.name}_other.log")
        first = self._made().walk(root)
        time.sleep(self._random.uniform(0.0, 3.0))
        words = ["materialize", "--data", str(root), "--workers", "1"]
        second = Walk(words, self._made().environment, other)
        codes = {self._told_well(first, 0, 2), self._told_well(second, 0, 2)}
        if 0 not in codes:
            self._lines.append("none of two drivers finished")
        self._goes_on(root)

    def _stepping_clock(self, root: Path) -> None:
        """Years forwards and backwards while a walk is at work, in a process under libfaketime."""
        if not FAKETIME.exists():
            raise SkippedError("libfaketime is not installed")
        self._fresh(root)
        told = root.with_name("clock")
        told.write_text("+0")
        environment = os.environ | self._made().environment
        environment |= {"LD_PRELOAD": str(FAKETIME), "FAKETIME_TIMESTAMP_FILE": str(told)}
        environment |= {"FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        words = ["materialize", "--data", str(root), "--workers", "1"]
        command = [sys.executable, "-m", "enact_assets.cli", *words]
        log = root.with_name(f"{root.name}.log")
        with log.open("wb") as out:
            walk = subprocess.Popen(command, env=environment, stdout=out, stderr=out)  # noqa: S603
            while walk.poll() is None:
                days = self._random.choice([0.01, 1, 30, 3650]) * self._random.uniform(-1, 1)
                told.write_text(f"{days * DAY_S:+.0f}")
                time.sleep(self._random.uniform(0.05, 1.0))
        printed = log.read_text(errors="replace")
        if walk.returncode not in {0, 1} or "Traceback" in printed:
            self._lines.append(f"exit code {walk.returncode}: {printed[-1500:]}")
        self._goes_on(root)

    def _other_times(self, root: Path) -> None:
        """Files of 1970 and of 2200: their age must decide nothing."""
        self._copied(root)
        for path in sorted(p for p in root.rglob("*") if p.is_file() and "dagster" not in p.parts):
            at = self._random.choice([0.0, 7_258_118_400.0, time.time()])
            os.utime(path, (at, at), follow_symlinks=False)
        for path in self._some_files(root, "lake", 1):
            path.unlink()
        self._goes_on(root)


@contextmanager
def _disk(folder: Path) -> Iterator[Path]:
    """A small file system of its own. Errors: :class:`SkippedError` where none may be mounted."""
    folder.mkdir(exist_ok=True)
    if not _mounted("", f"size={DISK_MB}m", folder):
        raise SkippedError("nothing may be mounted: run as root, or under `unshare -rm`")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)  # noqa: S603, S607


def _mounted(how: str, options: str, folder: Path) -> bool:
    command = ["mount", "-o", ",".join(filter(None, (how, options)))]
    command += [str(folder)] if how else ["-t", "tmpfs", "tmpfs", str(folder)]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0  # noqa: S603
