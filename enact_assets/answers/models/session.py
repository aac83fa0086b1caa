"""Asks a model questions: reuses answers in the ledger, asks the other questions once, and stores
every answer.

One process at a time buys from one model; others wait, read what it has bought, and buy the rest.
"""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from msgspec.structs import replace as replace_fields

from enact_assets.answers.models.answers import Answer, Purpose
from enact_assets.answers.models.batch_records import waiting
from enact_assets.answers.models.budget import Budget
from enact_assets.answers.models.buying import Purchase
from enact_assets.answers.models.canary import (
    Verdict,
    canary_message,
    canary_messages,
    canary_reader,
    verdict,
)
from enact_assets.answers.models.entries import Model
from enact_assets.answers.models.in_process_models import InProcess, load_in_process
from enact_assets.answers.models.keys import keeping_key_in, key_of
from enact_assets.answers.models.ledger import Kept, folder_of, read_kept
from enact_assets.answers.models.ledger_locks import locked
from enact_assets.answers.models.messages import Message, PictureReader, Target, request_sha
from enact_assets.answers.models.not_asked import why_not, why_not_again, why_nothing
from enact_assets.answers.models.prompt_lengths import why_cut
from enact_assets.answers.models.requested import Request, limit_of_tokens_out, missing, most_usd
from enact_assets.answers.models.wires import WIRES, Wire
from enact_assets.engine.errors import PredictionError
from enact_assets.engine.progress import Progress, unheard

_TOLD_EVERY_S = 0.1
IN_BATCH = "it is in a batch: `enact-assets batch collect` fetches the answer"

Key = tuple[str, int]
"""Question and repetition, which counts from 0."""


@dataclass(frozen=True)
class Asking(Progress):
    """How far a run is, in questions times repetitions; answers of the ledger are ``free``."""

    n_missing: int = 0
    usd: float = 0.0


def ask(
    model: Model,
    messages: Sequence[Message],
    read_picture: PictureReader,
    ledger_folder: Path,
    *,
    budget: Budget,
    on_progress: Callable[[Asking], None] = unheard,
    in_process: InProcess | None = None,
) -> dict[Key, Answer]:
    """The answers of ``model`` to ``messages``, ``model.entry.samples`` times each.

    Every question has a line: without an answer its text is null and ``error`` says why. The same
    message of several questions is asked once; its line names the question it was bought for. After
    an interruption at any time, all answers so far are in the ledger, and the next call continues.
    ``in_process`` replaces the model that the channel would load.

    Errors: :class:`PredictionError` if pictures do not reach the model in order, the ledger is
    damaged, or answers of the model are imported;
    :class:`~enact_assets.engine.errors.OutputError` if it cannot be written;
    :class:`~enact_assets.engine.errors.SettingsError` for wrong settings of the model; those of
    ``read_picture``.
    """
    run = _Run(model, canary_reader(read_picture), ledger_folder, budget, on_progress)
    run.in_process = in_process
    with keeping_key_in(model):
        return run.answers(messages)


def to_be_bought(
    model: Model,
    messages: Sequence[Message],
    read_picture: PictureReader,
    ledger_folder: Path,
    *,
    budget: Budget,
) -> tuple[list[Request], Purchase, str | None]:
    """Requests that :func:`ask` would send now, without those in batches, and how it would buy
    them; none if there is a reason to send nothing, the last. The model's first message is asked.

    Errors: as :func:`ask`.
    """
    run = _Run(model, canary_reader(read_picture), ledger_folder, budget, unheard)
    with keeping_key_in(model):
        return run.to_be_bought(messages)


def check(model: Model, ledger_folder: Path, *, budget: Budget) -> tuple[Answer, Verdict]:
    """Ask the first message of every model once more, and say whether it saw pictures in order.

    From then on this answer decides whether the model may be asked. An answer of another model than
    the one that answered first is a line with an error. Errors: as :func:`ask`, but for pictures in
    another order.
    """
    run = _Run(model, canary_reader(lambda _: b""), ledger_folder, budget, unheard)
    with keeping_key_in(model):
        return run.checked_again()


def _has(answers: Sequence[tuple[Message, Answer]], message: Message) -> bool:
    return any(shown == message for shown, _ in answers)


def _in_reasoning(model: str, answers: Collection[Answer]) -> str:
    """Warning about answers that a server returned as reasoning; empty without such answers."""
    n = sum(answer.is_in_reasoning for answer in answers)
    if not n:
        return ""
    return (
        f"Model {model}: {n:,} of {len(answers):,} answers are empty, since the server put the "
        "text into `reasoning_content`. They count as unparsed. Turn thinking on in the model's "
        "parameters, or the server's reasoning parser off, and ask again."
    )


class _Run:
    """One call of :func:`ask`, or of :func:`check`."""

    def __init__(
        self,
        model: Model,
        read_picture: PictureReader,
        ledger_folder: Path,
        budget: Budget,
        on_progress: Callable[[Asking], None],
    ) -> None:
        if model.channel == "answers":
            raise PredictionError(
                f"{model.name} is not asked from here: import its answers with "
                "`enact-assets import-answers`."
            )
        self._model, self._read_picture = model, read_picture
        self._ledger_folder, self._budget = ledger_folder, budget
        self._on_progress, self._told_at = on_progress, 0.0
        self._progress = Asking(0)
        self._n_keys: Counter[str] = Counter()
        self._snapshot: str | None = None
        self._at_fault = set[str]()
        self.in_process: InProcess | None = None

    def answers(self, messages: Sequence[Message]) -> dict[Key, Answer]:
        model = self._model
        samples = max(1, model.entry.samples)
        self._progress = Asking(0, len(messages) * samples)
        self._tell()
        if not messages:
            return {}
        reason = self._checked_order(messages)
        target, folder = self._place(self._snapshot)
        wanted, shas = self._wanted(messages, target)
        self._n_keys = Counter(shas.values())
        found = self._found(wanted, folder, reason)
        self._tell(_in_reasoning(model.name, found.values()))
        if cut := why_cut((wanted[sha].message, answer) for sha, answer in found.items()):
            self._tell(f"Model {model.name}: {cut}.")
        # What a question without an answer did cost is in the ledger. Here only the run that paid
        # would know it, and no later one.
        for sha, answer in found.items():
            if answer.error is not None:
                found[sha] = replace_fields(answer, usd=None, stop=None)
        return {key: found[sha] for key, sha in shas.items()}

    def to_be_bought(
        self, messages: Sequence[Message]
    ) -> tuple[list[Request], Purchase, str | None]:
        reason = self._checked_order(messages)
        target, folder = self._place(self._snapshot)
        wanted, _ = self._wanted(messages, target)
        _, to_buy = self._sorted(wanted, read_kept(folder), waiting(folder), reason)
        return to_buy, self._purchase(folder), reason

    def _wanted(
        self, messages: Sequence[Message], target: Target
    ) -> tuple[dict[str, Request], dict[Key, str]]:
        """All requests by their hash, and the hash of each question and repetition."""
        wanted: dict[str, Request] = {}
        shas: dict[Key, str] = {}
        for message in messages:
            bound = self._most_usd(message)
            for repetition in range(max(1, self._model.entry.samples)):
                sha = request_sha(target, message, repetition)
                wanted.setdefault(sha, Request(sha, message, repetition, bound))
                shas[message.question_id, repetition] = sha
        return wanted, shas

    def checked_again(self) -> tuple[Answer, Verdict]:
        model = self._model
        message = canary_message(model.entry.max_images)
        target, folder = self._place()
        with self._alone(folder):
            before = self._first_answers()
            n = sum(shown == message for shown, _ in before)
            sha = request_sha(target, message, n)
            purpose: Purpose = "check" if before else "canary"
            request = Request(sha, message, n, self._most_usd(message), purpose)
            reason = why_nothing(model, self._budget)
            if reason is not None:
                return missing(model, request, reason), "unreadable"
            self._snapshot = before[0][1].served_model if before else None
            answer = self._bought([request], folder)[sha]
        return answer, verdict(answer.text or "", model.entry.max_images)

    def _found(
        self, wanted: Mapping[str, Request], folder: Path, reason: str | None
    ) -> dict[str, Answer]:
        batched = waiting(folder)
        found, to_buy = self._sorted(wanted, read_kept(folder), batched, reason)
        with self._alone(folder) if to_buy else nullcontext():
            if to_buy:  # another process may have bought some since
                batched = waiting(folder)
                found, to_buy = self._sorted(wanted, read_kept(folder), batched, reason)
            for sha, answer in found.items():
                self._count(wanted[sha], answer, is_new=False)
            return found | self._bought(to_buy, folder) if to_buy else found

    def _sorted(
        self,
        wanted: Mapping[str, Request],
        kept: Kept,
        batched: Collection[str],
        reason: str | None,
    ) -> tuple[dict[str, Answer], list[Request]]:
        """Requests whose answer is known or that are not sent, and those to be bought."""
        found, to_buy = {}, []
        for sha, request in wanted.items():
            never = why_not(self._model, request.message)
            why = never or reason or why_not_again(self._model, kept.unreadable[sha])
            if sha in batched:
                why = why or IN_BATCH
            if sha in kept.answers:
                found[sha] = kept.answers[sha]
            elif why is not None:
                is_final = never is not None
                found[sha] = missing(self._model, request, why, is_final=is_final)
            else:
                to_buy.append(request)
        return found, to_buy

    def _checked_order(self, messages: Sequence[Message]) -> str | None:
        """Ask the canary unless an answer is known, or none of ``messages`` is to be bought; why
        nothing else may be sent, if so.

        Its first answer says which model an alias means, its latest whether pictures keep their
        order. Errors: :class:`PredictionError` if they do not.
        """
        model = self._model
        message, (_, folder) = canary_message(model.entry.max_images), self._place()
        answers = self._first_answers()
        reason = why_nothing(model, self._budget)
        if reason is None and not _has(answers, message) and self._buys(messages, answers):
            with self._alone(folder):
                answers = self._first_answers()
                if not _has(answers, message):
                    answers = self._with_canary(message, answers)
        if not answers:
            return reason
        (_, first), (shown, latest) = answers[0], answers[-1]
        if latest.error is not None and model.channel == "python":
            # Its own code may read the wording of questions. What it cannot answer is missing.
            self._tell(
                f"Model {model.name} failed at the first message, numbers on pictures that check "
                f"their order, which is no question. It is asked all the same. ({latest.error})"
            )
            return reason
        self._snapshot = first.served_model if first.error is None else None
        if latest.error is not None:
            return f"the first message, which checks the order of pictures: {latest.error}"
        seen = verdict(latest.text or "", shown.n_pictures)
        if seen == "changed":
            raise PredictionError(
                f"{model.name} sees pictures in another order than they are sent: it answered "
                f"{latest.text!r} to the first message (request {latest.request_sha[:12]} in "
                f"{folder}). Nothing else was asked. Look for what moves pictures between here and "
                "the model: a chat template, a gateway, a server. Then "
                f"`enact-assets models {model.name} --check` asks it again."
            )
        if seen == "unreadable":
            name = model.name
            self._tell(f"Model {name} could not read the numbers that check the order of pictures.")
        return reason

    def _with_canary(
        self, message: Message, answers: Sequence[tuple[Message, Answer]]
    ) -> list[tuple[Message, Answer]]:
        """``answers`` and that to ``message``, the first one; if a model takes fewer pictures than
        it has, ``answers``, or one to the shorter message of before.
        """
        self._snapshot = answers[0][1].served_model if answers else None
        answer = self._canary(message)
        fewer = canary_messages(self._model.entry.max_images)[0]
        is_at_fault = answer.request_sha in self._at_fault and self._model.channel != "python"
        if not is_at_fault or fewer == message:
            return [*answers, (message, answer)]
        found = list(answers) or [(fewer, self._canary(fewer))]
        if found[-1][1].error is None:
            self._tell(
                f"Model {self._model.name} takes fewer than {message.n_pictures} pictures: set "
                f"`max_images` in models.yaml. It refused the first message of "
                f"{message.n_pictures} pictures, which checks their order; its answer to one of "
                f"{fewer.n_pictures} counts. ({answer.error})"
            )
        return found

    def _canary(self, message: Message) -> Answer:
        target, folder = self._place()
        sha = request_sha(target, message)
        request = Request(sha, message, 0, self._most_usd(message), "canary")
        return self._bought([request], folder)[sha]

    def _buys(
        self, messages: Sequence[Message], first_answers: Sequence[tuple[Message, Answer]]
    ) -> bool:
        """Whether the ledger lacks an answer to any of ``messages`` that may be sent."""
        if not first_answers and self._model.channel != "python":
            return True  # it is unknown which exact model's answers to look for
        target, folder = self._place(first_answers[0][1].served_model if first_answers else None)
        wanted, _ = self._wanted(messages, target)
        return bool(self._sorted(wanted, read_kept(folder), waiting(folder), None)[1])

    def _first_answers(self) -> list[tuple[Message, Answer]]:
        """The first message and kept answers to it: as it was before, then as it is, those of
        checks last.
        """
        target, folder = self._place()
        kept = read_kept(folder).answers
        found: list[tuple[Message, Answer]] = []
        for message in canary_messages(self._model.entry.max_images):
            n = 0
            while (answer := kept.get(request_sha(target, message, n))) is not None:
                found.append((message, answer))
                n += 1
        return found

    @property
    def _wire(self) -> Wire | None:
        return WIRES.get(self._model.channel)

    def _place(self, served: str | None = None) -> tuple[Target, Path]:
        """What decides answers of the exact model ``served``, by default the one that is asked for,
        and the folder of its ledger.
        """
        wire = self._wire
        version = wire.version if wire is not None else self._loaded().version
        target = self._model.target(version, served or self._model.asked_id)
        return target, folder_of(self._ledger_folder, target)

    def _loaded(self) -> InProcess:
        if self.in_process is None:
            self.in_process = load_in_process(self._model)
        return self.in_process

    def _most_usd(self, message: Message) -> float:
        return most_usd(self._model, message, limit_of_tokens_out(self._model))

    @contextmanager
    def _alone(self, folder: Path) -> Iterator[None]:
        """Hold the lock of one exact model."""
        note = f"Another process asks {self._model.name}. Waiting for it."
        with locked(folder / ".lock", lambda: self._tell(note)):
            yield

    def _purchase(self, folder: Path) -> Purchase:
        return Purchase(
            *(self._model, self._read_picture, folder, self._budget, self._snapshot),
            on_answer=self._count,
            told=self._tell,
            at_fault=self._at_fault,
        )

    def _bought(self, requests: Sequence[Request], folder: Path) -> dict[str, Answer]:
        """Ask ``requests`` now; a line for each."""
        purchase = self._purchase(folder)
        if self._wire is None:
            return purchase.in_process(requests, self._loaded())
        return purchase.by_wire(requests, self._wire, key_of(self._model))

    def _count(self, request: Request, answer: Answer, *, is_new: bool = True) -> None:
        """Report a line that was found or bought."""
        so_far = self._progress
        n = self._n_keys[request.sha]  # none for the canary
        usd = (answer.usd or 0.0) + answer.usd_unsure if is_new else 0.0
        self._progress = replace(
            so_far,
            done=so_far.done + n,
            free=so_far.free + (0 if is_new or answer.text is None else n),
            n_missing=so_far.n_missing + (n if answer.text is None else 0),
            usd=so_far.usd + usd,
        )
        now = time.monotonic()
        if now - self._told_at >= _TOLD_EVERY_S:
            self._tell()

    def _tell(self, note: str = "") -> None:
        self._told_at = time.monotonic()
        so_far = self._progress
        notes = [f"{so_far.free:,} known"] if so_far.free else []
        notes += [f"{so_far.n_missing:,} missing"] if so_far.n_missing else []
        notes += [f"{so_far.usd:.2f} USD"] if so_far.usd else []
        unit = f"answers ({', '.join(notes)})" if notes else "answers"
        self._on_progress(replace(so_far, unit=unit, note=note))
