"""The commands ``export`` and ``import-answers``."""

import argparse
from typing import Any

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
    TRAINING_EXPORTS,
    VLM_FORM,
)
from enact_assets.commands.release.answer_importing import import_answers
from enact_assets.commands.release.exporting import (
    export_entry,
    export_messages,
    export_questions,
)
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
    if arguments.name in TRAINING_EXPORTS:
        # Only here: it loads what makes demonstrations.
        from enact_assets.commands.training.exporting import run_training_export

        return run_training_export(arguments, console)
    root = DataRoot(arguments.data)
    registry = registry_in(root).with_worlds(world_sources(root.step_files))
    if world_source_of(arguments.name) is not None and arguments.form != MESSAGES_FORM:
        raise EnactError(
            "answers to questions of WorldPrediction are no orders: export them with --form "
            "messages. `enact-assets world --export FILE` writes the layout of its release"
        )
    if arguments.variant is not None:
        registry.variant(arguments.variant)
    if arguments.form != RELEASE_FORM and arguments.all:
        raise EnactError("--all is for --form release: a variant asks what other forms contain")
    if (arguments.form in {LOG_FORM, ENTRY_FORM}) != (arguments.model is not None):
        raise EnactError(
            "--form inspect and --form challenge write the answers of a model (--model): give both "
            "or neither"
        )
    with shown_progress(console, "export") as on_progress:
        said, warning = _written(arguments, registry, on_progress)
    console.print(said, markup=False)
    if warning:
        console.print(warning, style="yellow", markup=False)
    return 0


def _written(
    arguments: argparse.Namespace, registry: Registry, on_progress: OnProgress
) -> tuple[str, str]:
    """Write the wanted form; what was written, and a warning, which may be empty."""
    form, output = arguments.form, arguments.output
    what = (DataRoot(arguments.data), arguments.name, output, registry)
    given: dict[str, Any] = {"variant": arguments.variant, "on_progress": on_progress}
    if form == ENTRY_FORM:
        return export_entry(*what, model=arguments.model, variant=arguments.variant)
    if form == LOG_FORM:
        log = export_log(*what, model=arguments.model, **given)
        missing = f"; {counted(log.n_missing, 'question')} without an answer" * bool(log.n_missing)
        said = (
            f"{counted(log.n_answers, 'answer')} of {arguments.model} under {log.variant} written "
            f"to {output}{missing}. `inspect view --log-dir {output.parent}` shows them."
        )
        return said, _left_out(log.n_left_out, log.variant)
    if form in FOLDER_FORMS:
        folder = export_folder(*what, **given)
        if form == LMMS_FORM:
            write_lmms_eval(folder)
        elif form == VLM_FORM:
            write_vlmevalkit(folder)
        facts = folder.facts
        n, n_pictures = facts.rows.height, facts.n_pictures
        warning = _left_out(facts.n_left_out, facts.variant.name)
    elif form == MESSAGES_FORM:
        lines = export_messages(*what, with_answers=arguments.answers, **given)
        n, n_pictures = lines.n_questions, lines.n_pictures
        warning = _left_out(lines.n_left_out, lines.variant)
    else:
        n, n_pictures, warning = export_questions(*what, is_whole=arguments.all, **given)
    place = output if form in FOLDER_FORMS else output.parent
    return (
        f"{counted(n, 'question')} and {counted(n_pictures, 'picture')} written to {place}",
        warning,
    )


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
    missing = f"{counted(done.n_missing, 'question')} {'has' if done.n_missing == 1 else 'have'}"
    console.print(
        f"{counted(done.n_given, 'answer')} of {model} under {variant}: {done.n_new:,} "
        f"{'is' if done.n_new == 1 else 'are'} new. "
        f"{f'{missing} no answer' if done.n_missing else 'All questions are answered'}.",
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
