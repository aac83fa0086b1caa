"""The command ``show``: prints a question, a demonstration or a partition, or writes it to
files.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from enact_assets.commands.terminal import plain
from enact_assets.commands.terminal_pictures import drawing_way, drawn
from enact_assets.engine.errors import LakeError, OutputError, UnknownNameError
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.system.atomic import replacing
from enact_assets.engine.system.collector import without_collector
from enact_assets.pipeline.lineage.graph import STEP_OF
from enact_assets.results.browse.answers_shown import RIGHT, Answer, alike
from enact_assets.results.browse.demonstrations import (
    Demonstration,
    has_demonstration,
    read_demonstration,
)
from enact_assets.results.browse.pictures_shown import PictureOf, Shown, sheet_of
from enact_assets.results.browse.questions_shown import (
    Question,
    check_has_ids,
    find_question,
    has_question,
    read_question,
)
from enact_assets.results.published import OpenWarehouse, is_relation
from enact_assets.settings.paths import DataRoot

MAX_WORDS = 600
"""Most characters of an answer that are printed; files have all."""

SAME, NOT_SAME = "as in the right order", "not as in the right order"
"""Text for a step that was not compared."""


@without_collector()
def run_show(arguments: argparse.Namespace, console: Console) -> int:
    """``show``; returns the exit code."""
    name = arguments.name
    asset, colon, partition = name.partition(":")
    first_of = {step.name: step.assets[0] for step in STEP_OF.values()}
    asset = asset if asset in STEP_OF else first_of.get(asset)
    if asset is not None:
        from enact_assets.commands.explaining import show_partition

        return show_partition(arguments.data, f"{asset}{colon}{partition}", console)
    root = DataRoot(arguments.data)
    ask = OpenWarehouse(root.warehouse)
    check_has_ids(ask)
    if arguments.output is not None and not arguments.output.is_dir() and arguments.output.exists():
        raise OutputError(f"{arguments.output} is a file. Name a folder with --output")
    if has_demonstration(ask, name):
        demonstration = read_demonstration(ask, name, arguments.variant)
        _print_demonstration(console, demonstration)
        stem = _stem(name, demonstration.variant)
        output = arguments.output and arguments.output / stem
        _pictures(console, root, demonstration.pictures, stem, output)
        if output is not None:
            _write_json(output / "demonstration.json", demonstration)
        return 0
    if not find_question(ask, name) and not has_question(ask, name):
        if is_relation(ask, name):
            raise UnknownNameError(
                f'{name!r} is a relation of the DuckDB file: `enact-assets sql "from {name}"'
                f"{root.option}` prints its rows."
            )
        raise UnknownNameError(
            f"{name!r} is neither a question, nor a demonstration, nor of the form "
            "ASSET:PARTITION. Relation asked_questions lists the ids of questions, `enact-assets "
            "list` demonstrations, `enact-assets plan` partitions."
        )
    question = read_question(ask, name, arguments.variant)
    _print_head(console, question)
    stem = _stem(question.question_id, question.variant)
    output = arguments.output and arguments.output / stem
    _pictures(console, root, question.pictures, stem, output)
    _print_question(console, question)
    if output is not None:
        _write_json(output / "question.json", question)
    return 0


def _stem(name: str, variant: str) -> str:
    """Name of files about a question or demonstration; ids of imported questions may hold any
    character.
    """
    return "".join(c if c.isalnum() or c in "-_." else "_" for c in f"{name}_{variant}")


def _print_head(console: Console, question: Question) -> None:
    others = [name for name in question.variants if name != question.variant]
    also = f" (also asked by {', '.join(others)})" if others else ""
    console.print(
        plain(f"Question {question.question_id}, variant {question.variant}{also}", "bold")
    )
    if question.official_id is not None and question.official_id != question.question_id:
        console.print(plain(f"Id in exported files: {question.official_id}"))
    console.print(
        plain(
            f"{question.kind}, length {question.length}, {question.demonstration}, gating "
            f"{question.gating}, question set {question.question_set}"
        )
    )
    _explain_absent(console, question)


def _print_question(console: Console, question: Question) -> None:
    _heading(console, "Prompt")
    console.print(plain(question.prompt.strip()))
    right = question.choice(question.reference[0]) if question.is_choice else None
    _heading(
        console, f"Right answer: {right}" if right else f"Right order: {list(question.reference)}"
    )
    if question.n_perturbed:
        console.print(f"  Noise perturbed {question.n_perturbed} components of the actions.")
    for step in question.steps:
        shown = f"{step.shown_as}: " if question.kind == "forward" else f"Action {step.label}: "
        _item(console, f"{step.number}", f"{shown}{step.action}")
        _item(console, "", ", ".join(step.happened), "dim")
    if not question.answers:
        _heading(console, "No model was asked.")
        return
    _heading(console, "Answers")
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in ("  model", "order", "verdict"):
        table.add_column(column, overflow="fold")
    for answer in question.answers:
        order = "" if answer.order is None else str(list(answer.order))
        trained = f" (trained on {answer.trained_on})" if answer.trained_on else ""
        table.add_row(*map(plain, (f"  {answer.name}{trained}", order, answer.verdict)))
    console.print(table)
    for answers in alike([a for a in question.answers if a.outcome != RIGHT]):
        _print_errors(console, question, answers)


def _print_errors(console: Console, question: Question, answers: Sequence[Answer]) -> None:
    first = answers[0]
    order = "no order" if first.order is None else str(list(first.order))
    _heading(console, f"{', '.join(answer.name for answer in answers)}: {order}")
    for answer in answers:
        for words in (answer.words, answer.error):
            if words is not None and words.strip() != order:
                n_more = len(words) - MAX_WORDS
                more = f" ... ({n_more:,} more characters; --output writes all)"
                text = words[:MAX_WORDS] + more if n_more > 0 else words
                _item(console, answer.name, text)
    for step in first.steps:
        label = question.choice(step.label)
        if step.is_passed is None:
            is_same = question.is_in_place(step.number, step.label)
            _item(console, f"{step.number}", f"{label}: {SAME if is_same else NOT_SAME}")
            continue
        fits = "fits" if step.is_passed else "does not fit"
        style = "" if step.is_passed else "red"
        _item(console, f"{step.number}", f"{label}: {fits}", style)
        for error in step.errors:
            _item(console, "", error.text, "dim")


def _explain_absent(console: Console, shown: Question | Demonstration) -> None:
    """If there is no picture, print how to find out why."""
    if any(picture.sha is not None for picture in shown.pictures):
        return
    name = shown.demonstration
    console.print(
        plain(
            f"No pictures were made under gating {shown.gating} and variant {shown.variant}. "
            f"`enact-assets plan --demonstration {name}` lists missing partitions; `enact-assets "
            f"materialize --demonstration {name}` makes them, or says why it cannot.",
            "yellow",
        )
    )


def _print_demonstration(console: Console, demonstration: Demonstration) -> None:
    others = ", ".join(g for g in demonstration.gatings if g != demonstration.gating)
    also = f" (also segmented under {others})" if others else ""
    variants = {v for g, v in demonstration.views if g == demonstration.gating}
    further = ", ".join(sorted(variants - {demonstration.variant}))
    too = f" (also there: {further})" if further else ""
    seconds = "" if demonstration.seconds is None else f", {demonstration.seconds:.0f} s"
    console.print(plain(f"Demonstration {demonstration.demonstration}", "bold"))
    console.print(
        plain(
            f"{demonstration.activity}, {demonstration.source}{seconds}, "
            f"{len(demonstration.key_frames)} key frames of gating {demonstration.gating}{also}, "
            f"pictures of variant {demonstration.variant}{too}"
        )
    )
    _explain_absent(console, demonstration)
    if not demonstration.has_replay:
        console.print(
            "What changed between the key frames is unknown without a replay. A key frame has one "
            "number for each place at which questions show it."
        )
    for key_frame in demonstration.key_frames:
        at = f"frame {key_frame.frame}"
        if key_frame.time_s is not None:
            at = f"{key_frame.time_s:5.1f} s"
        known = key_frame.changes
        changes = "" if known is None else f"  {', '.join(known) or 'the beginning'}"
        _item(console, key_frame.name, f"{at}{changes}")


def _pictures(
    console: Console, root: DataRoot, pictures: Sequence[Shown], stem: str, output: Path | None
) -> None:
    """Draw a sheet of the pictures where the terminal can; otherwise, or for ``output``, files."""
    images = ImageStore(root.images)
    pictures = [_if_readable(console, shown, images.read) for shown in pictures]
    n_gone = sum(shown.sha is None for shown in pictures)
    if n_gone:
        console.print(f"{n_gone} of {len(pictures)} pictures cannot be shown.", style="yellow")
    for old in [] if output is None else output.glob("[0-9][0-9]_*.png"):
        old.unlink()  # of an earlier run, about other key frames or pictures that are gone
    if n_gone == len(pictures):
        return
    sheet = sheet_of(pictures, images.read)
    way = drawing_way(sys.stdout)
    if way is not None:
        sys.stdout.write(drawn(sheet, way))
        sys.stdout.flush()
        if output is None:
            return
    path = root.shown / f"{stem}.png" if output is None else output / "sheet.png"
    with replacing(path) as temporary:
        temporary.write_bytes(sheet)
    console.print(plain(f"Pictures: {path}"))
    if output is None:
        return
    for place, shown in enumerate(pictures):
        if shown.sha is not None:
            name = shown.name.lower().replace(" ", "_")
            with replacing(output / f"{place:02}_{name}.png") as temporary:
                temporary.write_bytes(images.read_png(shown.sha))
    console.print(plain(f"Each picture, and everything else as JSON: {output}"))


def _if_readable(console: Console, shown: Shown, picture: PictureOf) -> Shown:
    """``shown``, without its picture if that cannot be read; says why."""
    try:
        if shown.sha is not None:
            picture(shown.sha)
    except LakeError as error:
        console.print(plain(f"{shown.name}: {error}", "yellow"))
        return replace(shown, sha=None)
    return shown


def _write_json(path: Path, shown: object) -> None:
    with replacing(path) as temporary:
        temporary.write_bytes(msgspec.json.format(msgspec.json.encode(shown), indent=1) + b"\n")


def _heading(console: Console, text: str) -> None:
    console.print()
    console.print(plain(text, "bold"))


def _item(console: Console, number: str, text: str, style: str = "") -> None:
    """One entry of a list, whose further lines are indented as the first."""
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=4, justify="right") if len(number) < 4 else grid.add_column()
    grid.add_column(overflow="fold")
    grid.add_row(plain(number), plain(text, style))
    console.print(grid)
