"""A provider on this machine: records what it is sent, answers as documented."""

import json
from contextlib import AbstractContextManager
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from reference.provider_replies import ANTHROPIC, CHAT, GOOGLE, RESPONSES
from reference.threaded_servers import Handler, Server, in_thread

REPLIES = {
    "/chat/completions": CHAT,
    "/responses": RESPONSES,
    "/v1/messages": ANTHROPIC,
    ":generateContent": GOOGLE,
    "/responses/input_tokens": {"object": "response.input_tokens", "input_tokens": 11},
    "/v1/messages/count_tokens": {"input_tokens": 11},
    ":countTokens": {"totalTokens": 11},
}


class Request(NamedTuple):
    path: str
    headers: dict[str, str]
    body: Any


class Recorder(Server):
    status = 200

    def __init__(self) -> None:
        super().__init__(_Handler)
        self.requests: list[Request] = []


class _Handler(Handler):
    def post(self, body: bytes) -> None:
        assert isinstance(self.server, Recorder)
        path = urlsplit(self.path).path
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.requests.append(Request(path, headers, json.loads(body)))
        reply: Any = next(reply for end, reply in REPLIES.items() if path.endswith(end))
        if self.server.status != 200:
            reply = {"error": {"message": f"no, {headers.get('authorization')}"}}
        self.send(reply, self.server.status)


def recording() -> AbstractContextManager[Recorder]:
    return in_thread(Recorder())
