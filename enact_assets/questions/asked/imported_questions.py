"""Questions of imported files by demonstration, and versions that change with them.

A file is read once per process and held as places of its lines. Two files may have the same
question, which then counts once; another question under its id is an error where it is asked.
"""

from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from enact_assets.engine.errors import QuestionFileError
from enact_assets.engine.given_files import open_given
from enact_assets.engine.ids import content_sha
from enact_assets.questions.asked.official import OfficialQuestion, decode_question, parse_type
from enact_assets.questions.files.imported import question_file, question_file_names


class FoundQuestion(NamedTuple):
    """A question, and the imported file that has it."""

    file: str
    line: int
    question: OfficialQuestion


class _Line(NamedTuple):
    """Where a question is in its file, which pictures it shows, the largest frame id it names, and
    what it says as hashes: ``sha`` of all but where its pictures are, ``asked`` of that without id
    and answer.
    """

    number: int
    offset: int
    size: int
    question_id: str
    images: list[str]
    last_frame_id: int
    sha: str
    asked: str
    is_labelled: bool


class _File(NamedTuple):
    """The questions of a file by demonstration, and by id."""

    tasks: dict[str, list[_Line]]
    by_id: dict[str, _Line]


class ImportedQuestions:
    """All question files in ``folder`` (``DataRoot.question_files``).

    Where ``files`` are asked for, only those of their names count; by default all. Every method
    raises :class:`QuestionFileError` for a file that cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def files(self) -> list[str]:
        """Names of the files, sorted."""
        return question_file_names(self.folder)

    def tasks(self, files: Collection[str] | None = None) -> list[str]:
        """Demonstrations that questions name, sorted."""
        return sorted({task for _, file in self._read(files) for task in file.tasks})

    def last_frame_id(self, task: str) -> int | None:
        """The largest frame id that a question about ``task`` names; None if none is about it."""
        lines = (line for _, file in self._read() for line in file.tasks.get(task, ()))
        return max((line.last_frame_id for line in lines), default=None)

    def version(self, task: str, files: Collection[str] | None = None) -> str | None:
        """Hash of all that is asked about ``task``; None if nothing is."""
        said = {
            (line.question_id, file.by_id[line.question_id].sha)
            for _, file in self._read(files)
            for line in file.tasks.get(task, ())
        }
        return content_sha(sorted(said)) if said else None

    def images(self, task: str, files: Collection[str]) -> dict[str, list[tuple[str, list[str]]]]:
        """File -> id and paths of the pictures of each of its questions about ``task``."""
        return {
            name: [(line.question_id, line.images) for line in file.tasks[task]]
            for name, file in self._read(files)
            if task in file.tasks
        }

    def about(self, task: str, files: Collection[str]) -> list[FoundQuestion]:
        """Every question about ``task``, once, by file and line; of one that a file has without its
        answer, the labelled one of another file.

        Errors: :class:`QuestionFileError` also if two files ask otherwise under one id.
        """
        read = list(self._read(files))
        found: list[FoundQuestion] = []
        taken: set[str] = set()
        ids = ((file, line.question_id) for _, file in read for line in file.tasks.get(task, ()))
        labelled = {id_ for file, id_ in ids if file.by_id[id_].is_labelled}
        for name, file in read:
            lines = file.tasks.get(task, [])
            for line in lines:
                _check_same(line.question_id, read)
            new = [
                line
                for line in lines
                if line.question_id not in taken
                and file.by_id[line.question_id].is_labelled == (line.question_id in labelled)
            ]
            taken.update(line.question_id for line in new)
            found += self._questions(name, new)
        return found

    def also_in(self, questions: Iterable[OfficialQuestion], name: str) -> dict[str, int]:
        """Other file than ``name`` -> how many of ``questions`` it asks as well, whatever their
        ids: about the same frames in the same words. One that cannot be read is left out: where it
        is asked, that is an error.
        """
        asked, found = {_hashes(question)[1] for question in questions}, dict[str, int]()
        for other in self.files():
            with suppress(QuestionFileError):
                for _, file in self._read([other] if other != name else []):
                    n = len(asked & {said.asked for said in file.by_id.values()})
                    found |= {other: n} if n else {}
        return found

    def pictured(self, task: str, files: Collection[str]) -> list[FoundQuestion]:
        """Every question about ``task`` in every file: the same one may have other pictures."""
        read = [(name, file) for name, file in self._read(files) if task in file.tasks]
        return [q for name, file in read for q in self._questions(name, file.tasks[task])]

    def _questions(self, name: str, lines: Iterable[_Line]) -> list[FoundQuestion]:
        path = question_file(self.folder, name)
        found = []
        try:
            with open_given(path) as file:
                for line in lines:
                    file.seek(line.offset)
                    text = file.read(line.size)
                    question = decode_question(text, f"{path}, line {line.number}")
                    found.append(FoundQuestion(name, line.number, question))
        except OSError as error:
            raise QuestionFileError(f"{path}: cannot be read ({error.strerror})") from error
        return found

    def _read(self, files: Collection[str] | None = None) -> list[tuple[str, _File]]:
        found = []
        for name in self.files():
            if files is not None and name not in files:
                continue
            path = question_file(self.folder, name)
            try:
                about = path.stat()
            except OSError as error:
                raise QuestionFileError(f"{path}: cannot be read ({error.strerror})") from error
            mark = about.st_mtime_ns, about.st_ctime_ns, about.st_size, about.st_ino
            known = _READ.get(path)
            if known is None or known[0] != mark:
                known = _READ[path] = mark, _read_file(path)
            found.append((name, known[1]))
        return found


_READ: dict[Path, tuple[tuple[int, ...], _File]] = {}
"""Every file as it was last read, with its times of change, size and inode."""


def _read_file(path: Path) -> _File:
    """The places of its lines."""
    file = _File({}, {})
    offset = 0
    for number, line, size in _lines(path):
        if line.strip():
            question = decode_question(line, f"{path}, line {number}")
            ids = [int(i) for i in question.key_frame_ids] or [len(question.images) - 1]
            place = (number, offset, size, question.id, question.images, max(ids))
            said = _Line(*place, *_hashes(question), not question.is_unlabelled)
            file.tasks.setdefault(question.task_name, []).append(said)
            file.by_id[question.id] = said
        offset += size
    return file


def _lines(path: Path) -> Iterable[tuple[int, bytes, int]]:
    """Number, text without its end, and size with it, of every line."""
    try:
        with open_given(path) as file:
            for number, line in enumerate(file, start=1):
                yield number, line.removesuffix(b"\n"), len(line)
    except OSError as error:
        raise QuestionFileError(f"{path}: cannot be read ({error.strerror})") from error


def _hashes(question: OfficialQuestion) -> tuple[str, str]:
    """``sha`` and ``asked`` of a :class:`_Line`."""
    about = question.task_name, question.key_frame_ids, question.question
    options = msgspec.json.encode(question.options).decode()
    said = content_sha((question.type, *about, question.gt_answer, options))
    return said, content_sha((*parse_type(question.type), *about))


def _check_same(question_id: str, read: Iterable[tuple[str, _File]]) -> None:
    """Raise :class:`QuestionFileError` if files have other questions under one id."""
    known = [(n, f.by_id[question_id]) for n, f in read if question_id in f.by_id]
    first_name, first = known[0]
    for name, said in known[1:]:
        is_same = said.sha == first.sha
        if first.is_labelled != said.is_labelled:
            is_same = said.asked == first.asked
        if not is_same:
            raise QuestionFileError(
                f"question {question_id!r:.160}: line {said.number} of {name!r} asks something "
                f"else than line {first.number} of {first_name!r}. Correct one of the files, give "
                "it other ids, or ask each under a gating of its own (docs/sources.md, Official "
                "questions)."
            )
