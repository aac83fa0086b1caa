"""The command ``activities``: what the embedded simulator can carry out, and your own."""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table
from rich.text import Text

from enact_assets.commands.activity_check import COLUMNS, Tried, errands_of, figures, try_activity
from enact_assets.commands.terminal import plain
from enact_assets.demonstrations.behavior.definitions import (
    DEFINED,
    INSTALL,
    SAID,
    defined_names,
    read_definition,
)
from enact_assets.demonstrations.behavior.translated import translated
from enact_assets.demonstrations.pictures.sheets import Picture, contact_sheet
from enact_assets.engine.errors import EnactError, SettingsError
from enact_assets.engine.plurals import counted
from enact_assets.settings.registry import BASELINE, load_registry
from enact_assets.simulator.activities import ACTIVITIES, FILES
from enact_assets.simulator.activities.base import Activity
from enact_assets.simulator.activities.declared.composed import declared_activity
from enact_assets.simulator.activities.declared.declaration import Declaration, read_declaration
from enact_assets.simulator.rendering.renderer import Renderer
from enact_assets.simulator.simulate import carry_out, random_draws

THUMBNAIL_PX, SHEET_COLUMNS = 256, 6


def run_activities(arguments: argparse.Namespace, console: Console) -> int:
    """``activities``; returns the exit code."""
    if arguments.check is not None:
        return _check(arguments, console)
    if arguments.name is not None:
        _tell(arguments.name, console)
    elif arguments.bddl:
        _defined(console)
    else:
        _list(console)
    return 0


def _list(console: Console) -> None:
    table = Table("activity", "what the robot does", "stands for", box=None, pad_edge=False)
    for name, activity in ACTIVITIES.items():
        declared = read_declaration(FILES[name]) if name in FILES else None
        n = len(declared.stands_for) if declared else 0
        table.add_row(name, activity.description, counted(n, "other kind") if n else "")
    console.print(table)
    console.print(
        plain(
            "`enact-assets activities NAME` tells what one is about, --bddl which of BEHAVIOR's "
            "definitions can be carried out, and --check FILE tries a declaration of your own "
            "(docs/activities.md)."
        )
    )


def _tell(name: str, console: Console) -> None:
    """What an activity is, or what a definition lacks."""
    if name.startswith(SAID):
        of = name.removeprefix(SAID)
        _show(translated(random_draws(f"{DEFINED}{of}", 0), read_definition(of)), console)
        console.print(plain(f"enact-assets materialize --demonstration {name}-0"))
    elif name in FILES:
        _show(read_declaration(FILES[name]), console)
        console.print(plain(str(FILES[name])))
    else:
        console.print(plain(ACTIVITIES[name].description))


def _show(declared: Declaration, console: Console) -> None:
    console.print(plain(declared.says))
    console.print(plain(f"Room: {declared.room}"))
    for place, pieces in declared.furniture.items():
        console.print(plain(f"  {place}: {', '.join(pieces)}"))
    for what, groups in (("Things", declared.things), ("Errands", declared.errands)):
        kinds = [kind for group in groups for kind in group.kinds]
        if kinds:
            console.print(plain(f"{what}: {', '.join(kinds)}"))
    for ours, synset in declared.stands_for.items():
        console.print(plain(f"  {ours} stands for {synset}"))
    for sentence in declared.leaves_out:
        console.print(plain(f"Left out: {sentence}"))


def _defined(console: Console) -> None:
    if not defined_names():
        raise SettingsError(f"BEHAVIOR's definitions are in a package of their own. Run: {INSTALL}")
    can, why = [], []
    for name in track(defined_names(), "Reading definitions", console=console, transient=True):
        try:
            translated(random_draws(f"{DEFINED}{name}", 0), read_definition(name))
            can.append(name)
        except EnactError as error:
            why.append(str(error))
    for name in can:
        console.print(plain(f"{SAID}{name}"))
    console.print(
        plain(
            f"{len(can)} of {len(defined_names())} definitions are carried out, with our kinds: "
            f"after BEHAVIOR's definition. `enact-assets activities {SAID}NAME` tells what "
            "another one lacks."
        )
    )


def _check(arguments: argparse.Namespace, console: Console) -> int:
    """Try seeds of a declaration; 1 if one of them cannot be carried out."""
    path: Path = arguments.check
    if path.suffix != ".yaml" and str(path) in FILES:
        path = FILES[str(path)]
    activity, errands = declared_activity(path), errands_of(path)
    tried: list[Tried] = []
    for one in try_activity(activity, range(arguments.seeds), errands):
        tried.append(one)
        console.print(plain(_line(one)))
        for failure in one.failures:
            console.print(plain(f"  attempt failed: {failure}", "yellow"))
    table = Table(*COLUMNS, box=None, pad_edge=False)
    table.add_row(*map(Text, figures(tried)))
    console.print(table)
    done = [one for one in tried if one.attempts is not None]
    if arguments.sheet is not None and done:
        arguments.sheet.write_bytes(_sheet(activity, done[0]))
        console.print(plain(f"Key frames of seed {done[0].seed}: {arguments.sheet}"))
    return int(len(done) < len(tried))


def _line(one: Tried) -> str:
    if one.attempts is None:
        return f"seed {one.seed}: not carried out"
    return (
        f"seed {one.seed}: attempt {one.attempts}, {counted(one.key_frames, 'key frame')}, "
        f"{counted(one.edges, 'edge')}, {counted(len(one.predicates), 'predicate')}, smallest "
        f"{one.smallest_px:.0f} px ({one.smallest}), {one.serving:.0%} serve the goal, "
        f"{one.by_contact} by contact, {one.by_smoothing} by smoothing"
    )


def _sheet(activity: Activity, tried: Tried) -> bytes:
    recording = carry_out(activity, tried.seed)
    renderer = Renderer(recording.world, load_registry().variant(BASELINE))

    def pictures() -> Iterator[Picture]:
        for frame in tried.frames:
            yield np.asarray(renderer.render(recording.state(frame)))

    labels = [str(k) for k in range(len(tried.frames))]
    return contact_sheet(list(pictures()), labels, SHEET_COLUMNS, THUMBNAIL_PX)
