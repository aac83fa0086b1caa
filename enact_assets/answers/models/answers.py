"""An answer as stored, and the outcome of a question."""

from typing import Any, Literal

import msgspec

Stop = Literal["complete", "cut", "refused"]
"""Why a model stopped: it was done, it reached a limit of tokens, it or its provider refused."""
Purpose = Literal["question", "canary", "check", "picture"]


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of the ledger: the reply to one request, or why there is none.

    ``text`` is null only together with an ``error``: an empty, cut or refused answer is an answer.
    For purpose ``picture`` it is the hash of the returned picture, which is the name of its file.
    ``tokens_in`` includes cached tokens, ``tokens_out`` those of reasoning. ``usd`` is null if the
    price is unknown, or the reply did not count its tokens. ``unsure`` counts attempts whose charge
    is not known, for that reason or because they got no whole reply: each may have been charged up
    to ``usd_unsure / unsure``. ``is_unreadable``: a whole reply came, without an answer in it.
    ``raw`` is the whole reply, if it is not too long. Times are seconds, ``sent_at`` since 1970.
    """

    request_sha: str
    question_id: str
    model: str
    """The id that was asked for."""
    repetition: int = 0
    purpose: Purpose = "question"
    text: str | None = None
    stop: Stop | None = None
    served_model: str | None = None
    tokens_in: int | None = None
    tokens_in_cached: int | None = None
    tokens_out: int | None = None
    tokens_reasoning: int | None = None
    usd: float | None = None
    usd_unsure: float = 0.0
    latency_s: float | None = None
    sent_at: float | None = None
    attempts: int = 0
    unsure: int = 0
    error: str | None = None
    is_unreadable: bool = False
    is_final: bool = False
    """Whether asking again would give the same result, so that a missing answer is not a
    failure.
    """
    is_in_reasoning: bool = False
    """As in :class:`~enact_assets.answers.models.replies.Reply`."""
    raw: Any = None
