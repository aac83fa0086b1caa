"""Files of answers in any state: refused by line and field, or stored whole."""

import atexit
import json
import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from fuzz_cases import fuzz, junk_values, read_file
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.answers.imported.answer_files import answer_file, imported_answers
from enact_assets.commands.release.answer_importing import import_answers
from enact_assets.engine.errors import QuestionFileError
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import load_registry

from reference.asked_root import write_asked_root
from reference.broken_recordings import BYTES, JUNK

pytestmark = pytest.mark.slow

FIELDS = (
    *("question_id", "id", "answer", "stop", "served_model", "tokens_in", "latency_s"),
    *("variant", "variant", "note"),
)
HOSTILE: list[Any] = [*JUNK, "../x", "\udc00", "a" * 200_000, 10**40, -1, "complete", "cut"]
values = junk_values(st.sampled_from(HOSTILE))


@cache
def asked() -> tuple[DataRoot, list[str]]:
    folder = mkdtemp(prefix="fuzz")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    root, home = write_asked_root(Path(folder))
    return root, home.qa["question_id"][:-4].to_list()


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    """An answer to a question that is asked, with up to two fields damaged, or its bytes."""
    row: dict[str, Any] = {"question_id": draw(st.sampled_from(asked()[1])), "answer": "[2, 1]"}
    for _ in range(draw(st.sampled_from([0, 0, 1, 2]))):
        row[draw(st.sampled_from(FIELDS))] = draw(values)
    data = json.dumps(row, ensure_ascii=draw(st.booleans())).encode("utf-8", "surrogatepass")
    if draw(st.sampled_from([False, False, False, True])):
        at = draw(st.integers(0, len(data)))
        data = data[:at] + draw(st.sampled_from(BYTES) | st.binary(max_size=3)) + data[at + 1 :]
    return data


either = lines() | lines() | lines() | st.sampled_from(BYTES)
files = st.lists(either, min_size=1, max_size=4).map(b"\n".join)


@given(files)
@fuzz()
def test_a_file_of_answers_is_refused_or_stored_whole(data: bytes) -> None:
    root, questions = asked()
    place = answer_file(root, "fuzzed", "baseline")
    place.unlink(missing_ok=True)
    found = read_file(
        "imported answers",
        "answers.jsonl",
        data,
        lambda path: import_answers(root, path, "fuzzed", "baseline", load_registry()),
        QuestionFileError,
    )
    if found is None:
        assert not place.exists()
        return
    stored = imported_answers(root, "fuzzed", "baseline")
    assert len(stored) == found.n_given == found.n_new > 0
    assert set(stored) <= set(questions)
    assert found.n_missing == len(questions) - len(stored)
