"""The command ``annotate``: people answer questions on a page."""

import argparse
import importlib.util
import sys
from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.table import Table

from enact_assets.answers.people.annotator_agreement import LEAST_ANSWERS
from enact_assets.answers.people.page.lead import lead_tables
from enact_assets.answers.people.plan_loading import load_plan
from enact_assets.answers.people.plans import k_each_plan, paper_plan
from enact_assets.answers.people.reasons import with_reasons
from enact_assets.answers.people.store import Store
from enact_assets.answers.people.variant_questions import ShownQuestions, shown_questions
from enact_assets.commands.model_options import ALL_KEPT, PAPER, PORT
from enact_assets.engine.errors import EnactError, SettingsError
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.plurals import counted
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.world import PP, WM, kind_of, world_name


def run_annotate(arguments: argparse.Namespace, console: Console) -> int:
    """``annotate``; returns the exit code."""
    if importlib.util.find_spec("starlette") is None or importlib.util.find_spec("uvicorn") is None:
        raise EnactError(
            "Starlette or uvicorn is not installed: pip install 'enact_assets[people]'"
        )
    if arguments.names and arguments.action != "invite":
        raise SettingsError(f"annotate {arguments.action} takes no names")
    _ACTIONS[arguments.action](arguments, DataRoot(arguments.data), console)
    return 0


def _invite(arguments: argparse.Namespace, root: DataRoot, console: Console) -> None:
    if not arguments.names:
        raise SettingsError("name at least one annotator: `enact-assets annotate invite NAME`")
    if arguments.port == 0 and not arguments.public_name:
        raise SettingsError(
            "invite --port 0: a link names a port. Start `enact-assets annotate serve --port 0`, "
            "and invite with the port that it prints"
        )
    store = Store(root.people)
    base = f"http://127.0.0.1:{arguments.port}"
    if arguments.public_name:
        base = f"https://{arguments.public_name[0]}"
    for name in arguments.names:
        if arguments.again:
            id_, token = name, store.new_token(name)
        else:
            id_, token = store.invite(name, arguments.role, arguments.quota)
        console.print(f"{id_}  {base}/join/{token}", markup=False, soft_wrap=True)
    console.print("Links are shown once: send each to its annotator only.")
    if not arguments.public_name:
        port = "" if arguments.port == PORT else f" --port {arguments.port}"
        console.print(
            f"They open on this machine, while `enact-assets annotate serve{port}` runs.",
            soft_wrap=True,
        )


def _plan(arguments: argparse.Namespace, root: DataRoot, console: Console) -> None:
    if arguments.kept is not None and arguments.plan == PAPER:
        raise SettingsError("--kept is for another answer to each question: add --plan k_each")
    for name, least in (("k", 1), ("per_stratum", 1), ("overlap", 0)):
        value = getattr(arguments, name)
        if value is not None and value < least:
            raise SettingsError(f"--{name.replace('_', '-')} must be at least {least}")
    under, found = _asked(arguments, root)
    store = Store(root.people)
    if arguments.plan == PAPER:
        annotators = [a.id for a in store.annotators() if a.role == arguments.role]
        if not annotators:
            raise SettingsError(
                f"plan paper divides questions among annotators, and there is no "
                f"{arguments.role}: invite them first with `enact-assets annotate invite NAME`"
            )
        plan = paper_plan(found.questions, annotators, arguments.seed, arguments.overlap)
        for name, questions in plan.of_annotator.items():
            console.print(f"{name}: {counted(len(questions), 'question')}", markup=False)
    else:
        # There are few kept questions, and people have answered them, so none of them is used for
        # practice.
        plan = k_each_plan(found.questions, arguments.k, has_practice=arguments.kept is None)
        console.print(
            f"A pool of {counted(len(plan.pool), 'question')}, {arguments.k} answers to each. "
            "Annotators draw from it."
        )
    n_withdrawn = load_plan(store, with_reasons(Lake(root.lake), under, plan), under)
    console.print(f"Before: {counted(len(plan.practice), 'practice question')}.")
    if found.n_without_pictures:
        console.print(
            f"Left out: {counted(found.n_without_pictures, 'question')} without all pictures. "
            f"Materialize {'clip_images' if arguments.world else 'frame_images'}, then plan again.",
            style="yellow",
        )
    if n_withdrawn:
        console.print(
            f"Withdrawn: {counted(n_withdrawn, 'assignment')} of questions that changed or are "
            "not in the plan any more. Answers stay."
        )


def _asked(arguments: argparse.Namespace, root: DataRoot) -> tuple[str, ShownQuestions]:
    """The variant that asks, and its questions."""
    if arguments.world is None:
        if arguments.kept == ALL_KEPT:
            raise SettingsError("--kept needs the name of a question set, or --world")
        found = shown_questions(root, arguments.variant, arguments.per_stratum, arguments.kept)
        return arguments.variant, found
    if arguments.kept:
        raise SettingsError(f"--kept {arguments.kept} is a set of ENACT: say --kept alone")
    name = world_name(arguments.world)
    kept = None if arguments.kept is None else name
    kinds = [kind_of(task, arguments.condition) for task in (WM, PP)]
    return name, shown_questions(root, name, arguments.per_stratum, kept, kinds)


def _progress(arguments: argparse.Namespace, root: DataRoot, console: Console) -> None:
    found = lead_tables(Store(root.people), is_enough_only=arguments.without_few)
    table = Table()
    below = f"below {LEAST_ANSWERS}"
    numbered = ("answered", "assigned", "cannot tell", "median s")
    for column in ("annotator", "known as", *numbered, below):
        table.add_column(column, justify="left" if "n" in column[:2] else "right")
    for row in found.progress:
        median = "" if row["median_s"] is None else f"{row['median_s']:.1f}"
        numbers = [str(row[name]) for name in ("n_answered", "n_assigned", "n_cannot_tell")]
        table.add_row(row["id"], row["label"], *numbers, median, ", ".join(row["few_in"]))
    console.print(table)
    n_few = sum(bool(row["few_in"]) for row in found.progress)
    if n_few:
        left = "Agreement leaves" if found.is_enough_only else "With --without-few agreement leaves"
        console.print(
            f"{counted(n_few, 'annotator')} below {LEAST_ANSWERS} answers (WorldPrediction, A.1) "
            f"in the variants named. {left} these answers out.",
            soft_wrap=True,
        )
    whole = [row for row in found.agreement if row["length"] is None]
    _print_agreement(whole, console, is_enough_only=found.is_enough_only)


def _print_agreement(
    found: list[dict[str, Any]], console: Console, *, is_enough_only: bool
) -> None:
    """Over all lengths: shares of questions, and both alphas side by side."""
    of = f", without annotators below {LEAST_ANSWERS}" if is_enough_only else ""
    if not found:
        return
    table = Table(
        title=f"agreement so far, of answers as given{of}",
        caption="The paper's alpha (0.832) is ordinal (B.1.2).",
    )
    names = ("variant", "role", "kind", "questions", "all agree")
    for column in (*names, "alpha, nominal (answers)", "alpha, ordinal (places)"):
        table.add_column(column, justify="left" if column in names[:3] else "right")
    for row in found:
        values = [row.get(name) for name in ("unanimous", "alpha_answers", "alpha_places")]
        shown = ["-" if value is None else f"{value:.3f}" for value in values]
        kind = row["kind"] or "all"
        table.add_row(row["variant"], row["role"], kind, f"{row['n_questions']:,}", *shown)
    console.print(table)


def _serve(arguments: argparse.Namespace, root: DataRoot, console: Console) -> None:
    from enact_assets.answers.people.page.pages import annotation_site
    from enact_assets.engine.sites import listening_on, serve

    names = tuple(arguments.public_name or ())
    if not arguments.rate > 0:
        raise SettingsError("--rate must be above 0")
    site = annotation_site(
        Store(root.people),
        ImageStore(root.images),
        public_names=names,
        requests_per_s=arguments.rate,
    )
    with listening_on(arguments.host, arguments.port, names) as socket:
        address, port = socket.getsockname()[:2]
        console.print(f"http://{address}:{port} (stop with Ctrl-C)", markup=False)
        sys.stdout.flush()
        serve(site, socket, is_behind_proxy=bool(names))


_ACTIONS: dict[str, Callable[[argparse.Namespace, DataRoot, Console], None]] = {
    "invite": _invite,
    "plan": _plan,
    "serve": _serve,
    "progress": _progress,
}
