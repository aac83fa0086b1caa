"""``enact-assets export``: questions out of a data root, in the release's files."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl

from enact_assets.commands.release.layout import picture_root, question_output
from enact_assets.commands.release.pictures import copy_question_pictures, write_question_pictures
from enact_assets.commands.release.shown_questions import asked_rows, asking_variant
from enact_assets.engine.errors import MissingPartitionError, UnknownNameError
from enact_assets.engine.ids import sha256_bytes
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.progress import OnProgress, unheard
from enact_assets.engine.system.atomic import replacing
from enact_assets.questions.asked.official import OfficialQuestion, write_questions_file
from enact_assets.questions.asked.official_rows import (
    from_rows,
    in_official_order,
    official_questions,
)
from enact_assets.questions.files.imported import question_file, question_file_names
from enact_assets.questions.files.pictures import Pictures, linked_pictures
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
    question_output(output, root.folders)
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
