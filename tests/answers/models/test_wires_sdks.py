"""Our requests beside those of the providers' own SDKs and of Inspect, on a local server."""

import asyncio
import base64
import io
import re
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from enact_assets.answers.models.entries import Model, ModelEntry
from enact_assets.answers.models.inspect_model import InspectModel, read_output
from enact_assets.answers.models.messages import Message, Part, Picture, Text
from enact_assets.answers.models.replies import Reply, ReplyError
from enact_assets.answers.models.wires import WIRES, Pieces
from enact_assets.engine.errors import PredictionError

from reference.provider_replies import WHOLE, shown
from reference.recording_server import Recorder, Request, recording

pytestmark = pytest.mark.slow
# google-genai inherits from a class of aiohttp that should not be.
GOOGLE_WARNS = pytest.mark.filterwarnings("ignore:Inheritance class:DeprecationWarning")

REASON = "the SDKs are in the environment of make test-all"
KEY = "key-of-test"
LABELS = ["[Current State]", "[Next State 1]", 'Größe 30°, "quoted" \\ and\nlines', "Answer."]
PARTS: list[Part] = [
    Text(LABELS[0]), Picture("10"), Text(LABELS[1]), Picture("20"), Picture("10"),
    Text(LABELS[2]), Text(LABELS[3]),
]  # fmt: skip


def reader(sha: str) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (512, 512), (int(sha), 0, 0)).save(file, "PNG")
    return file.getvalue()


EXPECTED = [part.text if isinstance(part, Text) else reader(part.sha) for part in PARTS]


@pytest.fixture
def server() -> Iterator[Recorder]:
    with recording() as running:
        yield running


def content(text: Any, picture: Any) -> list[Any]:
    """What an SDK takes, from functions that make a part of a text and of a PNG file."""
    return [text(part) if isinstance(part, str) else picture(part) for part in EXPECTED]


def data_uri(data: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(data).decode()}"


def post(url: str, headers: dict[str, str], body: list[bytes]) -> None:
    request = urllib.request.Request(url, b"".join(body), headers)  # noqa: S310 - this machine
    with urllib.request.urlopen(request) as reply:  # noqa: S310
        reply.read()


def ours(
    server: Recorder, name: str, base: str, parameters: dict[str, Any], *, counts: bool = False
) -> Request:
    wire, pieces = WIRES[name], Pieces(reader)
    url, body = wire.url(base, "m"), wire.body("m", parameters, PARTS, pieces)
    if counts:
        request = wire.count_request(base, "m", parameters, PARTS, pieces)
        assert request is not None
        url, body = request
    post(url, wire.headers(KEY), body)
    return server.requests.pop()


def plain(value: Any, wire: str) -> Any:
    """A request without fields that are null; Google's as it is documented, for Google also takes
    names with underscores and base64 for URLs.
    """
    if isinstance(value, list):
        return [plain(item, wire) for item in value]
    if not isinstance(value, dict):
        return value
    found = {name: plain(item, wire) for name, item in value.items() if item is not None}
    if wire == "google":
        camel = {re.sub("_(.)", lambda m: m[1].upper(), name): found[name] for name in found}
        if "data" in camel:
            camel["data"] = camel["data"].replace("-", "+").replace("_", "/")
        return camel
    return found


def equal(sdk: Request, own: Request, *, headers: tuple[str, ...]) -> None:
    assert sdk.path == own.path
    assert sdk.body == own.body
    for name in ("content-type", *headers):
        assert sdk.headers[name] == own.headers[name]


def test_openai_chat(server: Recorder) -> None:
    openai = pytest.importorskip("openai", reason=REASON)
    parameters = {"temperature": 0, "max_tokens": 64, "seed": 7}
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key=KEY, max_retries=0) as client:
        turn = content(
            lambda text: {"type": "text", "text": text},
            lambda data: {
                "type": "image_url",
                "image_url": {"url": data_uri(data), "detail": "high"},
            },
        )
        reply = client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": turn}], **parameters
        )
    sdk = server.requests.pop()
    own = ours(server, "openai_chat", f"{server.url}/v1", {**parameters, "picture_detail": "high"})
    equal(sdk, own, headers=("authorization",))
    assert shown("openai_chat", own.body) == EXPECTED
    read = WIRES["openai_chat"].read(WHOLE["openai_chat"])
    assert (read.text, read.served_model) == (reply.choices[0].message.content, reply.model)
    assert read.tokens_in == reply.usage.prompt_tokens
    assert read.tokens_reasoning == reply.usage.completion_tokens_details.reasoning_tokens


def test_openai_responses(server: Recorder) -> None:
    openai = pytest.importorskip("openai", reason=REASON)
    parameters = {"max_output_tokens": 64, "reasoning": {"effort": "low"}}
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key=KEY, max_retries=0) as client:
        turn = content(
            lambda text: {"type": "input_text", "text": text},
            lambda data: {"type": "input_image", "image_url": data_uri(data), "detail": "high"},
        )
        asked = [{"role": "user", "content": turn}]
        reply = client.responses.create(model="m", input=asked, **parameters)
        counted = client.responses.input_tokens.count(
            model="m", input=asked, reasoning={"effort": "low"}
        )
    sdk_count, sdk = server.requests.pop(), server.requests.pop()
    base, detailed = f"{server.url}/v1", {**parameters, "picture_detail": "high"}
    own = ours(server, "openai_responses", base, detailed)
    equal(sdk, own, headers=("authorization",))
    assert shown("openai_responses", own.body) == EXPECTED
    own_count = ours(server, "openai_responses", base, detailed, counts=True)
    equal(sdk_count, own_count, headers=("authorization",))
    assert counted.input_tokens == WIRES["openai_responses"].count({"input_tokens": 11}) == 11
    read = WIRES["openai_responses"].read(WHOLE["openai_responses"])
    # The SDK joins all messages, ours leaves commentary out.
    assert reply.output_text == f"I look first.{read.text}"
    assert read.tokens_out == reply.usage.output_tokens
    assert read.tokens_in_cached == reply.usage.input_tokens_details.cached_tokens


def test_anthropic(server: Recorder) -> None:
    anthropic = pytest.importorskip("anthropic", reason=REASON)
    with anthropic.Anthropic(base_url=server.url, api_key=KEY, max_retries=0) as client:
        turn = content(
            lambda text: {"type": "text", "text": text},
            lambda data: {
                "type": "image",
                "source": {
                    "type": "base64",
                    "media_type": "image/png",
                    "data": base64.b64encode(data).decode(),
                },
            },
        )
        asked = {"model": "m", "system": "s", "messages": [{"role": "user", "content": turn}]}
        # Its types no longer have a temperature, which the API version of ours takes.
        reply = client.messages.create(**asked, max_tokens=64, extra_body={"temperature": 0})
        client.messages.count_tokens(**asked)
    sdk_count, sdk = server.requests.pop(), server.requests.pop()
    parameters = {"system": "s", "max_tokens": 64, "temperature": 0}
    own = ours(server, "anthropic", server.url, parameters)
    equal(sdk, own, headers=())
    equal(sdk_count, ours(server, "anthropic", server.url, parameters, counts=True), headers=())
    assert shown("anthropic", own.body) == EXPECTED
    # The key moved with the API version.
    assert sdk.headers["anthropic-version"] > own.headers["anthropic-version"] == "2023-06-01"
    assert sdk.headers["authorization"] == f"Bearer {KEY}"
    assert own.headers["x-api-key"] == KEY
    read = WIRES["anthropic"].read(WHOLE["anthropic"])
    assert read.text == "".join(b.text for b in reply.content if b.type == "text")
    assert read.tokens_out == reply.usage.output_tokens


def test_google(server: Recorder) -> None:
    genai = pytest.importorskip("google.genai", reason=REASON)
    types = genai.types
    options = types.HttpOptions(base_url=server.url, api_version="v1beta")
    resolution = "MEDIA_RESOLUTION_LOW"
    turn = content(
        lambda text: types.Part.from_text(text=text),
        lambda data: types.Part.from_bytes(data=data, mime_type="image/png"),
    )
    with genai.Client(api_key=KEY, http_options=options) as client:
        reply = client.models.generate_content(
            model="m",
            contents=turn,
            config=types.GenerateContentConfig(
                temperature=0,
                max_output_tokens=64,
                media_resolution=resolution,
                thinking_config=types.ThinkingConfig(thinking_budget=128),
            ),
        )
        counted = client.models.count_tokens(model="m", contents=turn)
    sdk_count, sdk = server.requests.pop(), server.requests.pop()
    configuration = {
        "temperature": 0, "maxOutputTokens": 64, "mediaResolution": resolution,
        "thinkingConfig": {"thinkingBudget": 128},
    }  # fmt: skip
    parameters = {"generationConfig": configuration}
    own = ours(server, "google", server.url, parameters)
    equal(sdk._replace(body=plain(sdk.body, "google")), own, headers=("x-goog-api-key",))
    assert shown("google", own.body) == EXPECTED
    # The SDK cannot count with a configuration, which decides what pictures count.
    own_count = ours(server, "google", server.url, parameters, counts=True)
    assert own_count.path == sdk_count.path
    wrapped = own_count.body["generateContentRequest"]
    assert wrapped == {**own.body, "model": "models/m"}
    assert wrapped["contents"] == plain(sdk_count.body, "google")["contents"]
    read = WIRES["google"].read(WHOLE["google"])
    assert (read.text, read.served_model) == (reply.text, reply.model_version)
    assert read.tokens_in == reply.usage_metadata.prompt_token_count
    assert counted.total_tokens == WIRES["google"].count({"totalTokens": 11}) == 11


def inspect_model(asked: str, base_url: str, **parameters: Any) -> InspectModel:
    entry = ModelEntry(id=f"inspect/{asked}", in_flight=2, timeout_s=20)
    return InspectModel(
        Model(asked, entry, "inspect", asked, base_url, "OPENAI_API_KEY", parameters, Path())
    )


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("inspect_ai", reason=REASON)
    for name in ("OPENAI", "ANTHROPIC", "GOOGLE", "FAKE"):
        monkeypatch.setenv(f"{name}_API_KEY", KEY)


@GOOGLE_WARNS
@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize(
    ("asked", "wire", "base"),
    [
        ("openai/gpt-4o", "openai_chat", "/v1"),
        ("openai-api/fake/m", "openai_chat", "/v1"),
        ("openai/gpt-5", "openai_responses", "/v1"),
        ("anthropic/claude-opus-4-5", "anthropic", ""),
        ("google/gemini-3-pro", "google", ""),
    ],
)
def test_inspect(server: Recorder, asked: str, wire: str, base: str) -> None:
    library = inspect_model(asked, server.url + base, max_tokens=64)
    whole, short = Message("q1", tuple(PARTS)), Message("q2", (Text("2"),))
    replies = list(library.answers([whole, short, whole], reader))
    expected = WIRES[wire].read(WHOLE[wire])
    for reply in replies:
        assert isinstance(reply, Reply), reply
        assert reply.text.removeprefix("I look first.").strip() == expected.text
        assert (reply.stop, reply.tokens_in, reply.tokens_in_cached, reply.tokens_out) == (
            "complete", 900, 128, 40,
        )  # fmt: skip
        assert reply.served_model == expected.served_model
    # Inspect sends a probe of its own to openai/gpt-5.
    asked_by_us = [r.body for r in server.requests if "hello, world" not in str(r.body)]
    sent = [shown(wire, plain(body, wire)) for body in asked_by_us]
    assert sorted(sent, key=len) == [["2"], EXPECTED, EXPECTED]
    assert "cache_control" not in str(server.requests)
    assert library.version.count(".") == 1


@pytest.mark.usefixtures("keys")
def test_inspect_inside_a_loop(server: Recorder) -> None:
    async def notebook() -> list[Reply | Exception]:
        library = inspect_model("openai-api/fake/m", f"{server.url}/v1")
        return list(library.answers([Message("q", tuple(PARTS))], reader))

    (reply,) = asyncio.run(notebook())
    assert isinstance(reply, Reply)


@pytest.mark.usefixtures("keys")
def test_inspect_fails_one_question_at_a_time(server: Recorder) -> None:
    server.status = 400
    library = inspect_model("openai-api/fake/m", f"{server.url}/v1")
    first, second = library.answers([Message("q", (Text("1"),))] * 2, reader)
    assert isinstance(first, PredictionError | ReplyError)
    assert isinstance(second, PredictionError | ReplyError)


@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize(
    ("asked", "base"), [("openai-api/fake/m", "/v1"), ("anthropic/claude-opus-4-5", "")]
)
def test_inspect_repeats_nothing(server: Recorder, asked: str, base: str) -> None:
    server.status = 500
    (reply,) = inspect_model(asked, server.url + base).answers([Message("q", (Text("1"),))], reader)
    assert isinstance(reply, PredictionError)
    assert len(server.requests) == 1


@pytest.mark.usefixtures("keys")
def test_inspect_can_be_stopped(server: Recorder) -> None:
    library = inspect_model("openai-api/fake/m", f"{server.url}/v1")
    found = library.answers([Message("q", (Text("1"),))] * 50, reader)
    next(found)
    found.close()  # type: ignore[attr-defined]
    assert len(server.requests) < 10


@pytest.mark.parametrize(
    ("reason", "stop"),
    [("stop", "complete"), ("max_tokens", "cut"), ("model_length", "cut"),
     ("content_filter", "refused")],
)  # fmt: skip
def test_outputs_of_inspect(reason: Any, stop: str) -> None:
    library = pytest.importorskip("inspect_ai.model", reason=REASON)
    thought = library.ContentReasoning(reasoning="Hm.")
    texts = [library.ContentText(text="[1, "), library.ContentText(text="2]")]
    output = library.ModelOutput.from_content("m-1", [thought, *texts], stop_reason=reason)
    assert read_output(output) == Reply("[1, 2]", stop, "m-1")
    output.usage = library.ModelUsage(
        input_tokens=7, input_tokens_cache_read=2, input_tokens_cache_write=1, output_tokens=4
    )
    assert read_output(output) == Reply("[1, 2]", stop, "m-1", 10, 2, 4, None)
    for wrong in ("tool_calls", "unknown"):
        with pytest.raises(ReplyError):
            read_output(library.ModelOutput.from_content("m", "x", stop_reason=wrong))
    with pytest.raises(ReplyError, match="no choice"):
        read_output(library.ModelOutput(model="m", choices=[]))
    with pytest.raises(ReplyError, match="went wrong"):
        read_output(library.ModelOutput.from_content("m", "x", error="went wrong"))


@pytest.mark.usefixtures("keys")
def test_inspect_says_what_it_cannot_do() -> None:
    with pytest.raises(PredictionError, match="cannot set cache, batch"):
        inspect_model("openai/m", "", cache=True, batch=True)
    unknown = inspect_model("openai-api/fake/m", "", temprature=0)
    with pytest.raises(PredictionError, match="no parameter temprature"):
        list(unknown.answers([], reader))
    missing = inspect_model("no_such_provider/m", "")
    with pytest.raises(PredictionError, match="no_such_provider"):
        list(missing.answers([], reader))
