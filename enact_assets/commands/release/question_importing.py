"""Question files into a data root, with their pictures: a ``.jsonl``, or a zip that holds some.

The pictures must agree: one frame under one label is one picture.
"""

import json
import shutil
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO

from enact_assets.commands.release.layout import output_file
from enact_assets.commands.release.outcomes import Summary
from enact_assets.demonstrations.pictures.sheets import state_labels
from enact_assets.demonstrations.recordings.folders import ANNOTATION_FILES
from enact_assets.demonstrations.recordings.zips import READ_ERRORS
from enact_assets.engine.errors import DamagedFileError, OutputError, QuestionFileError
from enact_assets.engine.given_pictures import GivenPicture, given_picture
from enact_assets.engine.plurals import counted
from enact_assets.engine.progress import OnProgress, Progress, unheard
from enact_assets.engine.system.atomic import make_folder, replacing
from enact_assets.pipeline.root.forgotten import Forgotten
from enact_assets.pipeline.root.new_root import make_root
from enact_assets.questions.asked.given_questions import Shown, pictures_named, place_of
from enact_assets.questions.asked.imported_questions import FoundQuestion, ImportedQuestions
from enact_assets.questions.asked.official import ImportedQuestion, read_questions
from enact_assets.questions.files.imported import SUFFIX, question_file
from enact_assets.questions.files.pictures import (
    Pictures,
    link_pictures,
    linked_pictures,
    pictures_at,
)
from enact_assets.settings.classes import ANY_FILE, is_partition_name
from enact_assets.settings.paths import DataRoot

MAX_FILE_BYTES = 2**30
"""A question file in a zip above this is refused: 1 GiB are 300,000 questions."""
_BLOCK = 2**20
_FIELDS = ("task_name", "question", "gt_answer")


def contradiction_in(
    questions: Iterable[ImportedQuestion],
    place: Pictures,
    found: Mapping[str, str | None],
    on_progress: OnProgress = unheard,
) -> str:
    """Which frames have two different pictures under one label, in words; empty if none has.

    ``found`` is the name of each picture of ``questions`` in ``place``. Sizes are compared first,
    then contents: in a zip by the CRC-32 of its directory, in a folder by reading the files;
    ``on_progress`` gets their number. Errors: :class:`QuestionFileError` for one that cannot be
    read.
    """
    shown = _shown_frames(questions, found)
    several = {key: names for key, names in shown.items() if len(names) > 1}
    contradicting = []
    for k, (key, names) in enumerate(several.items()):
        on_progress(Progress(k, len(several), text="comparing pictures"))
        if (other := _other(place, list(names))) is not None:
            contradicting.append((key, other))
    if not contradicting:
        return ""
    (task, at), other = contradicting[0]
    names = several[task, at]
    first = next(iter(names))
    label, frame_id = state_labels(len(names[other].images))[place_of(at)], at[0]
    tasks = {task for (task, _), _ in contradicting}
    return (
        f"{len(contradicting)} of {len(shown)} labelled frames have two different pictures, in "
        f"{len(tasks)} of {len({task for task, _ in shown})} demonstrations. First: frame id "
        f"{frame_id} of {task} as {label!r} is {place.where(first)} (line {names[first].line}) and "
        f"{other} (line {names[other].line}). One of the two files is of another data set"
    )


def looks_of(
    questions: Iterable[ImportedQuestion], place: Pictures, on_progress: OnProgress = unheard
) -> list[tuple[str, GivenPicture | str]]:
    """Place of each picture that materializing decodes, one for each key frame, and the picture, or
    why the file is not a picture.

    Errors: :class:`QuestionFileError` for one that cannot be read.
    """
    asked = list(questions)
    found = {image: place.find(image) for question in asked for image in question.images}
    firsts = [next(iter(names)) for names in _shown_frames(asked, found).values()]
    looks: list[tuple[str, GivenPicture | str]] = []
    for k, name in enumerate(firsts):
        on_progress(Progress(k, len(firsts), text="decoding pictures"))
        where = place.where(name)
        try:
            looks.append((where, given_picture(place.read(name), where)))
        except DamagedFileError as error:
            looks.append((where, str(error)))
    return looks


def _shown_frames(
    questions: Iterable[ImportedQuestion], found: Mapping[str, str | None]
) -> dict[tuple[str, Shown], dict[str, ImportedQuestion]]:
    """Task and key frame -> what its pictures are called in their place, with a question each."""
    shown: dict[tuple[str, Shown], dict[str, ImportedQuestion]] = {}
    for question in questions:
        task = question.task_name
        for key_frame, _, image in pictures_named([FoundQuestion("", question.line, question)]):
            if (name := found[image]) is not None:
                shown.setdefault((task, key_frame), {}).setdefault(name, question)
    return shown


def _other(place: Pictures, names: list[str]) -> str | None:
    """The first of ``names`` that is another picture than the first; None if all are the same."""
    first = names[0]
    for name in names[1:]:
        is_same_size = place.size(name) == place.size(first)  # else nothing has to be read
        if not is_same_size or place.fingerprint(name) != place.fingerprint(first):
            return name
    return None


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
    is_named = path.suffix.lower() == SUFFIX and not path.name.startswith(".")
    return is_named and path.name.lower() not in ANNOTATION_FILES


def question_files(folder: Path) -> list[Path]:
    """The question files in a folder, sorted, without those of other rows."""
    files = [p for p in sorted(folder.iterdir()) if is_question_file(p) and p.is_file()]
    found = []
    for file in files:
        with file.open("rb") as opened:
            if not _has_other_rows(opened):
                found.append(file)
    return found


@dataclass(frozen=True)
class QuestionMember:
    """A ``.jsonl`` in the zip ``path``. ``has_other_rows`` if it holds something else, by its first
    row. ``taken`` names the member before it of the same name but for its suffix; None if none is.
    """

    path: Path
    info: zipfile.ZipInfo
    has_other_rows: bool
    taken: str | None

    @property
    def name(self) -> str:
        """Name of the file, without its folders."""
        return PurePosixPath(self.info.filename).name

    @property
    def where(self) -> str:
        """How messages name it."""
        return f"{self.path}: {self.info.filename}"

    @contextmanager
    def unpacked(self) -> Iterator[Path]:
        """The file, in a temporary folder. Errors: :class:`QuestionFileError` names the member
        instead, also if it is raised inside; or the two members of one name.
        """
        if self.taken is not None:
            raise QuestionFileError(
                f"{self.where}: {self.taken} has the same name, which becomes the name of the "
                "question file. Only that one counts. Rename one of them."
            )
        with TemporaryDirectory() as folder:
            place = Path(folder) / self.name
            _unpack(self, place)
            try:
                yield place
            except QuestionFileError as error:
                raise QuestionFileError(str(error).replace(str(place), self.where)) from error


def question_members(path: Path, *, is_alone: bool = True) -> list[QuestionMember]:
    """The question files in a zip; none in a zip of anything else.

    A ``.jsonl`` of other rows is taken for a damaged question file if ``is_alone`` and there is
    no other. Errors: :class:`QuestionFileError` if the zip cannot be read.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = [
                (member, _is_of_other_rows(archive, member))
                for member in archive.infolist()
                if is_question_file(Path(member.filename))
                and not {"__MACOSX", "images"} & set(PurePosixPath(member.filename).parts)
            ]
    except READ_ERRORS as error:
        raise QuestionFileError(f"{path}: not a zip that can be read ({error})") from error
    is_damaged = is_alone and all(is_other for _, is_other in members)
    found, taken = [], dict[str, str]()
    for member, is_other in members:
        is_ignored = is_other and not is_damaged
        stem = PurePosixPath(member.filename).stem
        found.append(QuestionMember(path, member, is_ignored, taken.get(stem)))
        if not is_ignored:
            taken.setdefault(stem, member.filename)
    return found


def import_question_file(
    path: Path,
    root: DataRoot,
    summary: Summary,
    pictures: Path | None = None,
    on_progress: OnProgress = unheard,
) -> None:
    """Take in one question file; its pictures are at ``pictures``, or else beside it.

    What is wrong is listed in ``summary``, and changes nothing.
    """
    with summary.attempt(path.name) as outcome:
        numbers, notes = _take(path, root, pictures, pictures or path.parent, on_progress)
        outcome.numbers.update(numbers)
        summary.notes += notes


def import_question_zip(
    members: Iterable[QuestionMember],
    root: DataRoot,
    summary: Summary,
    pictures: Path | None = None,
    on_progress: OnProgress = unheard,
) -> None:
    """Take in question files of a zip; their pictures stay in it. As the function above."""
    for member in members:
        if member.has_other_rows:
            summary.notes.append(f"{member.where}: ignored, its rows are not questions.")
            continue
        with (
            summary.attempt(f"{member.path.name}: {member.name}") as outcome,
            member.unpacked() as unpacked,
        ):
            numbers, notes = _take(unpacked, root, pictures, pictures or member.path, on_progress)
            outcome.numbers.update(numbers)
            summary.notes += notes


def look_for_pictures(
    questions: Iterable[ImportedQuestion], place: Pictures, on_progress: OnProgress = unheard
) -> FoundPictures:
    """Which pictures of ``questions`` are in ``place``, and whether they agree.

    Errors: :class:`QuestionFileError` for a place or picture that cannot be read.
    """
    asked = list(questions)
    images = dict.fromkeys(image for question in asked for image in question.images)
    found = {image: place.find(image) for image in images}
    missing = tuple(image for image, name in found.items() if name is None)
    contradiction = contradiction_in(asked, place, found, on_progress)
    return FoundPictures(len(images) - len(missing), missing, contradiction)


def _take(
    path: Path, root: DataRoot, given: Path | None, place: Path, on_progress: OnProgress
) -> tuple[dict[str, int], list[str]]:
    name = path.stem
    if not is_partition_name(name) or name == ANY_FILE:
        raise QuestionFileError(
            f"{path}: the name cannot be a partition name (letters a to z and A to Z, digits "
            f"and _.:+@- only, and not {ANY_FILE!r}). Rename the file"
        )
    questions = read_questions(path)
    if not questions:
        raise QuestionFileError(f"{path}: contains no questions")
    found = look_for_pictures(questions, pictures_at(place), on_progress)
    if given is not None and not found.n_found:
        raise QuestionFileError(f"{path}: {found.note}. Name the folder or zip that has them")
    file = question_file(root.question_files, name)
    kept = output_file(root.root, *file.relative_to(root.root).parts)
    try:
        if not kept.exists() or not kept.samefile(path):
            make_root(root.root)
            make_folder(kept.parent)
            with replacing(kept) as temporary:
                shutil.copyfile(path, temporary)
        if found.n_found:
            link_pictures(root.question_files, name, place)
    except OSError as error:
        raise OutputError(f"{kept}: cannot be written ({error.strerror})") from error
    if not found.n_found:  # they may have been named when the file came before
        linked = linked_pictures(root.question_files, name)
        found = found if linked is None else look_for_pictures(questions, linked, on_progress)
    tasks = {question.task_name for question in questions}
    Forgotten(root.root).remove("demonstration", sorted(tasks))
    numbers = {"questions": len(questions), "demonstrations": len(tasks), "pictures": found.n_found}
    notes = [f"{name}: {found.note}. {_ADVICE}"] if found.missing else []
    if found.contradiction:
        notes.append(f"{name}: {found.contradiction}. {_CONTRADICTED}")
    n_unlabelled = sum(question.is_unlabelled for question in questions)
    if n_unlabelled:
        numbers["unlabelled"] = n_unlabelled
        notes.append(
            f"{name}: {n_unlabelled:,} of {counted(len(questions), 'question')} {_UNLABELLED}"
        )
    for other, n in ImportedQuestions(root.question_files).also_in(questions, name).items():
        notes.append(f"{name}: {counted(n, 'question')} of it are in {other!r}, too, by content.")
    return numbers, notes


_UNLABELLED = (
    "have no gt_answer (unlabelled): they are asked, and never scored. `enact-assets export --form "
    "challenge` writes a model's answers to them."
)


_ADVICE = (
    "Import it again with --pictures FOLDER or ZIP, or import the recordings: their pictures are "
    "shown instead. Questions without all of their pictures are not asked."
)

_CONTRADICTED = (
    "These demonstrations fail in step frame_images. Import the file with the right --pictures."
)


def _is_of_other_rows(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bool:
    try:
        with archive.open(member) as file:
            return _has_other_rows(file)
    except READ_ERRORS:
        return False  # unpacking says what is wrong


def _has_other_rows(file: IO[bytes]) -> bool:
    """Whether the first row is JSON, but has none of the fields that every question has."""
    lines = iter(lambda: file.readline(_BLOCK), b"")
    try:
        row = json.loads(next((line for line in lines if line.strip()), b""))
    except (ValueError, RecursionError):
        return False
    return not (isinstance(row, dict) and row.keys() & set(_FIELDS))


def _unpack(member: QuestionMember, place: Path) -> None:
    where = member.where
    try:
        with (
            zipfile.ZipFile(member.path) as archive,
            archive.open(member.info) as file,
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
