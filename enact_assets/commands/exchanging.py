"""The commands ``export`` and ``import-answers``."""

import argparse
from pathlib import Path

from rich.console import Console

from enact_assets.answers.baselines.known_models import KnownModels
from enact_assets.commands.harnesses.folder import export_folder
from enact_assets.commands.harnesses.inspect_log import export_log
from enact_assets.commands.harnesses.lmms_eval import write_lmms_eval
from enact_assets.commands.harnesses.vlmevalkit import write_vlmevalkit
from enact_assets.commands.model_options import (
    ENTRY_FORM,
    FOLDER_FORMS,
    LMMS_FORM,
    LOG_FORM,
    MESSAGES_FORM,
    RELEASE_FORM,
    VLM_FORM,
)
from enact_assets.commands.release.answer_importing import import_answers
from enact_assets.commands.release.challenge_entry import export_entry
from enact_assets.commands.release.exporting import export_questions
from enact_assets.commands.release.message_lines import export_messages
from enact_assets.commands.terminal import shown_progress
from enact_assets.engine.errors import EnactError
from enact_assets.engine.plurals import counted
from enact_assets.engine.progress import OnProgress
from enact_assets.questions.files.imported import registry_in
from enact_assets.questions.world.step_files import world_sources
from enact_assets.settings.classes import world_source_of
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import Registry


def run_export(arguments: argparse.Namespace, console: Console) -> int:
    """``export``; returns the exit code."""
    root = DataRoot(arguments.data)
    registry = registry_in(root).with_worlds(world_sources(root.step_files))
    if world_source_of(arguments.name) is not None and arguments.form != MESSAGES_FORM:
        raise EnactError(
            "answers to questions of WorldPrediction are no orders: export them with --form "
            "messages. `enact-assets world --export FILE` writes the layout of its release"
        )
    if arguments.variant is not None:
        registry.variant(arguments.variant)
    is_message = arguments.form == MESSAGES_FORM
    if arguments.form != RELEASE_FORM and arguments.all:
        raise EnactError("--all is for --form release: a variant asks what other forms contain")
    if (arguments.form in {LOG_FORM, ENTRY_FORM}) != (arguments.model is not None):
        raise EnactError(
            "--form inspect and --form challenge write the answers of a model (--model): give both "
            "or neither"
        )
    what = (root, arguments.name, arguments.output, registry)
    variant, warning = arguments.variant, ""
    if arguments.form == LOG_FORM:
        return _export_log(what, arguments, console)
    if arguments.form == ENTRY_FORM:
        return _export_entry(what, arguments, console)
    with shown_progress(console, "export") as on_progress:
        if arguments.form in FOLDER_FORMS:
            n, n_pictures, warning = _export_folder(what, arguments, on_progress)
        elif is_message:
            answers = arguments.answers
            done = export_messages(
                *what, variant=variant, with_answers=answers, on_progress=on_progress
            )
            n, n_pictures = done.n_questions, done.n_pictures
            warning = _left_out(done.n_left_out, done.variant)
        else:
            is_whole = arguments.all
            n, n_pictures, warning = export_questions(
                *what, variant=variant, is_whole=is_whole, on_progress=on_progress
            )
    place = arguments.output if arguments.form in FOLDER_FORMS else arguments.output.parent
    console.print(
        f"{counted(n, 'question')} and {counted(n_pictures, 'picture')} written to {place}",
        markup=False,
    )
    if warning:
        console.print(warning, style="yellow", markup=False)
    return 0


def _export_folder(
    what: tuple[DataRoot, str, Path, Registry],
    arguments: argparse.Namespace,
    on_progress: OnProgress,
) -> tuple[int, int, str]:
    """Questions, pictures, and a warning."""
    done = export_folder(*what, variant=arguments.variant, on_progress=on_progress)
    if arguments.form == LMMS_FORM:
        write_lmms_eval(done)
    elif arguments.form == VLM_FORM:
        write_vlmevalkit(done)
    facts = done.facts
    return facts.rows.height, facts.n_pictures, _left_out(facts.n_left_out, facts.variant.name)


def _export_log(
    what: tuple[DataRoot, str, Path, Registry], arguments: argparse.Namespace, console: Console
) -> int:
    with shown_progress(console, "export") as on_progress:
        done = export_log(
            *what, model=arguments.model, variant=arguments.variant, on_progress=on_progress
        )
    missing = f"; {counted(done.n_missing, 'question')} without an answer" * bool(done.n_missing)
    console.print(
        f"{counted(done.n_answers, 'answer')} of {arguments.model} under {done.variant} written "
        f"to {arguments.output}{missing}. `inspect view --log-dir {arguments.output.parent}` "
        "shows them.",
        markup=False,
    )
    if done.n_left_out:
        console.print(_left_out(done.n_left_out, done.variant), style="yellow", markup=False)
    return 0


def _export_entry(
    what: tuple[DataRoot, str, Path, Registry], arguments: argparse.Namespace, console: Console
) -> int:
    done = export_entry(*what, model=arguments.model, variant=arguments.variant)
    unlabelled = f", {done.n_unlabelled:,} of them unlabelled" * bool(done.n_unlabelled)
    console.print(
        f"Answers of {arguments.model} under {done.variant} to all "
        f"{counted(done.n_questions, 'question')} of {arguments.name}{unlabelled}, written to "
        f"{arguments.output}",
        markup=False,
    )
    if done.n_unreadable:
        console.print(
            f"{counted(done.n_unreadable, 'answer')} of these name no order, and are an empty "
            f"list in the entry, first that to {done.first_unreadable}.",
            style="yellow",
            markup=False,
        )
    return 0


def _left_out(n: int, variant: str) -> str:
    if not n:
        return ""
    is_of_world = world_source_of(variant) is not None
    pictures = "clip_images or film_images" if is_of_world else "frame_images"
    return (
        f"{counted(n, 'question')} left out for lack of pictures under variant {variant!r}. "
        f"Materialize {pictures}, then export again."
    )


def run_import_answers(arguments: argparse.Namespace, console: Console) -> int:
    """``import-answers``; returns the exit code."""
    root, variant = DataRoot(arguments.data), arguments.variant
    model = KnownModels(root).called(arguments.model)
    done = import_answers(
        root, arguments.file, model, variant, registry_in(root), replace=arguments.replace
    )
    have = "has" if done.n_missing == 1 else "have"
    console.print(
        f"{counted(done.n_given, 'answer')} of {model} under {variant}: {done.n_new:,} "
        f"{'is' if done.n_new == 1 else 'are'} new. "
        f"{counted(done.n_missing, 'question')} {have} no answer.",
        markup=False,
    )
    if done.n_other_shown:
        console.print(
            f"{counted(done.n_other_shown, 'answer')} to other words or pictures than {variant} "
            "shows now, by their shown_sha: these count as missing. Export the questions again "
            "and answer those.",
            style="yellow",
            markup=False,
        )
    if done.n_differing:
        fate = "replaced" if arguments.replace else "kept; --replace takes those of the file"
        console.print(
            f"{done.n_differing:,} differ from answers imported before, which were {fate}.",
            style="yellow",
            markup=False,
        )
    console.print(
        f"`enact-assets materialize --model {model} --variant {variant}{root.option}` scores them.",
        markup=False,
    )
    return 0
