"""The common struct of replies, shared functions of their readers, and errors that are refusals."""

import json
import re
from collections.abc import Mapping
from typing import Annotated, Any, Protocol

import msgspec

from enact_assets.answers.models.answers import Stop
from enact_assets.answers.models.stop_reasons import Stops, meaning_of

_LONGEST_WORDS = 300
"""Characters of a provider's own error message that are quoted."""
_LONGEST_NAME = 40
_ANSWERS = ("choices", "output", "content", "candidates")
"""Where the wire formats put answers."""
_COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")
_STATUS = re.compile(r"[45]\d\d", re.ASCII)
_PLAIN = re.compile(r"[A-Za-z]+(_[A-Za-z]+)+")
"""What YAML reads as a text without quotes."""
REFUSED_STATUS = frozenset({400, 403, 422, 451})
REFUSED_CODES = frozenset(
    {
        # OpenAI, in replies of status 400 and in responses that failed.
        "content_policy_violation", "image_content_policy_violation", "invalid_prompt",
        "moderation_blocked", "bio_policy", "misalignment_policy_violation",
        # Azure.
        "content_filter", "responsibleaipolicyviolation",
        # Alibaba: compatible mode, and its own format. Zhipu.
        "data_inspection_failed", "datainspectionfailed", "1301",
    }
)  # fmt: skip
"""Codes of errors that mean: the content was refused, the request was in order."""
REFUSED_WORDS = (
    "content filtering policy",  # Anthropic gives it no code of its own
    "responsible ai practices",  # Google
)


class ReplyError(ValueError):
    """A reply does not have the documented shape, so that it holds no answer."""


class Reply(msgspec.Struct, frozen=True):
    """A reply: ``text`` without the model's thinking; of a refusal, the words of the refusal.

    Tokens are as in :class:`~enact_assets.answers.models.answers.Answer`; null where the provider
    gave no usable count.
    """

    text: str
    stop: Stop
    served_model: str | None = None
    tokens_in: int | None = None
    tokens_in_cached: int | None = None
    tokens_out: int | None = None
    tokens_reasoning: int | None = None
    is_in_reasoning: bool = False
    """Whether there is no text, and the server gave some as reasoning."""


Tokens = tuple[int, int | None, int, int | None]
"""In, cached ones of these, out, those of reasoning among these; None: not said."""
Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class Usage(Protocol):
    """What a provider counted."""

    def tokens(self) -> Tokens:
        """The four counts."""


def is_refusal(status: int, body: bytes) -> bool:
    """Whether a reply that is an error means that the content was refused, not the request.

    Status 403 can be one (OpenRouter), so ask this before a status stops a run.
    """
    if status not in REFUSED_STATUS:
        return False
    try:
        got = msgspec.json.decode(body)
    except (ValueError, RecursionError):
        return False
    error = _mapping(error_within(got)) or _mapping(_mapping(got).get("error")) or _mapping(got)
    inner, meta = _mapping(error.get("innererror")), _mapping(error.get("metadata"))
    given = (error.get("code"), error.get("type"), inner.get("code"))
    codes = {str(code).lower() for code in given if isinstance(code, (str, int))}
    message = error.get("message")
    words = message.lower() if isinstance(message, str) else ""
    return (
        bool(codes & REFUSED_CODES)
        or any(found in words for found in REFUSED_WORDS)
        or "flagged_input" in meta  # OpenRouter
    )


def error_within(reply: Any) -> Any:
    """The error that a reply of status 200 holds instead of an answer, as gateways send it for a
    model that failed behind them: in place of answers, or in the first choice. None without one.
    """
    got = _mapping(reply)
    if got.get("error") and not any(got.get(name) for name in _ANSWERS):
        return got["error"]
    choices = got.get("choices")
    choice = _mapping(choices[0] if isinstance(choices, list) and choices else None)
    message, reason = _mapping(choice.get("message")), choice.get("finish_reason")
    if message.get("refusal") or not (reason is None or isinstance(reason, str)):
        return None
    error = choice.get("error")
    if meaning_of(reason) == "failed":
        return error or {"message": f"finish_reason {reason!r}"}
    # Beside a text that was finished, it is a note of the server.
    return error if error and not (reason and message.get("content")) else None


def status_within(reply: Any) -> int:
    """The status that a reply of status 200 means: another one where it holds an error and nothing
    of an answer.
    """
    error = error_within(reply)
    if error is None:
        return 200
    code = _mapping(error).get("code")
    if isinstance(code, str) and _STATUS.fullmatch(code):
        code = int(code)
    return code if isinstance(code, int) and 400 <= code < 600 else 500


def counts_tokens(reply: Any) -> bool:
    """Whether a reply of status 200 that holds an error says that tokens were used."""
    usage = _mapping(_mapping(reply).get("usage"))
    return any(isinstance(usage.get(name), int) and usage[name] > 0 for name in _COUNTS)


def shaped(reply: Any, shape: Any) -> Any:
    """``reply`` as ``shape``, a type for msgspec. Errors: :class:`ReplyError`."""
    try:
        return msgspec.convert(reply, shape)
    # A lone surrogate where a name is expected is a UnicodeError, which is a ValueError too.
    except (ValueError, RecursionError) as error:
        raise ReplyError(f"not the documented shape: {error}{own_words(reply)}") from error


def tokens_of_usage(usage: Any, shape: type[Usage]) -> Tokens | None:
    """Counts of ``usage``; None where they are missing or impossible."""
    try:
        return possible_tokens(msgspec.convert(usage, shape).tokens())
    except (ValueError, RecursionError):
        return None


def possible_tokens(counts: Tokens) -> Tokens | None:
    """``counts``; None where a part is more than the whole, or less than nothing."""
    whole, cached, out, reasoning = counts
    return counts if 0 <= (cached or 0) <= whole and 0 <= (reasoning or 0) <= out else None


def stop_of(reason: str, stops: Stops) -> Stop:
    """What ``reason`` means in ``stops``. Errors: :class:`ReplyError` for an unknown one."""
    if reason not in stops:
        raise unknown_stop(reason)
    return stops[reason]


def unknown_stop(reason: str) -> ReplyError:
    """The error for an unknown reason to stop, which says what to add."""
    words = reason[:_LONGEST_WORDS]
    name = words if _PLAIN.fullmatch(words) else json.dumps(words)
    return ReplyError(
        f"unknown reason to stop: {quoted(reason)}. If it says that the answer is whole, add "
        f"`stops: {{{name}: complete}}` to the model's entry in models.yaml; `cut` or `refused` if "
        "it says that"
    )


def text_of(text: Any, what: str) -> str:
    """``text`` if it is one. Errors: :class:`ReplyError` names ``what``."""
    if not isinstance(text, str):
        raise ReplyError(f"not the documented shape: {what} part is missing or no text")
    return text


def reply_of(text: str, stop: Stop, model: str | None, tokens: Tokens | None) -> Reply:
    """The reply, with text that can be written."""
    named = None if model is None else _whole_characters(model)
    return Reply(_whole_characters(text), stop, named, *(tokens or (None, None, None, None)))


def _whole_characters(text: str) -> str:
    """``text`` with surrogates paired, or replaced: half a character cannot be written."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def own_words(reply: Any) -> str:
    """What a provider says is wrong, where it does so with status 200; of a gateway also what the
    provider behind it said.
    """
    error = error_within(reply) or _mapping(reply).get("error")
    message = _mapping(error).get("message", error)
    words = f"; it says {quoted(message)}" if isinstance(message, str) and message else ""
    behind = _mapping(_mapping(error).get("metadata"))
    raw, name = behind.get("raw"), behind.get("provider_name")
    if not raw:
        return words
    said = raw if isinstance(raw, str) else json.dumps(raw)
    who = ascii(name[:_LONGEST_NAME])[1:-1] if isinstance(name, str) and name else "its provider"
    return f"{words}; {who} says {quoted(said)}"


def quoted(words: str) -> str:
    """The beginning of ``words``, safe to print."""
    return ascii(words[:_LONGEST_WORDS])


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
