"""Speed of the pages of ``browse``: 10,000 questions that 30 models answered.

``python -m benchmarks browse``. Questions and answers are those of the report's benchmark. A page
is asked for over HTTP, the fastest of five times after one that is not counted: wall time, since
the connection and all threads of DuckDB belong to it.
"""

import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from time import perf_counter
from urllib.parse import urlencode

from benchmarks.bench_report import publish_answers
from benchmarks.evaluation_data import evaluation_set
from benchmarks.measuring import HEADER, Row, milliseconds
from enact_assets.engine.sites import listening_on, server_of
from enact_assets.results.browse.question_lists import (
    PAGE_ROWS,
    Wanted,
    choices,
    list_questions,
)
from enact_assets.results.browse.site.pages import site
from enact_assets.results.published import OpenWarehouse
from enact_assets.settings.paths import DataRoot

ADDRESS = "127.0.0.1"

N_MODELS = 30
N_QUESTIONS = 10_000
TARGET_S = 0.3
N_TIMES = 5


def rows(n_models: int = N_MODELS, n_questions: int = N_QUESTIONS) -> Iterator[Row]:
    """The leaderboard, lists of questions and one question."""
    asked = evaluation_set(n_questions=n_questions)
    with tempfile.TemporaryDirectory() as folder:
        root = DataRoot(Path(folder), None)
        publish_answers(root, asked, n_models)
        yield from rows_of(root)


def rows_of(root: DataRoot) -> Iterator[Row]:
    """The same of a data root that is there."""
    ask = OpenWarehouse(root.warehouse)
    first = list_questions(ask, Wanted())
    question = list_questions(ask, Wanted(), first.n_pages).rows[-1]
    pages = {
        "leaderboard": "/",
        f"first {PAGE_ROWS} of {first.n_questions:,} questions": "/questions",
        f"last page of {first.n_pages}": f"/questions?page={first.n_pages}",
        "wrong answers of one model": f"/questions?outcome=wrong&model={question.wrong[0]}",
        "one model right, one wrong": f"/questions?{_two(ask)}",
        f"a question of length {question.length}": f"/question/{question.question_id}",
        "the same, two models side by side": f"/question/{question.question_id}?{_two(ask)}",
        "one demonstration": f"/demonstration/{question.demonstration}",
        "all demonstrations": "/demonstrations",
    }
    with served(root) as port:
        for name, path in pages.items():
            n_bytes = len(_page(port, path))
            spent = min(_seconds(port, path) for _ in range(N_TIMES))
            yield Row(
                f"browse: {name}",
                milliseconds(TARGET_S),
                milliseconds(spent),
                spent <= TARGET_S,
                f"a page of {n_bytes / 1e3:.0f} kB; {question.n_models} models",
            )


def _two(ask: OpenWarehouse) -> str:
    """The list of questions that one model has right and another wrong."""
    first, other = choices(ask, Wanted().variant).models[:2]
    wanted = {"model": first, "outcome": "right", "other": other, "other_outcome": "wrong"}
    return urlencode(wanted)


@contextmanager
def served(root: DataRoot) -> Iterator[int]:
    """The port of a server that runs as ``browse`` runs it, but in a thread."""
    with listening_on(ADDRESS, 0) as socket:
        pages = server_of(site(root))
        thread = threading.Thread(target=pages.run, kwargs={"sockets": [socket]})
        thread.start()
        try:
            yield socket.getsockname()[1]
        finally:
            pages.should_exit = True
            thread.join()


def _seconds(port: int, path: str) -> float:
    started = perf_counter()
    _page(port, path)
    return perf_counter() - started


def _page(port: int, path: str) -> bytes:
    with closing(HTTPConnection(ADDRESS, port, timeout=60)) as connection:
        connection.request("GET", path)
        response = connection.getresponse()
        content = response.read()
    if response.status != 200:
        raise RuntimeError(f"{path}: status {response.status}")
    return content


def main() -> None:
    """Print the table."""
    print(HEADER)
    for row in rows():
        print(row.as_text(), flush=True)


if __name__ == "__main__":
    main()
