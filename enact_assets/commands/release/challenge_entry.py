"""``enact-assets export --form challenge``: a model's answers as an entry of the ENACT Challenge.

One line ``{"id": ..., "answer": [...]}`` for each question of an imported file, in its order. It is
complete, or not written at all.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from enact_assets.commands.release.layout import question_output
from enact_assets.engine.errors import MissingPartitionError, UnknownNameError
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.plurals import counted
from enact_assets.engine.system.atomic import replacing
from enact_assets.questions.asked.parsing import read_answer
from enact_assets.questions.asked.release_parsing import read_as_release
from enact_assets.questions.files.imported import question_file_names
from enact_assets.settings.classes import Variant
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import Registry


@dataclass(frozen=True)
class EntryWritten:
    """What was written: of ``n_questions`` answers, ``n_unreadable`` name no order (an empty list
    in the entry), the first being that to ``first_unreadable``; ``n_unlabelled`` questions have no
    known answer.
    """

    variant: str
    n_questions: int
    n_unlabelled: int
    n_unreadable: int
    first_unreadable: str = ""


def export_entry(
    root: DataRoot,
    name: str,
    output: Path,
    registry: Registry,
    *,
    model: str,
    variant: str | None = None,
) -> EntryWritten:
    """Write the answers of ``model`` to all questions of the imported file ``name``.

    An answer is the order that is read of it: strictly, else as the public release reads it.
    Errors: :class:`UnknownNameError` if no such file was imported, or no variant asks it;
    :class:`MissingPartitionError` if a question was not answered; :class:`OutputError`.
    """
    question_output(output, root.folders)
    files = question_file_names(root.question_files)
    if name not in files:
        raise UnknownNameError.of("question file", name, files, "An entry answers one of these.")
    asking = _asking(registry, name, variant, files)
    lake = Lake(root.lake)
    questions = lake.read("official_questions", {"question_file": name}).sort("line")
    given = lake.read("predictions", {"model": model, "variant": asking.name})
    answered = given.filter(repetition=0).drop_nulls("raw_answer")
    raw = dict(answered.select("question_id", "raw_answer").iter_rows())
    ids = questions.get_column("question_id").to_list()
    missing = [id_ for id_ in ids if id_ not in raw]
    if missing:
        raise MissingPartitionError(
            f"{model} under {asking.name}: {counted(len(missing), 'question')} of {len(ids):,} in "
            f"{name!r} have no answer, first {missing[0]}. An entry is complete: `enact-assets "
            f"materialize --model {model} --variant {asking.name}{root.option}` asks them again. "
            "Nothing was written"
        )
    lines, unreadable = [], []
    for id_, length in questions.select("question_id", "length").iter_rows():
        order = _order(raw[id_], length - 1)
        if order is None:
            unreadable.append(id_)
        lines.append(json.dumps({"id": id_, "answer": order or []}) + "\n")
    with replacing(output) as temporary:
        temporary.write_text("".join(lines), encoding="utf-8")
    n_unlabelled = int((questions["gt_answer"].list.len() == 0).sum())
    first = next(iter(unreadable), "")
    return EntryWritten(asking.name, len(ids), n_unlabelled, len(unreadable), first)


def _asking(registry: Registry, name: str, variant: str | None, files: list[str]) -> Variant:
    """``variant``, or the first one that asks the questions of the file ``name``."""
    named = registry.variants.values() if variant is None else (registry.variant(variant),)
    for found in named:
        if name in registry.gating(found.gating).takes(files):
            return found
    raise UnknownNameError(
        f"no variant asks the questions of {name!r}"
        if variant is None
        else f"variant {variant!r} does not ask the questions of {name!r}. Leave --variant out"
    )


def _order(text: str, n_steps: int) -> list[int] | None:
    """The whole order that an answer names; None if it names none."""
    for labels in (read_answer(text, n_steps)[0], read_as_release(text, n_steps)[0]):
        if labels is not None and sorted(labels) == list(range(1, n_steps + 1)):
            return list(labels)
    return None
