"""Requests and replies of the four wire formats, without a network."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.answers.models.messages import Part, Picture, Text
from enact_assets.answers.models.wires import WIRES, Pieces, Reply, ReplyError, is_refusal
from enact_assets.engine.errors import PredictionError

from reference.provider_replies import ANTHROPIC, RESPONSES, WHOLE, changed, shown

PARTS = st.lists(
    st.one_of(
        st.builds(Text, st.one_of(st.text(), st.just("\N{OBJECT REPLACEMENT CHARACTER}"))),
        st.builds(Picture, st.sampled_from("abc")),
    ),
    max_size=9,
)
EACH = pytest.mark.parametrize("name", WIRES)
PARAMETERS = {"temperature": 0, "generationConfig": {"maxOutputTokens": 7}, "system": "\ufffc"}


def picture(sha: str) -> bytes:
    return f"PNG of {sha}".encode()


def sent(name: str, parts: list[Part], **parameters: Any) -> dict[str, Any]:
    body = WIRES[name].body("m", parameters, parts, Pieces(picture))
    decoded: dict[str, Any] = json.loads(b"".join(body))
    return decoded


@EACH
@given(parts=PARTS)
def test_parts_arrive_in_order(name: str, parts: list[Part]) -> None:
    request = sent(name, parts, **PARAMETERS)
    expected = [p.text if isinstance(p, Text) else picture(p.sha) for p in parts]
    assert shown(name, request) == expected
    assert {k: request[k] for k in PARAMETERS} == PARAMETERS
    assert request.get("model") == (None if name == "google" else "m")


def test_detail_is_put_on_each_picture() -> None:
    parts = [Picture("a"), Text("then"), Picture("b")]
    chat = sent("openai_chat", parts, picture_detail="low")
    assert [p["image_url"]["detail"] for p in chat["messages"][0]["content"][::2]] == ["low"] * 2
    responses = sent("openai_responses", parts, picture_detail="low")
    assert [p["detail"] for p in responses["input"][0]["content"][::2]] == ["low"] * 2
    assert "picture_detail" not in chat
    assert "picture_detail" not in responses
    for name in ("anthropic", "google"):
        with pytest.raises(PredictionError, match="mediaResolution"):
            sent(name, parts, picture_detail="low")


@EACH
@pytest.mark.parametrize("parameter", ["model", "stream", "n"])
def test_parameters_cannot_change_what_the_request_needs(name: str, parameter: str) -> None:
    with pytest.raises(PredictionError, match=f"`parameters` of a model cannot set {parameter}"):
        sent(name, [], **{parameter: 2})


def test_messages_are_not_a_parameter() -> None:
    with pytest.raises(PredictionError, match="cannot set input"):
        sent("openai_responses", [], input="something else")
    with pytest.raises(PredictionError, match="candidateCount"):
        sent("google", [], generationConfig={"candidateCount": 2})


def test_addresses_and_keys() -> None:
    chat, responses, anthropic, google = WIRES.values()
    assert chat.url("https://x/v1", "m") == "https://x/v1/chat/completions"
    assert responses.url("https://x/v1", "m") == "https://x/v1/responses"
    assert anthropic.url("https://x", "m") == "https://x/v1/messages"
    assert google.url("https://x", "m") == "https://x/v1beta/models/m:generateContent"
    assert google.url("https://x", "tunedModels/ü?") == (
        "https://x/v1beta/tunedModels/%C3%BC%3F:generateContent"
    )
    json_type = {"content-type": "application/json"}
    assert chat.headers("k") == responses.headers("k") == {**json_type, "authorization": "Bearer k"}
    assert anthropic.headers("k") == {
        **json_type, "anthropic-version": "2023-06-01", "x-api-key": "k",
    }  # fmt: skip
    assert google.headers("k") == {**json_type, "x-goog-api-key": "k"}
    assert chat.headers(None) == json_type


def test_limits_of_output() -> None:
    chat, responses, anthropic, google = WIRES.values()
    assert chat.most_tokens_out({"max_tokens": 5}) == anthropic.most_tokens_out({"max_tokens": 5})
    assert chat.most_tokens_out({"max_tokens": 5, "max_completion_tokens": 6}) == 6
    assert responses.most_tokens_out({"max_output_tokens": 8}) == 8
    assert google.most_tokens_out({"generationConfig": {"maxOutputTokens": 9}}) == 9
    for wire in WIRES.values():
        for unusable in ({}, {"generationConfig": 3}, {"max_tokens": -1}, {"max_tokens": True}):
            assert wire.most_tokens_out(unusable) is None


def test_requests_that_count() -> None:
    chat, responses, anthropic, google = WIRES.values()
    parts, pieces = [Text("see"), Picture("a")], Pieces(picture)
    assert chat.count_request("B", "m", {}, parts, pieces) is None
    with pytest.raises(ReplyError):
        chat.count({"input_tokens": 3})
    given_parameters = {"temperature": 0, "system": "s", "text": {}, "picture_detail": "low"}
    asked = responses.count_request("B", "m", given_parameters, parts, pieces)
    assert asked is not None
    assert asked.url == "B/responses/input_tokens"
    body = json.loads(b"".join(asked.body))
    assert shown("openai_responses", body) == ["see", picture("a")]
    assert set(body) == {"model", "text", "input"}
    asked = anthropic.count_request("B", "m", {"max_tokens": 4, "system": "s"}, parts, pieces)
    assert asked is not None
    assert asked.url == "B/v1/messages/count_tokens"
    assert set(json.loads(b"".join(asked.body))) == {"model", "system", "messages"}
    resolution = {"generationConfig": {"mediaResolution": "MEDIA_RESOLUTION_LOW"}}
    asked = google.count_request("B", "m", resolution, parts, pieces)
    assert asked is not None
    assert asked.url == "B/v1beta/models/m:countTokens"
    request = json.loads(b"".join(asked.body))["generateContentRequest"]
    assert shown("google", request) == ["see", picture("a")]
    assert request["model"] == "models/m"
    assert request["generationConfig"] == resolution["generationConfig"]
    assert responses.count({"object": "response.input_tokens", "input_tokens": 11}) == 11
    assert google.count({"totalTokens": 12}) == 12
    for wrong in ({}, {"totalTokens": -1}, {"totalTokens": "12"}, [], None):
        with pytest.raises(ReplyError):
            google.count(wrong)


def test_a_picture_is_encoded_once_and_shared() -> None:
    read: list[str] = []

    def reader(sha: str) -> bytes:
        read.append(sha)
        return bytes(300)  # 400 in base64

    pieces = Pieces(reader, limit_bytes=1000)
    first = WIRES["openai_chat"].body("m", {}, [Picture("a"), Picture("b")], pieces)
    second = WIRES["google"].body("m", {}, [Picture("a")], pieces)
    assert first[1] is second[1]
    assert read == ["a", "b"]
    pieces.base64_of("c")  # drops b, which was used before a
    pieces.base64_of("a")
    assert read == ["a", "b", "c"]
    pieces.base64_of("b")
    assert read == ["a", "b", "c", "b"]


def read(name: str, path: str, value: Any) -> Reply:
    return WIRES[name].read(changed(WHOLE[name], path, value))


@EACH
def test_a_complete_reply(name: str) -> None:
    reply = WIRES[name].read(WHOLE[name])
    served = WHOLE[name].get("model", "gemini-3-pro")
    assert reply == Reply("[1, 2]", "complete", served, 900, 128, 40, 30)


@pytest.mark.parametrize(
    ("name", "path", "value", "stop"),
    [
        ("openai_responses", "status", "incomplete", "cut"),
        ("anthropic", "stop_reason", "max_tokens", "cut"),
        ("anthropic", "stop_reason", "model_context_window_exceeded", "cut"),
        ("anthropic", "stop_reason", "stop_sequence", "complete"),
        ("anthropic", "stop_reason", "refusal", "refused"),
        ("google", "candidates.0.finishReason", "MAX_TOKENS", "cut"),
        ("google", "candidates.0.finishReason", "SAFETY", "refused"),
        ("google", "candidates.0.finishReason", "PROHIBITED_CONTENT", "refused"),
        ("google", "candidates.0.finishReason", "RECITATION", "refused"),
    ],
)
def test_reasons_to_stop(name: str, path: str, value: str, stop: str) -> None:
    reply = read(name, path, value)
    assert (reply.text, reply.stop, reply.tokens_out) == ("[1, 2]", stop, 40)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("openai_chat", "choices.0.finish_reason"),
        ("openai_responses", "status"),
        ("anthropic", "stop_reason"),
        ("google", "candidates.0.finishReason"),
    ],
)
@pytest.mark.parametrize("value", ["tool_calls", "", None, 3, ..., "\ud800"])
def test_an_unknown_reason_to_stop_is_no_answer(name: str, path: str, value: Any) -> None:
    if name == "openai_chat" and value in ("", None, ...):
        # Servers of this format leave it empty, null or out where nothing else stopped the model.
        assert read(name, path, value) == WIRES[name].read(WHOLE[name])
        value = {"finish_reason": value, "message": {"role": "assistant", "content": None}}
        value, path = {k: v for k, v in value.items() if v is not ...}, "choices.0"
    with pytest.raises(ReplyError):
        read(name, path, value)


def test_words_of_refusals_are_kept() -> None:
    message = {"role": "assistant", "content": None, "refusal": "I can't."}
    error = {"code": "image_content_policy_violation", "message": "I can't."}
    failed = {**RESPONSES, "status": "failed", "error": error}
    details = {"type": "refusal", "category": None, "explanation": "I can't."}
    refused = {**ANTHROPIC, "content": [], "stop_reason": "refusal", "stop_details": details}
    candidate = {"finishReason": "SAFETY", "finishMessage": "I can't.", "index": 0}
    for reply in (
        read("openai_chat", "choices.0.message", message),
        read("openai_responses", "output.2.content", [{"type": "refusal", "refusal": "I can't."}]),
        WIRES["openai_responses"].read(failed),
        WIRES["anthropic"].read(refused),
        read("google", "candidates.0", candidate),
    ):
        assert (reply.text, reply.stop) == ("I can't.", "refused")
    blocked = {
        "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
        "usageMetadata": {"promptTokenCount": 900, "totalTokenCount": 900},
        "modelVersion": "gemini-3-pro",
    }
    assert WIRES["google"].read(blocked) == Reply("", "refused", "gemini-3-pro", 900, 0, 0, 0)


def test_empty_answers_are_answers() -> None:
    assert read("openai_chat", "choices.0.message.content", None).text == ""
    assert read("openai_responses", "output", []).text == ""
    assert read("anthropic", "content", []).text == ""
    thought_only = {"content": {"role": "model"}, "finishReason": "MAX_TOKENS", "index": 0}
    assert read("google", "candidates.0", thought_only).text == ""


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("openai_chat", "choices", []),
        ("openai_chat", "choices", ...),
        ("openai_chat", "choices.0.message", None),
        ("openai_chat", "choices.0.message.content", ["text"]),
        ("openai_responses", "output", ...),
        ("openai_responses", "output.2.content.0.text", ...),
        ("openai_responses", "output.2.content", None),
        ("openai_responses", "status", "failed"),
        ("openai_responses", "status", "in_progress"),
        ("anthropic", "content", ...),
        ("anthropic", "content.2.text", 3),
        ("google", "candidates", []),
        ("google", "candidates", ...),
        ("google", "candidates.0.content.parts", None),
        ("google", "modelVersion", 3),
    ],
)
def test_replies_of_another_shape_are_errors(name: str, path: str, value: Any) -> None:
    with pytest.raises(ReplyError):
        read(name, path, value)


def test_errors_with_status_200_say_what_the_provider_says() -> None:
    with pytest.raises(ReplyError, match="it says 'No endpoints'"):
        WIRES["openai_chat"].read({"error": {"code": 502, "message": "No endpoints"}})
    failed = {
        **RESPONSES,
        "status": "failed",
        "error": {"code": "server_error", "message": "Sorry"},
    }
    with pytest.raises(ReplyError, match="failed: 'Sorry'"):
        WIRES["openai_responses"].read(failed)


USAGE = {"google": "usageMetadata"}
FIELD = {
    "openai_chat": "prompt_tokens",
    "openai_responses": "input_tokens",
    "anthropic": "input_tokens",
    "google": "promptTokenCount",
}


@EACH
@pytest.mark.parametrize("count", [-1, 1.5, True, "9", None, 10**30])
def test_unusable_counts_are_null_and_the_answer_stays(name: str, count: Any) -> None:
    reply = read(name, f"{USAGE.get(name, 'usage')}.{FIELD[name]}", count)
    assert reply == Reply("[1, 2]", "complete", reply.served_model)
    assert read(name, USAGE.get(name, "usage"), ...) == reply
    assert read(name, USAGE.get(name, "usage"), None) == reply


def test_more_cached_tokens_than_tokens_are_not_believed() -> None:
    assert read("openai_chat", "usage.prompt_tokens", 127).tokens_in is None
    assert read("openai_responses", "usage.output_tokens", 29).tokens_out is None


def test_details_of_counts_may_be_missing() -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": None}
    assert read("openai_chat", "usage", usage).tokens_in_cached is None
    usage = {"input_tokens": 9, "output_tokens": 4, "cache_read_input_tokens": None}
    reply = read("anthropic", "usage", usage)
    assert (reply.tokens_in, reply.tokens_in_cached, reply.tokens_reasoning) == (9, 0, None)


def test_half_characters_can_be_written() -> None:
    reply = read("openai_chat", "choices.0.message.content", "\ud83d\ude00 \ud83d")
    assert reply.text == "\U0001f600 \ufffd"
    msgspec.json.encode(reply)


JSON = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.just("\udc00"),
        st.sampled_from(["message", "text", "failed", "stop", "completed"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path]
    if isinstance(value, dict | list):
        for key, child in value.items() if isinstance(value, dict) else enumerate(value):
            found += places(child, (*path, key))
    return found


@EACH
@given(data=st.data())
def test_hostile_replies_are_answers_or_reply_errors(name: str, data: st.DataObject) -> None:
    place = data.draw(st.sampled_from(places(WHOLE[name])))
    hostile = data.draw(JSON)
    reply = changed(WHOLE[name], ".".join(map(str, place)), hostile) if place else hostile
    try:
        got = WIRES[name].read(reply)
    except ReplyError:
        return
    assert msgspec.json.decode(msgspec.json.encode(got), type=Reply) == got
    counts = (got.tokens_in, got.tokens_in_cached, got.tokens_out, got.tokens_reasoning)
    assert all(count is None or 0 <= count < 2**63 for count in counts)


@EACH
def test_deep_replies_are_reply_errors(name: str) -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ReplyError):
        WIRES[name].read(deep)
    with pytest.raises(ReplyError):
        WIRES[name].read({**WHOLE[name], "choices": deep, "output": deep, "content": deep,
                          "candidates": deep})  # fmt: skip


REFUSALS = [
    (400, {"error": {"code": "content_policy_violation", "message": "Your request was rejected"}}),
    (400, {"error": {"code": "invalid_prompt", "message": "your prompt was flagged"}}),
    (400, {"error": {"code": "content_filter", "status": 400, "param": "prompt"}}),
    (400, {"error": {"innererror": {"code": "ResponsibleAIPolicyViolation"}, "code": None}}),
    (
        400,
        {
            "type": "error",
            "error": {
                "type": "invalid_request_error",
                "message": "Output blocked by content filtering policy",
            },
        },
    ),
    (400, {"error": {"code": "data_inspection_failed", "type": "data_inspection_failed"}}),
    (400, {"code": "DataInspectionFailed", "message": "Input data may contain"}),
    (400, {"error": {"code": "1301", "message": "..."}}),
    (400, {"error": {"status": "INVALID_ARGUMENT", "message": "violate Responsible AI practices"}}),
    (403, {"error": {"code": 403, "metadata": {"reasons": ["x"], "flagged_input": "y"}}}),
]
NO_REFUSALS = [
    (400, {"error": {"code": "invalid_image_url", "type": "invalid_request_error"}}),
    (400, {"error": {"type": "invalid_request_error", "message": "max_tokens: too large"}}),
    (400, {"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "API key not valid."}}),
    (403, {"error": {"code": 403, "status": "PERMISSION_DENIED", "message": "denied"}}),
    (400, {"error": "content_filter was mentioned"}),
    (400, {"error": {"code": ["content_filter"], "message": {"a": 1}, "innererror": 4}}),
    (429, {"error": {"code": "content_filter"}}),
    (500, {"error": {"code": "content_policy_violation"}}),
    (400, []),
]


@pytest.mark.parametrize(("status", "body"), REFUSALS)
def test_errors_that_are_refusals(status: int, body: Any) -> None:
    assert is_refusal(status, json.dumps(body).encode())


@pytest.mark.parametrize(("status", "body"), NO_REFUSALS)
def test_errors_that_are_no_refusals(status: int, body: Any) -> None:
    assert not is_refusal(status, json.dumps(body).encode())


@given(st.one_of(st.binary(), JSON.map(lambda value: json.dumps(value).encode())))
def test_any_body_of_an_error_can_be_judged(body: bytes) -> None:
    assert isinstance(is_refusal(400, body), bool)


def test_a_deep_body_of_an_error_can_be_judged() -> None:
    assert not is_refusal(400, b'{"error":{"message":' + b"[" * 200_000 + b"]" * 200_000 + b"}}")
