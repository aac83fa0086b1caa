"""Answers that are on disk before they count: JSON lines, one file per run, one line per answer.

::

    <ledger>/openai_responses/gpt-5-2025-08-07/1763870000000000000-3f9a.jsonl

A folder per channel and exact model, so that a run reads the answers of its own model only. One
thread writes all answers that wait and flushes them together. Files are only ever appended to, each
by the process that created it. ledger_lines.py defines the form of a line, and damage.
"""

import asyncio
import os
import queue
import secrets
import threading
import time
from collections import Counter
from concurrent.futures import Future
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import msgspec

from enact_assets.answers.models.answers import Answer
from enact_assets.answers.models.ledger_lines import (
    SUFFIX,
    decoded,
    ledger_files,
    line_of,
    rows_in,
    whole_lines,
)
from enact_assets.answers.models.messages import Target
from enact_assets.engine.errors import OutputError
from enact_assets.engine.system.atomic import flush_to_disk, make_folder

MOST_AT_ONCE = 500
"""Answers per group: each may be a megabyte."""
_LONGEST_NAME = 120

_Waiting = tuple[bytes, Future[None]]
# Decoding the raw reply would take most of the time of reading: it is left out.
_Row = msgspec.defstruct(
    "_Row",
    [
        (f.name, f.type) if f.required else (f.name, f.type, f.default)
        for f in msgspec.structs.fields(Answer)
        if f.name != "raw"
    ],
)


class Ledger:
    """A new file of answers in ``folder``. Use it in one process; any thread may call it.

    Errors of the constructor and of every ``put``: :class:`OutputError` if the file cannot be
    written. Nothing of the answers concerned is left in the file then.
    """

    def __init__(self, folder: Path) -> None:
        name = f"{time.time_ns()}-{secrets.token_hex(4)}{SUFFIX}"
        self.path = folder / name
        try:
            make_folder(folder)
            flags = os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_WRONLY
            self._file = os.open(self.path, flags, 0o644)
            flush_to_disk(folder)
        except OSError as error:
            raise _cannot_write(self.path, error) from error
        self._good = 0
        self._waiting: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write_groups, name=name, daemon=True)
        self._thread.start()

    def __enter__(self) -> "Ledger":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def put_soon(self, answer: Answer) -> Future[None]:
        """Pass an answer to the writer; the future is done when the answer is on disk."""
        done: Future[None] = Future()
        # A run that is interrupted cancels what waits. The answer is written all the same.
        done.set_running_or_notify_cancel()
        self._waiting.put((line_of(answer), done))
        return done

    async def put(self, answer: Answer) -> None:
        """Return when the answer is on disk."""
        await asyncio.wrap_future(self.put_soon(answer))

    def close(self) -> None:
        """Write all waiting answers and close the file; a file without answers is removed."""
        if not self._thread.is_alive():
            return
        self._waiting.put(None)
        self._thread.join()
        os.close(self._file)
        if not self._good:
            self.path.unlink(missing_ok=True)

    def _write_groups(self) -> None:
        is_open = True
        while is_open:
            group, is_open = self._next_group()
            failure: Exception | None = None
            try:
                self._append(b"".join(line for line, _ in group))
            except OSError as error:
                failure = _cannot_write(self.path, error)
            except Exception as error:  # noqa: BLE001 - or all who wait would wait for ever
                failure = error
            for _, done in group:
                if failure is None:
                    done.set_result(None)
                else:
                    done.set_exception(failure)

    def _next_group(self) -> tuple[list[_Waiting], bool]:
        """All waiting answers, and whether more may come."""
        group: list[_Waiting] = []
        while len(group) < MOST_AT_ONCE:
            if group and self._waiting.empty():
                break
            waiting = self._waiting.get()
            if waiting is None:
                return group, False
            group.append(waiting)
        return group, True

    def _append(self, lines: bytes) -> None:
        if not lines:
            return
        left = memoryview(lines)
        try:
            if os.fstat(self._file).st_size != self._good:
                os.ftruncate(self._file, self._good)  # that was not possible below
            while left:
                left = left[os.write(self._file, left) :]
            os.fdatasync(self._file)
        except OSError:
            os.ftruncate(self._file, self._good)  # no half line stays
            raise
        self._good += len(lines)


class Kept(NamedTuple):
    """Content of a ledger: the answer of each request, and how often an unreadable reply may have
    been paid for, by ``request_sha``.
    """

    answers: dict[str, Answer]
    unreadable: Counter[str]


def folder_of(ledger_folder: Path, target: Target) -> Path:
    """Folder of the answers of one exact model."""
    name = quote(target.snapshot, safe="+:@ ")
    if name.startswith(".") or not 0 < len(name) <= _LONGEST_NAME:
        name = sha256(target.snapshot.encode()).hexdigest()
    return ledger_folder / target.channel / name


def read_answers(folder: Path) -> dict[str, Answer]:
    """The answers below ``folder`` by ``request_sha``, without ``raw``; see :func:`read_kept`."""
    return read_kept(folder).answers


def read_kept(folder: Path) -> Kept:
    """Content of the files below ``folder``; of two answers to one request the first counts.

    A row with an error is not an answer. Errors: :class:`PredictionError` names file and line of
    one that is damaged.
    """
    kept = Kept({}, Counter())
    decoder: msgspec.json.Decoder[msgspec.Struct] = msgspec.json.Decoder(_Row)
    for path in ledger_files(folder):
        for row in rows_in(path, decoder):
            answer = Answer(*msgspec.structs.astuple(row))
            if answer.error is None:
                kept.answers.setdefault(answer.request_sha, answer)
            elif answer.is_unreadable and answer.usd_unsure > 0:
                kept.unreadable[answer.request_sha] += 1
    return kept


class _Cost(msgspec.Struct):
    usd: float | None = None
    usd_unsure: float = 0.0


class Spent:
    """Costs in the files below ``folder``; growing files are read from their former end on."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[str, tuple[int, int, float]] = {}
        self._decoder: msgspec.json.Decoder[_Cost] = msgspec.json.Decoder(_Cost)

    def usd_by_file(self) -> dict[str, float]:
        """Dollars by file name, unsure ones included. Errors: as :func:`read_kept`."""
        for path in ledger_files(self._folder):
            start, n_lines, usd = self._read.get(path.name, (0, 0, 0.0))
            try:
                if path.stat().st_size == start:
                    continue
                for line in whole_lines(path, start):
                    n_lines, start = n_lines + 1, start + len(line)
                    row = decoded(line, self._decoder, path, n_lines)
                    usd += (row.usd or 0.0) + row.usd_unsure
            except FileNotFoundError:
                continue  # its run ended without an answer
            self._read[path.name] = (start, n_lines, usd)
        return {name: usd for name, (_, _, usd) in self._read.items()}


def spent(folder: Path) -> tuple[float, float]:
    """Dollars of all answers below ``folder``, and the most that requests of unknown price may have
    cost. Errors: as :func:`read_kept`.
    """
    decoder = msgspec.json.Decoder(_Cost)
    rows = [row for path in ledger_files(folder) for row in rows_in(path, decoder)]
    return sum(row.usd or 0.0 for row in rows), sum(row.usd_unsure for row in rows)


def _cannot_write(path: Path, error: OSError) -> OutputError:
    return OutputError(
        f"{path}: an answer cannot be kept ({error.strerror or error}). Answers kept before are "
        "safe. Make the disk writable or free some space, and run again: no answer is bought twice."
    )
