"""How many cases a fuzz target runs, what became of them, and what an error of ours looks like."""

import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.database import DirectoryBasedExampleDatabase

from enact_assets.engine.errors import EnactError

VARIABLE = "ENACT_FUZZ_CASES"
DEFAULT_CASES = 300
CORPUS_VARIABLE = "ENACT_FUZZ_CORPUS"
"""A folder that keeps what found something: the next run begins with it."""
COUNTS_VARIABLE = "ENACT_FUZZ_COUNTS"
"""A file for the counts, as JSON: target -> outcome -> cases."""
MAX_MESSAGE_CHARACTERS = 2000

T = TypeVar("T")
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


def read_file(
    target: str, name: str, data: bytes, read: Callable[[Path], T], *kinds: type[EnactError]
) -> T | None:
    """What ``read`` makes of a file of this ``name`` and content; None if it is refused."""
    found: list[T] = []
    with scratch() as folder:
        path = folder / name
        path.write_bytes(data)
        is_refused(target, lambda: found.append(read(path)), *kinds, names=str(path))
    return found[0] if found else None


def damaged_bytes(draw: st.DrawFn, data: bytes, n_places: int, n_most: int) -> bytes:
    """``data``, in up to ``n_places`` cut off, flipped, or up to ``n_most`` bytes in or out."""
    found = bytearray(data)
    for _ in range(draw(st.integers(0, n_places))):
        at = draw(st.integers(0, max(0, len(found) - 1)))
        match draw(st.sampled_from(["cut", "flip", "flip", "take out", "put in"])):
            case "cut":
                del found[at:]
            case "flip" if found:
                found[at] ^= draw(st.integers(1, 255))
            case "take out":
                del found[at : at + draw(st.integers(1, 3 * n_most))]
            case _:
                found[at:at] = draw(st.binary(max_size=n_most))
    return bytes(found)


def junk_values(known: st.SearchStrategy[Any], n_characters: int = 12) -> st.SearchStrategy[Any]:
    """``known`` values, texts and numbers, and lists and dictionaries of them."""
    texts = st.text(max_size=n_characters)
    return st.recursive(
        known | texts | st.integers() | st.floats(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=2),
        max_leaves=4,
    )


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
