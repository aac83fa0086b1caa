"""Asks a model questions: from the ledger what it holds, the rest once, and keeps every answer.

One process at a time buys from one model; others wait, read what it has bought, and buy the rest.
"""

import datetime as dt
import itertools
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from enact_assets.asking.answers import Answer, Purpose
from enact_assets.asking.budget import NO_BUDGET, Budget
from enact_assets.asking.buying import Purchase
from enact_assets.asking.canary import Verdict, canary_message, canary_reader, verdict
from enact_assets.asking.in_process_models import InProcess, load_in_process
from enact_assets.asking.ledger import Kept, folder_of, read_kept
from enact_assets.asking.ledger_locks import locked
from enact_assets.asking.messages import Message, PictureReader, Target, request_sha
from enact_assets.asking.model_entries import Model
from enact_assets.asking.requested import Request, limit_of_tokens_out, missing, most_usd
from enact_assets.asking.wires import WIRES, Wire
from enact_assets.contracts.errors import PredictionError

MOST_UNREADABLE = 2
"""A reply that was paid for so often, each time without an answer, is not bought again."""
_TOLD_EVERY_S = 0.1

Key = tuple[str, int]
"""Question and repetition, which counts from 0."""


@dataclass(frozen=True)
class Progress:
    """How far a run is, in questions times repetitions; ``note`` is what a person should know."""

    n_total: int
    n_done: int = 0
    n_from_ledger: int = 0
    n_missing: int = 0
    usd: float = 0.0
    note: str = ""


def ask(
    model: Model,
    messages: Sequence[Message],
    read_picture: PictureReader,
    ledger_folder: Path,
    *,
    budget: Budget,
    told: Callable[[Progress], None] = lambda _: None,
    in_process: InProcess | None = None,
) -> dict[Key, Answer]:
    """The answers of ``model`` to ``messages``, ``model.entry.samples`` times each.

    Every question has a line: without an answer its text is null and ``error`` says why. The same
    message of several questions is asked once; its line names the question it was bought for.
    Interrupted at any time, all answers so far are in the ledger, and the next call goes on.
    ``in_process`` replaces the model that the channel would load.

    Errors: :class:`PredictionError` if pictures do not reach the model in order, or the ledger is
    damaged; :class:`~enact_assets.contracts.errors.OutputError` if it cannot be written;
    :class:`~enact_assets.contracts.errors.SettingsError` for wrong settings of the model; those of
    ``read_picture``.
    """
    if model.channel == "answers":
        raise PredictionError(
            f"{model.name} is not asked from here: import its answers with "
            "`enact-assets import-answers`."
        )
    run = _Run(model, canary_reader(read_picture), ledger_folder, budget, told)
    run.in_process = in_process
    return run.answers(messages)


def check(model: Model, ledger_folder: Path, *, budget: Budget) -> tuple[Answer, Verdict]:
    """Ask the first message of every model once more, and say whether it saw pictures in order.

    An answer of another model than the one that answered first is a line with an error. Errors: as
    :func:`ask`, but for pictures in another order.
    """
    run = _Run(model, canary_reader(lambda _: b""), ledger_folder, budget, lambda _: None)
    return run.checked_again()


class _Run:
    """One call of :func:`ask`, or of :func:`check`."""

    def __init__(
        self,
        model: Model,
        read_picture: PictureReader,
        ledger_folder: Path,
        budget: Budget,
        told: Callable[[Progress], None],
    ) -> None:
        self._model, self._read_picture = model, read_picture
        self._ledger_folder, self._budget = ledger_folder, budget
        self._told, self._told_at = told, 0.0
        self._progress = Progress(0)
        self._n_keys: Counter[str] = Counter()
        self._snapshot: str | None = None
        self.in_process: InProcess | None = None

    def answers(self, messages: Sequence[Message]) -> dict[Key, Answer]:
        model = self._model
        samples = max(1, model.entry.samples)
        self._progress = Progress(len(messages) * samples)
        self._tell()
        reason = self._checked_order()
        target = self._target(self._snapshot or model.asked_id)
        wanted: dict[str, Request] = {}
        shas: dict[Key, str] = {}
        for message in messages:
            bound = self._most_usd(message)
            for repetition in range(samples):
                sha = request_sha(target, message, repetition)
                wanted.setdefault(sha, Request(sha, message, repetition, bound))
                shas[message.question_id, repetition] = sha
        self._n_keys = Counter(shas.values())
        found = self._found(wanted, folder_of(self._ledger_folder, target), reason)
        self._tell()
        return {key: found[sha] for key, sha in shas.items()}

    def checked_again(self) -> tuple[Answer, Verdict]:
        model = self._model
        message = canary_message(model.entry.max_images)
        target = self._target(model.asked_id)
        folder = folder_of(self._ledger_folder, target)
        with self._alone(folder):
            kept = read_kept(folder).answers
            first = kept.get(request_sha(target, message))
            shas = (request_sha(target, message, n) for n in itertools.count())
            n, sha = next((n, sha) for n, sha in enumerate(shas) if sha not in kept)
            purpose: Purpose = "canary" if first is None else "check"
            request = Request(sha, message, n, self._most_usd(message), purpose)
            reason = self._why_nothing()
            if reason is not None:
                return missing(model, request, reason), "unreadable"
            self._snapshot = None if first is None else first.served_model
            answer = self._bought([request], folder)[sha]
        return answer, verdict(answer.text or "", model.entry.max_images)

    def _found(
        self, wanted: Mapping[str, Request], folder: Path, reason: str | None
    ) -> dict[str, Answer]:
        found, to_buy = self._sorted(wanted, read_kept(folder), reason)
        with self._alone(folder) if to_buy else nullcontext():
            if to_buy:  # another process may have bought some since
                found, to_buy = self._sorted(wanted, read_kept(folder), reason)
            for sha, answer in found.items():
                self._count(wanted[sha], answer, is_new=False)
            return found | self._bought(to_buy, folder) if to_buy else found

    def _sorted(
        self, wanted: Mapping[str, Request], kept: Kept, reason: str | None
    ) -> tuple[dict[str, Answer], list[Request]]:
        """Requests whose answer is known or that are not sent, and those to be bought."""
        found, to_buy = {}, []
        for sha, request in wanted.items():
            never = self._why_not(request)
            why = never or reason or self._why_not_again(kept.unreadable[sha])
            if sha in kept.answers:
                found[sha] = kept.answers[sha]
            elif why is not None:
                is_final = never is not None
                found[sha] = missing(self._model, request, why, is_final=is_final)
            else:
                to_buy.append(request)
        return found, to_buy

    def _checked_order(self) -> str | None:
        """Ask the canary unless its answer is known; why nothing else may be sent, if so.

        Errors: :class:`PredictionError` if the model does not see pictures in order.
        """
        model = self._model
        message = canary_message(model.entry.max_images)
        target = self._target(model.asked_id)
        sha = request_sha(target, message)
        folder = folder_of(self._ledger_folder, target)
        answer = read_kept(folder).answers.get(sha)
        reason = self._why_nothing()
        if answer is None and reason is None:
            request = Request(sha, message, 0, self._most_usd(message), "canary")
            with self._alone(folder):
                kept = read_kept(folder)
                answer = kept.answers.get(sha)
                reason = self._why_not_again(kept.unreadable[sha])
                if answer is None and reason is None:
                    answer = self._bought([request], folder)[sha]
        if answer is None:
            return reason
        if answer.error is not None:
            return f"the first message, which checks the order of pictures: {answer.error}"
        self._snapshot = answer.served_model
        seen = verdict(answer.text or "", model.entry.max_images)
        if seen == "changed":
            raise PredictionError(
                f"{model.name} sees pictures in another order than they are sent: it answered "
                f"{answer.text!r} to the first message (request {answer.request_sha[:12]} in "
                f"{folder}). Nothing else was asked. Look for what moves pictures between here and "
                "the model: a chat template, a gateway, a server."
            )
        if seen == "unreadable":
            self._tell(f"{model.name} could not read the numbers that check the order of pictures.")
        return reason

    def _why_nothing(self) -> str | None:
        """Why this model can be sent nothing at all."""
        model, price = self._model, self._model.price
        retired = model.entry.retired
        if retired is not None and retired <= dt.datetime.now(dt.UTC).date():
            return f"{model.name} was retired on {retired}: another model could answer"
        if price is None:
            return f"the price of {model.name} in USD is not known: set `price` in models.yaml"
        if (price.tokens_in or price.tokens_out) and not self._budget.is_set:
            return f"{model.name}: {NO_BUDGET}"
        if self._needs_key and not self._key:
            return f"{model.name} needs a key: set the environment variable {model.key_variable}"
        return None

    @property
    def _key(self) -> str:
        return os.environ.get(self._model.key_variable, "").strip()

    @property
    def _needs_key(self) -> bool:
        is_far = self._wire is not None and not self._model.is_local_server
        return is_far and bool(self._model.key_variable)

    def _why_not(self, request: Request) -> str | None:
        """Why this request is not sent. Pictures are never left out of one."""
        most = self._model.entry.max_images
        n = request.message.n_pictures
        if most is None or n <= most:
            return None
        return f"{n} pictures, and {self._model.name} takes {most} at most"

    @staticmethod
    def _why_not_again(n_unreadable: int) -> str | None:
        if n_unreadable < MOST_UNREADABLE:
            return None
        return f"paid for {n_unreadable} times without a readable answer; not bought again"

    @property
    def _wire(self) -> Wire | None:
        return WIRES.get(self._model.channel)

    def _target(self, snapshot: str) -> Target:
        wire, model = self._wire, self._model
        version = wire.version if wire is not None else self._loaded().version
        return Target(model.maker, model.channel, version, snapshot, model.parameters)

    def _loaded(self) -> InProcess:
        if self.in_process is None:
            self.in_process = load_in_process(self._model)
        return self.in_process

    def _most_usd(self, message: Message) -> float:
        return most_usd(self._model, message, limit_of_tokens_out(self._model))

    @contextmanager
    def _alone(self, folder: Path) -> Iterator[None]:
        """Hold the lock of one exact model."""
        note = f"another process asks {self._model.name}; waiting for it"
        with locked(folder / ".lock", lambda: self._tell(note)):
            yield

    def _bought(self, requests: Sequence[Request], folder: Path) -> dict[str, Answer]:
        """Ask ``requests`` now; a line for each."""
        purchase = Purchase(
            self._model, self._read_picture, folder, self._budget, self._snapshot, self._count
        )
        if self._wire is None:
            return purchase.in_process(requests, self._loaded())
        return purchase.by_wire(requests, self._wire, self._key)

    def _count(self, request: Request, answer: Answer, *, is_new: bool = True) -> None:
        """Report a line that was found or bought."""
        so_far = self._progress
        n = self._n_keys[request.sha]  # none for the canary
        usd = (answer.usd or 0.0) + answer.usd_unsure if is_new else 0.0
        self._progress = replace(
            so_far,
            n_done=so_far.n_done + n,
            n_from_ledger=so_far.n_from_ledger + (0 if is_new or answer.text is None else n),
            n_missing=so_far.n_missing + (n if answer.text is None else 0),
            usd=so_far.usd + usd,
        )
        now = time.monotonic()
        if now - self._told_at >= _TOLD_EVERY_S:
            self._tell()

    def _tell(self, note: str = "") -> None:
        self._told_at = time.monotonic()
        self._told(replace(self._progress, note=note))
