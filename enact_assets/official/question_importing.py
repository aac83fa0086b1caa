"""Question files into a data root, with their pictures: a ``.jsonl``, or a zip that holds some."""

import shutil
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from enact_assets.contracts.errors import OutputError, QuestionFileError
from enact_assets.contracts.settings import ANY_FILE, is_partition_name
from enact_assets.data_root.forgotten import Forgotten
from enact_assets.data_root.paths import DataRoot
from enact_assets.data_root.question_files import SUFFIX, question_file
from enact_assets.data_root.question_pictures import (
    READ_ERRORS,
    Pictures,
    link_pictures,
    linked_pictures,
    pictures_at,
)
from enact_assets.data_root.recordings import ANNOTATION_FILES
from enact_assets.official.layout import output_file
from enact_assets.official.outcomes import Summary, Told, untold
from enact_assets.official.picture_agreement import contradiction_in
from enact_assets.questions.official import ImportedQuestion, read_questions
from enact_assets.system.atomic import replacing

MAX_FILE_BYTES = 2**30
"""A question file in a zip above this is refused: 1 GiB are 300,000 questions."""
_BLOCK = 2**20


@dataclass(frozen=True)
class FoundPictures:
    """How many pictures of questions are in a place, those that are not, and what contradicts."""

    n_found: int
    missing: tuple[str, ...]
    contradiction: str = ""
    """Which frames have two pictures under one label; empty if none has."""

    @property
    def note(self) -> str:
        """The missing ones in words; empty if there are none."""
        if not self.missing:
            return ""
        n = len(self.missing)
        return f"{n} of {n + self.n_found} pictures are missing, first {self.missing[0]}"


def is_question_file(path: Path) -> bool:
    """Whether ``import`` takes ``path`` for a question file, by its name."""
    return path.suffix == SUFFIX and path.name not in ANNOTATION_FILES


def question_members(path: Path) -> list[zipfile.ZipInfo]:
    """The question files in a zip; none in a zip of anything else.

    Errors: :class:`QuestionFileError` if it cannot be read.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except READ_ERRORS as error:
        raise QuestionFileError(f"{path}: not a zip that can be read ({error})") from error
    return [
        member
        for member in members
        if is_question_file(Path(member.filename))
        and not {"__MACOSX", "images"} & set(PurePosixPath(member.filename).parts)
    ]


def import_question_file(
    path: Path,
    root: DataRoot,
    summary: Summary,
    pictures: Path | None = None,
    told: Told = untold,
) -> None:
    """Take in one question file; its pictures are at ``pictures``, or else beside it.

    What is wrong is listed in ``summary``, and changes nothing.
    """
    with summary.attempt(path.name) as outcome:
        numbers, notes = _take(path, root, pictures, pictures or path.parent, told)
        outcome.numbers.update(numbers)
        summary.notes += notes


def import_question_zip(
    path: Path,
    root: DataRoot,
    summary: Summary,
    pictures: Path | None = None,
    told: Told = untold,
) -> None:
    """Take in every question file of a zip; its pictures stay in it. As the function above."""
    for member in question_members(path):
        name = PurePosixPath(member.filename).name
        with summary.attempt(f"{path.name}: {name}") as outcome, TemporaryDirectory() as folder:
            unpacked = _unpacked(path, member, Path(folder) / name)
            numbers, notes = _take(unpacked, root, pictures, pictures or path, told)
            outcome.numbers.update(numbers)
            summary.notes += notes


def look_for_pictures(
    questions: Iterable[ImportedQuestion], place: Pictures, told: Told = untold
) -> FoundPictures:
    """Which pictures of ``questions`` are in ``place``, and whether they agree.

    Errors: :class:`QuestionFileError` for a place or picture that cannot be read.
    """
    asked = list(questions)
    images = dict.fromkeys(image for question in asked for image in question.images)
    found = {image: place.find(image) for image in images}
    missing = tuple(image for image, name in found.items() if name is None)
    contradiction = contradiction_in(asked, place, found, told)
    return FoundPictures(len(images) - len(missing), missing, contradiction)


def read_from_zip(path: Path, member: zipfile.ZipInfo) -> list[ImportedQuestion]:
    """Questions of a file in a zip. Errors: :class:`QuestionFileError`."""
    with TemporaryDirectory() as folder:
        return read_questions(_unpacked(path, member, Path(folder) / "questions.jsonl"))


def _take(
    path: Path, root: DataRoot, given: Path | None, place: Path, told: Told
) -> tuple[dict[str, int], list[str]]:
    name = path.stem
    if not is_partition_name(name) or name == ANY_FILE:
        raise QuestionFileError(
            f"{path}: the name cannot be a partition name (letters, digits and _.:+@- only, and "
            f"not {ANY_FILE!r}). Rename the file"
        )
    questions = read_questions(path)
    if not questions:
        raise QuestionFileError(f"{path}: contains no questions")
    found = look_for_pictures(questions, pictures_at(place), told)
    if given is not None and not found.n_found:
        raise QuestionFileError(f"{path}: {found.note}. Name the folder or zip that has them")
    file = question_file(root.question_files, name)
    kept = output_file(root.root, *file.relative_to(root.root).parts)
    try:
        if not kept.exists() or not kept.samefile(path):
            with replacing(kept) as temporary:
                shutil.copyfile(path, temporary)
        if found.n_found:
            link_pictures(root.question_files, name, place)
    except OSError as error:
        raise OutputError(f"{kept}: cannot be written ({error.strerror})") from error
    if not found.n_found:  # they may have been named when the file came before
        linked = linked_pictures(root.question_files, name)
        found = found if linked is None else look_for_pictures(questions, linked, told)
    tasks = {question.task_name for question in questions}
    Forgotten(root.root).remove("demonstration", sorted(tasks))
    numbers = {"questions": len(questions), "demonstrations": len(tasks), "pictures": found.n_found}
    notes = [f"{name}: {found.note}. {_ADVICE}"] if found.missing else []
    if found.contradiction:
        notes.append(f"{name}: {found.contradiction}. {_CONTRADICTED}")
    return numbers, notes


_ADVICE = (
    "Import it again with --pictures FOLDER or ZIP, or import the recordings: their pictures are "
    "shown instead. Questions without all of their pictures are not asked."
)

_CONTRADICTED = (
    "These demonstrations fail in step frame_images. Import the file with the right --pictures."
)


def _unpacked(path: Path, member: zipfile.ZipInfo, place: Path) -> Path:
    where = f"{path}: {member.filename}"
    try:
        with (
            zipfile.ZipFile(path) as archive,
            archive.open(member) as file,
            place.open("wb") as out,
        ):
            n = 0
            while block := file.read(_BLOCK):
                n += len(block)
                if n > MAX_FILE_BYTES:
                    raise QuestionFileError(f"{where}: more than {MAX_FILE_BYTES} bytes")
                out.write(block)
    except READ_ERRORS as error:
        raise QuestionFileError(f"{where}: cannot be read ({error})") from error
    return place
