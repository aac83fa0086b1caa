"""The table of docs/lineage.md: change one thing, and compare what is made with the closure.

Slow: some minutes. ``ENACT_WRITE_DOCS=1`` writes the table anew instead of comparing it.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from enact_assets.engine.grids import Partition
from enact_assets.engine.lake.lake import Lake
from enact_assets.pipeline.driver.materialize import Driver
from enact_assets.pipeline.lineage.code import code_version
from enact_assets.pipeline.lineage.graph import (
    REPORT,
    ROOTS,
    STEP_NAMED,
    STEPS,
    WAREHOUSE,
    WHOLE,
    dimensions,
)
from enact_assets.pipeline.runs.names import current_names
from enact_assets.results.published import published_provenance
from enact_assets.results.report_files import report_provenance
from enact_assets.settings.profile import PAPER
from enact_assets.settings.registry import DEFAULT_REGISTRY, load_registry

from reference.lineage import closure, upstream
from reference.undrawn import draw_nothing

pytestmark = pytest.mark.slow

DOCUMENT = Path(__file__).parents[3] / "docs" / "lineage.md"
BEGIN, END = "<!-- made by tests/pipeline/whole_graph/test_lineage_table.py -->", "<!-- end -->"
VARIANTS = (
    *("baseline", "aperture_80", "path_tracing", "white_color", "contact"),
    *("symbolic_predicates", "random_perturbations_1"),
)
Made = set[tuple[str, Partition]]
Entries = dict[str, Any]


@dataclass(frozen=True)
class Change:
    """One change: of the registry, or of the code; ``roots`` are the asset partitions it is in."""

    title: str
    roots: frozenset[tuple[str, Partition]]
    registry: Callable[[Entries], None] = lambda _entries: None
    code: Callable[[pytest.MonkeyPatch], None] = lambda _patch: None
    new: dict[str, str] = field(default_factory=dict)
    """Dimension -> name that comes with it."""


def of_variant(name: str) -> frozenset[tuple[str, Partition]]:
    return frozenset({("variant_config", (name,))})


def other_constant(entries: Entries) -> None:
    ours = (g for g in entries["gatings"].values() if g["profile"] == "paper")
    for gating in ours:  # those of the release are fixed
        gating["constants"] = {"settle_frames": PAPER.settle_frames + 1}


EDITED = ("qa", "asked_questions")


def other_code(patch: pytest.MonkeyPatch) -> None:
    from enact_assets.pipeline.lineage import code

    versions = {**code._versions(), **dict.fromkeys(EDITED, "edited")}
    patch.setattr(code, "_versions", lambda: versions)
    code.code_version.cache_clear()  # remembered per process, as code does not change in one


def set_(*path: str, value: object) -> Callable[[Entries], None]:
    def change(entries: Entries) -> None:
        for key in path[:-1]:
            entries = entries[key]
        entries[path[-1]] = value

    return change


GATINGS = frozenset(("gating_config", (name,)) for name in ("contact", "state"))
CHANGES = (
    Change("camera: `aperture_80` gets 70 mm", of_variant("aperture_80"),
           set_("variants", "aperture_80", "camera", "aperture_mm", value=70.0)),
    Change("realism: `path_tracing` traces direct light only", of_variant("path_tracing"),
           set_("variants", "path_tracing", "renderer", value={"mode": "ray_tracing_only"})),
    Change("appearance: the robot of `white_color` becomes skin", of_variant("white_color"),
           set_("variants", "white_color", "appearance", "robot", value="skin")),
    Change("gating: `contact` no longer counts contacts",
           frozenset({("gating_config", ("contact",))}),
           set_("gatings", "contact", "contact", value=False)),
    Change("wording: `symbolic_predicates` is worded with emoji",
           of_variant("symbolic_predicates"),
           set_("variants", "symbolic_predicates", "wording", value="emoji")),
    Change("noise: `random_perturbations_1` gets another seed",
           of_variant("random_perturbations_1"),
           set_("variants", "random_perturbations_1", "noise", "seed", value=77)),
    Change("a segmentation constant: one more frame to settle", GATINGS, other_constant),
    Change("one new demonstration", frozenset(),
           lambda entries: entries["demonstrations"].append("freeze_pies-1"),
           new={"demonstration": "freeze_pies-1"}),
    Change("one new model", frozenset(), lambda entries: entries["models"].append("identity"),
           new={"model": "identity"}),
    Change("a code change in the words of questions", frozenset(), code=other_code),
)  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def no_figures() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        draw_nothing(patch)
        yield


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Entries]:
    """A materialized data root with a variant of every kind, and its registry's entries."""
    entries = yaml.safe_load(DEFAULT_REGISTRY.read_text())
    del entries["demo"]
    entries["variants"] = {name: entries["variants"][name] for name in VARIANTS}
    del entries["gatings"]["with_untold"]
    entries["demonstrations"] = ["freeze_pies-0"]
    entries["models"] = ["oracle", "text_prior", "pixel_continuity"]
    entries["variants"]["baseline"]["renderer"] = {"path_depth": 2, "samples": 1, "size_px": 64}
    entries["questions"] |= {"trajectories_per_length": 12, "probe_set_per_stratum": 4}
    folder = tmp_path_factory.mktemp("base")
    with pytest.MonkeyPatch.context() as patch:
        walk = driver(folder / "data", entries, folder, patch)
        report = walk.run()
    assert report.is_success, [f.message for f in report.failures]
    return folder / "data", entries


def driver(root: Path, entries: Entries, folder: Path, patch: pytest.MonkeyPatch) -> Driver:
    path = folder / "registry.yaml"
    path.write_text(yaml.safe_dump(entries))
    patch.setenv("ENACT_REGISTRY", str(path))
    return Driver(root, registry=load_registry(path), workers=1)


def contents(root: Path) -> dict[tuple[str, Partition], tuple[str, int]]:
    """(asset, partition) -> version and inode: what was written again has another inode."""
    lake = Lake(root / "lake")
    found = {}
    for asset in (a for step in STEPS for a in step.assets if a not in {*ROOTS, *WHOLE}):
        for where in lake.partitions(asset):
            inode = lake.path(asset, where).stat().st_ino
            found[asset, tuple(where.values())] = (lake.content_sha(asset, where), inode)
    version, _ = published_provenance(root / "enact.duckdb")
    found[WAREHOUSE, ()] = (str(version), (root / "enact.duckdb").stat().st_ino)
    version, _ = report_provenance(root / "report")
    found[REPORT, ()] = (str(version), (root / "report" / "report.html").stat().st_ino)
    return found


def expected_closure(change: Change, names) -> Made:
    """By the slow twin: steps downstream of what changed, and those of a name that is new."""
    if change.code is other_code:
        made = {a for step in EDITED for a in STEP_NAMED[step].assets}
        changed = {(a, p) for a in made for p in names.partitions(a)}
        begun = {(s.name, p) for s in STEPS for p in names.partitions(s.assets[0])
                 if made & set(s.assets)}  # fmt: skip
        return begun | closure(STEPS, changed, names)
    new = {
        (step.name, p)
        for step in STEPS
        for p in names.partitions(step.assets[0])
        if any(dict(zip(dimensions(step.assets[0]), p, strict=True)).get(d) == n
               for d, n in change.new.items())
    }  # fmt: skip
    changed = set(change.roots) | {(a, p) for s, p in new for a in STEP_NAMED[s].assets}
    return new | {r for r in change.roots if r[0] in ROOTS} | closure(STEPS, changed, names)


def check(change: Change, base: tuple[Path, Entries], folder: Path) -> list[str]:
    """Apply ``change`` to a copy; returns the row of the table."""
    root = folder / "data"
    shutil.copytree(base[0], root)
    before = contents(root)
    entries = yaml.safe_load(yaml.safe_dump(base[1]))
    change.registry(entries)
    with pytest.MonkeyPatch.context() as patch:
        change.code(patch)
        walk = driver(root, entries, folder, patch)
        plan, _ = walk.plan()
        report = walk.run()
        assert report.is_success, [f.message for f in report.failures]
        assert walk.run().made == []
        names = current_names(walk.instance, walk.registry)
    code_version.cache_clear()
    after = contents(root)
    made = {(run.step, run.partition) for run in report.made}
    whole = expected_closure(change, names)
    everything = {(s.name, p) for s in STEPS for p in names.partitions(s.assets[0])}
    planned = {(s.step, s.partition) for s in plan.stale}
    planned |= {(name, p) for name, ps in plan.may_follow.items() for p in ps}
    assert planned == whole, (change.title, planned ^ whole)
    assert made <= whole, (change.title, made - whole)
    for name, partition in everything - made:
        for asset in STEP_NAMED[name].assets:
            if asset not in ROOTS:
                assert after[asset, partition] == before[asset, partition], "was written again"
    cut = whole - made
    for name, partition in cut:
        step = STEP_NAMED[name]
        read = {(i.asset, p) for i in step.inputs for p in upstream(step, partition, i, names)}
        changed = [key for key in read if key in before and after[key][0] != before[key][0]]
        assert changed == [], (name, partition, "was not made, though its inputs changed")
    assets = list(dict.fromkeys(run.step for run in report.made))
    numbers = [len(whole), len(made), len(cut), len(everything - whole)]
    return [change.title, *map(str, numbers), ", ".join(assets)]


def rows_of(document: str) -> list[str]:
    """Lines of the table, head first."""
    return document.partition(BEGIN)[2].partition(END)[0].strip().splitlines()


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.title)
def test_what_is_made_is_the_closure_less_what_came_out_the_same(
    change: Change, base, tmp_path: Path
) -> None:
    row = f"| {' | '.join(check(change, base, tmp_path))} |"
    text = DOCUMENT.read_text()
    if os.environ.get("ENACT_WRITE_DOCS"):
        (old,) = (line for line in rows_of(text) if line.startswith(f"| {change.title} |"))
        DOCUMENT.write_text(text.replace(old, row))
    else:
        assert row in rows_of(text)


def test_the_table_has_these_changes() -> None:
    titles = [line.split(" | ")[0].removeprefix("| ") for line in rows_of(DOCUMENT.read_text())[2:]]
    assert titles == [change.title for change in CHANGES]
