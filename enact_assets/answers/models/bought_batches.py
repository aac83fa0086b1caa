"""Questions bought in batches: submitted now, collected later, in other processes.

The plan of a batch is on disk before anything is sent, and its id before anything is collected. If
a process dies at any point, the next one finds its batch in the provider's list: nothing is bought
twice, and nothing that was paid for is lost. Money for a batch is reserved in an account of the
budget until its answers are in the ledger.
"""

import dataclasses
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from msgspec.structs import replace

from enact_assets.answers.models.answers import Answer
from enact_assets.answers.models.batch_providers import (
    BatchError,
    BatchHttp,
    BatchProvider,
    Planned,
    Result,
    batch_provider,
)
from enact_assets.answers.models.batch_records import (
    Batch,
    BatchedRequest,
    read_batches,
    remove_batch,
    waiting,
    write_batch,
)
from enact_assets.answers.models.budget import Account, Budget
from enact_assets.answers.models.buying import covered
from enact_assets.answers.models.entries import Model
from enact_assets.answers.models.keys import key_of
from enact_assets.answers.models.ledger import Ledger, read_kept
from enact_assets.answers.models.ledger_locks import locked
from enact_assets.answers.models.messages import Message, PictureReader
from enact_assets.answers.models.posting import MOST_RAW_BYTES
from enact_assets.answers.models.replies import ReplyError, is_refusal
from enact_assets.answers.models.requested import Attempts, Request, answered, refused, unreadable
from enact_assets.answers.models.session import to_be_bought
from enact_assets.answers.models.wires import WIRES, Pieces, Wire
from enact_assets.engine.errors import PredictionError

SHARE_OF_PRICE = 0.5
"""Price of an answer in a batch, relative to the normal one. Source: price pages of the three
providers, 2026-11-22.
"""


@dataclass
class Submitted:
    """The submitted requests; ``usd`` is the most that they can cost. ``why_not_all``: reason."""

    n_requests: int = 0
    n_batches: int = 0
    n_waiting: int = 0
    usd: float = 0.0
    why_not_all: str = ""


@dataclass
class Collected:
    """Numbers of answers and open requests; ``reasons`` of requests without an answer."""

    n_answers: int = 0
    n_without: int = 0
    n_open: int = 0
    usd: float = 0.0
    reasons: list[str] = field(default_factory=list)


def submit(
    model: Model,
    messages: Sequence[Message],
    read_picture: PictureReader,
    ledger_folder: Path,
    *,
    budget: Budget,
    told: Callable[[str], None] = lambda _: None,
) -> Submitted:
    """Submit all of ``messages`` that are neither in the ledger nor in a batch.

    The model's first message is asked immediately, as always: its answer shows which exact model an
    alias means.
    Errors: :class:`BatchError` where the provider refuses, or it is unknown whether it accepted:
    then :func:`collect` finds out; those of :func:`~enact_assets.answers.models.session.ask`.
    """
    wire = _wire(model)
    requests, purchase, reason = to_be_bought(
        model, messages, read_picture, ledger_folder, budget=budget
    )
    done, folder = Submitted(why_not_all=reason or ""), purchase.folder
    with locked(folder / ".lock", lambda: told(f"another process asks {model.name}")):
        provider = _provider(model, wire)
        done.n_waiting = sum(len(b.requests) for b in _resolved(provider, folder, budget))
        known = read_kept(folder).answers.keys() | waiting(folder)
        left = [
            dataclasses.replace(request, most_usd=request.most_usd * SHARE_OF_PRICE)
            for request in requests
            if request.sha not in known
        ]
        pieces = Pieces(purchase.read_picture)
        for part in _split(left, model, wire, pieces, provider):
            label = f"{time.time_ns()}-{secrets.token_hex(4)}"
            account = Account(budget, f"{label}.jsonl")
            asked = [request for request, _ in part]
            whole = _batch(label, model, purchase.snapshot, asked)
            # Before money is reserved: without a record the reservation would never be released.
            write_batch(folder, whole)
            held_usd, why = covered(asked, account, waits=False)
            account.close()
            n = len(held_usd)
            if not n:
                _close(folder, whole, budget)
            else:
                batch = replace(whole, requests=whole.requests[:n])
                _submit_one(provider, folder, batch, part[:n], budget)
                done.n_batches += 1
                done.n_requests += n
                done.usd += sum(request.most_usd for request in asked[:n])
            if why:
                done.why_not_all = why
                break
    return done


def collect(model: Model, folder: Path, *, budget: Budget) -> Collected:
    """Put answers of batches that ended into the ledger ``folder`` of one exact model.

    Requests that expired or failed cost nothing and may be asked again. Errors:
    :class:`BatchError`, those of the ledger.
    """
    model, done = _at_half_price(model), Collected()
    wire = _wire(model)
    with locked(folder / ".lock"):
        provider = _provider(model, wire)
        for batch in _resolved(provider, folder, budget):
            said = None if batch.batch_id is None else provider.ended(batch.batch_id)
            if said is None or batch.batch_id is None:
                done.n_open += len(batch.requests)
                continue
            kept = read_kept(folder).answers
            results = provider.results(batch.batch_id, said)
            n_before = done.n_answers
            try:
                with Ledger(folder) as ledger:
                    for answer in _answers(model, batch, results, set(kept), done):
                        ledger.put_soon(answer).result()
                        done.n_answers += answer.error is None
                        done.usd += (answer.usd or 0.0) + answer.usd_unsure
            except BatchError as error:
                if error.status != 400:  # only a batch that failed as a whole ends here
                    raise
                done.reasons.append(str(error))
            n_known = sum(sha in kept for sha in batch.shas)
            done.n_without += len(batch.requests) - n_known - (done.n_answers - n_before)
            _close(folder, batch, budget)
    return done


def ledger_folders(ledger_folder: Path) -> list[Path]:
    """Ledger folders of exact models with batches."""
    return sorted({path.parents[1] for path in ledger_folder.glob("*/*/batches/*.json")})


def _wire(model: Model) -> Wire:
    wire = WIRES.get(model.channel)
    if wire is None:
        raise PredictionError(
            f"{model.name} has no batch API: OpenAI, Anthropic and Google have one. Ask it with "
            "`enact-assets materialize --model`."
        )
    return wire


def _at_half_price(model: Model) -> Model:
    price = model.entry.price
    if price is None:
        return model
    cached = price.tokens_in_cached
    half = replace(
        price,
        tokens_in=price.tokens_in * SHARE_OF_PRICE,
        tokens_out=price.tokens_out * SHARE_OF_PRICE,
        tokens_in_cached=None if cached is None else cached * SHARE_OF_PRICE,
    )
    return replace(model, entry=replace(model.entry, price=half))


def _provider(model: Model, wire: Wire) -> BatchProvider:
    key = key_of(model)
    http = BatchHttp(model.base_url, wire.headers(key or None), key)
    return batch_provider(http, wire, model.asked_id)


def _resolved(provider: BatchProvider, folder: Path, budget: Budget) -> list[Batch]:
    """Submitted batches; for each one without an id, the provider's list shows whether it was
    submitted.

    Errors: :class:`BatchError` if that cannot be known yet.
    """
    batches = read_batches(folder)
    known = frozenset(b.batch_id for b in batches if b.batch_id is not None)
    found = []
    for batch in batches:
        if batch.batch_id is None:
            planned = Planned(batch.label, batch.shas, batch.planned_at)
            batch_id, is_certain = provider.find(planned, known)
            if batch_id is None and is_certain:
                _close(folder, batch, budget)
                continue
            if batch_id is not None:
                batch = replace(batch, batch_id=batch_id)  # noqa: PLW2901 - as it is now
                write_batch(folder, batch)
                known |= {batch_id}
        found.append(batch)
    return found


def _split(
    requests: Sequence[Request], model: Model, wire: Wire, pieces: Pieces, provider: BatchProvider
) -> Iterator[list[tuple[Request, list[bytes]]]]:
    """``requests`` with their bodies, in parts of at most the provider's limit."""
    part: list[tuple[Request, list[bytes]]] = []
    size = 0
    for request in requests:
        body = wire.body(model.asked_id, model.parameters, request.message.parts, pieces)
        more = sum(map(len, body)) + 200
        if part and (size + more > provider.most_bytes or len(part) >= provider.most_requests):
            yield part
            part, size = [], 0
        part.append((request, body))
        size += more
    if part:
        yield part


def _batch(label: str, model: Model, snapshot: str | None, requests: Sequence[Request]) -> Batch:
    rows = [
        BatchedRequest(r.sha, r.message.question_id, r.repetition, r.most_usd) for r in requests
    ]
    return Batch(label, model.name, snapshot, time.time(), tuple(rows))


def _submit_one(
    provider: BatchProvider,
    folder: Path,
    batch: Batch,
    part: Sequence[tuple[Request, list[bytes]]],
    budget: Budget,
) -> None:
    write_batch(folder, batch)
    try:
        batch_id = provider.submit(batch.label, [(r.sha, body) for r, body in part])
    except BatchError as error:
        if 400 <= error.status < 500:
            _close(folder, batch, budget)
        raise
    write_batch(folder, replace(batch, batch_id=batch_id))


def _close(folder: Path, batch: Batch, budget: Budget) -> None:
    # The record is removed last: without it the reservation would never be released.
    budget.closed(f"{batch.label}.jsonl", 0.0, 0.0)
    remove_batch(folder, batch)


def _answers(
    model: Model,
    batch: Batch,
    results: Iterator[Result],
    known: set[str],
    done: Collected,
) -> Iterator[Answer]:
    """Lines of results that are not in the ledger; each once."""
    wire, asked = _wire(model), {request.sha: request for request in batch.requests}
    for result in results:
        row = asked.get(result.sha)
        if row is None or result.sha in known:
            continue
        known.add(result.sha)
        message = Message(row.question_id, ())
        request = Request(row.sha, message, row.repetition, row.most_usd)
        attempts = Attempts(n=1, sent_at=batch.planned_at)
        if result.status == 200:
            try:
                reply = wire.read(result.reply, model.entry.stops)
            except ReplyError as error:
                yield unreadable(model, request, str(error), attempts, result.reply)
                continue
            raw = result.reply if len(str(result.reply)) <= MOST_RAW_BYTES else None
            yield answered(model, request, reply, attempts, snapshot=batch.snapshot, raw=raw)
        elif is_refusal(result.status, msgspec.json.encode(result.reply)):
            yield refused(model, request, result.words, attempts)
        else:
            done.reasons.append(result.words or "no result")
