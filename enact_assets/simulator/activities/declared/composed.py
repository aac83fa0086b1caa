"""From a declaration to an episode: what a seed drew, laid out, put in an order, and checked."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from enact_assets.engine.errors import ActivityError, PlanError, StageError
from enact_assets.simulator.activities.base import HEAD_PITCH_RAD, Activity, Episode
from enact_assets.simulator.activities.declared.declaration import Declaration, read_declaration
from enact_assets.simulator.activities.declared.jobs import Jobs
from enact_assets.simulator.activities.declared.work import PATCH, Done, Work, drawn
from enact_assets.simulator.planning.basic_steps import Grasp
from enact_assets.simulator.planning.forecast import Forecast
from enact_assets.simulator.planning.job_orders import in_valid_order
from enact_assets.simulator.planning.layout import Item, Layout, Spot
from enact_assets.simulator.planning.matter_steps import Spread
from enact_assets.simulator.planning.plan_check import check_plan
from enact_assets.simulator.planning.sight import is_behind_arm, is_seen, is_seen_in, seen
from enact_assets.simulator.robot.kinematics import EYE_HEIGHT_M
from enact_assets.simulator.rooms.furnished import Site
from enact_assets.simulator.shapes.mjcf import Scene
from enact_assets.simulator.shapes.surfaces import Surface, browned
from enact_assets.simulator.skills.executor import Step, riders, root_of
from enact_assets.simulator.stage.stage_builder import StageBuilder
from enact_assets.simulator.stage.substances import Kind
from enact_assets.simulator.stage.transitions import Cut, Diced, Stirred, Switched, When
from enact_assets.simulator.things.thing_parts import Coat
from enact_assets.simulator.things.top_coats import PATCH_M, top_coat

ATTEMPTS = 3
"""So often places and order are drawn for a seed that cannot be carried out."""
LAYOUTS = 120
"""So many are drawn before an attempt is given up."""
ORDERS = 10
"""So many are drawn for each layout."""
HAND_M = 0.04
"""A hand at a handle is as large as a box that reaches so far to all sides."""


def declared_activity(path: Path) -> Activity:
    """The activity declared in a file of its name. Errors: as :func:`read_declaration`."""
    declared = read_declaration(path)
    return Activity(path.stem, declared.says, partial(composed, declared), str(path), ATTEMPTS)


def composed(declared: Declaration, rng: np.random.Generator, attempt: int = 1) -> Episode:
    """One version of a declaration; ``rng`` decides on kinds and ways, and with the number of the
    attempt where it stands and in which order all is done. So another attempt draws only these
    anew, and no version is preferred because it is easy.

    Errors: :class:`ActivityError` saying why the last layouts failed, how often.
    """
    work = drawn(rng, declared)
    spots = np.random.default_rng((int(rng.integers(2**63)), attempt))
    sites = work.furnishing.build(Scene())
    problems, troubles = Counter[str](), Counter[str]()
    for _ in range(LAYOUTS):
        try:
            episode = _laid_out(spots, work, sites, troubles)
        except (PlanError, StageError) as error:
            problems[str(error)] += 1
        else:
            there = {*work.fixtures, *work.kinds}
            stands_for = ((n, synset) for n, synset in declared.stands_for.items() if n in there)
            return replace(episode, stands_for=tuple(stands_for))
    said = "; ".join(f"{n} times: {problem}" for problem, n in problems.most_common(3))
    raise ActivityError(
        f"no layout of {LAYOUTS} drawn can be carried out ({said}). Let the declaration have fewer "
        "or smaller things, or other places for them."
    )


def _laid_out(
    rng: np.random.Generator, work: Work, sites: Mapping[str, Site], troubles: Counter[str]
) -> Episode:
    layout = Layout(rng, sites)
    items = work.items(troubles)
    for item in items:
        troubles[item.name] += 1
        layout.place(item)
        troubles[item.name] -= 1
    jobs = Jobs(rng, work, layout)
    patches = [item for item in items if item.name.endswith(PATCH)]
    items = [item for item in items if item not in patches]
    coats = {item.places[0]: _patch(item.spots[0]) for item in patches}
    stage = _staged(work, items, coats).finish(HEAD_PITCH_RAD)
    for order in range(1, ORDERS + 1):
        plan = in_valid_order(rng, *jobs.all)
        try:
            check_plan(stage, plan, look=partial(_is_seen_before, layout))
            break
        except PlanError:
            if order == ORDERS:
                raise
    above = [p for those in work.furnishing.pieces.values() for p in those]
    covers = frozenset(p.name for p in above if p.row.facts.slot == "upper")
    wiped = {done.to for done in work.deeds if done.verb == "wipe"}  # A cloth may push it.
    stays = frozenset(i.name for i in items if i.name not in wiped and _is_left_alone(i, layout))
    return Episode(stage, plan, tuple(jobs.goal), covers, tuple(jobs.absent), stays)


def _is_seen_before(layout: Layout, ahead: Forecast, step: Step) -> None:
    """Whether what is taken or spread on is seen from where the robot stood before.

    Errors: :class:`PlanError` if it is not, or something else hides it.
    """
    name = step.thing if isinstance(step, Grasp) else step.on if isinstance(step, Spread) else ""
    if ahead.stance is None or name not in ahead.places:
        return
    eyes = [(ahead.stance.x, ahead.stance.y, EYE_HEIGHT_M)]

    def box(name: str) -> tuple[list[float], list[float]]:
        low, high = ((ahead.places[name] + corner).tolist() for corner in whole[name])
        return low, high

    whole = {name: layout.items[name].shape.whole for name in ahead.places}
    low, high = box(name)
    mine = seen(low, high, eyes)
    if ahead.arm is not None:
        side, at = ahead.arm
        hand = seen((at - HAND_M).tolist(), (at + HAND_M).tolist(), eyes)
        if is_behind_arm(mine, hand, is_left=side == "left"):
            raise PlanError(f"{name} is hidden by the arm that has just been used")
    if not isinstance(step, Grasp):
        return
    fixture = ahead.stage.fixtures.get(root_of(ahead.resting, name))
    on = ahead.resting.get(name)
    if fixture is not None and fixture.cavity is not None and ahead.access[name] == "front":
        if not is_seen_in(fixture.cavity, low, high, eyes, is_open_above=False):
            raise PlanError(f"{name} is not seen in {on} from where the robot stood")
        return
    for other in sorted({name, *whole} - {on, *riders(ahead.resting, name)}):
        if not is_seen(mine, seen(*box(other), eyes)):
            raise PlanError(f"{name} is hidden by {other}, or too far, where the robot stood")
    at = ahead.places[name]
    spot = min(layout.items[name].spots, key=lambda s: float(np.linalg.norm(s.pos - at)))
    hollows = layout.hollows(spot)
    if not all(is_seen_in(hollow, low, high, eyes, is_open_above=True) for hollow in hollows):
        raise PlanError(f"{name} is hidden by {on} from where the robot stood")


def _is_left_alone(item: Item, layout: Layout) -> bool:
    """Whether a thing, and what it stands on, stays where it is."""
    while len(item.spots) == 1 and item.begins is None and item.ends is None:
        if item.spots[0].on not in layout.items:
            return True
        item = layout.items[item.spots[0].on]
    return False


def _patch(spot: Spot) -> Coat:
    """Places beside each other where something lies on a fixture."""
    x0, y0, z = spot.pos.tolist()
    places = [
        (x0 + 0.04 * x, y0 + 0.04 * y, z + 0.0015)
        for x in (-1, 0, 1)
        for y in (-1.5, -0.5, 0.5, 1.5)
    ]
    return Coat(tuple(places), patch_m=PATCH_M)


def _staged(work: Work, items: Iterable[Item], coats: Mapping[str, Coat]) -> StageBuilder:
    """The room with all things at their first spots, and what they hold and turn into."""
    stage = StageBuilder()
    stage.furnish(*(site.fixture for site in work.furnishing.build(stage.scene, coats).values()))
    for name in sorted(work.opened):
        stage.leave_open(name)
    for name in sorted(work.switched_on):
        stage.leave_on(name)
    for item in items:
        color, spot = work.colors[item.name], item.spots[0]
        if item.made is not None:
            stage.put_later(item.name, item.kind, color, (item.made[0],))
        elif item.begins is not None:
            stage.put_later(item.name, item.kind, color)
        else:
            stage.put(item.name, item.kind, color, spot.support, spot.at, access=spot.access)
    _declare(work, stage)
    return stage


def _declare(work: Work, stage: StageBuilder) -> None:
    """Substances, heat and recipes."""
    holders, coats = _places(work, stage)
    for done in work.deeds:
        when = _moment(done)
        if when is not None:
            stage.recipe(done.products or (done.what,), done.of or (done.to,), when=when)
        elif done.verb == "cook":
            looks = stage.scene.surfaces
            own = {geom: looks[geom] for geom in looks if geom.startswith(f"{done.to}.")}
            cooked = {g: Surface(browned(s.color), finish="gloss") for g, s in own.items()}
            stage.cookable(done.to, cooked)
        elif done.verb == "tap":
            stage.tap(done.place, done.what)
    for name in sorted({on for those in coats.values() for on in those} & set(stage.things)):
        thing = stage.things[name]
        if thing.parts.coat is None:
            coated = replace(thing.parts, coat=top_coat(thing.category))
            stage.things[name] = replace(thing, parts=coated)
    flowing = {done.what for done in work.deeds if done.verb not in ("wipe", "spread")}
    for what, look in work.substances.items():
        if holders[what] or coats[what]:
            flows: Kind = "grains" if what in work.grains else "liquid"
            stage.substance(
                what, look, kind=flows if what in flowing else "film",
                holders=tuple(sorted(holders[what])), coats=tuple(sorted(coats[what])),
            )  # fmt: skip
    for name, what, share in work.filled:
        stage.fill(name, what, share)
    for name, what in work.covered:
        stage.cover(name, what)


def _moment(done: Done) -> When | None:
    """When a deed turns something into something else."""
    moments: dict[str, Callable[[str], When]] = {
        "slice": Cut,
        "dice": Diced,
        "stir": Stirred,
        "machine": Switched,
    }
    return moments[done.verb](done.to) if done.verb in moments else None


def _places(work: Work, stage: StageBuilder) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """What each substance may be in, and what it may lie on."""
    holders: dict[str, set[str]] = {what: set() for what in work.substances}
    coats: dict[str, set[str]] = {what: set() for what in work.substances}
    for name, what, _ in work.filled:
        holders[what].add(name)
    for name, what in work.covered:
        coats[what].add(name)
    for done in work.deeds:
        to, place = done.to, {done.place} - {""}
        if done.verb in ("stir", "machine", "tap"):
            for what in {done.what, *done.of} & set(holders):
                holders[what].add(to)
        elif done.verb in ("wipe", "spread"):
            coats[done.what] |= {to, done.by}
            holders[done.what] |= place
        elif done.verb == "pour":
            is_vessel = to in stage.fixtures or stage.things[to].parts.vessel is not None
            holders[done.what] |= place
            (holders if is_vessel else coats)[done.what].add(to)
    return holders, coats
