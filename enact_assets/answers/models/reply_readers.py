"""Readers of replies, one for each wire format, and strict: documented fields of documented types.

An unknown reason to stop is an error, because the answer may be incomplete; an entry may define its
meaning (``stops``). Token counts that are missing or impossible are null: they do not make an
answer wrong.
"""

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

import msgspec

from enact_assets.answers.models.answers import Stop
from enact_assets.answers.models.replies import (
    REFUSED_CODES,
    Count,
    Reply,
    ReplyError,
    Tokens,
    error_within,
    own_words,
    quoted,
    reply_of,
    shaped,
    status_within,
    stop_of,
    text_of,
    tokens_of_usage,
    unknown_stop,
)
from enact_assets.answers.models.stop_reasons import Stops, meaning_of

_NONE: Stops = {}
_THOUGHTS = frozenset({"thinking", "redacted_thinking", "reasoning", "reference"})
"""Parts of a chat answer that are none of its text: thoughts, and Mistral's references."""
_RESPONSES_STOPS: Mapping[str, Stop] = {
    "completed": "complete",
    "incomplete": "cut",
    "max_output_tokens": "cut",
    "content_filter": "refused",
}
_ANTHROPIC_STOPS: Mapping[str, Stop] = {
    "end_turn": "complete",
    "stop_sequence": "complete",
    "max_tokens": "cut",
    "model_context_window_exceeded": "cut",
    "refusal": "refused",
}
_GOOGLE_STOPS: Mapping[str, Stop] = {
    "STOP": "complete",
    "MAX_TOKENS": "cut",
    "SAFETY": "refused",
    "RECITATION": "refused",
    "LANGUAGE": "refused",
    "BLOCKLIST": "refused",
    "PROHIBITED_CONTENT": "refused",
    "SPII": "refused",
    "IMAGE_SAFETY": "refused",
    "IMAGE_PROHIBITED_CONTENT": "refused",
    "IMAGE_RECITATION": "refused",
    "IMAGE_OTHER": "refused",
    "NO_IMAGE": "refused",
    "MODEL_ARMOR": "refused",
}


class _ChatInDetails(msgspec.Struct):
    cached_tokens: Count | None = None


class _OutDetails(msgspec.Struct):
    reasoning_tokens: Count | None = None
    thinking_tokens: Count | None = None


class _ChatUsage(msgspec.Struct):
    prompt_tokens: Count
    completion_tokens: Count
    prompt_tokens_details: _ChatInDetails | None = None
    completion_tokens_details: _OutDetails | None = None

    def tokens(self) -> Tokens:
        read, made = self.prompt_tokens_details, self.completion_tokens_details
        cached = read.cached_tokens if read else None
        reasoning = made.reasoning_tokens if made else None
        return self.prompt_tokens, cached, self.completion_tokens, reasoning


class _ChatPart(msgspec.Struct):
    """A part of an answer that is a list, as Mistral sends those with thoughts."""

    type: str
    text: Any = None
    refusal: Any = None


class _ChatMessage(msgspec.Struct):
    content: str | list[_ChatPart] | None = None
    refusal: str | None = None
    reasoning_content: Any = None
    """Of vLLM, SGLang, DeepSeek and others; what is called so is never an answer."""
    reasoning: Any = None
    """The same, of OpenRouter and newer servers."""


class _ChatChoice(msgspec.Struct):
    message: _ChatMessage
    finish_reason: str | None = None


class _Chat(msgspec.Struct):
    choices: Annotated[list[_ChatChoice], msgspec.Meta(min_length=1)]
    model: str | None = None
    usage: Any = None


class _Said(NamedTuple):
    """The text of an answer, its refusal, and whether there is a thought."""

    text: str
    refusal: str
    has_thought: bool


def _said(message: _ChatMessage) -> _Said:
    """Errors: :class:`ReplyError` for parts of which none is known."""
    thought = message.reasoning_content or message.reasoning
    has_thought = isinstance(thought, str) and bool(thought.strip())
    if not isinstance(message.content, list):
        return _Said(message.content or "", message.refusal or "", has_thought)
    texts, refusals, others = [], [message.refusal or ""], set()
    for part in message.content:
        if part.type in {"text", "output_text"}:
            texts.append(text_of(part.text, "text of a text"))
        elif part.type == "refusal":
            refusals.append(text_of(part.refusal, "refusal of a refusal"))
        elif part.type in _THOUGHTS:
            has_thought = has_thought or part.type != "reference"
        else:
            others.add(part.type)
    if others and not texts and not any(refusals):
        raise ReplyError(f"parts of the answer are of type {quoted(min(others))}, none is a text")
    return _Said("".join(texts), "".join(refusals), has_thought)


def read_openai_chat(reply: Any, stops: Stops = _NONE) -> Reply:
    """A chat completion. Errors: :class:`ReplyError`."""
    got = shaped(reply, _Chat)
    choice = got.choices[0]
    said, reason = _said(choice.message), choice.finish_reason
    stop = stops.get(reason or "")
    if stop is None and error_within(reply) is not None:
        code = status_within(reply)
        raise ReplyError(f"an error (code {code}) in place of an answer{own_words(reply)}")
    if said.refusal:
        stop = "refused"
    elif stop is None:
        meaning = meaning_of(reason)
        if meaning is None or meaning == "failed":
            raise unknown_stop(reason or "")
        stop = meaning
    text = said.text + said.refusal
    is_in_reasoning = said.has_thought and not text.strip()
    if not (text.strip() or is_in_reasoning or (reason and reason.strip())):
        raise ReplyError(f"neither text nor a reason to stop{own_words(reply)}")
    found = reply_of(text, stop, got.model, tokens_of_usage(got.usage, _ChatUsage))
    return msgspec.structs.replace(found, is_in_reasoning=is_in_reasoning)


class _ResponsesUsage(msgspec.Struct):
    input_tokens: Count
    output_tokens: Count
    input_tokens_details: _ChatInDetails | None = None
    output_tokens_details: _OutDetails | None = None

    def tokens(self) -> Tokens:
        read, made = self.input_tokens_details, self.output_tokens_details
        cached = read.cached_tokens if read else None
        reasoning = made.reasoning_tokens if made else None
        return self.input_tokens, cached, self.output_tokens, reasoning


class _ResponsesItem(msgspec.Struct):
    """An item of the output; only messages have the content that is read."""

    type: str
    content: Any = None
    phase: str | None = None


class _ResponsesPart(msgspec.Struct):
    type: str
    text: str | None = None
    refusal: str | None = None


class _Incomplete(msgspec.Struct):
    reason: str | None = None


class _Failure(msgspec.Struct):
    code: str = ""
    message: str = ""


class _Responses(msgspec.Struct):
    status: str
    output: list[_ResponsesItem]
    incomplete_details: _Incomplete | None = None
    error: _Failure | None = None
    model: str | None = None
    usage: Any = None


def read_openai_responses(reply: Any, stops: Stops = _NONE) -> Reply:
    """A response. Commentary is left out like thinking. Errors: :class:`ReplyError`."""
    got = shaped(reply, _Responses)
    tokens = tokens_of_usage(got.usage, _ResponsesUsage)
    if got.status == "failed" and got.error and got.error.code in REFUSED_CODES:
        return reply_of(got.error.message, "refused", got.model, tokens)
    if got.status == "failed" and got.error:
        raise ReplyError(f"the response failed: {quoted(got.error.message or got.error.code)}")
    why = got.incomplete_details.reason if got.incomplete_details else None
    reason = why if why and got.status == "incomplete" else got.status
    stop = stop_of(reason, {**_RESPONSES_STOPS, **stops})
    texts = []
    for item in got.output:
        if item.type != "message" or item.phase == "commentary":
            continue
        for part in shaped(item.content, list[_ResponsesPart]):
            if part.type == "output_text":
                texts.append(text_of(part.text, "text of an output_text"))
            elif part.type == "refusal":
                stop = "refused"
                texts.append(text_of(part.refusal, "refusal of a refusal"))
    return reply_of("".join(texts), stop, got.model, tokens)


class _AnthropicUsage(msgspec.Struct):
    input_tokens: Count
    output_tokens: Count
    cache_creation_input_tokens: Count | None = None
    cache_read_input_tokens: Count | None = None
    output_tokens_details: _OutDetails | None = None

    def tokens(self) -> Tokens:
        # Unlike the others it counts cached tokens beside the input, not in it.
        cached = self.cache_read_input_tokens or 0
        whole = self.input_tokens + cached + (self.cache_creation_input_tokens or 0)
        made = self.output_tokens_details
        return whole, cached, self.output_tokens, made.thinking_tokens if made else None


class _AnthropicBlock(msgspec.Struct):
    type: str
    text: Any = None


class _StopDetails(msgspec.Struct):
    explanation: str | None = None


class _Anthropic(msgspec.Struct):
    content: list[_AnthropicBlock]
    stop_reason: str
    stop_details: _StopDetails | None = None
    model: str | None = None
    usage: Any = None


def read_anthropic(reply: Any, stops: Stops = _NONE) -> Reply:
    """A message. Errors: :class:`ReplyError`."""
    got = shaped(reply, _Anthropic)
    stop = stop_of(got.stop_reason, {**_ANTHROPIC_STOPS, **stops})
    texts = [text_of(block.text, "text of a text") for block in got.content if block.type == "text"]
    text = "".join(texts)
    if not text and stop == "refused" and got.stop_details:
        text = got.stop_details.explanation or ""
    return reply_of(text, stop, got.model, tokens_of_usage(got.usage, _AnthropicUsage))


class _GoogleUsage(msgspec.Struct, rename="camel"):
    """Counts of 0 are left out by the provider."""

    prompt_token_count: Count
    cached_content_token_count: Count = 0
    candidates_token_count: Count = 0
    thoughts_token_count: Count = 0

    def tokens(self) -> Tokens:
        thoughts = self.thoughts_token_count
        out = self.candidates_token_count + thoughts
        return self.prompt_token_count, self.cached_content_token_count, out, thoughts


class _GooglePart(msgspec.Struct):
    text: str = ""
    thought: bool = False


class _GoogleContent(msgspec.Struct):
    parts: list[_GooglePart] = []


class _GoogleCandidate(msgspec.Struct, rename="camel"):
    finish_reason: str
    content: _GoogleContent | None = None
    finish_message: str | None = None


class _PromptFeedback(msgspec.Struct, rename="camel"):
    block_reason: str | None = None
    block_reason_message: str | None = None


class _Google(msgspec.Struct, rename="camel"):
    candidates: list[_GoogleCandidate] | None = None
    prompt_feedback: _PromptFeedback | None = None
    model_version: str | None = None
    usage_metadata: Any = None


def read_google(reply: Any, stops: Stops = _NONE) -> Reply:
    """A reply of generateContent. Errors: :class:`ReplyError`."""
    got = shaped(reply, _Google)
    tokens = tokens_of_usage(got.usage_metadata, _GoogleUsage)
    if not got.candidates:
        feedback = got.prompt_feedback
        if feedback is None or not feedback.block_reason:
            raise ReplyError(f"no candidates and no reason for it{own_words(reply)}")
        return reply_of(feedback.block_reason_message or "", "refused", got.model_version, tokens)
    first = got.candidates[0]
    stop = stop_of(first.finish_reason, {**_GOOGLE_STOPS, **stops})
    parts = first.content.parts if first.content else []
    text = "".join(part.text for part in parts if not part.thought)
    if not text and stop == "refused":
        text = first.finish_message or ""
    return reply_of(text, stop, got.model_version, tokens)
