"""Tries seeds of one activity: whether it can be carried out, and what could be asked about it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from statistics import median

from enact_assets.demonstrations.pictures.visibility import visibility_in_world
from enact_assets.demonstrations.replay.embedded import tables_of
from enact_assets.engine.errors import SimulationError
from enact_assets.pipeline.steps.profiles import INDEX_CHANGES
from enact_assets.questions.key_frames.segment import segment
from enact_assets.questions.paths.transition_graph import build_transition_graph
from enact_assets.settings.components import Component
from enact_assets.settings.registry import Gating, load_registry
from enact_assets.settings.rules import PAPER_RULES, SMOOTHING
from enact_assets.simulator.activities.base import Activity
from enact_assets.simulator.activities.declared.declaration import read_declaration
from enact_assets.simulator.planning.basic_steps import Task, Together
from enact_assets.simulator.simulate import carry_out, random_draws
from enact_assets.simulator.simulation.recording import Recording
from enact_assets.simulator.skills.executor import Step

MASK_PX, PICTURE_PX = 256, 512
UNSMOOTHED = next(rule for rule in PAPER_RULES if rule.name == SMOOTHING)
LEAST_SEEDS = 8
"""A pair of sub-goals counts if so many plans have both."""
WHERE = ("on", "fixture", "into", "vessel", "thing")


@dataclass(frozen=True)
class Tried:
    """One seed. Without ``attempts`` none of them could be carried out; ``failures`` says why those
    failed that did. ``smallest_px`` is of what changes, in a picture of 512 px, just before or
    then; ``serving`` the share of key frames in which something happens to what is no errand.
    ``by_contact`` are key frames that gating ``contact`` has alone, ``by_smoothing`` those that
    there are because short-lived states are smoothed.
    """

    seed: int
    attempts: int | None
    failures: tuple[str, ...]
    key_frames: int = 0
    edges: int = 0
    predicates: tuple[str, ...] = ()
    smallest_px: float = 0.0
    smallest: str = ""
    serving: float = 0.0
    by_contact: int = 0
    by_smoothing: int = 0
    frames: tuple[int, ...] = field(default=(), repr=False)
    changes: tuple[tuple[Component, ...], ...] = field(default=(), repr=False)
    """At each key frame; none at the first."""
    plan: Task = field(default=(), repr=False)


def try_activity(found: Activity, seeds: Iterable[int], errands: frozenset[str]) -> Iterator[Tried]:
    """Carry out these seeds of an activity and look at what came of each; ``errands`` are things
    that do not serve its goal.
    """
    return (_tried(found, seed, errands) for seed in seeds)


def errands_of(path: Path) -> frozenset[str]:
    """The kinds that only errands of a declaration are of. Errors: as :func:`read_declaration`."""
    declared = read_declaration(path)
    serving = {kind for group in declared.things for kind in group.kinds}
    return frozenset({kind for group in declared.errands for kind in group.kinds} - serving)


def _tried(found: Activity, seed: int, errands: frozenset[str]) -> Tried:
    failures: list[str] = []
    try:
        recording = carry_out(found, seed, failed=lambda error: failures.append(str(error)))
    except SimulationError:
        return Tried(seed, None, tuple(failures))
    attempt = recording.attempts
    plan = found.drawn(random_draws(found.name, seed), attempt).plan
    return _looked_at(Tried(seed, attempt, tuple(failures), plan=plan), recording, errands)


def _looked_at(tried: Tried, recording: Recording, errands: frozenset[str]) -> Tried:
    tables = tables_of(f"{recording.activity}-{recording.seed}", recording)
    registry = load_registry()
    gating, camera = registry.gating("state"), registry.variant("baseline").camera
    cut = segment(tables.demonstrations, tables.facts, tables.objects, gating)
    frames = cut.segmented_frames.sort("key_frame")

    def found(by: Gating) -> set[int]:
        rows = segment(tables.demonstrations, tables.facts, tables.objects, by)
        return set(rows.segmented_frames["frame"].to_list())

    assert tables.states is not None  # noqa: S101 - for mypy
    seen = visibility_in_world(
        recording.world, tables.states, tables.objects, frames, camera, size_px=MASK_PX
    )
    profile = gating.profile_of("embedded")
    index = INDEX_CHANGES.of(profile)(
        cut.scene_graphs, seen, tables.objects, profile, frames.height, later_parents=None
    )
    sizes = {(row["key_frame"], row["object_name"]): row["fraction"] for row in seen.to_dicts()}
    movable = {o.name for o in recording.world.objects if not (o.is_fixed or o.is_particles)}
    movable -= {"robot"}
    smallest, predicates, n_serving = (1.0, ""), set[str](), 0
    numbers = frames["key_frame"].to_list()
    changes = [[Component.parse(text) for text in row] for row in frames["changes"].to_list()]
    for before, number, changed in zip(numbers, numbers[1:], changes[1:], strict=False):
        predicates |= {change.predicate for change in changed}
        cut_up = {
            name for c in changed if c.operation == "transition" for name in (*c.parents, c.object)
        }
        names = {name for c in changed for name in (c.subject, c.object, *c.parents)} & movable
        n_serving += bool(names - errands)
        for name in filter(None, names):
            pair = [sizes.get((k, name), 0.0) for k in (before, number)]
            least = max(pair) if name in cut_up else min(pair)
            smallest = min(smallest, (least, name))
    return Tried(
        *(tried.seed, tried.attempts, tried.failures),
        key_frames=frames.height,
        edges=build_transition_graph(frames, index).height,
        predicates=tuple(sorted(predicates)),
        smallest_px=smallest[0] * PICTURE_PX**2,
        smallest=smallest[1],
        serving=n_serving / max(frames.height - 1, 1),
        by_contact=len(found(registry.gating("contact")) - found(gating)),
        by_smoothing=len(found(gating) - found(UNSMOOTHED.off(gating))),
        frames=tuple(frames["frame"].to_list()),
        changes=tuple(map(tuple, changes)),
        plan=tried.plan,
    )


def fixed_share(plans: Sequence[Task]) -> float:
    """Share of pairs of sub-goals that come in the same order in all plans that have both."""
    found = [_times(plan) for plan in plans]
    every = sorted({name for times in found for name in times})
    n_pairs = n_fixed = 0
    for first, second in combinations(every, 2):
        if first[0] == second[0]:
            continue
        signs = [
            times[first] < times[second]
            for times in found
            if first in times and second in times and times[first] != times[second]
        ]
        if len(signs) >= LEAST_SEEDS:
            n_pairs += 1
            n_fixed += len(set(signs)) == 1
    return n_fixed / max(n_pairs, 1)


def _times(plan: Task) -> dict[tuple[str, int], int]:
    """Step at which each sub-goal is reached for the first, second, ... time."""
    seen: Counter[str] = Counter()
    times: dict[tuple[str, int], int] = {}
    for number, step in enumerate(plan):
        for name in _sub_goals(step):
            seen[name] += 1
            times[name, seen[name]] = number
    return times


def _sub_goals(step: Step) -> list[str]:
    """What a step achieves, in words that other seeds share: which thing it is does not count."""
    if isinstance(step, Together):
        return [name for own in (*step.left, *step.right) for name in _sub_goals(own)]
    kind = type(step).__name__
    if kind.startswith("Grasp") or kind == "Wait":
        return []
    where = next((str(getattr(step, name)) for name in WHERE if hasattr(step, name)), "")
    return [f"{kind} {where}"]


COLUMNS = ("seeds", "first", "within", "key frames", "edges", "predicates", "one order",
           "smallest px", "serving", "by contact", "by smoothing")  # fmt: skip
"""Of a table of activities; see :func:`figures`."""


def figures(tried: Sequence[Tried]) -> tuple[str, ...]:
    """What came of some seeds, in :data:`COLUMNS`: how many were carried out at the first attempt
    and at all, medians, least predicates, share of pairs of sub-goals in one order only, the
    smallest changed thing, median share that serves the goal, and sums.
    """
    done = [one for one in tried if one.attempts is not None]
    if not done:
        return (str(len(tried)), "0", "0", *("-" for _ in COLUMNS[3:]))
    small = min(done, key=lambda one: one.smallest_px)
    return (
        str(len(tried)),
        str(sum(one.attempts == 1 for one in done)),
        str(len(done)),
        f"{median(one.key_frames for one in done):g}",
        f"{median(one.edges for one in done):g}",
        str(min(len(one.predicates) for one in done)),
        f"{fixed_share([one.plan for one in done]):.2f}" if len(done) >= LEAST_SEEDS else "-",
        f"{small.smallest_px:.0f} ({small.smallest})",
        f"{median(one.serving for one in done):.0%}",
        str(sum(one.by_contact for one in done)),
        str(sum(one.by_smoothing for one in done)),
    )
