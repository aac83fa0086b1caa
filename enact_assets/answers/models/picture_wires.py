"""Wire formats of models that edit a picture: OpenAI's ``images/edits``, and Gemini's pictures.

A request is a prompt and one picture, a reply one picture. The picture is handed to ``keep`` while
the reply is read, before any line of the ledger counts; the text of the answer is the result of
``keep``, and replaces the picture in the reply.
"""

import base64
import binascii
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec

from enact_assets.answers.models.entries import Channel, PictureWireName
from enact_assets.answers.models.messages import Part, Text
from enact_assets.answers.models.replies import Count, Reply, ReplyError, Tokens, reply_of, shaped
from enact_assets.answers.models.replies import tokens_of_usage as tokens_of
from enact_assets.answers.models.reply_readers import read_google
from enact_assets.answers.models.wires import WIRES, Pieces, Wire
from enact_assets.engine.errors import PredictionError

PICTURE_VERSIONS: Mapping[Channel, str] = MappingProxyType(
    {"openai_images": "v1", "google_images": WIRES["google"].version}
)
_FIXED = ("model", "prompt", "image", "image[]", "n", "stream", "response_format")
_BOUNDARY = "enact-picture-7d1f0b6e52c94a38"
_MOST_TOKENS_OUT = 8_192
"""Of a picture of OpenAI's models: 6,240 is what they charge for the largest of high quality."""
Keep = Callable[[bytes], str]


def picture_wire(name: PictureWireName, keep: Keep) -> Wire:
    """The wire format ``name``, whose replies hand their picture to ``keep``."""
    if name == "google_images":
        reader = lambda reply, _: _read_google(reply, keep)  # noqa: E731 - a field of the wire
        return dataclasses.replace(WIRES["google"], name=name, reader=reader)
    chat = WIRES["openai_chat"]
    fields = {f.name: getattr(chat, f.name) for f in dataclasses.fields(chat)}
    changes = {
        "name": name,
        "path": "/images/edits",
        "limits": (),
        "takes_detail": False,
        "reader": lambda reply, _: _read_openai(reply, keep),
    }
    return _Multipart(**{**fields, **changes})


class _Multipart(Wire):
    """OpenAI's form: fields and a file instead of JSON."""

    __slots__ = ()

    def headers(self, key: str | None) -> dict[str, str]:
        found = Wire.headers(self, key)
        return {**found, "content-type": f"multipart/form-data; boundary={_BOUNDARY}"}

    def most_tokens_out(self, parameters: Mapping[str, Any]) -> int | None:  # noqa: ARG002
        return _MOST_TOKENS_OUT

    def body(
        self, asked_id: str, parameters: Mapping[str, Any], parts: Sequence[Part], pieces: Pieces
    ) -> list[bytes]:
        banned = [name for name in _FIXED if name in parameters]
        if banned:
            raise PredictionError(
                f"`parameters` of a model that edits pictures cannot set {', '.join(banned)}: the "
                "request needs its own value there."
            )
        prompt = "\n".join(part.text for part in parts if isinstance(part, Text))
        found = [
            _field(name, str(value).encode())
            for name, value in {"model": asked_id, "prompt": prompt, **parameters}.items()
        ]
        for part in parts:
            if not isinstance(part, Text):
                png = base64.b64decode(pieces.base64_of(part.sha))
                found.append(_field("image", png, '; filename="picture.png"', "image/png"))
        return [*found, f"--{_BOUNDARY}--\r\n".encode()]


def _field(name: str, value: bytes, more: str = "", kind: str = "") -> bytes:
    head = f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{more}\r\n'
    head += f"Content-Type: {kind}\r\n" if kind else ""
    return head.encode() + b"\r\n" + value + b"\r\n"


class _Usage(msgspec.Struct):
    input_tokens: Count
    output_tokens: Count

    def tokens(self) -> Tokens:
        return self.input_tokens, None, self.output_tokens, None


class _Made(msgspec.Struct):
    b64_json: str


class _Pictures(msgspec.Struct):
    data: list[_Made]
    model: str | None = None
    usage: Any = None


def _read_openai(reply: Any, keep: Keep) -> Reply:
    """A reply of images/edits. Errors: :class:`ReplyError`, those of ``keep``."""
    got = shaped(reply, _Pictures)
    if len(got.data) != 1:
        raise ReplyError(f"{len(got.data)} pictures where one was asked for")
    sha = keep(_decoded(got.data[0].b64_json))
    reply["data"][0]["b64_json"] = sha
    return reply_of(sha, "complete", got.model, tokens_of(got.usage, _Usage))


class _Data(msgspec.Struct, rename="camel"):
    data: str


class _PicturePart(msgspec.Struct, rename="camel"):
    inline_data: _Data | None = None
    thought: bool = False


def _read_google(reply: Any, keep: Keep) -> Reply:
    """A reply of generateContent with a picture in it; without one it is a refusal, if it says so.

    Errors: :class:`ReplyError`, those of ``keep``.
    """
    said = read_google(reply)
    if said.stop == "refused":
        return said
    parts = reply["candidates"][0].get("content", {}).get("parts", [])
    found = [
        (raw["inlineData"], part.inline_data.data)
        for raw, part in zip(parts, shaped(parts, list[_PicturePart]), strict=True)
        if part.inline_data is not None and not part.thought
    ]
    if len(found) != 1:
        raise ReplyError(f"{len(found)} pictures where one was asked for; it says {said.text!r}")
    raw, data = found[0]
    raw["data"] = keep(_decoded(data))
    return msgspec.structs.replace(said, text=raw["data"])


def _decoded(data: str) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ReplyError(f"a picture that is not base64: {error}") from error
