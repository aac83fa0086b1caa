"""How many cases a fuzz target runs, what became of them, and what an error of ours looks like."""

import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis.database import DirectoryBasedExampleDatabase

from enact_assets.engine.errors import EnactError

VARIABLE = "ENACT_FUZZ_CASES"
DEFAULT_CASES = 300
CORPUS_VARIABLE = "ENACT_FUZZ_CORPUS"
"""A folder that keeps what found something: the next run begins with it."""
COUNTS_VARIABLE = "ENACT_FUZZ_COUNTS"
"""A file for the counts, as JSON: target -> outcome -> cases."""
MAX_MESSAGE_CHARACTERS = 2000

COUNTS: Counter[tuple[str, str]] = Counter()
"""(target, outcome) -> cases."""


def n_cases(share: float = 1.0) -> int:
    """Cases of one target; slow targets take a ``share`` of them."""
    return max(1, round(share * int(os.environ.get(VARIABLE, DEFAULT_CASES))))


def fuzz(share: float = 1.0) -> Callable[[Any], Any]:
    """Settings of a target. Without a corpus nothing is remembered: a seed repeats a run."""
    corpus = os.environ.get(CORPUS_VARIABLE)
    return settings(
        max_examples=n_cases(share),
        deadline=None,
        database=None if corpus is None else DirectoryBasedExampleDatabase(corpus),
        phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
        print_blob=True,
    )


def count(target: str, outcome: str, n: int = 1) -> None:
    COUNTS[target, outcome] += n


def is_refused(target: str, call: Callable[[], Any], *kinds: type[EnactError], names: str) -> bool:
    """Whether ``call`` ends in an error of ``kinds``, which has to be a readable message.

    Any other error passes through, and is what fuzzing looks for.
    """
    try:
        call()
    except kinds as error:
        check_message(str(error), names)
        count(target, "refused")
        return True
    count(target, "accepted")
    return False


def check_message(message: str, names: str = "") -> None:
    """A message names its file, is short, and cannot play tricks with a terminal."""
    assert names in message, message[:500]
    rest = message.replace(names, "")
    assert len(rest) < MAX_MESSAGE_CHARACTERS, (len(rest), rest[:500])
    assert rest.replace("\n", " ").isprintable(), ascii(rest)


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder for one case."""
    with tempfile.TemporaryDirectory(prefix="fuzz") as folder:
        yield Path(folder).resolve()
