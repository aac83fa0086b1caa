"""The taskset of `verifiers` scores a scripted model as we do."""

import hashlib
import importlib.util
import json
import os
import random
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from commands.harnesses.exported import ROOT, python_of

from enact_assets.commands.harnesses.rewards import reward_of
from enact_assets.commands.harnesses.scoring import score_answer

from reference.training_root import write_set

N = 500
ENVIRONMENT = ROOT / "environments" / "enact_env"
FORMS = ("So: {}", "{}", "{}", "```python\n{}\n```", "I cannot tell.")


def questions_module() -> ModuleType:
    """The half of the environment that needs no `verifiers`."""
    path = ENVIRONMENT / "enact_env" / "questions.py"
    spec = importlib.util.spec_from_file_location("enact_env_questions", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def key_of(content: Any) -> str:
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


@contextmanager
def scripted(said: dict[str, str]) -> Iterator[str]:
    """The address of a model that says to each question what ``said`` has for its content."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            (message,) = asked["messages"]
            reply = {"role": "assistant", "content": said[key_of(message["content"])]}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            choice = {"index": 0, "finish_reason": "stop", "message": reply}
            body = json.dumps(
                {"id": "1", "object": "chat.completion", "created": 1, "model": asked["model"]}
                | {"choices": [choice], "usage": usage}
            ).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_arguments: object) -> None: ...

    class Server(ThreadingHTTPServer):
        request_queue_size = 2 * N  # all questions are asked at once

    with Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


@pytest.mark.slow
def test_the_taskset_scores_as_we_do(tmp_path: Path) -> None:
    """Right, shuffled, short, fenced and unreadable answers to 500 questions."""
    python = python_of("verifiers")
    write_set(tmp_path, N, 3, 4, 5, 6)
    questions_in = questions_module().questions_in
    random_ = random.Random(1)  # noqa: S311 - no secret
    said, expected = {}, {}
    for number, question in enumerate(questions_in(tmp_path / "set")):
        order = list(question.answer)
        if number % 5 == 1:
            random_.shuffle(order)
        text = FORMS[number % 5].format(order[:-1] if number % 5 == 2 else order)
        said[key_of(list(question.blocks))] = text
        score = score_answer(text, question.kind, question.answer, json.loads(question.fits))
        earned = reward_of(text, question.kind, question.answer, question.fits)
        expected[question.question_id] = (earned.task, earned.pairs, float(score.is_parsed))
    assert len(said) == len(expected) == N
    assert {right for right, _, _ in expected.values()} == {0.0, 1.0}
    home = tmp_path / "home"
    home.mkdir()
    with scripted(said) as address:
        run = subprocess.run(  # noqa: S603 - an interpreter of ours
            [
                python.with_name("vf-eval"), "enact-env", "-m", "scripted", "-n", str(N),
                "--env.taskset.folder", str(tmp_path / "set"), "--client.base-url", address,
                "--no-push", "--no-rich", "-o", str(tmp_path / "out"),
            ],
            env={"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(ENVIRONMENT),
                 "OPENAI_API_KEY": "none", "PYTHONDONTWRITEBYTECODE": "1"},
            cwd=home, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert run.returncode == 0, (run.stdout + run.stderr)[-3000:]
    (traces,) = (tmp_path / "out").rglob("traces.jsonl")
    found = {}
    for line in traces.read_text("utf-8").splitlines():
        episode = json.loads(line)
        for trace in episode.get("traces", [episode]):
            assert not trace.get("errors"), trace["errors"]
            scores = {
                name: of["score"] if isinstance(of, dict) else of
                for name, of in trace["rewards"].items()
            }
            found[trace["task"]["data"]["id"]] = tuple(
                scores[name] for name in ("task", "pairs", "parsed")
            )
    assert found == expected


@pytest.mark.slow
def test_a_folder_without_questions_is_named(tmp_path: Path) -> None:
    module = questions_module()
    with pytest.raises(FileNotFoundError, match=r"neither metadata\.parquet"):
        next(module.questions_in(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"no enact_score\.py"):
        module.verifier(str(tmp_path))
