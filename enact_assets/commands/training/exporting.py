"""``export train`` and ``export validation``: demonstrations are made, then questions about them.

They have a data root of their own: one root asks about demonstrations for tests or for training.
"""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

import yaml
from rich.console import Console

from enact_assets.commands.model_options import RELEASE_FORM, TRAINING_EXPORTS
from enact_assets.commands.terminal import shown_progress
from enact_assets.commands.training.rows import Difficulty
from enact_assets.commands.training.sets import (
    FILES,
    TrainingSet,
    TrainingWanted,
    check_split,
    training_source,
    write_training_set,
)
from enact_assets.engine.errors import EnactError, SettingsError
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.plurals import counted
from enact_assets.engine.system.atomic import replacing
from enact_assets.engine.system.contexts import having
from enact_assets.pipeline.driver.materialize import Driver
from enact_assets.pipeline.driver.terminal import TerminalObserver, print_report
from enact_assets.pipeline.runs.names import split_here
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.settings.paths import DataRoot, root_from_environment
from enact_assets.settings.registry import BASELINE, load_registry, registry_path
from enact_assets.settings.splits import (
    HELD_OUT_ACTIVITIES,
    HeldOut,
    Split,
    is_held_out_room,
)

FIRST_SEED = {Split.TRAINING: 1000, Split.VALIDATION: 116}
MADE = ("frame_images", "ambiguous_changes")
NOT_GIVEN = (None, RELEASE_FORM)
"""Values of options of other exports that nothing was said to."""
REGISTRY_FILE = "training_registry.yaml"


def run_training_export(arguments: argparse.Namespace, console: Console) -> int:
    """``export train FOLDER``; returns the exit code."""
    others = [o for o in ("form", "variant", "model") if getattr(arguments, o) not in NOT_GIVEN]
    others += [option for option in ("answers", "all") if getattr(arguments, option)]
    if others:
        raise EnactError(
            f"--{others[0]} is for exports of tests: `export {arguments.name}` has a form of its "
            "own, under the baseline."
        )
    split, folder = TRAINING_EXPORTS[arguments.name], arguments.output
    held_out = tuple(dict.fromkeys(HeldOut(name) for name in arguments.held_out or ()))
    names = _names(arguments, split, held_out)
    check_split(names, split)
    wanted = TrainingWanted(
        split,
        arguments.questions,
        tuple(arguments.lengths),
        arguments.pictures,
        Difficulty(arguments.most_changes, arguments.least_gap),
        held_out,
        arguments.reasons,
    )
    root = DataRoot(_data_root(arguments))
    console.print(
        f"{counted(len(names), 'demonstration')} for {split}, in data root {root.root}.",
        markup=False,
    )
    done = make_training_set(
        root,
        names,
        wanted,
        folder,
        console,
        size_px=arguments.size,
        is_told_all=not arguments.untold,
        workers=arguments.workers,
        dask=arguments.dask,
    )
    console.print(
        f"{counted(done.n_questions, 'question')} and {counted(done.n_pictures, 'picture')} in "
        f"{folder}: {done.n_bytes / 2**20:,.0f} MiB.",
        markup=False,
    )
    if done.n_lacking:
        console.print(
            f"{done.n_lacking:,} fewer than asked for. More seeds give more, and so do other "
            "lengths and a looser difficulty."
        )
    return 0


def make_training_set(
    root: DataRoot,
    names: Sequence[str],
    wanted: TrainingWanted,
    folder: Path,
    console: Console,
    *,
    size_px: int,
    is_told_all: bool = True,
    workers: int | None = None,
    dask: str | None = None,
) -> TrainingSet:
    """Make the demonstrations ``names`` in ``root``, and the set about them in ``folder``.

    Errors: those of :func:`training_source` and :func:`write_training_set`; :class:`EnactError` if
    none could be made.
    """
    _check_root(root, wanted.split)
    with having({"ENACT_REGISTRY": str(_registry_file(root, size_px, is_told_all=is_told_all))}):
        registry = load_registry()
        variant = registry.variant(BASELINE)
        driver = Driver(
            root.root,
            registry=registry,
            workers=workers,
            dask=dask,
            observer=TerminalObserver(console),
        )
        replayed = chosen = _made(driver, console, names, "replays")
        if HeldOut.ROOMS in wanted.held_out:
            chosen = _of_rooms(replayed, root, are_new=wanted.split is not Split.TRAINING)
            console.print(f"{counted(len(chosen), 'demonstration')} in rooms that are wanted.")
        made = _made(driver, console, chosen, *MADE) if chosen else []
        if not made:
            raise EnactError(
                f"None of {counted(len(names), 'demonstration')}, first {names[0]}, could be made: "
                "see above. Name other seeds."
            )
        source = training_source(root, registry, variant, made, wanted)
        if wanted.pictures != FILES:
            console.print(
                f"With pictures within rows: about {source.bytes_with_pictures() / 2**30:,.1f} GiB "
                "at most. Each once, as files, they take a small part of it.",
                markup=False,
            )
        with shown_progress(console, "export") as on_progress:
            return write_training_set(
                source,
                folder=folder,
                left_out=[
                    *(name for name in names if name not in replayed),
                    *(name for name in chosen if name not in made),
                ],
                workers=workers or os.cpu_count() or 1,
                on_progress=on_progress,
            )


def _check_root(root: DataRoot, split: Split) -> None:
    """Refuse a data root of another split before anything is written to it.

    Errors: :class:`SettingsError` names the first of its demonstrations.
    """
    data = DataResource(root=str(root.root))
    for partition in data.lake.partitions("demonstrations"):
        name = partition["demonstration"]
        if (found := split_here(name, data)) is not split:
            raise SettingsError(
                f"{root.root} has demonstrations for {found}, first {name}. Leave --data out: "
                "a data root is made beside the set."
            )


def _made(driver: Driver, console: Console, names: Sequence[str], *assets: str) -> list[str]:
    """Those of ``names`` of which ``assets`` are there now."""
    report = driver.run(
        demonstrations=names,
        assets=assets,
        only={"demonstration": list(names), "variant": [BASELINE]},
    )
    print_report(console, report)
    made = {partition[0] for partition in report.current(assets[0])}
    return [name for name in names if name in made]


def _of_rooms(names: Sequence[str], root: DataRoot, *, are_new: bool) -> list[str]:
    """Those of ``names`` that are in a held-out room, or those that are not."""
    lake, found = Lake(root.lake), []
    for name in names:
        acted = lake.read("actions", {"demonstration": name})
        if is_held_out_room(acted["environment"][0]) == are_new:
            found.append(name)
    return found


def _data_root(arguments: argparse.Namespace) -> Path:
    """The one that is named; else one beside the folder, as that of other commands has tests."""
    named: Path = arguments.data
    if named.absolute() != root_from_environment().absolute():
        return named
    output: Path = arguments.output.resolve()
    return output.with_name(f"{output.name}-data")


def _registry_file(root: DataRoot, size_px: int, *, is_told_all: bool) -> Path:
    """The registry in force without demonstrations for tests, models and other variants, with
    pictures of a size: a file, as every process that makes something reads it.
    """
    entries = yaml.safe_load(registry_path().read_text(encoding="utf-8"))
    base = entries["variants"][BASELINE]
    gating = load_registry().variant(BASELINE).gating
    base = {k: v for k, v in base.items() if k not in {"prompts", "question_set", "asks"}}
    base |= {"gating": gating, "renderer": {**base.get("renderer", {}), "size_px": size_px}}
    gated = {**entries["gatings"][gating], "embedded_names_all": is_told_all}
    found = {
        "gatings": {gating: gated},
        "variants": {BASELINE: base},
        "questions": entries["questions"],
        "demonstrations": [],
        "models": [],
    }
    path = root.root / REGISTRY_FILE
    with replacing(path) as temporary:
        temporary.write_text(yaml.safe_dump(found, sort_keys=False), encoding="utf-8")
    return path


def _names(arguments: argparse.Namespace, split: Split, held_out: Sequence[HeldOut]) -> list[str]:
    """Each activity with each seed. Errors: :class:`SettingsError` for one that is held out, or,
    for validation, is not.
    """
    asked = list(dict.fromkeys(arguments.activity or ()))
    known = {name.rpartition("-")[0] for name in load_registry().demonstrations}
    if HeldOut.ACTIVITIES in held_out:
        is_training = split is Split.TRAINING
        known = known - HELD_OUT_ACTIVITIES if is_training else set(HELD_OUT_ACTIVITIES)
        wrong = [name for name in asked if (name in HELD_OUT_ACTIVITIES) == is_training]
        if wrong:
            what = "leaves out" if is_training else "does not ask about"
            raise SettingsError(
                f"{wrong[0]} is an activity that --held-out activities {what}. Name others: it "
                f"holds out {', '.join(sorted(HELD_OUT_ACTIVITIES))}."
            )
    seeds = arguments.seeds or range(FIRST_SEED[split], FIRST_SEED[split] + 2)
    return [f"{activity}-{seed}" for activity in asked or sorted(known) for seed in seeds]
