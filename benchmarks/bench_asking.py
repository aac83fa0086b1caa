"""Asking a model on this machine that answers at once, or after two seconds: what our client costs,
beside the SDK of OpenAI and Inspect where they are installed.

``python -m benchmarks asking``. The server is a process of its own, as is each client.
"""

import asyncio
import base64
import importlib.util
import json
import random
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.measuring import in_fresh_process, megabytes

N_QUESTIONS, N_PICTURES = 9_000, 500
PICTURES_SHOWN = 8
PICTURE_BYTES = 86_000
"""With base64 a request of eight has 0.92 MB."""
SERVER = Path(__file__).parents[1] / "tests" / "reference" / "misbehaving_server.py"
NAME = "seer-2"
GOAL_PER_S = 100
FREE, PAID = "ours", "ours, within a budget"


@dataclass(frozen=True)
class Case:
    """``n`` questions asked by ``client``, the server taking ``latency_ms`` for each."""

    client: str
    n: int
    in_flight: int
    latency_ms: int


CASES = (
    Case(FREE, N_QUESTIONS, 16, 0),
    Case(PAID, N_QUESTIONS, 16, 0),
    Case(FREE, N_QUESTIONS, 256, 2_000),
    Case("openai SDK", 1_000, 16, 0),
    Case("openai SDK", 1_000, 256, 2_000),
    Case("Inspect generate()", 500, 16, 0),
    Case("Inspect generate()", 1_000, 256, 2_000),
    Case("Inspect eval()", 200, 16, 0),
    Case("Inspect eval()", 500, 256, 2_000),
)
_NEEDS = {
    "openai SDK": "openai",
    "Inspect generate()": "inspect_ai",
    "Inspect eval()": "inspect_ai",
}


def main(n: int | None = None) -> bool:
    """Print a row for each case; whether ours reached the goal. ``n`` is the most to ask of each,
    where it shortens a case the goal does not hold.
    """
    print(
        "| client | questions | in flight | latency | questions/s | CPU ms/question | peak memory |"
        "\n|---|---|---|---|---|---|---|"
    )
    is_reached = True
    with tempfile.TemporaryDirectory() as folder, _server() as address:
        _draw(Path(folder, "pictures"))
        for case in CASES:
            needed = _NEEDS.get(case.client)
            if needed is not None and importlib.util.find_spec(needed) is None:
                print(f"| {case.client} | not installed | | | | | |")
                continue
            asked = min(case.n, n or case.n)
            numbers = (str(asked), str(case.in_flight), str(case.latency_ms))
            found = in_fresh_process("asking", case.client, address, folder, *numbers)
            rate = asked / found["wall_s"]
            print(
                f"| {case.client} | {asked:,} | {case.in_flight} | {case.latency_ms / 1000:g} s | "
                f"{rate:.0f} | {1e3 * found['cpu_s'] / asked:.2f} | "
                f"{megabytes(found['peak_bytes'])} |",
                flush=True,
            )
            is_ours = case.client in {FREE, PAID} and asked == case.n
            is_reached = is_reached and not (is_ours and rate < GOAL_PER_S)
        print(f"Server: {_stat(address)}")
    return is_reached


def ask(
    client: str, address: str, folder: Path, *, n: int, in_flight: int, latency_ms: int
) -> dict[str, Any]:
    """Seconds and memory of one case, run in this process."""
    url = f"{address}/x-lat{latency_ms}/v1"
    runs: dict[str, Callable[[], int]] = {
        FREE: lambda: _ours(url, folder, n, in_flight, price=None),
        PAID: lambda: _ours(url, folder, n, in_flight, price=1.0),
        "openai SDK": lambda: _openai(url, folder, n, in_flight),
        "Inspect generate()": lambda: _inspect_generate(url, folder, n, in_flight),
        "Inspect eval()": lambda: _inspect_eval(url, folder, n, in_flight),
    }
    began, cpu = time.monotonic(), time.process_time()
    n_answered = runs[client]()
    assert n_answered == n, f"{n_answered} of {n} answered"
    return {
        "wall_s": time.monotonic() - began,
        "cpu_s": time.process_time() - cpu,
        "peak_bytes": _peak_bytes(),
    }


def _ours(url: str, folder: Path, n: int, in_flight: int, price: float | None) -> int:
    from enact_assets.answers.models.budget import Budget
    from enact_assets.answers.models.entries import Model, ModelEntry, Price
    from enact_assets.answers.models.messages import Message, Picture, Text
    from enact_assets.answers.models.session import ask as ask_model

    given = Price(price or 0.0, price or 0.0)
    entry = ModelEntry(id=f"test/{NAME}", in_flight=in_flight, price=given)
    model = Model(NAME, entry, "openai_chat", NAME, url, "", {"max_tokens": 64}, folder)
    messages = [
        Message(
            f"q{k}",
            tuple(Text(part) if kind == "text" else Picture(part) for kind, part in _parts(k)),
        )
        for k in range(n)
    ]
    with tempfile.TemporaryDirectory(dir=folder) as ledger:
        budget = Budget(Path(ledger), 1_000.0)
        answers = ask_model(
            model, messages, lambda sha: _picture(folder, sha), Path(ledger), budget=budget
        )
    return sum(answer.text is not None for answer in answers.values())


def _openai(url: str, folder: Path, n: int, in_flight: int) -> int:
    from openai import AsyncOpenAI

    async def run() -> int:
        async with AsyncOpenAI(base_url=url, api_key="none", timeout=900) as client:

            async def answer(k: int) -> bool:
                content: list[Any] = [
                    {"type": "text", "text": part}
                    if kind == "text"
                    else {"type": "image_url", "image_url": {"url": _data_uri(folder, part)}}
                    for kind, part in _parts(k)
                ]
                reply = await client.chat.completions.create(
                    model=NAME, messages=[{"role": "user", "content": content}], max_tokens=64
                )
                return bool(reply.choices[0].message.content)

            return await _at_most(in_flight, n, answer)

    return asyncio.run(run())


def _inspect_generate(url: str, folder: Path, n: int, in_flight: int) -> int:
    from inspect_ai.model import (
        ChatMessageUser,
        ContentImage,
        ContentText,
        GenerateConfig,
        get_model,
    )

    async def run() -> int:
        config = GenerateConfig(max_connections=in_flight, max_tokens=64, max_retries=3)
        model = get_model(f"openai-api/test/{NAME}", base_url=url, api_key="none", config=config)

        async def answer(k: int) -> bool:
            content: list[Any] = [
                ContentText(text=part)
                if kind == "text"
                else ContentImage(image=_data_uri(folder, part))
                for kind, part in _parts(k)
            ]
            reply = await model.generate([ChatMessageUser(content=content)])
            return bool(reply.completion)

        return await _at_most(in_flight, n, answer)

    return asyncio.run(run())


def _inspect_eval(url: str, folder: Path, n: int, in_flight: int) -> int:
    from inspect_ai import Task
    from inspect_ai import eval as evaluate
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ChatMessageUser, ContentImage, ContentText, get_model
    from inspect_ai.solver import generate

    samples = [
        Sample(
            id=f"q{k}",
            input=[
                ChatMessageUser(
                    content=[
                        ContentText(text=part)
                        if kind == "text"
                        else ContentImage(image=str(_file(folder, part)))
                        for kind, part in _parts(k)
                    ]
                )
            ],
        )
        for k in range(n)
    ]
    with tempfile.TemporaryDirectory(dir=folder) as logs:
        log = evaluate(
            Task(dataset=MemoryDataset(samples), solver=generate()),
            model=get_model(f"openai-api/test/{NAME}", base_url=url, api_key="none"),
            max_connections=in_flight,
            max_samples=in_flight,
            max_tokens=64,
            log_images=False,
            log_dir=logs,
            display="none",
        )[0]
        return sum(bool(sample.output.completion) for sample in log.samples or [])


def _peak_bytes() -> int:
    """As :func:`~enact_assets.pipeline.bulk.run.peak_bytes`, which would load Numba and polars'
    tables.
    """
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


async def _at_most(in_flight: int, n: int, answer: Callable[[int], Awaitable[bool]]) -> int:
    """How many of ``n`` were answered, so many at a time."""
    todo, n_answered = iter(range(n)), 0

    async def work() -> None:
        nonlocal n_answered
        for k in todo:
            is_answered = await answer(k)
            n_answered += is_answered

    async with asyncio.TaskGroup() as group:
        for _ in range(in_flight):
            group.create_task(work())
    return n_answered


def _parts(k: int) -> Iterator[tuple[str, str]]:
    """Texts and pictures of a question in order, each with its kind."""
    draw = random.Random(k)  # noqa: S311 - no secret
    for i in range(PICTURES_SHOWN):
        yield "text", f"[Image {i}]"
        yield "picture", f"{draw.randrange(N_PICTURES)}.png"
    yield "text", f"QID=q{k}. " + "In which order did this happen? " * 60


def _draw(folder: Path) -> None:
    """Files of the size of pictures; nobody looks at them."""
    folder.mkdir()
    draw = random.Random(0)  # noqa: S311 - no secret
    for k in range(N_PICTURES):
        (folder / f"{k}.png").write_bytes(b"\x89PNG\r\n\x1a\n" + draw.randbytes(PICTURE_BYTES))


def _file(folder: Path, name: str) -> Path:
    return folder / "pictures" / name


def _picture(folder: Path, name: str) -> bytes:
    return _file(folder, name).read_bytes()


def _data_uri(folder: Path, name: str) -> str:
    return f"data:image/png;base64,{base64.b64encode(_picture(folder, name)).decode()}"


@contextmanager
def _server() -> Iterator[str]:
    with subprocess.Popen(  # noqa: S603 - our own interpreter, our own code
        [sys.executable, SERVER], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        finally:
            process.terminate()


def _stat(address: str) -> str:
    with urllib.request.urlopen(f"{address}/stat") as reply:  # noqa: S310 - our own server
        counts = json.load(reply)
    return (
        f"{counts['n']:,} requests, {megabytes(counts['n_bytes'])}, at most {counts['peak']} in "
        f"flight, {1e3 * counts['cpu_s'] / counts['n']:.2f} CPU ms each"
    )
