"""Makes a batch of demonstrations in one process, and writes it as a whole or not at all.

::

    <output>/batch-000012/qa.parquet      one file per table, all demonstrations of the batch
<output>/batch-000012/manifest.json   its inputs, numbers of rows, failures

The folder is written under a temporary name and renamed, so a reader of ``batch-*/qa.parquet``
never sees half a batch. A batch whose manifest names the same inputs, settings and code is not made
again.
"""

import json
import re
import shutil
import time
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

from enact_assets.engine.errors import EnactError, MaterializationError, OutputError
from enact_assets.engine.ids import content_sha, sha256_bytes
from enact_assets.engine.lake.parquet_files import write_file
from enact_assets.engine.package_files import file_bytes
from enact_assets.engine.system.atomic import flush_to_disk, temporary_name
from enact_assets.engine.system.local_places import LocalPlace
from enact_assets.engine.tables import table
from enact_assets.pipeline.bulk.chain import (
    TABLES,
    BulkSettings,
    StageClock,
    tables_of_demonstration,
)
from enact_assets.pipeline.bulk.sources import BulkSource
from enact_assets.settings.classes import settings_sha

FORMAT = 1
MANIFEST = "manifest.json"
MAX_MESSAGE_CHARACTERS = 2_000
_NAME = re.compile(r"batch-(\d{6})")
_PASSING = (OSError, MemoryError)
"""Errors of the machine, not of the input."""
_PACKAGE = Path(__file__).parents[2]
_CODE = ("engine", "settings", "demonstrations", "questions", "pipeline/steps", "pipeline/bulk")


@dataclass(frozen=True)
class BulkFailure:
    """A demonstration without rows: the stage that failed, and the error's message."""

    demonstration: str
    stage: str
    error: str
    message: str


@dataclass(frozen=True)
class Manifest:
    """Metadata of a finished batch.

    ``notes`` maps demonstration -> reason why it has no questions although nothing failed;
    ``seconds`` are CPU seconds by stage.
    """

    key: str
    settings_sha: str
    settings: Mapping[str, Any]
    demonstrations: tuple[str, ...]
    failures: tuple[BulkFailure, ...]
    notes: Mapping[str, str]
    n_rows: Mapping[str, int]
    content: Mapping[str, str]
    seconds: Mapping[str, float]

    @classmethod
    def read(cls, folder: Path) -> "Manifest | None":
        """The manifest in ``folder``; None if it does not exist or cannot be read."""
        try:
            found = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
            found["demonstrations"] = tuple(found["demonstrations"])
            found["failures"] = tuple(BulkFailure(**failure) for failure in found["failures"])
            return cls(**found)
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def write(self, folder: Path) -> None:
        """Write the manifest into ``folder``, and flush it to disk."""
        path = folder / MANIFEST
        path.write_text(json.dumps(asdict(self), indent=1), encoding="utf-8")
        flush_to_disk(path)
        flush_to_disk(folder)


@dataclass(frozen=True)
class BatchTask:
    """A batch to make: the ``number``-th of ``output``, by code with this hash."""

    output: Path
    number: int
    sources: tuple[BulkSource, ...]
    settings: BulkSettings
    code_sha: str


def batch_folder(output: Path, number: int) -> Path:
    """Path of batch ``number``."""
    return output / f"batch-{number:06d}"


def batch_folders(output: Path) -> dict[int, Path]:
    """Existing batches, by number."""
    found = ((_NAME.fullmatch(p.name), p) for p in sorted(output.iterdir()) if p.is_dir())
    return {int(name[1]): path for name, path in found if name}


def make_batch(task: BatchTask) -> tuple[Manifest, bool]:
    """Make one batch, unless it exists already; returns its manifest, and whether it was made.

    A demonstration that fails for any reason is recorded and has no rows. Errors:
    :class:`OutputError` if the batch cannot be written, :class:`MaterializationError` if this
    process runs other code than the process that created the task. Nothing of the batch is kept
    then.
    """
    if code_sha() != task.code_sha:
        raise MaterializationError(
            f"{task.output}: the code changed while batches were made; batch {task.number} was not "
            "written. Finished batches are kept. Run it again."
        )
    folder = batch_folder(task.output, task.number)
    identities, unknown = _identities(task.sources)
    sha = settings_sha(task.settings)
    key = content_sha([FORMAT, sha, task.code_sha, identities])
    before = Manifest.read(folder)
    if before is not None and before.key == key:
        return before, False
    clock = StageClock()
    parts: dict[str, list[pl.DataFrame]] = {name: [table(name).empty()] for name in TABLES}
    failures, notes = dict(unknown), {}
    for source in task.sources:
        if source.demonstration in failures:
            continue
        try:
            with clock.running("load"):
                replay = source.load()
            made = tables_of_demonstration(replay, task.settings, clock)
        except Exception as error:  # noqa: BLE001 - one of 10,000 must not stop the others
            failures[source.demonstration] = _failure(source.demonstration, clock.stage, error)
            if isinstance(error, _PASSING):
                key = _never()
            continue
        for name, rows in made.tables.items():
            parts[name].append(rows)
        if made.note is not None:
            notes[source.demonstration] = made.note
    names = tuple(source.demonstration for source in task.sources)
    with _landing(folder) as temporary:
        with clock.running("write"):
            tables = {name: pl.concat(parts.pop(name)) for name in TABLES}
            content = {
                name: write_file(
                    LocalPlace(temporary),
                    f"{name}.parquet",
                    table(name),
                    {"batch": folder.name},
                    rows,
                )
                for name, rows in tables.items()
            }
        manifest = Manifest(
            key,
            sha,
            asdict(task.settings),
            names,
            tuple(failures[name] for name in names if name in failures),
            notes,
            {name: rows.height for name, rows in tables.items()},
            content,
            clock.seconds,
        )
        manifest.write(temporary)
    return manifest, True


@contextmanager
def _landing(folder: Path) -> Iterator[Path]:
    """Give a temporary folder to write to; on leaving without error it is renamed to ``folder``."""
    temporary = temporary_name(folder)
    try:
        temporary.mkdir(parents=True)
        yield temporary
        remove_batch(folder)
        temporary.rename(folder)
        flush_to_disk(folder.parent)
    except OSError as error:
        raise OutputError(
            f"{folder}: the batch cannot be written ({error.strerror or error}). The batch was "
            "removed and finished batches are kept. Free some space and run again."
        ) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def remove_batch(folder: Path) -> None:
    """Remove a batch if it exists; no reader sees it half removed."""
    if folder.exists():
        aside = temporary_name(folder)
        folder.rename(aside)
        shutil.rmtree(aside)


@cache
def code_sha() -> str:
    """Hash of the code that decides the rows. A batch made by other code is made again."""
    files = sorted(
        path
        for stage in _CODE
        for path in (_PACKAGE / stage).rglob("*")
        if path.suffix in {".py", ".txt"}
    )
    return content_sha([[str(p.relative_to(_PACKAGE)), sha256_bytes(file_bytes(p))] for p in files])


def _identities(
    sources: Iterable[BulkSource],
) -> tuple[list[list[str]], dict[str, BulkFailure]]:
    """Name and identity of each source, and failures of sources without an identity."""
    identities, failures = [], {}
    for source in sources:
        try:
            identities.append([source.demonstration, source.identity])
        except (EnactError, OSError) as error:
            identities.append([source.demonstration, _never()])
            failures[source.demonstration] = _failure(source.demonstration, "load", error)
    return identities, failures


def _never() -> str:
    """A key that no later run has, so that failures of the machine are tried again."""
    return f"unfinished {time.time_ns()}"


def _failure(demonstration: str, stage: str, error: Exception) -> BulkFailure:
    message = str(error) or repr(error)
    if not isinstance(error, EnactError | OSError):
        # An error of the code, not of the input: name the line.
        last = traceback.extract_tb(error.__traceback__)[-1]
        message = f"{message} ({Path(last.filename).name}:{last.lineno}, in {last.name})"
    return BulkFailure(demonstration, stage, type(error).__name__, message[:MAX_MESSAGE_CHARACTERS])
