"""Arguments of the commands that make, check and maintain partitions of a data root."""

import argparse
from pathlib import Path
from typing import Any

from enact_assets.commands.option_types import add_count, add_max_usd, number_or_all, positive

PLAN_SHOWN = 5
"""Partitions that ``plan`` lists per step by default."""
NIGHTS_SHOWN = 7
GC_SHOWN = 3
"""Files that ``gc`` lists per kind by default."""
GRACE_H = 24.0
MAX_GRACE_H = 1e6
CHECK, REBUILD = "check", "rebuild"
DIMENSIONS = ("demonstration", "variant", "model")
ADDS = {
    "demonstration": "; a new one (<activity>-<seed>) is added",
    "variant": "; with the baseline it is compared with, and without --demonstration only for "
    "demonstrations that the named variants ask about",
    "model": "; a new one is added",
}


def add_materialize(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``materialize``."""
    _add_filters(sub)
    _add_all(sub)
    sub.add_argument(
        "--questions",
        type=number_or_all,
        metavar="N",
        help="from now on ask the models given by --model the first N questions of each variant, "
        "balanced over kinds and lengths, the same for every model, or `all`; answers are kept. "
        "Their rows of the leaderboard say how many",
    )
    _add_effort(sub)


def add_demo(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``demo``."""
    sub.set_defaults(all=False)
    _add_filters(sub)
    _add_effort(sub)


def add_plan(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``plan``."""
    _add_filters(sub)
    _add_all(sub)
    sub.add_argument("--demo", action="store_true", help="what `enact-assets demo` would make")
    form = sub.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="everything, as JSON")
    form.add_argument("--schema", action="store_true", help="the JSON schema of --json; no plan")
    add_count(sub, "--limit", PLAN_SHOWN, "partitions to list per step")


def add_schedule(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``schedule``."""
    sub.add_argument(
        "--run-now",
        action="store_true",
        help="make what is due now, within the limits of schedule.yaml, as one run of Dagster: for "
        "cron, systemd and CronJobs (default: only show it)",
    )
    add_count(sub, "--nights", NIGHTS_SHOWN, "last nights to show")
    add_count(sub, "--limit", PLAN_SHOWN, "partitions to list per step")


def add_world(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``world``."""
    sub.add_argument(
        "--demonstration",
        action="append",
        metavar="NAME",
        help="ask about this demonstration; may be repeated (default: those in the scope of the "
        "data root; in a new one those of the demo)",
    )
    sub.add_argument(
        "--step-file",
        action="append",
        metavar="NAME",
        help="ask about the films of this step file instead, e.g. captaincook4d, whose annotations "
        "come with the package, or annotated_videos: those of the data root with actions.csv "
        "(docs/world_prediction.md); may be repeated",
    )
    sub.add_argument(
        "--model",
        action="append",
        metavar="NAME",
        help="ask this model too, or CAPTIONER+READER; may be repeated (default: the baselines and "
        "models of `answered_by` in the registry, and people)",
    )
    sub.add_argument(
        "--export",
        type=Path,
        metavar="FILE",
        help="also write questions of world modelling there, laid out as WorldPrediction-WM.json",
    )
    sub.add_argument(
        "--sheets",
        type=Path,
        metavar="FOLDER",
        help="also write questions as pictures there, without their answers, and answers.json",
    )
    add_count(sub, "--per-task", 20, "sheets per task")
    add_max_usd(sub, "(default: nothing is bought unless models.yaml sets `spending`)", None)
    sub.add_argument("--workers", type=positive, metavar="N", help="processes (default: all cores)")


def add_gc(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``gc``."""
    sub.add_argument("--delete", action="store_true", help="remove them (default: only list them)")
    sub.add_argument(
        "--grace",
        type=_hours,
        default=GRACE_H,
        metavar="HOURS",
        help="keep pictures and temporary files younger than this, since a run may be about to "
        f"name them (default: {GRACE_H:.0f}; use less than 2 only while nothing runs, not even in "
        "the UI)",
    )
    sub.add_argument(
        "--limit",
        type=_number,
        default=GC_SHOWN,
        metavar="N",
        help=f"files to list per kind (default: {GC_SHOWN})",
    )


def add_catalogue(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``catalogue``."""
    sub.add_argument("action", choices=(CHECK, REBUILD))


def add_forget(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``forget``."""
    sub.add_argument("dimension", choices=("demonstration", "model", "question_file"))
    sub.add_argument("name", help="its files stay in the lake, but nothing reads them again")


def add_ui(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``ui``."""
    sub.add_argument("--port", type=int, default=3000, help="port to listen on (default: 3000)")
    about = "turn on automatic runs: automation, changed sources"
    sub.add_argument("--automate", action="store_true", help=about)
    about = "show code locations of your own, too: a workspace.yaml, repeatable (default: none)"
    sub.add_argument(
        "--workspace", type=Path, action="append", default=[], metavar="FILE", help=about
    )


def walk_options(**given: Any) -> argparse.Namespace:
    """Arguments for :func:`walk`: every option of materialize at its default, and ``given`` ones,
    which include ``data``. For commands with other options than materialize.
    """
    options = argparse.ArgumentParser()
    _add_filters(options)
    _add_all(options)
    _add_effort(options)
    return argparse.Namespace(**vars(options.parse_args([])) | given)


def _add_filters(sub: argparse.ArgumentParser) -> None:
    for dimension in DIMENSIONS:
        sub.add_argument(
            f"--{dimension}",
            action="append",
            metavar="NAME",
            help=f"only this {dimension}; may be repeated{ADDS[dimension]}",
        )
    sub.add_argument(
        "--learned",
        action="store_true",
        help="also train and ask the references that are trained on this simulator with other "
        "seeds: the fact reader, its transfer to other activities, and their controls",
    )
    sub.add_argument(
        "--asset",
        action="append",
        metavar="NAME",
        help="only this asset and what it is made from; may be repeated",
    )


def _add_all(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "--all",
        action="store_true",
        help="put the whole registry into the scope of the data root; otherwise names that the "
        "options give are added to it, and in a new data root demonstrations or variants that are "
        "named are all of theirs",
    )


def _add_effort(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("--force", action="store_true", help="make fresh partitions too")
    sub.add_argument(
        "--from-nothing",
        action="store_true",
        help="publish without the former DuckDB file: every file of the lake is read and verified, "
        "which otherwise happens once a week",
    )
    add_max_usd(sub, "(default: nothing is bought unless models.yaml sets `spending`)", None)
    sub.add_argument(
        "--workers",
        type=positive,
        metavar="N",
        help="processes to use, each on its own partition, or together on the pictures of one "
        "(default: all cores)",
    )
    sub.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="run on a Dask cluster: address of its scheduler, such as tcp://host:8786; needs the "
        "extra 'distributed' and, across machines, ENACT_POSTGRES_URL (deploy/README.md)",
    )


def _hours(text: str) -> float:
    try:
        hours = float(text)
    except ValueError:
        hours = -1.0
    if not 0 <= hours < MAX_GRACE_H:
        raise argparse.ArgumentTypeError(f"not a number of hours: {text}")
    return hours


def _number(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"not a number of files: {text}")
    return int(text)
