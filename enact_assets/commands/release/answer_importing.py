"""``enact-assets import-answers``: answers that others collected, to questions of an export."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace as replaced

from enact_assets.answers.baselines.references import BASELINE_NAMES
from enact_assets.answers.imported.answer_files import (
    AnswerFacts,
    ImportedAnswer,
    add_answers,
    answer_file,
    imported_answers,
    is_shown,
)
from enact_assets.answers.models.catalogue import load_catalogue
from enact_assets.answers.models.ledger import read_answers
from enact_assets.answers.people.annotator_names import role_of
from enact_assets.commands.release.layout import output_file
from enact_assets.commands.release.shown_questions import asked_rows, official_ids, shown_shas
from enact_assets.engine.errors import (
    MissingPartitionError,
    QuestionError,
    QuestionFileError,
    SettingsError,
)
from enact_assets.engine.given_text import nfc
from enact_assets.engine.lake.lake import Lake
from enact_assets.pipeline.root.forgotten import Forgotten
from enact_assets.questions.asked.official import decode_line, numbered_lines
from enact_assets.settings.classes import captioner_and_reader, is_partition_name
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import Registry


class _Line(AnswerFacts, frozen=True):
    """What is read of a line; other fields are ignored, such as those of an official question."""

    question_id: str | None = None
    id: str | None = None
    variant: str | None = None
    answer: Any = None


_decoder = msgspec.json.Decoder(_Line)


@dataclass(frozen=True)
class AnswersImported:
    """How many questions the file answers, how many of these had no answer before, how many had
    another one; how many answers are to other words or pictures than are shown now; and how many
    questions of the variant still have no answer that counts.
    """

    n_given: int
    n_new: int
    n_differing: int
    n_other_shown: int
    n_missing: int


def check_model_name(name: str) -> None:
    """Raise :class:`SettingsError` unless answers may be imported for a model called ``name``."""
    if not is_partition_name(name):
        raise SettingsError(
            f"model {name!r:.120}: cannot be the name of a model (letters a to z and A to Z, "
            "digits and _.:+@- only, starting with a letter, digit or _, no '..', at most "
            "120 characters)"
        )
    if name in BASELINE_NAMES:
        raise SettingsError(f"model {name!r} is a reference baseline. Choose another name")
    if captioner_and_reader(name) is not None:
        raise SettingsError(
            f"model {name!r} is the name of a captioner and a reader together. Choose another name"
        )
    if role_of(name) is not None:
        raise SettingsError(
            f"model {name!r} is the name of an annotator of `annotate`. Choose another name"
        )


def _check_not_bought(root: DataRoot, name: str) -> None:
    """Raise :class:`SettingsError` if answers of the model called ``name`` are in the ledger:
    imported ones would take their place.
    """
    catalogue = load_catalogue(root.root)
    if name not in catalogue.models:
        return
    model = catalogue.find(name)
    kept = read_answers(root.ledger / model.channel).values()
    n = sum(a.model == model.asked_id and a.purpose == "question" for a in kept)
    if n:
        raise SettingsError(
            f"model {name}: {n} answers were bought, and imported ones would take their place. "
            f"Import under another name, such as {name}_imported"
        )


def import_answers(
    root: DataRoot,
    file: Path,
    model: str,
    variant: str,
    registry: Registry,
    *,
    replace: bool = False,
) -> AnswersImported:
    """Store the answers in ``file`` as those of ``model`` to what ``variant`` asks.

    A line has ``question_id``, or ``id`` as in a question file that we exported, and ``answer``: a
    text, or any other JSON value, which is kept as its text. An answer is to what ``shown_sha`` of
    its line says was shown, or else to what the variant shows now, and counts as long as that is
    shown. Answers imported before stay; those to the same are replaced only if ``replace``, and
    those to something else stay beside. A forgotten model is known again.

    Errors: :class:`QuestionFileError` with the number of problems, and line and field of the first;
    :class:`SettingsError` for a name that no model may have, or an unknown variant;
    :class:`MissingPartitionError` if the questions were not materialized; :class:`OutputError`.
    Nothing is imported then.
    """
    check_model_name(model)
    _check_not_bought(root, model)
    lake = Lake(root.lake)
    lines = list(_decoded(file))
    given = {_id_of(line) for _, line in lines if isinstance(line, _Line)}
    try:
        asked = asked_rows(lake, registry.variant(variant))
    except MissingPartitionError as error:
        said = f"{str(error).rstrip('.')}.{_asked_elsewhere(lake, given)}"
        raise MissingPartitionError(said) from error
    place = answer_file(root, model, variant)
    output_file(root.root, *place.relative_to(root.root).parts)
    ids = {nfc(id_): id_ for id_ in asked.get_column("question_id")}
    if not given <= ids.keys():
        ids = {**{nfc(of): id_ for of, id_ in official_ids(lake, asked).items()}, **ids}
    elsewhere = "" if given <= ids.keys() else _asked_elsewhere(lake, given - ids.keys())
    shown = shown_shas(lake, registry.variant(variant), asked)
    answers = [
        answer if answer.shown_sha is not None else replaced(answer, shown_sha=shown[id_])
        for id_, answer in _answers(file, lines, ids, variant, elsewhere).items()
    ]
    n_new, n_differing = add_answers(root, model, variant, answers, replace=replace)
    Forgotten(root.root).remove("model", [model])
    known = imported_answers(root, model, variant, shown)
    n_other = sum(not is_shown(answer, shown[answer.question_id]) for answer in answers)
    n_missing = sum(id_ not in known or not is_shown(known[id_], s) for id_, s in shown.items())
    return AnswersImported(len(answers), n_new, n_differing, n_other, n_missing)


def _decoded(file: Path) -> Iterator[tuple[int, _Line | str]]:
    """Each line with its number, or what is wrong with it."""
    for number, line in numbered_lines(file):
        try:
            yield number, decode_line(_decoder, line, f"line {number}")
        except QuestionError as error:
            yield number, str(error)


def _id_of(line: _Line) -> str | None:
    found = line.id if line.question_id is None else line.question_id
    return None if found is None else nfc(found)


def _asked_elsewhere(lake: Lake, given: Collection[str | None]) -> str:
    """Advice: the variants that ask questions with the ids ``given``; empty if none does."""
    variants = sorted(partition["variant"] for partition in lake.partitions("asked_questions"))
    found = [
        name
        for name in variants
        if not set(given).isdisjoint(lake.read("asked_questions", {"variant": name})["question_id"])
    ]
    if not found:
        return ""
    return f" Questions with these ids are asked by {', '.join(found)}: add --variant {found[0]}."


def _answers(
    file: Path,
    lines: list[tuple[int, _Line | str]],
    ids: dict[str, str],
    variant: str,
    elsewhere: str,
) -> dict[str, ImportedAnswer]:
    """Question -> answer. Errors: :class:`QuestionFileError` if any line has a problem."""
    if not lines:
        raise QuestionFileError(f"{file}: contains no answers. Nothing was imported.")
    answers, line_of = dict[str, ImportedAnswer](), dict[str, int]()
    problems, n_unknown = [], 0
    for number, line in lines:
        if isinstance(line, str):
            problems.append(line)
            continue
        given = _id_of(line)
        problem = _problem(line, variant)
        if problem is None and given not in ids:
            field = "id" if line.question_id is None else "question_id"
            problem = f"{field!r}: {given!r:.120} is not asked under variant {variant!r}"
            n_unknown += 1
        if problem is None:
            answer = _answer(line, ids[given or ""])
            first = answers.setdefault(answer.question_id, answer)
            seen = line_of.setdefault(answer.question_id, number)
            if first.text != answer.text:
                problem = f"'answer': line {seen} has another answer to {given!r:.120}"
        if problem is not None:
            problems.append(f"line {number}, field {problem}")
    if problems:
        count = f"{len(problems)} of {len(lines)} lines have problems"
        unknown = f" ({n_unknown} have unknown ids)" if n_unknown else ""
        raise QuestionFileError(
            f"{file}: {count}{unknown}, the first: {problems[0]}. Nothing was imported.{elsewhere}"
        )
    return answers


def _problem(line: _Line, variant: str) -> str | None:
    """Field of a line and what is wrong with it."""
    if _id_of(line) is None:
        return "'question_id': is missing, and `id` as well"
    if line.answer is None or (isinstance(line.answer, float) and isnan(line.answer)):
        return "'answer': is missing or null. Leave out lines of questions without an answer"
    if line.variant is not None and line.variant != variant:
        return f"'variant': is {line.variant!r:.120}. Give it as --variant, not {variant!r}"
    return None


def _answer(line: _Line, question_id: str) -> ImportedAnswer:
    found = line.answer
    text = found if isinstance(found, str) else msgspec.json.encode(found).decode()
    facts = {name: getattr(line, name) for name in AnswerFacts.__struct_fields__}
    return ImportedAnswer(question_id, text, **facts)
