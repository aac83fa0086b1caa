"""Replies in the shapes that providers document, and how their requests are to be read."""

import base64
import copy
from typing import Any

CHAT = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "model": "gpt-4o-2024-08-06",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "[1, 2]", "refusal": None},
            "logprobs": None,
            "finish_reason": "stop",
        }
    ],
    "usage": {
        "prompt_tokens": 900,
        "completion_tokens": 40,
        "total_tokens": 940,
        "prompt_tokens_details": {"cached_tokens": 128, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 30},
    },
}
RESPONSES = {
    "id": "resp_1",
    "object": "response",
    "status": "completed",
    "error": None,
    "incomplete_details": None,
    "model": "gpt-5-2025-08-07",
    "output": [
        {"id": "rs_1", "type": "reasoning", "summary": [], "content": None},
        {
            "id": "msg_0",
            "type": "message",
            "phase": "commentary",
            "content": [{"type": "output_text", "text": "I look first."}],
        },
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "[1, 2]", "annotations": []}],
        },
    ],
    "usage": {
        "input_tokens": 900,
        "input_tokens_details": {"cached_tokens": 128},
        "output_tokens": 40,
        "output_tokens_details": {"reasoning_tokens": 30},
        "total_tokens": 940,
    },
}
ANTHROPIC = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-opus-4-5-20251101",
    "content": [
        {"type": "thinking", "thinking": "Hm.", "signature": "s"},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "text", "text": "[1, "},
        {"type": "text", "text": "2]", "citations": None},
    ],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {
        "input_tokens": 700,
        "cache_creation_input_tokens": 72,
        "cache_read_input_tokens": 128,
        "output_tokens": 40,
        "output_tokens_details": {"thinking_tokens": 30},
    },
}
GOOGLE = {
    "candidates": [
        {
            "content": {
                "role": "model",
                "parts": [
                    {"text": "Hm.", "thought": True},
                    {"text": "[1, 2]", "thoughtSignature": "c2lnbg=="},
                ],
            },
            "finishReason": "STOP",
            "index": 0,
        }
    ],
    "usageMetadata": {
        "promptTokenCount": 900,
        "cachedContentTokenCount": 128,
        "candidatesTokenCount": 10,
        "thoughtsTokenCount": 30,
        "totalTokenCount": 940,
    },
    "modelVersion": "gemini-3-pro",
    "responseId": "r",
}
WHOLE = {
    "openai_chat": CHAT,
    "openai_responses": RESPONSES,
    "anthropic": ANTHROPIC,
    "google": GOOGLE,
}


def changed(reply: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy with another value at a dotted path; ``...`` removes it."""
    found = copy.deepcopy(reply)
    *levels, last = [int(p) if p.isdigit() else p for p in path.split(".")]
    at: Any = found
    for level in levels:
        at = at[level]
    if value is ...:
        del at[last]
    else:
        at[last] = value
    return found


def shown(name: str, request: dict[str, Any]) -> list[str | bytes]:
    """What a server reads in a request, by the documentation of each provider."""
    turns = {"openai_responses": "input", "google": "contents"}.get(name, "messages")
    (turn,) = request[turns]
    assert turn["role"] == "user"
    found: list[str | bytes] = []
    for part in turn["parts" if name == "google" else "content"]:
        match part:
            case {"text": text, **rest}:
                assert rest in ({}, {"type": "text"}, {"type": "input_text"})
                found.append(text)
            case {"type": "image_url", "image_url": {"url": url}} | {
                "type": "input_image",
                "image_url": url,
            }:
                assert url.startswith("data:image/png;base64,")
                found.append(base64.b64decode(url.partition(",")[2], validate=True))
            case {"type": "image", "source": {"type": "base64", "media_type": "image/png"} as data}:
                found.append(base64.b64decode(data["data"], validate=True))
            case {"inlineData": {"mimeType": "image/png", "data": data}}:
                found.append(base64.b64decode(data, validate=True))
            case _:
                raise AssertionError(part)
    return found
