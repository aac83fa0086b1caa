"""Four wire formats: one message with texts and pictures in order, as each provider takes it.

Parameters are those of the provider, at the top level of the request as it names them (Google:
``generationConfig``). One is ours: ``picture_detail``, which OpenAI's two formats want on each
picture (``detail``). Without it none is sent, and the provider's default holds.

A request is a list of pieces. The base64 of a picture is one of them, made once per content and
shared by all requests in flight, so that memory grows with pictures and not with requests.
"""

import base64
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec

from enact_assets.answers.models.entries import PictureWireName, WireName
from enact_assets.answers.models.messages import Part, PictureReader, Text
from enact_assets.answers.models.replies import Count, Reply, ReplyError, is_refusal, shaped
from enact_assets.answers.models.reply_readers import (
    read_anthropic,
    read_google,
    read_openai_chat,
    read_openai_responses,
)
from enact_assets.answers.models.stop_reasons import Stops
from enact_assets.engine.errors import PredictionError

__all__ = ["WIRES", "CountRequest", "Pieces", "Reply", "ReplyError", "Wire", "is_refusal"]

DETAIL = "picture_detail"
_HOLE = "\N{OBJECT REPLACEMENT CHARACTER}"
"""Placeholder in a template, which is replaced by an unchanged value."""
_json = msgspec.json.encode
_PNG = "data:image/png;base64,"
_FIXED = ("model", "stream", "background", "n", "generationConfig.candidateCount")
"""What parameters may not set: it would change the form of the reply, or buy answers unread."""


class Pieces:
    """Pictures in base64, encoded once per content; the least recently used ones are dropped.

    ``limit_bytes`` bounds what is kept here, not what requests in flight still hold. May be used
    by several threads.
    """

    def __init__(self, read: PictureReader, limit_bytes: int = 256 << 20) -> None:
        self._read, self._limit = read, limit_bytes
        self._size = 0
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._lock = Lock()

    def base64_of(self, sha: str) -> bytes:
        """The picture of this hash. Errors: those of the reader."""
        with self._lock:
            if sha in self._kept:
                self._kept.move_to_end(sha)
                return self._kept[sha]
        made = base64.b64encode(self._read(sha))
        with self._lock:
            if sha not in self._kept:
                self._kept[sha] = made
                self._size += len(made)
            while self._size > self._limit and len(self._kept) > 1:
                self._size -= len(self._kept.popitem(last=False)[1])
        return made


class CountRequest(NamedTuple):
    """A request that counts tokens and costs nothing: address and body, headers as always."""

    url: str
    body: list[bytes]


class _Counting(NamedTuple):
    """How a provider counts the tokens of a request: which of its ``parameters`` it takes there
    (none: all), and in which ``field`` of the reply the number is.
    """

    path: str
    field: str
    parameters: tuple[str, ...] = ()
    wrapped_in: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """A wire format. ``version`` is that of the API; it decides answers like a parameter.

    ``limits`` are the parameters that limit tokens of output, with dots between levels; the first
    that is set counts. ``turns`` and ``parts`` name the list of messages and the list of parts in
    each. ``picture`` makes a part from base64 and, where the format ``takes_detail``, from what is
    put beside the picture.
    """

    name: WireName | PictureWireName
    version: str
    path: str
    key_header: str
    key_prefix: str = ""
    version_header: str = ""
    limits: tuple[str, ...]
    turns: str
    parts: str = "content"
    names_model: bool = True
    takes_detail: bool = False
    text: Callable[[str], Mapping[str, Any]]
    picture: Callable[[str, Mapping[str, Any]], Mapping[str, Any]]
    reader: Callable[[Any, Stops], Reply]
    counting: _Counting | None = None

    def url(self, base_url: str, asked_id: str) -> str:
        """Where a request is posted; ``base_url`` has no slash at its end."""
        return base_url + self.path.format(model=quote(_google_name(asked_id)))

    def headers(self, key: str | None) -> dict[str, str]:
        """All headers that matter; without ``key`` (a server that wants none) none has it."""
        found = {"content-type": "application/json"}
        if self.version_header:
            found[self.version_header] = self.version
        if key is not None:
            found[self.key_header] = self.key_prefix + key
        return found

    def body(
        self, asked_id: str, parameters: Mapping[str, Any], parts: Sequence[Part], pieces: Pieces
    ) -> list[bytes]:
        """The request as JSON, in pieces that follow each other.

        Errors: :class:`PredictionError` for a parameter that cannot be set, and those of the
        reader of pictures.
        """
        beside = self._checked(parameters)
        others = {name: value for name, value in parameters.items() if name != DETAIL}
        return self._filled(self._request(asked_id, others), beside, parts, pieces)

    def read(self, reply: Any, stops: Stops = MappingProxyType({})) -> Reply:
        """What the decoded JSON of a reply says; ``stops`` is what an entry says of reasons to
        stop.

        Errors: :class:`ReplyError` where it does not have the documented shape.
        """
        return self.reader(reply, stops)

    def most_tokens_out(self, parameters: Mapping[str, Any]) -> int | None:
        """The limit of output tokens that ``parameters`` set; None if they set none."""
        limits = (_found(parameters, limit) for limit in self.limits)
        return next((limit for limit in limits if type(limit) is int and limit > 0), None)

    def count_request(
        self,
        base_url: str,
        asked_id: str,
        parameters: Mapping[str, Any],
        parts: Sequence[Part],
        pieces: Pieces,
    ) -> CountRequest | None:
        """The request that counts the tokens of this one; None if the provider has none.

        Errors: as :meth:`body`.
        """
        counting = self.counting
        if counting is None:
            return None
        beside = self._checked(parameters)
        taken = {n: parameters[n] for n in counting.parameters or parameters if n in parameters}
        request = self._request(asked_id, taken)
        if counting.wrapped_in:
            request = {counting.wrapped_in: {"model": _google_name(asked_id), **request}}
        path = counting.path.format(model=quote(_google_name(asked_id)))
        return CountRequest(base_url + path, self._filled(request, beside, parts, pieces))

    def count(self, reply: Any) -> int:
        """Tokens that the decoded reply to a :meth:`count_request` gives.

        Errors: :class:`ReplyError`.
        """
        if self.counting is None:
            raise ReplyError(f"{self.name} does not count tokens")
        counts = shaped(reply, dict[str, Any])
        found: int = shaped(counts.get(self.counting.field), Count)
        return found

    def _checked(self, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        """What is put beside each picture, if ``parameters`` set nothing they may not."""
        banned = [name for name in (*_FIXED, self.turns) if _found(parameters, name) is not None]
        if banned:
            raise PredictionError(
                f"`parameters` of a model cannot set {', '.join(banned)}: the request needs its "
                "own value there. For several answers to a question set `samples`."
            )
        if DETAIL not in parameters:
            return {}
        if not self.takes_detail:
            raise PredictionError(
                f"`{DETAIL}` is a parameter of OpenAI's formats; {self.name} has none. Google "
                "takes `generationConfig: {mediaResolution: ...}` instead."
            )
        return {"detail": parameters[DETAIL]}

    def _request(self, asked_id: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The request with a hole instead of its parts. It comes last: see :meth:`_filled`."""
        model = {"model": asked_id} if self.names_model else {}
        return {**model, **parameters, self.turns: [{"role": "user", self.parts: _HOLE}]}

    def _filled(
        self,
        request: Mapping[str, Any],
        beside: Mapping[str, Any],
        parts: Sequence[Part],
        pieces: Pieces,
    ) -> list[bytes]:
        # Parameters may hold the same character, so the last hole is the one.
        opening, _, closing = _json(request).rpartition(_json(_HOLE))
        before, _, after = _json(self.picture(_HOLE, beside)).partition(_HOLE.encode())
        body, glue = [], opening + b"["
        for at, part in enumerate(parts):
            if at:
                glue += b","
            if isinstance(part, Text):
                glue += _json(self.text(part.text))
            else:
                body += [glue + before, pieces.base64_of(part.sha)]
                glue = after
        return [*body, glue + b"]" + closing]


def _found(parameters: Mapping[str, Any], name: str) -> Any:
    """The value of a dotted name; None if there is none."""
    found: Any = parameters
    for level in name.split("."):
        found = found.get(level) if isinstance(found, Mapping) else None
    return found


def _google_name(asked_id: str) -> str:
    return asked_id if "/" in asked_id else f"models/{asked_id}"


_ALL = (
    Wire(
        name="openai_chat",
        version="v1",
        path="/chat/completions",
        key_header="authorization",
        key_prefix="Bearer ",
        limits=("max_completion_tokens", "max_tokens"),
        turns="messages",
        takes_detail=True,
        text=lambda text: {"type": "text", "text": text},
        picture=lambda data, beside: {
            "type": "image_url",
            "image_url": {"url": _PNG + data, **beside},
        },
        reader=read_openai_chat,
    ),
    Wire(
        name="openai_responses",
        version="v1",
        path="/responses",
        key_header="authorization",
        key_prefix="Bearer ",
        limits=("max_output_tokens",),
        turns="input",
        takes_detail=True,
        text=lambda text: {"type": "input_text", "text": text},
        picture=lambda data, beside: {"type": "input_image", "image_url": _PNG + data, **beside},
        reader=read_openai_responses,
        counting=_Counting(
            "/responses/input_tokens",
            "input_tokens",
            ("instructions", "reasoning", "text", "tool_choice", "tools", "truncation"),
        ),
    ),
    Wire(
        name="anthropic",
        # The last version that takes a temperature.
        version="2023-06-01",
        path="/v1/messages",
        key_header="x-api-key",
        version_header="anthropic-version",
        limits=("max_tokens",),
        turns="messages",
        text=lambda text: {"type": "text", "text": text},
        picture=lambda data, _: {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": data},
        },
        reader=read_anthropic,
        counting=_Counting(
            "/v1/messages/count_tokens",
            "input_tokens",
            ("output_config", "system", "thinking", "tool_choice", "tools"),
        ),
    ),
    Wire(
        name="google",
        version="v1beta",
        path="/v1beta/{model}:generateContent",
        key_header="x-goog-api-key",
        limits=("generationConfig.maxOutputTokens",),
        turns="contents",
        parts="parts",
        names_model=False,
        text=lambda text: {"text": text},
        picture=lambda data, _: {"inlineData": {"mimeType": "image/png", "data": data}},
        reader=read_google,
        # Within a whole request, because `mediaResolution` decides what pictures count.
        counting=_Counting(
            "/v1beta/{model}:countTokens", "totalTokens", wrapped_in="generateContentRequest"
        ),
    ),
)
WIRES: Mapping[str, Wire] = MappingProxyType({wire.name: wire for wire in _ALL})
