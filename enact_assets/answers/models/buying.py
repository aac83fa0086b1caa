"""Sends requests and stores replies: over HTTP many at a time, in this process in batches."""

import asyncio
import os
import re
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from enact_assets.answers.models.answers import Answer
from enact_assets.answers.models.budget import Account, Budget, BudgetSpentError
from enact_assets.answers.models.client import FAILED_IN_A_ROW, Client
from enact_assets.answers.models.entries import Model
from enact_assets.answers.models.gate import Halt, without_answers
from enact_assets.answers.models.in_process_models import InProcess
from enact_assets.answers.models.ledger import Ledger
from enact_assets.answers.models.messages import PictureReader
from enact_assets.answers.models.replies import Reply
from enact_assets.answers.models.requested import Attempts, Request, answered, missing
from enact_assets.answers.models.wires import Pieces, Wire
from enact_assets.engine.errors import PredictionError

_ROUNDS = 4
"""Requests for which money is reserved together at most, in rounds of those in flight, where this
process runs the model. The first is alone, and the next after one that cost more than was reserved.
"""
_WAIT_S = 0.2
_LOOP_FILES = 16
"""More than a loop opens when it begins."""
_AT_FAULT = re.compile(r"BadRequest|\b(?:400|413|422)\b")
"""In words of a provider's library: the request is refused as it is."""
_T = TypeVar("_T")


@dataclass(frozen=True)
class Purchase:
    """Common parts of all requests of a run.

    ``folder`` is that of the exact model's ledger, ``snapshot`` the name that answered first.
    ``on_answer`` gets each line, ``told`` messages for people. ``at_fault`` receives hashes of
    requests that are refused as they are, for their length say. Errors of both methods: those of
    the ledger and of the reader of pictures; answers that are there are kept first.
    """

    model: Model
    read_picture: PictureReader
    folder: Path
    budget: Budget
    snapshot: str | None
    on_answer: Callable[[Request, Answer], None] = lambda _, __: None
    told: Callable[[str], None] = lambda _: None
    at_fault: set[str] = field(default_factory=set)

    def by_wire(self, requests: Sequence[Request], wire: Wire, key: str) -> dict[str, Answer]:
        """A line of the ledger for each of ``requests``, by its hash."""
        with self._opened() as (ledger, account):
            return _run(self._sent(requests, wire, key, ledger, account))

    def in_process(self, requests: Sequence[Request], asked: InProcess) -> dict[str, Answer]:
        """The same, for a model that this process runs. Until the first answer, requests go one by
        one, and the run stops after too many without any. Errors: also those of the model.
        """
        todo = _mixed(requests)
        found: dict[str, Answer] = {}
        reason, n_failed, is_answering = "", 0, False
        costs_money = any(request.most_usd for request in todo)
        size = 1
        most = _ROUNDS * max(1, self.model.entry.in_flight) if costs_money else len(todo)
        with self._opened() as (ledger, account):
            while not reason and len(found) < len(todo):
                batch = todo[len(found) : len(found) + size]
                held_usd, why = covered(batch, account, waits=True)
                # What others of the batch cost less than they could makes room for the next one.
                batch, reason = batch[: len(held_usd)], "" if held_usd else why
                told = self._answered(batch, asked)
                size = min(most, 2 * size) if costs_money else most
                for (request, answer), usd in zip(told, held_usd, strict=True):
                    ledger.put_soon(answer).result()
                    account.settle(usd, (answer.usd or 0.0) + answer.usd_unsure)
                    if account.costs_more(answer.usd or 0.0, request.most_usd, usd):
                        size = 1
                    found[request.sha] = answer
                    self.on_answer(request, answer)
                    if answer.error is None:
                        is_answering = True
                    elif not is_answering:
                        n_failed, size = n_failed + 1, 1
                        if n_failed >= FAILED_IN_A_ROW:
                            reason = without_answers(n_failed, answer.error)
        return found | self._left(requests, found, reason)

    @contextmanager
    def _opened(self) -> Iterator[tuple[Ledger, Account]]:
        ledger = Ledger(self.folder)
        account = Account(self.budget, ledger.path.name)
        try:
            yield ledger, account
        finally:
            ledger.close()
            account.close()

    async def _sent(
        self,
        requests: Sequence[Request],
        wire: Wire,
        key: str,
        ledger: Ledger,
        account: Account,
    ) -> dict[str, Answer]:
        found: dict[str, Answer] = {}
        halt = Halt()
        # In an order without meaning: questions that a model cannot take, say for their number of
        # pictures, are not all asked first and do not look like a model that refuses everything.
        todo = iter(sorted(requests, key=lambda request: request.sha))

        async def work(client: Client) -> None:
            for request in todo:
                try:
                    found[request.sha] = await client.ask(request)
                    self.on_answer(request, found[request.sha])
                except Exception as error:  # noqa: BLE001 - what is in flight is waited for first
                    halt.stop(str(error), error)
                if halt.reason is not None:
                    return

        client = Client(
            self.model, wire, key, Pieces(self.read_picture), snapshot=self.snapshot,
            ledger=ledger, account=account, halt=halt, told=self.told, at_fault=self.at_fault,
        )  # fmt: skip
        try:
            async with client, asyncio.TaskGroup() as group:
                for _ in range(min(len(requests), max(1, self.model.entry.in_flight))):
                    group.create_task(work(client))
        except BaseExceptionGroup as errors:
            # An interrupt that is raised within a request: nothing is waited for.
            raise errors.exceptions[0] from None
        if halt.error is not None:
            raise halt.error
        return found | self._left(requests, found, halt.reason or "")

    def _answered(
        self, batch: Sequence[Request], asked: InProcess
    ) -> Iterator[tuple[Request, Answer]]:
        """Each of ``batch`` with its line, as the model answers."""
        replies = asked.answers([request.message for request in batch], self.read_picture)
        for request in batch:
            attempts = Attempts()
            attempts.begin()
            reply = next(replies, None)
            if request.purpose != "question":
                attempts.end()  # in a batch, or of parallel requests, the time of one is unknown
            yield request, self._line(request, reply, attempts)

    def _line(
        self, request: Request, reply: Reply | Exception | None, attempts: Attempts
    ) -> Answer:
        if isinstance(reply, Reply):
            # A local model's words before its reasoning was left out.
            raw = getattr(reply, "written", None)
            return answered(self.model, request, reply, attempts, snapshot=self.snapshot, raw=raw)
        attempts.unsure = int(request.most_usd > 0)
        if reply is None:
            raise PredictionError(
                f"{self.model.name} gave no reply to question {request.message.question_id}: it "
                "must give one for each message, or an exception"
            )
        words = f"{type(reply).__name__}: {reply}"
        if not request.most_usd or _AT_FAULT.search(words):
            self.at_fault.add(request.sha)
        return missing(self.model, request, words, attempts)

    def _left(
        self, requests: Sequence[Request], found: dict[str, Answer], reason: str
    ) -> dict[str, Answer]:
        """Lines of the requests that the run did not reach."""
        left = [request for request in requests if request.sha not in found]
        lines = {request.sha: missing(self.model, request, reason) for request in left}
        for request in left:
            self.on_answer(request, lines[request.sha])
        return lines


def _mixed(requests: Sequence[Request]) -> list[Request]:
    """``requests``, the first of them in an order without meaning: a class that takes only some
    kinds of questions does not look like one that answers nothing.
    """
    if len(requests) <= FAILED_IN_A_ROW:
        return list(requests)
    first = {r.sha for r in sorted(requests, key=lambda r: r.sha)[:FAILED_IN_A_ROW]}
    return sorted(requests, key=lambda request: request.sha not in first)


def covered(
    requests: Sequence[Request], account: Account, *, waits: bool
) -> tuple[list[float], str]:
    """How much money could be reserved for each of the first ``requests``, and why none for the
    next one. With ``waits`` the first waits for money of others, if that can make room.
    """
    if not any(request.most_usd for request in requests):
        return [0.0] * len(requests), ""

    async def reserved() -> tuple[list[float], str]:
        held_usd = list[float]()
        for request in requests:
            try:
                usd = await account.reserve(request.most_usd, waits=waits and not held_usd)
            except BudgetSpentError as error:
                return held_usd, str(error)
            held_usd.append(usd)
        return held_usd, ""

    return _run(reserved())


def _check_files() -> None:
    """Errors: :class:`PredictionError` if too few files may be opened for a loop: uvloop would end
    the process.
    """
    opened = list[int]()
    try:
        while len(opened) < _LOOP_FILES:
            opened.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
    except OSError as error:
        raise PredictionError(
            f"no model can be asked, since this process may open no more files ({error.strerror}). "
            "Allow it more (`ulimit -n`) and run again; answers that came are kept."
        ) from error
    finally:
        for descriptor in opened:
            os.close(descriptor)


def _run(work: Coroutine[Any, Any, _T]) -> _T:
    """Run to the end in a loop of its own thread, a faster loop where it is installed.

    The waiting code here is interrupted. In an event loop, the interrupt would be raised in any
    running task, and be lost with it: Dagster raises its own exception, which asyncio does not
    know.
    """
    try:
        _check_files()
    except PredictionError:
        work.close()
        raise
    factory: Callable[[], asyncio.AbstractEventLoop] | None = None
    with suppress(ImportError):
        import uvloop

        factory = uvloop.new_event_loop
    ended: Future[_T] = Future()
    with asyncio.Runner(loop_factory=factory) as runner:
        loop = runner.get_loop()
        task = loop.create_task(work)

        def run() -> None:
            try:
                ended.set_result(loop.run_until_complete(task))
            except BaseException as error:  # noqa: BLE001 - raised where it is waited for
                ended.set_exception(error)

        thread = threading.Thread(target=copy_context().run, args=(run,), name="asking")
        thread.start()
        try:
            # In slices: a signal that the system hands to another thread wakes no wait of this one.
            while not wait([ended], _WAIT_S).done:
                pass
            return ended.result()
        finally:
            if not ended.done():
                loop.call_soon_threadsafe(task.cancel)
            thread.join()
