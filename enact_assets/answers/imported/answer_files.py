"""Imported answers: ``<root>/answers/<model>/<variant>.jsonl``, one answer per line, by question.

A question may have one answer for each version of its texts and pictures.

A file has the same bytes however its answers were imported, so its hash is their version.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal

import msgspec
from filelock import FileLock

from enact_assets.engine.errors import QuestionFileError
from enact_assets.engine.ids import content_sha, sha256_bytes
from enact_assets.engine.lake.lake import check_partition_value
from enact_assets.engine.system.atomic import cannot_write, make_folder, replacing
from enact_assets.settings.classes import is_partition_name
from enact_assets.settings.paths import DataRoot

SUFFIX = ".jsonl"
NONE_IMPORTED = "no answers were imported under this variant"
"""Why no question of a variant has an answer of such a model."""
NOT_IMPORTED = "not among the imported answers"
"""Why a question of a model with imported answers has none."""
OTHER_SHOWN = "the imported answer is to other words or pictures than are shown now"
"""Why the imported answer to a question does not count."""
_LOCK = ".lock"


_Count = Annotated[int, msgspec.Meta(ge=0)]
_Seconds = Annotated[float, msgspec.Meta(ge=0)]


class AnswerFacts(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Fields of an answer in a file: columns of ``predictions``, and a hash of the shown texts and
    pictures.
    """

    stop: Literal["complete", "cut", "refused"] | None = None
    served_model: str | None = None
    tokens_in: _Count | None = None
    tokens_in_cached: _Count | None = None
    tokens_out: _Count | None = None
    tokens_reasoning: _Count | None = None
    latency_s: _Seconds | None = None
    shown_sha: str | None = None


class ImportedAnswer(AnswerFacts, frozen=True):
    """One answer."""

    question_id: str
    text: str


_decoder = msgspec.json.Decoder(ImportedAnswer)


def answer_file(root: DataRoot, name: str, variant: str) -> Path:
    """Path of a model's answers under a variant. Errors: :class:`LakeError` for another name."""
    folder = root.answers / check_partition_value(name, "model")
    return folder / (check_partition_value(variant, "variant") + SUFFIX)


def answered_names(root: DataRoot) -> list[str]:
    """Models that have imported answers, sorted."""
    if not root.answers.is_dir():
        return []
    return sorted(p.name for p in root.answers.iterdir() if has_answers(root, p.name))


def has_answers(root: DataRoot, name: str) -> bool:
    """Whether answers were imported under the name ``name``."""
    return is_partition_name(name) and bool(_files(root, name))


def imported_answers(
    root: DataRoot,
    name: str,
    variant: str,
    shown: Mapping[str, str | None] = MappingProxyType({}),
) -> dict[str, ImportedAnswer]:
    """Question -> answer of the model ``name`` under ``variant``; empty if none were imported.

    Of several answers to a question, the one to the currently ``shown`` version is taken (question
    -> hash, if known), else one without a hash, else any.
    Errors: :class:`QuestionFileError` names file and line of what cannot be read.
    """
    return {
        id_: max(of, key=lambda a: (a.shown_sha == shown.get(id_), a.shown_sha is None))
        for id_, of in _stored(answer_file(root, name, variant)).items()
    }


def _stored(path: Path) -> dict[str, list[ImportedAnswer]]:
    """Question -> its answers, each to a different version of the question."""
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise QuestionFileError(f"{path}: cannot be read ({error.strerror})") from error
    answers: dict[str, list[ImportedAnswer]] = {}
    for number, line in enumerate(lines, start=1):
        try:
            answer = _decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise QuestionFileError(
                f"{path}, line {number}: is damaged ({error}). Remove the file and import the "
                "answers again: enact-assets import-answers"
            ) from None
        answers.setdefault(answer.question_id, []).append(answer)
    return answers


def answers_version(root: DataRoot, name: str) -> str:
    """Hash of all answers imported for the model ``name``, under every variant."""
    return content_sha(
        [[path.stem, sha256_bytes(path.read_bytes())] for path in _files(root, name)]
    )


def add_answers(
    root: DataRoot,
    name: str,
    variant: str,
    answers: Iterable[ImportedAnswer],
    *,
    replace: bool = False,
) -> tuple[int, int]:
    """Add ``answers`` to those imported before; returns how many are new and how many differ.

    Answers to different versions of a question are all kept. If two are to the same version, or one
    has no hash, the earlier one stays unless ``replace``; if it only lacks the hash, the hash is
    added. The file is written as a whole or not at all; two imports wait for each other. Errors: as
    :func:`imported_answers`, :class:`OutputError`.
    """
    path = answer_file(root, name, variant)
    try:
        make_folder(root.answers)
    except OSError as error:
        raise cannot_write(path, error) from error
    n_new = n_differing = 0
    with FileLock(root.answers / _LOCK):
        kept = _stored(path)
        is_changed = False
        for answer in answers:
            of = kept.setdefault(answer.question_id, [])
            met = _met(of, answer)
            same = [other for other in met if _said(other) == _said(answer)]
            n_new += not met
            n_differing += bool(met) and not same
            if same and same[0].shown_sha is None and answer.shown_sha is not None:
                of[of.index(same[0])] = answer
                is_changed = True
            elif not met or (replace and not same):
                kept[answer.question_id] = [*(x for x in of if x not in met), answer]
                is_changed = True
        if is_changed:
            every = [answer for of in kept.values() for answer in of]
            every.sort(key=lambda answer: (answer.question_id, answer.shown_sha or ""))
            with replacing(path) as temporary, temporary.open("wb") as file:
                file.writelines(msgspec.json.encode(answer) + b"\n" for answer in every)
    return n_new, n_differing


def _met(kept: Sequence[ImportedAnswer], answer: ImportedAnswer) -> list[ImportedAnswer]:
    """Those of ``kept`` that are to the same as ``answer``, or else to nothing that differs."""
    same = [other for other in kept if other.shown_sha == answer.shown_sha]
    return same or [other for other in kept if is_shown(other, answer.shown_sha)]


def _said(answer: ImportedAnswer) -> ImportedAnswer:
    return msgspec.structs.replace(answer, shown_sha=None)


def is_shown(answer: ImportedAnswer, shown_sha: str | None) -> bool:
    """Whether an answer is to what has this hash; none that is not known contradicts it."""
    return None in (answer.shown_sha, shown_sha) or answer.shown_sha == shown_sha


def _files(root: DataRoot, name: str) -> list[Path]:
    folder = root.answers / check_partition_value(name, "model")
    return sorted(p for p in folder.glob(f"*{SUFFIX}") if is_partition_name(p.stem))
