"""Models that are classes in a user's own code, in files of their own."""

import io
import sys
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from enact_assets.answers.models.answers import Answer
from enact_assets.answers.models.budget import Budget
from enact_assets.answers.models.canary import canary_messages
from enact_assets.answers.models.catalogue import entry_points
from enact_assets.answers.models.entries import Model, ModelEntry, Price
from enact_assets.answers.models.messages import Message, Picture, Text
from enact_assets.answers.models.python_model import PythonModel
from enact_assets.answers.models.replies import Reply
from enact_assets.answers.models.session import Key, ask
from enact_assets.engine.errors import DamagedFileError, PredictionError

MESSAGES = [
    Message("q1", (Text("first"), Picture("10"), Text("then"), Picture("20"))),
    Message("q2", (Picture("30"),)),
    Message("q3", (Text("only words"),)),
]
SEES = """
class MyModel:
    def __init__(self, prefix="saw"):
        self.prefix = prefix
    def answer(self, parts):
        return " ".join([self.prefix, *(self.seen(p) for p in parts)])
    def seen(self, part):
        return part if isinstance(part, str) else str(part.getpixel((0, 0)))
"""
MINE = "mine.py:MyModel"
SEEN = ["saw first 10 then 20", "saw 30", "saw only words"]


def reader(sha: str) -> bytes:
    """A grey picture whose hash is its brightness."""
    file = io.BytesIO()
    Image.new("L", (2, 2), int(sha)).save(file, "PNG")
    return file.getvalue()


def model(folder: Path, asked: str = MINE, *, entry: Any = (), **parameters: Any) -> Model:
    """With fields of its ``entry``, and ``parameters``."""
    found = ModelEntry(id=f"python/{asked}", **dict(entry))
    return Model(asked, found, "python", asked, "", "", parameters, folder)


def written(folder: Path, source: str, **parameters: Any) -> PythonModel:
    """The class of this ``source``."""
    (folder / "mine.py").write_text(source)
    return PythonModel(model(folder, **parameters))


def answers(folder: Path, source: str, **parameters: Any) -> list[Reply | Exception]:
    return list(written(folder, source, **parameters).answers(MESSAGES, reader))


def bought(
    folder: Path, given: Model, of: Sequence[Message] = MESSAGES, **more: Any
) -> dict[Key, Answer]:
    return ask(given, of, reader, folder, budget=Budget(folder, 100.0), **more)


def texts(replies: list[Reply | Exception]) -> list[str]:
    return [r.text if isinstance(r, Reply) else str(r).partition(": ")[2] for r in replies]


@pytest.fixture
def importable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    before = set(sys.modules)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_a_class_in_a_file_is_shown_parts_in_order(tmp_path: Path) -> None:
    assert texts(answers(tmp_path, SEES)) == SEEN
    assert texts(answers(tmp_path, SEES, prefix="see"))[1] == "see 30"
    assert answers(tmp_path, SEES)[1] == Reply("saw 30", "complete")


def test_the_version_of_a_file_is_its_content(tmp_path: Path) -> None:
    first = written(tmp_path, SEES)
    second = written(tmp_path, SEES.replace("saw", "was"))
    assert first.version != second.version
    # Each answers with the code that its version names, though the file has changed since.
    assert texts(list(first.answers(MESSAGES[1:2], reader))) == ["saw 30"]
    assert texts(list(second.answers(MESSAGES[1:2], reader))) == ["was 30"]
    assert written(tmp_path, SEES).version == first.version


def test_a_version_of_the_entry_stands_for_the_code(tmp_path: Path) -> None:
    """Researcher F8: an edited comment asked everything again."""
    asked = []

    def answers_of(version: str | int | None) -> list[str | None]:
        given = model(tmp_path, entry={"version": version})
        found = bought(tmp_path, given, on_progress=lambda p: asked.append(p.done - p.free))
        return [answer.text for answer in found.values()]

    def n_asked(version: str | int | None) -> int:
        asked.clear()
        answers_of(version)
        return max(asked)

    before = written(tmp_path, SEES).version
    assert answers_of(None) == SEEN
    assert n_asked(1) == 3
    (tmp_path / "mine.py").write_text(f"# a comment\n{SEES}")
    assert n_asked(1) == n_asked("1") == 0
    assert n_asked(2) == 3
    # What was answered before the entry had a version is kept by naming that of the code.
    assert n_asked(before) == 0
    assert n_asked(None) == 3


def test_code_that_changed_within_a_process_is_not_mixed(importable: Path) -> None:
    """Also if its version is the same."""
    (importable / "my_module.py").write_text(SEES)
    given = model(importable, "my_module:MyModel", entry={"version": "1"})
    assert texts(list(PythonModel(given).answers(MESSAGES, reader))) == SEEN
    (importable / "my_module.py").write_text(f"# a comment\n{SEES}")
    with pytest.raises(PredictionError, match="Start a new process"):
        list(PythonModel(given).answers(MESSAGES, reader))


def test_the_version_of_a_package_is_that_of_all_its_modules(importable: Path) -> None:
    package = importable / "my_package"
    (package / "deep").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "deep" / "__init__.py").write_text(SEES)
    (package / "other.py").write_text("A = 1\n")
    named = model(importable, "my_package.deep:MyModel")
    first = PythonModel(named)
    assert "my_package" not in sys.modules  # a version costs no import
    assert texts(list(first.answers(MESSAGES, reader))) == SEEN
    (package / "other.py").write_text("A = 2\n")
    second = PythonModel(named)
    assert second.version != first.version
    with pytest.raises(PredictionError, match="changed since this process loaded it"):
        list(second.answers(MESSAGES, reader))
    (package / "other.py").write_text("A = 1\n")
    (package / "notes.txt").write_text("not code")
    assert PythonModel(named).version == first.version


def test_a_module_and_an_installed_distribution(importable: Path) -> None:
    (importable / "my_module.py").write_text(SEES)
    found = PythonModel(model(importable, "my_module:MyModel"))
    assert found.version.startswith("module ")
    assert texts(list(found.answers(MESSAGES, reader))) == SEEN
    installed = PythonModel(model(importable, "PIL.Image:Image"))
    assert installed.version == f"pillow {metadata.version('pillow')}"


def test_an_error_is_that_of_its_question(tmp_path: Path) -> None:
    fails = SEES.replace(
        'return " ', "if len(parts) == 1: raise KeyError('gone')\n        return \" "
    )
    assert texts(answers(tmp_path, fails)) == [SEEN[0], "KeyError: 'gone'", "KeyError: 'gone'"]
    number = "class MyModel:\n    def answer(self, parts): return 3\n"
    assert "answered int instead of str" in str(answers(tmp_path, number)[0])


MANY = """
class MyModel:
    def answer_many(self, questions):
        for parts in questions:
            if parts == ["only words"]: yield ValueError("words")
            elif len(parts) == 1: raise KeyError("gone")
            else: yield f"{len(parts)} parts"
"""


def test_batches(tmp_path: Path) -> None:
    found = answers(tmp_path, MANY)
    assert texts(found[:2]) == ["4 parts", "KeyError: 'gone'"]
    assert isinstance(found[2], ValueError)
    counted = MANY.partition("for")[0] + "return [str(len(questions[1:]))] * len(questions)\n"
    assert texts(answers(tmp_path, counted)) == ["2"] * 3


def test_pictures_are_read_when_their_question_is_due(tmp_path: Path) -> None:
    read: list[str] = []

    def counting(sha: str) -> bytes:
        read.append(sha)
        return reader(sha)

    next(written(tmp_path, MANY).answers(MESSAGES, counting))
    assert read == ["10", "20"]


@pytest.mark.parametrize("source", [SEES, MANY])
def test_damaged_pictures_are_no_fault_of_the_model(tmp_path: Path, source: str) -> None:
    def damaged(sha: str) -> bytes:
        raise DamagedFileError(f"picture {sha} is damaged")

    with pytest.raises(DamagedFileError):
        list(written(tmp_path, source).answers(MESSAGES, damaged))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("def answer_many(self, questions): return 'abc'", "one text per question, not str"),
        ("def answer_many(self, questions): return None", "one text per question, not NoneType"),
        ("def answer_many(self, questions): return ['a']", "gave 1 answers for 3"),
        ("def answer_many(self, questions): yield 'a'", "gave fewer answers for 3"),
        ("def answer_many(self, questions): yield from 'abcd'", "gave more answers for 3"),
        ("def answer_many(self): return []", "cannot be called with one argument"),
        ("def answer(self, question, parts): return ''", "cannot be called with one argument"),
        ("def reply(self, parts): return ''", "has neither `answer"),
        ("def __init__(self): 1 / 0\n    def answer(self, parts): return ''", "ZeroDivisionError"),
    ],
)
def test_classes_of_another_form_say_what_to_do(tmp_path: Path, body: str, words: str) -> None:
    with pytest.raises(PredictionError, match=words):
        answers(tmp_path, f"class MyModel:\n    {body}\n")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("MyModel = 3", "is no class"),
        ("class Other: pass", "AttributeError"),
        ("import no_such_module", "No module named 'no_such_module'"),
        ("class MyModel(", "SyntaxError"),
    ],
)
def test_files_that_cannot_be_loaded(tmp_path: Path, source: str, words: str) -> None:
    with pytest.raises(PredictionError, match=words):
        answers(tmp_path, source)


def test_wrong_parameters_are_named(tmp_path: Path) -> None:
    with pytest.raises(PredictionError, match="unexpected keyword argument 'suffix'"):
        answers(tmp_path, SEES, suffix="!")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("missing.py:MyModel", "cannot be read: No such file.*start at the data root"),
        ("no_such_module:MyModel", "no module no_such_module. Install it"),
        ("MyModel", "names no class"),
        ("sys:MyModel", "has no source"),
    ],
)
def test_what_is_not_there(tmp_path: Path, asked: str, words: str) -> None:
    with pytest.raises(PredictionError, match=words):
        PythonModel(model(tmp_path, asked))


def test_entry_points_of_installed_packages(importable: Path) -> None:
    info = importable / "my_models-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-models\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[enact_assets.models]\nmine = my_module:MyModel\n")
    assert entry_points()["mine"] == "my_module:MyModel"


def test_a_class_that_fails_at_the_first_message_is_asked_all_the_same(tmp_path: Path) -> None:
    """Researcher F10: the first message is no question, and a class may read their wording."""
    written(
        tmp_path,
        "import re\nclass MyModel:\n    def answer(self, parts):\n"
        "        return re.search(r'(\\w+) words', parts[-1]).group(1)\n",
    )
    told: list[str] = []
    found = bought(tmp_path, model(tmp_path), on_progress=lambda p: told.append(p.note))
    assert found["q3", 0].text == "only"
    assert "TypeError" in str(found["q2", 0].error)
    assert sum("failed at the first message" in note for note in told) == 1


def test_the_first_message_is_as_the_documentation_shows_it() -> None:
    """Researcher F10."""
    chapter = (Path(__file__).parents[3] / "docs" / "models.md").read_text()
    chapter = chapter.partition("## A Python class")[2].partition("\n## ")[0]
    (shown,) = canary_messages()[-1:]
    assert shown.n_pictures == 10
    words = [part.text for part in shown.parts if isinstance(part, Text)]
    assert all(text in chapter for text in (words[0], words[1], words[-1]))


def many(n: int) -> list[Message]:
    return [
        Message(f"q{k}", (Text(f"{'first' if k < n // 2 else 'second'} {k}"),)) for k in range(n)
    ]


@pytest.mark.parametrize("price", [None, Price(1.0, 1.0)])
def test_a_class_that_is_down_is_not_asked_everything(tmp_path: Path, price: Price | None) -> None:
    """Each failure of a class with a price is booked as spent."""
    written(tmp_path, "class MyModel:\n    def answer(self, parts): raise OSError('down')\n")
    found = bought(tmp_path, model(tmp_path, entry={"price": price}), many(60))
    assert sum(answer.attempts for answer in found.values()) == 16
    left = {str(answer.error) for answer in found.values() if not answer.attempts}
    (reason,) = left
    assert reason.startswith("16 questions in a row got no answer, the last: PredictionError")
    assert (Budget(tmp_path, None).committed_usd() > 0) == (price is not None)


@pytest.mark.parametrize("price", [None, Price(1.0, 1.0)])
def test_a_class_that_answers_some_is_asked_everything(tmp_path: Path, price: Price | None) -> None:
    """Also if it cannot answer the questions that come first."""
    written(
        tmp_path,
        "class MyModel:\n    def answer_many(self, questions):\n"
        "        for parts in questions:\n"
        "            yield '[1]' if 'second' in parts[-1] else ValueError('first')\n",
    )
    found = bought(tmp_path, model(tmp_path, entry={"price": price}), many(200))
    assert [answer.text for answer in found.values()] == [None] * 100 + ["[1]"] * 100
    assert {answer.attempts for answer in found.values()} == {1}


def test_a_class_that_fails_at_the_first_message_is_shown_it_only_before_questions(
    tmp_path: Path,
) -> None:
    """With a price, each run bought the failure again."""
    written(
        tmp_path,
        "class MyModel:\n    def answer(self, parts): return '[1]' if len(parts) == 1 else 1 / 0\n",
    )
    given = model(tmp_path, entry={"price": Price(1.0, 1.0)})
    first, budget = bought(tmp_path, given, many(3)), Budget(tmp_path, None)
    usd = budget.committed_usd()
    assert bought(tmp_path, given, many(3)) == first
    assert budget.committed_usd() == usd
