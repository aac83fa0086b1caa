"""The command ``list``: names there are, and how many questions are asked about them: of each
question set and source, per kind and length.
"""

import argparse
from collections.abc import Iterable
from functools import partial
from itertools import groupby, product
from textwrap import wrap

from rich.console import Console
from rich.table import Table
from rich.text import Text

from enact_assets.answers.baselines.references import MODELS, WORLD_BASELINES
from enact_assets.answers.imported.answer_files import answered_names
from enact_assets.commands.terminal import plain
from enact_assets.demonstrations.recordings.folders import Recordings
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.plurals import counted
from enact_assets.pipeline.root.forgotten import Forgotten
from enact_assets.pipeline.root.scope import scoped_registry
from enact_assets.questions.asked.imported_questions import ImportedQuestions
from enact_assets.questions.asked.stratum_counts import NO_PATHS, Stratum, count_strata
from enact_assets.questions.asked.templates import KINDS
from enact_assets.questions.files.imported import question_file_names, registry_in
from enact_assets.questions.paths.tables import PathCounts
from enact_assets.questions.world.step_files import step_file_names
from enact_assets.results.published import published_names
from enact_assets.settings.classes import ALL, EMBEDDED, PROBE, QUESTIONS, in_words
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.profile import Profile
from enact_assets.settings.registry import Registry
from enact_assets.settings.world import world_name
from enact_assets.simulator.activities import ACTIVITIES


def run_list(arguments: argparse.Namespace, console: Console) -> int:
    """``list``; returns the exit code."""
    root = DataRoot(arguments.data)
    files, registry = question_file_names(root.question_files), registry_in(root)
    for title, names in (
        ("activities", ACTIVITIES),
        ("demonstrations (<activity>-<seed>)", registry.demonstrations),
        ("recordings", Recordings(root.recordings).names()),
        *((("question files", files),) if files else ()),
        ("gatings", registry.gatings),
        ("question sets", registry.question_sets),
        ("variants", registry.variants),
        ("question sets and variants of WorldPrediction", _worlds(root)),
        ("models", MODELS),
        ("models that answer WorldPrediction alone", WORLD_BASELINES),
        ("models with imported answers", answered_names(root)),
    ):
        _print_names(console, title, names)
    warehouse = root.warehouse
    if warehouse.exists():
        published = published_names(warehouse)
        for dimension in ("demonstration", "model"):
            _print_names(console, f"{dimension}s published", sorted(published.get(dimension, ())))
    made = scoped_registry(root.root).with_questions(files)
    for name, names, of_registry in (
        ("demonstrations", made.demonstrations, registry.demonstrations),
        ("variants", tuple(made.variants), tuple(registry.variants)),
    ):
        is_all = set(names) >= set(of_registry)
        more = "" if is_all else "; `enact-assets materialize --all` adds the whole registry"
        _print_names(console, f"{name} in scope{more}", names)
    print_question_counts(console, root, made)
    return 0


def _worlds(root: DataRoot) -> list[str]:
    """Those that were made, and those of step files."""
    made = {
        partition["question_set"] for partition in Lake(root.lake).partitions("world_questions")
    }
    return sorted({*made, *map(world_name, step_file_names(root.step_files))})


def _print_names(console: Console, title: str, names: Iterable[str]) -> None:
    """A heading and, within the width, what it lists."""
    console.print(plain(title, "bold"))
    text = ", ".join(names) or "none"
    width = console.width - 2
    for line in wrap(text, width, break_long_words=False, break_on_hyphens=False):
        console.print(plain(f"  {line}"))


def print_question_counts(console: Console, root: DataRoot, registry: Registry) -> None:
    """One table per question set and source: what the registry wants, what is found or expected,
    and why it is less. Errors: those of reading the lake.
    """
    lake = Lake(root.lake)
    with_paths = {(p["demonstration"], p["gating"]) for p in lake.partitions("path_counts")}
    chosen = {p["question_set"] for p in lake.partitions("question_set")}
    known = {*registry.demonstrations, *Recordings(root.recordings).names()}
    known |= {demonstration for demonstration, _ in with_paths}
    known -= Forgotten(root.root).of("demonstration")
    by_source = _by_source(lake, registry, known)
    imported = [n for n, s in registry.question_sets.items() if _is_imported(registry, s.gating)]
    files = ImportedQuestions(root.question_files)
    for name in imported:
        taken = registry.gating(registry.question_sets[name].gating).takes(files.files())
        tasks = files.tasks(taken)
        n = sum(len(files.about(task, taken)) for task in tasks)
        said = f"{counted(n, 'imported question')} about {counted(len(tasks), 'demonstration')}"
        n_there = lake.read("question_set", {"question_set": name}).height if name in chosen else 0
        console.print(
            Text(f"question set {name}", "bold"),
            f": {said}, {n_there:,} of them materialized\n  {_asked_by(registry, name, QUESTIONS)}",
            sep="",
        )
    own = [name for name in registry.question_sets if name not in imported]
    for name, source in product(own, by_source):
        question_set, of_source = registry.question_sets[name], by_source[source]
        profile = registry.gating(question_set.gating).profile
        there = {d for d, gating in with_paths if gating == question_set.gating} & of_source
        n_missing, is_found = len(of_source) - len(there), name in chosen and bool(there)
        found = None
        if is_found:
            found = lake.read("question_set", {"question_set": name}).filter(source=source)
        count = partial(
            count_strata,
            question_set=question_set,
            questions=registry.questions,
            profile=profile,
            n_missing=n_missing,
            found=found,
        )
        strata = count(PathCounts.empty())
        if found is None or any(s.n < s.wanted for s in strata):
            # Paths say why, or how many to expect. A large lake has many files of them.
            among = {"demonstration": there}
            paths = lake.read_all("path_counts", among=among, gating=question_set.gating)
            strata = count(paths)
        basis = (
            _found(n_missing, len(of_source))
            if is_found
            else _expected(registry, profile, n_missing, len(of_source))
        )
        asked = _asked_by(registry, name, source)
        title = f"question set {name}, {source} demonstrations"
        _print(console, title, f"{basis}\n  {asked}", strata)


def _is_imported(registry: Registry, gating: str) -> bool:
    return registry.gating(gating).question_file is not None


def _asked_by(registry: Registry, question_set: str, source: str) -> str:
    """Which variants ask how many of the questions of a set about demonstrations of ``source``."""
    words = {ALL: "all of them", PROBE: "the probe questions"}
    by_number: dict[str, list[str]] = {}
    for variant in registry.variants.values():
        if variant.question_set == question_set and source in variant.sources:
            asks = variant.asks
            said = words[asks] if isinstance(asks, str) else in_words(asks)
            by_number.setdefault(said, []).append(variant.name)
    if not by_number:
        return "asked: no variant asks about these"
    asked = (f"{said} by {', '.join(names)}" for said, names in by_number.items())
    return f"asked: {'; '.join(asked)}"


def _by_source(lake: Lake, registry: Registry, known: set[str]) -> dict[str, set[str]]:
    """Source -> its demonstrations; those of recordings that were never read have none yet."""
    found = dict.fromkeys(registry.demonstrations, EMBEDDED) | dict(
        lake.read_all("demonstrations").select("demonstration", "source").iter_rows()
    )
    sources: dict[str, set[str]] = {}
    for name in sorted(known):
        sources.setdefault(found.get(name, "imported"), set()).add(name)
    return sources


def _found(n_missing: int, n_known: int) -> str:
    missing = f"; {NO_PATHS.format(f'{n_missing} of {n_known}')}" if n_missing else ""
    return f"found: the questions of the materialized question_set{missing}"


def _expected(registry: Registry, profile: Profile, n_missing: int, n_known: int) -> str:
    if n_missing:
        most = registry.questions.trajectories_per_length
        return (
            f"upper bound: {NO_PATHS.format(f'{n_missing} of {n_known}')}; each "
            f"counts with {most} questions per kind and length"
        )
    bound = "upper bound" if profile.has_own_words else "expected"
    return (
        f"{bound}: question_set is not materialized; the paths of {n_known} demonstrations give "
        "these numbers"
    )


def _print(console: Console, title: str, basis: str, strata: list[Stratum]) -> None:
    n, wanted = sum(s.n for s in strata), sum(s.wanted for s in strata)
    count = f": {n:,} of {wanted:,} questions\n  {basis}"
    console.print(Text(title, "bold"), count, sep="")
    table = Table(box=None, pad_edge=False)
    is_short = any(s.why for s in strata)
    for column in ("  length", "wanted per kind", *KINDS):
        table.add_column(column, justify="right")
    if is_short:
        table.add_column("why fewer")
    for length, of in groupby(strata, key=lambda s: s.length):
        kinds = {s.kind: s for s in of}
        why = "; ".join(dict.fromkeys(s.why for s in kinds.values() if s.why))
        cells = [str(length), f"{kinds[KINDS[0]].wanted:,}", *(f"{kinds[k].n:,}" for k in KINDS)]
        table.add_row(*cells, *([why] if is_short else []))
    console.print(table)
