"""Our batches beside those of the providers' own SDKs, request by request, on a local server."""

import email.policy
import io
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from answers.models.small_questions import KEY, LIMITS, messages, read_picture

from enact_assets.answers.models.batch_providers import (
    AnthropicBatches,
    BatchHttp,
    BatchProvider,
    GoogleBatches,
    OpenAiBatches,
    Planned,
    Result,
    batch_provider,
)
from enact_assets.answers.models.wires import WIRES, Pieces

from reference.batch_server import BatchServer, Received, serving

pytestmark = pytest.mark.slow

REASON = "the SDKs are in the environment of make test-all"
SHAS = tuple(f"{n:064x}" for n in range(3))
LABEL = "1700000000-ab"
MODEL = "seer-2"


class Bought(NamedTuple):
    """A batch of ours from end to end: what was sent, and what came back."""

    provider: BatchProvider
    bodies: list[Any]
    sent: list[Received]
    results: dict[str, Result]


@pytest.fixture
def server() -> Iterator[BatchServer]:
    with serving() as found:
        yield found


def bought(server: BatchServer, base_url: str, wire: str) -> Bought:
    """Submit, list, ask twice, read: all that a provider of batches can do."""
    found = WIRES[wire]
    http = BatchHttp(base_url, found.headers(KEY), KEY)
    provider = batch_provider(http, found, MODEL)
    pieces = Pieces(read_picture)
    # The SDK's types want a detail, the API does not.
    parameters = LIMITS[wire] | ({"picture_detail": "high"} if found.takes_detail else {})
    bodies = [found.body(MODEL, parameters, m.parts, pieces) for m in messages(len(SHAS))]
    batch = provider.submit(LABEL, list(zip(SHAS, bodies, strict=True)))
    planned = Planned(LABEL, frozenset(SHAS), 0.0)
    provider.find(planned, frozenset())
    while (said := provider.ended(batch)) is None:
        pass
    results = {result.sha: result for result in provider.results(batch, said)}
    assert results.keys() == set(SHAS)
    sent, server.received = server.received, []
    return Bought(provider, [json.loads(b"".join(body)) for body in bodies], sent, results)


def asked_for(sent: list[Received]) -> list[tuple[str, str]]:
    """Methods and paths, each once: how often is asked whether a batch ended is no matter."""
    return list(dict.fromkeys((request.method, request.path) for request in sent))


def form(sent: Received) -> dict[str, tuple[str | None, str, bytes]]:
    """Fields of a form: the name of the file, the type, the content."""
    head = f"content-type: {sent.headers['content-type']}\r\n\r\n".encode()
    message = email.message_from_bytes(head + sent.body, policy=email.policy.HTTP)
    found = {}
    for part in message.iter_parts():
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        assert isinstance(name, str)
        assert isinstance(content, bytes)
        found[name] = part.get_filename(), part.get_content_type(), content
    return found


def accepted(type_: Any, value: Any) -> None:
    """Errors: those of pydantic, if ``value`` is not what the SDK's type says."""
    pydantic = pytest.importorskip("pydantic", reason=REASON)
    pydantic.TypeAdapter(type_).validate_python(value)


@pytest.mark.parametrize("wire", ["openai_chat", "openai_responses"])
def test_openai(server: BatchServer, wire: str) -> None:
    openai = pytest.importorskip("openai", reason=REASON)
    base = f"{server.url}/v1"
    ours = bought(server, base, wire)
    assert isinstance(ours.provider, OpenAiBatches)
    upload, create = ours.sent[:2]
    file = form(upload)["file"][2]
    server.batches.clear()
    with openai.OpenAI(base_url=base, api_key=KEY, max_retries=0) as client:
        named = (f"{LABEL}.jsonl", file, "application/jsonl")
        uploaded = client.files.create(file=named, purpose="batch")
        asked = json.loads(create.body) | {"input_file_id": uploaded.id}
        batch = client.batches.create(**asked)
        assert client.batches.list(limit=100).data[0].id == batch.id
        while (batch := client.batches.retrieve(batch.id)).status != "completed":
            pass
        lines = client.files.content(batch.output_file_id).read().splitlines()
    sdk = server.received
    assert asked_for(sdk) == asked_for(ours.sent)
    assert form(sdk[0]) == form(upload)
    assert json.loads(sdk[1].body) == json.loads(create.body) | {"input_file_id": uploaded.id}
    assert sdk[1].headers["content-type"] == create.headers["content-type"]
    assert {r.headers["authorization"] for r in (*sdk, *ours.sent)} == {f"Bearer {KEY}"}
    accepted(openai.types.BatchCreateParams, json.loads(create.body))
    if wire == "openai_chat":
        single = openai.types.chat.completion_create_params.CompletionCreateParamsNonStreaming
    else:
        single = openai.types.responses.response_create_params.ResponseCreateParamsNonStreaming
    for row, sha, body in zip(map(json.loads, file.splitlines()), SHAS, ours.bodies, strict=True):
        url = asked["endpoint"]
        assert row == {"custom_id": sha, "method": "POST", "url": url, "body": body}
        accepted(single, body)
    for row in map(json.loads, lines):
        assert row["response"]["body"] == ours.results[row["custom_id"]].reply


def test_anthropic(server: BatchServer) -> None:
    anthropic = pytest.importorskip("anthropic", reason=REASON)
    ours = bought(server, server.url, "anthropic")
    assert isinstance(ours.provider, AnthropicBatches)
    create = ours.sent[0]
    asked = json.loads(create.body)
    server.batches.clear()
    with anthropic.Anthropic(base_url=server.url, api_key=KEY, max_retries=0) as client:
        batch = client.messages.batches.create(**asked)
        assert client.messages.batches.list(limit=100).data[0].id == batch.id
        while batch.processing_status != "ended":
            batch = client.messages.batches.retrieve(batch.id)
        results = list(client.messages.batches.results(batch.id))
    sdk = server.received
    assert asked_for(sdk) == asked_for(ours.sent)
    assert json.loads(sdk[0].body) == asked
    assert asked["requests"] == [
        {"custom_id": sha, "params": body} for sha, body in zip(SHAS, ours.bodies, strict=True)
    ]
    accepted(anthropic.types.messages.batch_create_params.BatchCreateParams, asked)
    assert sdk[0].headers["content-type"] == create.headers["content-type"]
    # As for single requests: the key moved with the API version.
    assert {r.headers["x-api-key"] for r in ours.sent} == {KEY}
    assert {r.headers["anthropic-version"] for r in ours.sent} == {"2023-06-01"}
    for entry in results:
        assert entry.result.type == "succeeded"
        text = ours.results[entry.custom_id].reply["content"][0]["text"]
        assert entry.result.message.content[0].text == text


def google_headers(sent: Received) -> dict[str, str]:
    """The type, the key, and what is said of the upload."""
    wanted = ("content-type", "x-goog-api-key", "x-goog-upload-")
    return {name: value for name, value in sent.headers.items() if name.startswith(wanted)}


def test_google(server: BatchServer) -> None:
    genai = pytest.importorskip("google.genai", reason=REASON)
    ours = bought(server, server.url, "google")
    assert isinstance(ours.provider, GoogleBatches)
    start, upload, create = ours.sent[:3]
    server.batches.clear()
    options = genai.types.HttpOptions(base_url=server.url, api_version="v1beta")
    kind = {"mime_type": "application/jsonl", "display_name": LABEL}
    with genai.Client(api_key=KEY, http_options=options) as client:
        file = client.files.upload(file=io.BytesIO(upload.body), config=kind)
        config = {"display_name": LABEL}
        batch = client.batches.create(model=MODEL, src=file.name, config=config)
        assert next(iter(client.batches.list(config={"page_size": 100}))).name == batch.name
        while batch.dest is None:
            batch = client.batches.get(name=batch.name)
        lines = client.files.download(file=batch.dest.file_name).splitlines()
    sdk = server.received
    assert asked_for(sdk) == asked_for(ours.sent)
    assert sdk[1].body == upload.body
    assert json.loads(sdk[2].body) == json.loads(create.body)
    # Google takes either spelling; the SDK tells the size in the body, too.
    told = json.loads(start.body)["file"]
    named = {"display_name": told["displayName"], "mime_type": told["mimeType"]}
    assert json.loads(sdk[0].body) == {"file": named | {"size_bytes": len(upload.body)}}
    assert google_headers(sdk[0]) == google_headers(start)
    assert google_headers(sdk[2]) == google_headers(create)
    # The SDK says once more how it began.
    begun = {name: value for name, value in google_headers(start).items() if "upload" in name}
    assert google_headers(sdk[1]) == begun | google_headers(upload)
    assert KEY not in str(upload.headers)
    rows = map(json.loads, upload.body.splitlines())
    for row, sha, body in zip(rows, SHAS, ours.bodies, strict=True):
        assert row == {"key": sha, "request": body}
        accepted(list[genai.types.Content], body["contents"])
        accepted(genai.types.GenerateContentConfig, body["generationConfig"])
    for row in map(json.loads, lines):
        assert row["response"] == ours.results[row["key"]].reply
