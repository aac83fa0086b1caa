"""The command ``annotate``: people answer questions on a page."""

import argparse
import importlib.util
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.console import Console

from enact_assets.contracts.errors import EnactError, SettingsError
from enact_assets.contracts.registry import BASELINE
from enact_assets.contracts.world_settings import CONDITIONS, EQUIVALENT
from enact_assets.data_root.paths import DataRoot
from enact_assets.plurals import counted

if TYPE_CHECKING:
    from enact_assets.people.variant_questions import ShownQuestions

AddCommand = Callable[[str, object, str], argparse.ArgumentParser]

PORT = 3040
PAPER, K_EACH = "paper", "k_each"
ALL_KEPT = ""
"""``--kept`` without the name of a set."""
ROLES = ("person", "solver", "simulated", "lead")


def add_annotate_command(command: AddCommand) -> None:
    """Add annotate."""
    about = (
        "Let people answer questions: invite annotators (each gets a link), plan who answers what, "
        "serve the page, see the progress. Answers are models of the graph: `enact-assets "
        "materialize` scores them."
    )
    sub = command("annotate", _annotate, about)
    sub.add_argument("action", choices=tuple(_ACTIONS), help="what to do")
    sub.add_argument("names", nargs="*", metavar="NAME", help="invite: one annotator each")
    inviting = sub.add_argument_group("invite")
    inviting.add_argument(
        "--role",
        choices=ROLES,
        default=ROLES[0],
        help="person; solver, who is no person but is given the page alone; simulated; or lead, "
        "who sees progress and agreement (default: person). Plan paper is for this role",
    )
    inviting.add_argument(
        "--quota",
        type=int,
        default=100,
        metavar="N",
        help="questions to draw at most (default: 100)",
    )
    inviting.add_argument(
        "--again", action="store_true", help="NAME is an annotator who needs a new link"
    )
    planning = sub.add_argument_group("plan")
    planning.add_argument("--variant", default=BASELINE, help=f"default: {BASELINE}")
    planning.add_argument(
        "--world",
        metavar="SOURCE",
        help="instead of a variant: questions of WorldPrediction, `embedded` or a step file",
    )
    planning.add_argument(
        "--condition",
        choices=CONDITIONS,
        default=EQUIVALENT,
        help=f"where their clips come from (default: {EQUIVALENT})",
    )
    planning.add_argument(
        "--plan",
        choices=(PAPER, K_EACH),
        default=PAPER,
        help="paper: a part for each person and a set that all answer; k_each: all draw from a "
        "pool until each question has K answers (default: paper)",
    )
    planning.add_argument("--k", type=int, default=2, metavar="K", help="default: 2")
    planning.add_argument(
        "--per-stratum", type=int, metavar="N", help="questions of each kind and length at most"
    )
    planning.add_argument(
        "--kept",
        metavar="SET",
        nargs="?",
        const=ALL_KEPT,
        help="only questions that people kept of a question set with `keep`, or with --world those "
        "that two persons solved: answers to them measure how well people do",
    )
    planning.add_argument(
        "--overlap", type=int, metavar="N",
        help="paper: questions of each kind and length that all answer (default: 5 per annotator)",
    )  # fmt: skip
    planning.add_argument(
        "--seed", type=int, default=0, help="of the order of questions (default: 0)"
    )
    serving = sub.add_argument_group("serve")
    serving.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)"
    )
    serving.add_argument(
        "--port",
        type=int,
        default=PORT,
        help=f"default: {PORT}; 0: any. Links of `invite` name it: give both the same",
    )
    serving.add_argument(
        "--rate",
        type=float,
        default=20.0,
        metavar="N",
        help="requests of one annotator per second (default: 20)",
    )
    serving.add_argument(
        "--public-name",
        action="append",
        metavar="NAME",
        help="host name of the HTTPS proxy in front, for use beyond this machine",
    )


def _annotate(arguments: argparse.Namespace, console: Console) -> int:
    if importlib.util.find_spec("starlette") is None or importlib.util.find_spec("uvicorn") is None:
        raise EnactError(
            "Starlette or uvicorn is not installed: pip install 'enact_assets[people]'"
        )
    if arguments.names and arguments.action != "invite":
        raise SettingsError(f"annotate {arguments.action} takes no names")
    _ACTIONS[arguments.action](arguments, DataRoot(arguments.data), console)
    return 0


def _invite(arguments: argparse.Namespace, root: DataRoot, console: Console) -> None:
    from enact_assets.people.store import Store

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
    console.print("Links are shown once: send each to its annotator, and to nobody else.")
    if not arguments.public_name:
        port = "" if arguments.port == PORT else f" --port {arguments.port}"
        console.print(
            f"They open on this machine, while `enact-assets annotate serve{port}` runs.",
            soft_wrap=True,
        )


def _plan(arguments: argparse.Namespace, root: DataRoot, console: Console) -> None:
    from enact_assets.people.plan_loading import load_plan
    from enact_assets.people.plans import k_each_plan, paper_plan
    from enact_assets.people.store import Store

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
        # Questions that were kept are few, and were answered: none of them is practice.
        plan = k_each_plan(found.questions, arguments.k, has_practice=arguments.kept is None)
        console.print(
            f"A pool of {counted(len(plan.pool), 'question')}, {arguments.k} answers to each. "
            "Annotators draw from it."
        )
    n_withdrawn = load_plan(store, plan, under)
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


def _asked(arguments: argparse.Namespace, root: DataRoot) -> "tuple[str, ShownQuestions]":
    """What stands for the variant in answers, and the questions."""
    from enact_assets.people.variant_questions import shown_questions
    from enact_assets.worldprediction.world_content import asked_under, shown_world_questions

    if arguments.world is None:
        if arguments.kept == ALL_KEPT:
            raise SettingsError("--kept needs the name of a question set, or --world")
        found = shown_questions(root, arguments.variant, arguments.per_stratum, arguments.kept)
        return arguments.variant, found
    if arguments.kept:
        raise SettingsError(f"--kept {arguments.kept} is a set of ENACT: say --kept alone")
    found = shown_world_questions(
        root,
        arguments.world,
        arguments.condition,
        arguments.per_stratum,
        is_kept=arguments.kept is not None,
    )
    return asked_under(arguments.world), found


def _progress(_arguments: argparse.Namespace, root: DataRoot, console: Console) -> None:
    from rich.table import Table

    from enact_assets.people.page.lead import lead_tables
    from enact_assets.people.store import Store

    table = Table()
    for column in ("annotator", "known as", "answered", "assigned", "cannot tell", "median s"):
        table.add_column(column, justify="left" if "n" in column[:2] else "right")
    for row in lead_tables(Store(root.people)).progress:
        median = "" if row["median_s"] is None else f"{row['median_s']:.1f}"
        numbers = [str(row[name]) for name in ("n_answered", "n_assigned", "n_cannot_tell")]
        table.add_row(row["id"], row["label"], *numbers, median)
    console.print(table)


def _serve(arguments: argparse.Namespace, root: DataRoot, console: Console) -> None:
    from enact_assets.engine.lake.image_store import ImageStore
    from enact_assets.people.page.annotation_pages import annotation_site
    from enact_assets.people.page.annotation_server import listening_on, serve_pages
    from enact_assets.people.store import Store

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
        serve_pages(site, socket, is_behind_proxy=bool(names))


_ACTIONS: dict[str, Callable[[argparse.Namespace, DataRoot, Console], None]] = {
    "invite": _invite,
    "plan": _plan,
    "serve": _serve,
    "progress": _progress,
}
