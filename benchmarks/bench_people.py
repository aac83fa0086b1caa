"""Ten annotators at once on the page of ``annotate``, whose server is killed again and again.

``python -m benchmarks people``. Each annotator is a thread that does what a browser without a
script does: it fetches the next question and, without kills, its ten pictures, and sends the form.
When the server dies, it sends the same form again. At the end the database must have every answer
that was acknowledged, once, and as it was sent. ``ENACT_PEOPLE`` names a database for it, which
must be empty; otherwise it is SQLite in a folder of its own.
"""

import io
import json
import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
from PIL import Image

from enact_assets.answers.people.annotator_names import SIMULATED
from enact_assets.answers.people.content import ShownQuestion, shown_question
from enact_assets.answers.people.plan_loading import load_plan
from enact_assets.answers.people.plans import paper_plan
from enact_assets.answers.people.store import Store
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.questions.asked.shuffles import shuffled_labels
from enact_assets.questions.world.stored_pictures import Stored
from enact_assets.settings.paths import PEOPLE_VARIABLE, DataRoot

N_ANNOTATORS, N_ANSWERS, N_KILLS = 10, 500, 10
N_STEPS = 9
WAIT_S = 60.0


def main() -> bool:
    """Print the figures; whether no answer was lost, doubled or changed."""
    is_whole = True
    for n_kills in (0, N_KILLS):
        with tempfile.TemporaryDirectory() as folder:
            found = Panel(Path(folder)).answer(N_ANSWERS, n_kills, has_pictures=not n_kills)
        print(found, flush=True)
        is_whole &= not found.n_wrong
    return is_whole


@dataclass
class Found:
    """What came of a run."""

    n_answers: int
    n_kills: int
    n_wrong: int
    """Answers that were acknowledged and are lost, doubled or others."""
    seconds: float
    save_ms: list[float] = field(default_factory=list)
    next_ms: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        rate = self.n_answers / self.seconds
        return (
            f"{self.n_answers} answers, server killed {self.n_kills} times: {self.n_wrong} lost, "
            f"doubled or changed; {self.seconds:.0f} s, {rate:.0f} answers/s; save p50, p95 "
            f"{_quantiles(self.save_ms)} ms; next question {_quantiles(self.next_ms)} ms"
        )


class Panel:
    """Simulated annotators and the server that they use, over a data root in ``folder``."""

    def __init__(self, folder: Path, n_annotators: int = N_ANNOTATORS) -> None:
        self._root = DataRoot(folder, None)
        self._n_annotators = n_annotators
        self._port = _free_port()
        self._sent: dict[str, list[int]] = {}
        self._lock = threading.Lock()
        self._is_over = threading.Event()

    def answer(self, n_answers: int, n_kills: int, *, has_pictures: bool = False) -> Found:
        """Each annotator gives ``n_answers``; meanwhile the server is killed ``n_kills`` times."""
        store = Store(self._root.people)
        invited = [store.invite("panel", SIMULATED) for _ in range(self._n_annotators)]
        questions = list(_questions(n_answers, _pictures(ImageStore(self._root.images))))
        names = [name for name, _ in invited]
        load_plan(store, paper_plan(questions, names, 0, overlap=n_answers), "baseline")
        found = Found(0, n_kills, 0, 0.0)
        server = self._start()
        begun = time.perf_counter()
        threads = [
            threading.Thread(target=self._annotate, args=(token, found, has_pictures))
            for _, token in invited
        ]
        for thread in threads:
            thread.start()
        total = len(questions) * self._n_annotators
        try:
            for kill in range(1, n_kills + 1):
                while len(self._sent) < total * kill / (n_kills + 1) and _any_alive(threads):
                    time.sleep(0.01)
                server.send_signal(signal.SIGKILL)
                server.wait()
                server = self._start()
            for thread in threads:
                thread.join()
        finally:
            self._is_over.set()
            server.kill()
            server.wait()
        found.seconds = time.perf_counter() - begun
        found.n_answers = len(self._sent)
        found.n_wrong = self._wrong(store, total)
        store.database.close()
        return found

    def _wrong(self, store: Store, total: int) -> int:
        rows = store.database.read(
            """
            select s.id, s.shuffle, w.revision, w.answer
            from people_assignments s join people_answers w on w.assignment = s.id
            """
        )
        kept: dict[str, list[list[int]]] = {}
        for row in rows:
            shuffle = json.loads(row["shuffle"])
            seen = [shuffle.index(label) + 1 for label in json.loads(row["answer"])]
            kept.setdefault(row["id"], []).append(seen)
        n_wrong = sum(kept.get(id_) != [order] for id_, order in self._sent.items())
        return n_wrong + len(kept.keys() - self._sent.keys()) + (total - len(self._sent))

    def _start(self) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "enact_assets.cli", "annotate", "serve"]
        options = ["--data", str(self._root.root), "--port", str(self._port), "--rate", "10000"]
        server = subprocess.Popen(  # noqa: S603 - our own interpreter, our own code
            [*command, *options],
            stdout=subprocess.DEVNULL,
            env={**os.environ, PEOPLE_VARIABLE: self._root.people},
        )
        for _ in range(int(WAIT_S / 0.05)):
            try:
                socket.create_connection(("127.0.0.1", self._port)).close()
            except OSError:
                time.sleep(0.05)
            else:
                return server
        raise TimeoutError(f"no server on port {self._port}")

    def _annotate(self, token: str, found: Found, has_pictures: bool) -> None:  # noqa: FBT001
        browser = _Browser(self._port, token)
        try:
            self._answer_all(browser, token, found, has_pictures=has_pictures)
        finally:
            browser.close()

    def _answer_all(
        self, browser: "_Browser", token: str, found: Found, *, has_pictures: bool
    ) -> None:
        while not self._is_over.is_set():
            begun = time.perf_counter()
            _, location, _ = browser.ask("GET", "/next")
            if location == "/":
                return
            page = browser.ask("GET", location)[2].decode()
            if has_pictures:
                for url in sorted(set(re.findall(r'src="(/picture/[^"]+)"', page))):
                    browser.ask("GET", url)
            asked = time.perf_counter()
            order = shuffled_labels(N_STEPS, token, location)
            submission = re.search(r'name="submission" value="([^"]+)"', page)
            form: dict[str, object] = {
                f"item_{item}": place for place, item in enumerate(order, start=1)
            }
            form |= {"done": "answer", "submission": submission[1] if submission else ""}
            n_before = browser.n_broken
            status, _, _ = browser.ask("POST", location, urlencode(form))
            with self._lock:
                if status == 303:
                    self._sent[location.rpartition("/")[2]] = order
                if browser.n_broken == n_before:
                    found.save_ms.append(1000 * (time.perf_counter() - asked))
                    found.next_ms.append(1000 * (asked - begun))


class _Browser:
    """Asks until there is a reply: the same request again where the connection broke."""

    def __init__(self, port: int, token: str) -> None:
        self._port, self._cookie = port, f"annotator={token}"
        self._connection: HTTPConnection | None = None
        self.n_broken = 0

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def ask(self, method: str, path: str, body: str | None = None) -> tuple[int, str, bytes]:
        """Status, location and body."""
        until = time.monotonic() + WAIT_S
        while True:
            if self._connection is None:
                self._connection = HTTPConnection("127.0.0.1", self._port, timeout=WAIT_S)
            try:
                self._connection.request(method, path, body, {"Cookie": self._cookie})
                reply = self._connection.getresponse()
                return reply.status, reply.headers.get("location", ""), reply.read()
            except (OSError, HTTPException):
                self.close()
                self.n_broken += 1
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)


def _questions(n: int, media: list[Stored]) -> Iterator[ShownQuestion]:
    for number in range(n):
        name = f"demonstration-{number % 12}"
        row = {
            "question_id": f"forward {number}",
            "variant": "baseline",
            "kind": "forward",
            "length": N_STEPS + 1,
            "demonstration": name,
            "shown_key_frames": list(range(N_STEPS + 1)),
            "actions": [f"Thing {k} of question {number} is open now." for k in range(N_STEPS)],
            "prompt": f"Question {number}",
            "answer": shuffled_labels(N_STEPS, "bench", str(number)),
        }
        pictures = {(name, k): picture for k, picture in enumerate(media)}
        found = shown_question(row, pictures, is_ambiguous=True)  # so that none is practice
        if found is not None:
            yield found


def _pictures(store: ImageStore) -> list[Stored]:
    """As many as a question shows, of 512 px and some 100 kB, as rendered ones."""
    random, found = np.random.default_rng(0), []
    for _ in range(N_STEPS + 1):
        coarse = random.integers(0, 255, (160, 160, 3), np.uint8)
        out = io.BytesIO()
        Image.fromarray(coarse).resize((512, 512), Image.Resampling.NEAREST).save(out, "PNG")
        found.append((store.put(out.getvalue()), 512, 512))
    return found


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def _any_alive(threads: list[threading.Thread]) -> bool:
    return any(thread.is_alive() for thread in threads)


def _quantiles(values: list[float]) -> str:
    cuts = statistics.quantiles(values, n=20)
    return f"{cuts[9]:.0f}, {cuts[18]:.0f}"
