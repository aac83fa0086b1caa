"""Replies as servers of OpenAI's chat format send them, and what is read in each."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from enact_assets.answers.models.replies import counts_tokens, status_within
from enact_assets.answers.models.stop_reasons import meaning_of
from enact_assets.answers.models.wires import WIRES, Reply, ReplyError

REPLIES = yaml.safe_load(Path(__file__).with_name("server_replies.yaml").read_text())
SERVERS = (
    *("vLLM", "SGLang", "TGI", "llama.cpp", "Ollama", "LM Studio", "LiteLLM", "OpenRouter"),
    *("Mistral", "Together", "Groq", "Azure"),
)
READ = WIRES["openai_chat"].read
PART = {"type": "text", "text": "[2, 1]"}


def chat(reason: Any = "stop", content: Any = "[2, 1]", **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": content}
    return {"choices": [{"index": 0, "message": message, "finish_reason": reason, **more}]}


def test_each_server_is_there_with_its_source() -> None:
    assert {case["server"].partition(",")[0] for case in REPLIES} == set(SERVERS)
    assert all(case["source"] for case in REPLIES)


@pytest.mark.parametrize("case", REPLIES, ids=[case["server"] for case in REPLIES])
def test_replies_of_servers(case: dict[str, Any]) -> None:
    reply = case["reply"]
    assert status_within(reply) == case.get("status", 200)
    if "read" in case:
        assert READ(reply) == Reply(served_model="m", **case["read"])
        return
    with pytest.raises(ReplyError) as raised:
        READ(reply)
    assert case["says"] in str(raised.value)


@pytest.mark.parametrize(
    ("stop", "reasons"),
    [
        ("complete", "stop STOP eos eos_token EOS_TOKEN end_turn endTurn endturn stop_sequence"),
        ("complete", "COMPLETE completed <|eot_id|> <|im_end|> </s> FINISH_REASON_STOP"),
        ("cut", "length LENGTH max_tokens MAX_TOKENS model_length max_output_tokens"),
        ("cut", "model_context_window_exceeded"),
        ("refused", "content_filter content-filter SAFETY sensitive refusal RECITATION"),
        ("failed", "error abort network_error insufficient_system_resource"),
        (None, "tool_calls function_call load unknown ... malformed_function_call other"),
    ],
)
def test_reasons_to_stop_by_a_rule(stop: str | None, reasons: str) -> None:
    for reason in reasons.split():
        assert meaning_of(reason) == stop, reason
        if stop not in {None, "failed"}:
            assert READ(chat(reason)).stop == stop
            continue
        with pytest.raises(ReplyError):
            READ(chat(reason))
        assert status_within(chat(reason)) == (500 if stop else 200)


@pytest.mark.parametrize(
    ("reason", "line"),
    [
        ("tool_calls", "stops: {tool_calls: complete}"),
        ("no", 'stops: {"no": complete}'),
        ('"over": 1', r'stops: {"\"over\": 1": complete}'),
        ("\N{WHITE MEDIUM STAR}", r'stops: {"\u2b50": complete}'),
    ],
)
def test_an_unknown_reason_says_which_line_to_add(reason: str, line: str) -> None:
    with pytest.raises(ReplyError) as raised:
        READ(chat(reason))
    assert ascii(reason) in str(raised.value)
    assert f"`{line}`" in str(raised.value)
    stops = yaml.safe_load(line)["stops"]
    assert READ(chat(reason), stops).stop == "complete"
    assert READ(chat(reason), {reason: "cut"}).stop == "cut"


def test_an_entry_is_heard_before_the_rule() -> None:
    assert READ(chat("length"), {"length": "complete"}).stop == "complete"
    assert READ(chat("error"), {"error": "complete"}).text == "[2, 1]"
    for name, reason in (("anthropic", "stop_reason"), ("google", "finishReason")):
        whole = {
            "anthropic": {"content": [], reason: "pause"},
            "google": {"candidates": [{reason: "pause"}]},
        }[name]
        assert WIRES[name].read(whole, {"pause": "cut"}).stop == "cut"


def test_parts_that_are_no_text() -> None:
    assert READ(chat(content=[PART, {"type": "reference", "reference_ids": [1]}])).text == "[2, 1]"
    assert READ(chat(content=[PART, {"type": "audio"}])).text == "[2, 1]"
    refused = READ(chat(content=[{"type": "refusal", "refusal": "No."}]))
    assert (refused.text, refused.stop) == ("No.", "refused")
    assert READ(chat(content=[])).text == ""
    thought = READ(chat(content=[{"type": "thinking", "thinking": "[1, 2]"}]))
    assert (thought.text, thought.is_in_reasoning) == ("", True)
    for wrong in ([{"type": "audio"}], [{"type": "text"}], ["text"], [{"text": "x"}], PART):
        with pytest.raises(ReplyError):
            READ(chat(content=wrong))


@pytest.mark.parametrize(("code", "status"), [(429, 429), ("429", 429), ("busy", 500), (200, 500)])
def test_the_code_of_an_error_in_a_choice(code: object, status: int) -> None:
    error = {"code": code, "message": "busy"}
    assert status_within(chat("error", "", error=error)) == status
    assert status_within(chat(None, "", error=error)) == status
    assert status_within({"error": error}) == status
    assert status_within(chat("stop", error=error)) == 200  # beside an answer it is a note
    assert READ(chat("stop", error=error)).text == "[2, 1]"


def test_an_error_that_counts_tokens_may_have_been_charged() -> None:
    failed = chat("error")
    assert not counts_tokens(failed)
    assert not counts_tokens({**failed, "usage": {"prompt_tokens": 0, "completion_tokens": None}})
    assert counts_tokens({**failed, "usage": {"prompt_tokens": 9}})
