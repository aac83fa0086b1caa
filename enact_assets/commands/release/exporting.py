"""``enact-assets export``: questions out of a data root, in three forms.

Form ``release``: the files of the public release.

Form ``messages``: questions as models are shown them, for any harness. One JSON object per line:
texts and paths of pictures in order. Pictures are those of the image store, byte for byte and
without labels: ``pictures/<SHA-256 of the file>.png`` beside the question file. The pipeline's own
models get them scaled to 512 x 512.

Form ``challenge``: a model's answers as an entry of the ENACT Challenge, one line ``{"id": ...,
"answer": [...]}`` for each question of an imported file, in its order. It is complete, or not
written at all.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from enact_assets.commands.release.layout import picture_root, refuse_question_output
from enact_assets.commands.release.pictures import copy_question_pictures, write_question_pictures
from enact_assets.commands.release.shown_questions import (
    ShownQuestion,
    asked_rows,
    asking_variant,
    shown_questions,
    write_shown_pictures,
)
from enact_assets.engine.errors import MissingPartitionError, UnknownNameError
from enact_assets.engine.ids import sha256_bytes
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.plurals import counted
from enact_assets.engine.progress import OnProgress, unheard
from enact_assets.engine.system.atomic import replacing
from enact_assets.questions.asked.official import OfficialQuestion, write_questions_file
from enact_assets.questions.asked.official_rows import (
    from_rows,
    in_official_order,
    official_questions,
)
from enact_assets.questions.asked.parsing import read_answer
from enact_assets.questions.asked.release_parsing import read_as_release
from enact_assets.questions.asked.types import type_of
from enact_assets.questions.files.imported import question_file, question_file_names
from enact_assets.questions.files.pictures import Pictures, linked_pictures
from enact_assets.settings.classes import Variant
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import Registry


def export_questions(
    root: DataRoot,
    name: str,
    output: Path,
    registry: Registry,
    *,
    variant: str | None = None,
    is_whole: bool = False,
    on_progress: OnProgress = unheard,
) -> tuple[int, int, str]:
    """Write questions to ``output``: how many, how many pictures beside them, what is missing.

    ``name`` is an imported question file, which is written byte for byte and without pictures; a
    set of imported questions, which are written as their files have them, by file and line, with
    the pictures that came with them; or another question set, which is written in the release's
    form: the questions that ``variant`` asks, or the first one that asks this set, in its words;
    with ``is_whole`` all of the set, as written.
    Its labelled pictures, of the variant, lie where its paths say; a demonstration that has none
    under the variant is exported without. Those that an earlier run labelled stay. The question
    file comes last, so a reader of it finds its pictures.

    Errors: :class:`UnknownNameError` for a name that is neither, or a variant that does not ask the
    set; :class:`MissingPartitionError` if it was not materialized, :class:`OutputError`.
    """
    lake = Lake(root.lake)
    refuse_question_output(output, root.folders)
    files = question_file_names(root.question_files)
    if name in registry.question_sets and name in files:
        raise UnknownNameError(
            f"{name!r} names a question set and an imported question file. Forget and remove the "
            "file, or import it under another name"
        )
    if name in registry.question_sets:
        gating = registry.question_sets[name].gating
        if is_whole:
            questions = _question_set(lake, name, gating)
            shown = _showing_variant(registry, name, gating, variant)
        else:
            asking = asking_variant(registry, name, variant)
            asked = asked_rows(lake, asking)
            if asking.is_imported:
                taken = registry.gating(gating).takes(files)
                imported = _as_imported(lake, asked, taken)
                n_pictures, warning = _copy_pictures(
                    root, imported, picture_root(output), on_progress
                )
                n = write_questions_file(output, [q for found in imported.values() for q in found])
                return n, n_pictures, warning
            questions = _in_release_form(lake, asked, gating)
            shown = asking.name
        wanted = {(q.task_name, frame_id) for q in questions for frame_id in q.key_frame_ids}
        store = ImageStore(root.images)
        pictures = _pictures(lake, store, gating, shown, wanted) if shown else iter(())
        n_pictures = write_question_pictures(questions, pictures, picture_root(output), on_progress)
        n_missing = sum(len(question.images) for question in questions) - n_pictures
        return write_questions_file(output, questions), n_pictures, _lacking(n_missing)
    if name not in files:
        raise UnknownNameError.of(
            "question set or question file", name, [*registry.question_sets, *files]
        )
    rows = lake.read("official_questions", {"question_file": name})
    as_imported = question_file(root.question_files, name).read_bytes()
    if rows["source_sha"].unique().to_list() != [sha256_bytes(as_imported)]:
        # Another file was imported since: what was read is in the table, but for empty lines.
        return write_questions_file(output, from_rows(rows)), 0, ""
    with replacing(output) as temporary:
        temporary.write_bytes(as_imported)
    return rows.height, 0, ""


def _as_imported(
    lake: Lake, asked: pl.DataFrame, files: Sequence[str]
) -> dict[str, list[OfficialQuestion]]:
    """File -> the questions ``asked``, each as the first of ``files`` has it that has it."""
    left = set(asked["question_id"])
    found: dict[str, list[OfficialQuestion]] = {}
    for name in files:
        questions = from_rows(lake.read("official_questions", {"question_file": name}))
        found[name] = [question for question in questions if question.id in left]
        left.difference_update(question.id for question in questions)
    return found


def _lacking(n_missing: int) -> str:
    if not n_missing:
        return ""
    return (
        f"{n_missing} pictures that the questions name do not exist: variants other than the "
        "baseline have pictures for the questions they ask only"
    )


def _copy_pictures(
    root: DataRoot,
    questions: Mapping[str, list[OfficialQuestion]],
    output: Path,
    on_progress: OnProgress,
) -> tuple[int, str]:
    """Copy the pictures that came with imported questions: how many, and which are missing."""
    named: dict[str, str] = {}
    found: dict[str, tuple[Pictures, str]] = {}
    for file, asked in questions.items():
        place = linked_pictures(root.question_files, file)
        for image in (image for question in asked for image in question.images):
            named.setdefault(image, file)
            name = None if place is None or image in found else place.find(image)
            if place is not None and name is not None:
                found[image] = place, name
    contents = ((image, place.read(name)) for image, (place, name) in found.items())
    n_pictures = copy_question_pictures(contents, len(found), output, on_progress)
    if n_pictures == len(named):
        return n_pictures, ""
    first = next(image for image in named if image not in found)
    return n_pictures, (
        f"{len(named) - n_pictures} of {len(named)} pictures that the questions name did not come "
        f"with their files, first {first} (of {named[first]!r}). Import the files again with "
        "--pictures FOLDER or ZIP. `--form messages` writes pictures of imported recordings too."
    )


def _question_set(lake: Lake, name: str, gating: str) -> list[OfficialQuestion]:
    chosen = lake.read("question_set", {"question_set": name}).filter("in_question_set")
    if chosen.is_empty():
        raise MissingPartitionError(
            f"question_set {name!r} has no questions: materialize demonstrations first"
        )
    qa = lake.read_all("qa", gating=gating).join(chosen, on="question_id", how="semi")
    return _in_release_form(lake, qa, gating)


def _in_release_form(lake: Lake, rows: pl.DataFrame, gating: str) -> list[OfficialQuestion]:
    """Rows of ``qa`` or ``asked_questions``, in the order in which the release has them."""
    if "draw" not in rows.columns:
        draws = lake.read_all("qa", gating=gating).select("question_id", "demonstration", "draw")
        rows = rows.join(draws, on=["question_id", "demonstration"])
    segmented = lake.read_all("segmented_frames", gating=gating)
    return official_questions(in_official_order(rows), segmented)


def _showing_variant(registry: Registry, name: str, gating: str, variant: str | None) -> str:
    """The variant whose pictures the whole set ``name`` is shown with; empty if none asks it."""
    if variant is None:
        asking = (v.name for v in registry.variants.values() if v.question_set == name)
        return next(asking, "")
    found = registry.variant(variant).gating
    if found != gating:
        raise UnknownNameError(
            f"variant {variant!r} is of gating {found!r}, not {gating!r}: the variant has no "
            "pictures of these key frames"
        )
    return variant


def _pictures(
    lake: Lake, store: ImageStore, gating: str, variant: str, wanted: set[tuple[str, str]]
) -> Iterator[tuple[str, str, bytes]]:
    """Demonstration, frame id and picture of those ``wanted`` that have one under ``variant``."""
    segmented = lake.read_all("segmented_frames", gating=gating)
    rows = lake.read_all("frame_images", variant=variant).filter(pl.col("gating") == gating)
    named = rows.join(segmented, on=["demonstration", "gating", "key_frame"], how="inner")
    for name, frame_id, sha in named.select("demonstration", "frame_id", "image_sha").iter_rows():
        if (name, str(frame_id)) in wanted:
            yield name, str(frame_id), store.read_png(sha)


@dataclass(frozen=True)
class MessagesExported:
    """What was written; ``n_left_out`` questions lack a picture under the variant."""

    variant: str
    n_questions: int
    n_pictures: int
    n_left_out: int


def export_messages(
    root: DataRoot,
    name: str,
    output: Path,
    registry: Registry,
    *,
    variant: str | None = None,
    with_answers: bool = False,
    on_progress: OnProgress = unheard,
) -> MessagesExported:
    """Write the questions of set ``name`` that ``variant``, or the first one that asks it, asks.

    ``with_answers`` adds the reference to each line. Pictures that are there already stay, and the
    question file comes last. Errors: those of :func:`shown_questions`, :class:`OutputError`.
    """
    refuse_question_output(output, root.folders)
    shown = shown_questions(Lake(root.lake), name, registry, variant)
    shas = shown.shas
    write_shown_pictures(output.parent, shas, ImageStore(root.images), on_progress)
    with replacing(output) as temporary, temporary.open("w", encoding="utf-8") as file:
        file.writelines(_line(question, with_answers=with_answers) for question in shown)
    return MessagesExported(shown.variant.name, len(shown), len(shas), shown.n_left_out)


def _line(question: ShownQuestion, *, with_answers: bool) -> str:
    row = question.row
    line: dict[str, Any] = {
        "question_id": row["question_id"],
        "official_id": question.official_id,
    }
    line |= {name: row[name] for name in ("variant", "kind", "length")}
    line["n_entries"] = type_of(row).n_entries(row)
    line["shown_sha"] = question.shown_sha
    line["parts"] = [
        {"text": part} if isinstance(part, str) else {"picture": part.path}
        for part in question.parts
    ]
    if with_answers:
        # Not `answer`, so that the file cannot be imported as a model's answers.
        line["gt_answer"] = row["answer"]
    return json.dumps(line, ensure_ascii=False) + "\n"


def export_entry(
    root: DataRoot,
    name: str,
    output: Path,
    registry: Registry,
    *,
    model: str,
    variant: str | None = None,
) -> tuple[str, str]:
    """Write the answers of ``model`` to all questions of the imported file ``name``. Returns what
    was written, and a warning if answers name no order, which are an empty list in the entry.

    An answer is the order that is read of it: strictly, else as the public release reads it.
    Errors: :class:`UnknownNameError` if no such file was imported, or no variant asks it;
    :class:`MissingPartitionError` if a question was not answered; :class:`OutputError`.
    """
    refuse_question_output(output, root.folders)
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
    unlabelled = f", {n_unlabelled:,} of them unlabelled" * bool(n_unlabelled)
    said = (
        f"Answers of {model} under {asking.name} to all {counted(len(ids), 'question')} of "
        f"{name}{unlabelled}, written to {output}"
    )
    if not unreadable:
        return said, ""
    return said, (
        f"{counted(len(unreadable), 'answer')} of these name no order, and are an empty list in "
        f"the entry, first that to {unreadable[0]}."
    )


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
