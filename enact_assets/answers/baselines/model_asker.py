"""Asks models of a data root: answers come from the ledger, from imported files, or are bought."""

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import msgspec
import polars as pl
from PIL import Image

from enact_assets.answers.baselines.known_models import KnownModels
from enact_assets.answers.imported.answer_files import (
    NONE_IMPORTED,
    NOT_IMPORTED,
    OTHER_SHOWN,
    imported_answers,
    is_shown,
)
from enact_assets.answers.models.answers import Answer
from enact_assets.answers.models.budget import Budget
from enact_assets.answers.models.canary import Verdict
from enact_assets.answers.models.entries import Model
from enact_assets.answers.models.messages import PICTURE_PX, Message, Target, request_sha
from enact_assets.answers.models.session import ask, check
from enact_assets.answers.people.annotator_names import role_of
from enact_assets.answers.people.content import message_sha
from enact_assets.engine.errors import PredictionError
from enact_assets.engine.progress import OnProgress, unheard
from enact_assets.settings.paths import DataRoot

Answers = Mapping[tuple[str, int], Answer]
"""(id of the question, repetition) -> its outcome."""


@dataclass(frozen=True)
class ModelAsker:
    """Asks the models of one data root.

    ``read_png`` gives a picture by its content. ``usd_until`` is the maximum total cost of all
    answers in the ledger; with None, nothing that costs money is bought. ``on_progress`` gets
    :class:`~enact_assets.answers.models.session.Asking`.
    """

    data_root: DataRoot
    read_png: Callable[[str], bytes]
    usd_until: float | None = None
    on_progress: OnProgress = unheard
    _kept: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict)

    def __call__(self, name: str, variant: str, messages: Sequence[Message]) -> Answers:
        """Answers of model ``name`` to ``messages`` of ``variant``.

        Errors: :class:`UnknownNameError`, :class:`SettingsError`; :class:`PredictionError` if it
        cannot be asked at all.
        """
        model = self._model(name)
        if role_of(name) is not None:
            return self._annotator(name, variant, messages)
        if model.channel == "answers":
            return self._imported(name, variant, messages)
        return ask(
            model,
            messages,
            self.read_shown,
            self.data_root.ledger,
            budget=Budget(self.data_root.ledger, self.usd_until),
            on_progress=self.on_progress,
        )

    def check(self, name: str) -> tuple[Answer, Verdict]:
        """As :func:`enact_assets.answers.models.session.check`."""
        budget = Budget(self.data_root.ledger, self.usd_until)
        return check(self._model(name), self.data_root.ledger, budget=budget)

    def max_missing(self, name: str) -> int:
        """How many questions may stay without an answer; of a pair, by the entry of its reader.
        Errors: as :meth:`__call__`.
        """
        _, reader = self.pair(name) or ("", name)
        return self._model(reader).entry.max_missing

    def chosen(self, name: str, questions: pl.DataFrame) -> pl.DataFrame:
        """As :meth:`KnownModels.chosen`."""
        return KnownModels(self.data_root).chosen(name, questions)

    def pair(self, name: str) -> tuple[str, str] | None:
        """As :meth:`KnownModels.pair`."""
        return KnownModels(self.data_root).pair(name)

    def read_shown(self, sha: str) -> bytes:
        """The picture in the form for models: a PNG file, 512 pixels square."""
        return as_shown(self.read_png(sha))

    def _model(self, name: str) -> Model:
        found = KnownModels(self.data_root).find_made(name)
        if found is None:
            raise PredictionError(f"{name} is a reference baseline: it is not asked")
        return found

    def is_asked(self, name: str, variant: str, question_id: str) -> bool:
        """Whether model ``name`` is asked a question; for an annotator, whether it was assigned."""
        return role_of(name) is None or question_id in self._assigned(name, variant)

    def _assigned(self, name: str, variant: str) -> frozenset[str]:
        if (name, variant) not in self._kept:
            answered = KnownModels(self.data_root).answered
            self._kept[name, variant] = answered.assigned(name, variant)
        return self._kept[name, variant]

    def _annotator(self, name: str, variant: str, messages: Sequence[Message]) -> Answers:
        """Only of assigned questions, as the others are not missing."""
        given = KnownModels(self.data_root).answered.given(name, variant, messages)
        found = {}
        for message in messages:
            if (said := given.get(message.question_id)) is not None:
                sha = request_sha(Target(name, "answers", "1", name, {}), message)
                found[message.question_id, 0] = Answer(
                    sha,
                    message.question_id,
                    name,
                    text=said.text,
                    error=said.error,
                    stop=None if said.text is None else "complete",
                    latency_s=said.seconds,
                    is_final=True,
                )
        return found

    def _imported(self, name: str, variant: str, messages: Sequence[Message]) -> Answers:
        shown = {message.question_id: message_sha(message) for message in messages}
        known = imported_answers(self.data_root, name, variant, shown)
        absent = NOT_IMPORTED if known else NONE_IMPORTED
        found = {}
        for message in messages:
            sha = request_sha(Target(name, "answers", "1", name, {}), message)
            answer = Answer(sha, message.question_id, name, error=absent, is_final=True)
            given = known.get(message.question_id)
            if given is not None and is_shown(given, shown[message.question_id]):
                values = msgspec.structs.asdict(given)
                del values["shown_sha"]
                answer = msgspec.structs.replace(answer, error=None, **values)
            elif given is not None:
                answer = msgspec.structs.replace(answer, error=OTHER_SHOWN)
            found[message.question_id, 0] = answer
        return found


@lru_cache(128)
def as_shown(png: bytes) -> bytes:
    """``png`` scaled to the square that models are shown; unchanged if it is one already.

    The latest are kept: many questions show the same pictures.
    """
    with Image.open(io.BytesIO(png)) as image:
        if image.size == (PICTURE_PX, PICTURE_PX):
            return png
        shown = image.convert("RGB").resize((PICTURE_PX, PICTURE_PX), Image.Resampling.LANCZOS)
    out = io.BytesIO()
    shown.save(out, "PNG")
    return out.getvalue()
