"""From spots to jobs: a job for each carry and deed, and for what must be open for them.

What must come first follows from the layout, from doors and drawers, and from what a deed needs.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np

from enact_assets.engine.errors import PlanError
from enact_assets.settings.arrays import Floats
from enact_assets.simulator.activities.declared.work import PATCH, Done, Work
from enact_assets.simulator.planning.basic_steps import (
    Close,
    Grasp,
    Open,
    Place,
    Press,
    Slice,
    Task,
    Together,
    Touch,
    move_wide,
)
from enact_assets.simulator.planning.job_orders import Job
from enact_assets.simulator.planning.layout import Event, Item, Layout, Spot, reaches
from enact_assets.simulator.planning.matter_steps import (
    AwaitCooked,
    Dice,
    Dip,
    Pour,
    Spread,
    Stir,
    Wait,
    Wipe,
)
from enact_assets.simulator.planning.sight import is_behind_arm, is_seen
from enact_assets.simulator.robot.kinematics import SIDES, BasePose, HandPose, Side
from enact_assets.simulator.robot.stances import Goal, common_stance, grip_pose, moved
from enact_assets.simulator.rooms.furnished import HIDES, SPOUT
from enact_assets.simulator.simulation.recording import GoalFact
from enact_assets.simulator.skills.both_hands import APART_M
from enact_assets.simulator.stage.hollows import Hollow

MIDDLE_M = 0.2
"""What stands nearer to the middle can be reached with either hand."""
ONTO = 0.3
"""So much onto a thing that is no vessel."""
MACHINE_S = 4.0
STAGES = {"slice": 0, "dice": 0, "tap": 0, "pour": 1, "stir": 2, "machine": 2, "press": 5}
"""When the jobs of deeds are made: what mixes after what fills, what switches off at last."""
APART_X_M = APART_M + 0.09
LIFTS_M = (0.08, 0.16, 0.26)
"""So far above its place a tool is seen when it has just been taken."""
TALL_M, ROUND_M = 0.05, 0.1
"""What is so much higher, and nearer, is in the way of a vessel that is poured from."""
ACROSS_M = 0.35
"""A tool is used at most so far on the other side."""


class Jobs:
    """The jobs of a layout, and the facts that hold at the end because of them, or do not."""

    def __init__(self, rng: np.random.Generator, work: Work, layout: Layout) -> None:
        self.rng, self.work, self.layout = rng, work, layout
        self.carries: dict[Event, Job] = {}
        self.needs: dict[Job, set[str]] = {}
        self.presses: dict[str, list[Job]] = {}
        self.filling: dict[str, list[Job]] = {}
        self.content: dict[str, float] = {}
        self.n_pours = Counter(done.place for done in work.deeds if done.verb == "pour")
        self.goal: list[GoalFact] = [*work.goal]
        self.absent: list[GoalFact] = [*work.absent]
        for item in layout.items.values():
            if not item.name.endswith(PATCH):
                self._carry(item)
        for name, _, share in work.filled:
            self.content[name] = self.content.get(name, 0.0) + share * self._volume(name)
        self._deeds(work.deeds)
        for first, then in sorted(layout.waits):
            self.carries[then].after.append(self.carries[first])
        for _ in range(work.both):
            self._side_by_side()
        self._doors()

    @property
    def all(self) -> list[Job]:
        """All jobs."""
        return list(self.needs)

    def _add(self, steps: Task, after: Iterable[Job] = (), needs: Iterable[str] = ()) -> Job:
        job = Job(steps, list(after))
        self.needs[job] = set(needs)
        return job

    def _carry(self, item: Item) -> None:
        for k, (start, spot) in enumerate(zip(item.spots, item.spots[1:], strict=False), 1):
            if k in item.rides:
                continue
            if item.hand is None:
                steps = move_wide(item.name, spot.support, spot.at)
            else:
                take = Grasp(item.hand, item.name)
                is_rocking = self._is_so(self.work.rocks)
                put = Place(item.hand, spot.support, spot.at, spot.access, is_rocking)
                is_touching = self._is_so(self.work.touches)
                steps = (take, Touch(item.hand), put) if is_touching else (take, put)
            self.carries[item.name, k] = self._add(steps, needs=(start.site, spot.site))
        is_mixed = any(item.name in done.of for done in self.work.deeds)
        if item.ends is None and not is_mixed:
            self.goal.append(self._place_of(item))

    def _is_so(self, share: float) -> bool:
        return bool(share and self.rng.random() < share)

    def _place_of(self, item: Item) -> GoalFact:
        spot = item.spots[-1]
        below, site = self.layout.items.get(spot.on), self.layout.sites[spot.site].fixture
        is_in = below is not None and below.shape.parts.cavity is None and site.cavity is not None
        # What is on something that is inside a third thing is inside that.
        on = spot.site if is_in else spot.on
        fixture, _, board = on.partition(".")
        holder = site if below is None or is_in else below.shape.parts
        return ("Inside" if board or holder.cavity is not None else "OnTop", item.name, fixture)

    def _deeds(self, deeds: Sequence[Done]) -> None:
        """The jobs of deeds, in an order in which what one needs of another is there."""
        mixing = [done for done in deeds if done.verb in ("stir", "machine")]
        mixed = {done.to for done in mixing}
        made = {name for done in mixing for name in done.products}

        def stage(done: Done) -> int:
            is_late = done.verb == "pour" and (done.place in mixed or done.to in made)
            return STAGES.get(done.verb, 4) + 2 * is_late

        waiting = [deeds[k] for k in self.rng.permutation(len(deeds)).tolist()]
        waiting.sort(key=stage)
        while waiting:
            # What is poured comes into its vessel first.
            number = next(
                (k for k, d in enumerate(waiting) if d.verb != "pour" or d.place in self.content), 0
            )
            done = waiting.pop(number)
            if done.verb == "pour" and done.place not in self.content:
                raise PlanError(f"{done.place} is empty when it is poured into {done.to}")
            getattr(self, f"_{done.verb}")(done)

    def _press(self, done: Done) -> None:
        cooked = [job for job in self.needs if self._is_heated(job, done.to)]
        self._switch(done.to, cooked)

    def _is_heated(self, job: Job, fixture: str) -> bool:
        foods = [step.thing for step in job.steps if isinstance(step, AwaitCooked)]
        return any(fixture in self._hob(food) for food in foods)

    def _hob(self, food: str) -> set[str]:
        return {spot.site for spot in self.layout.items[food].spots}

    def _switch(self, fixture: str, after: Iterable[Job] = ()) -> Job:
        """Press the button of a fixture, after all that pressed it before."""
        before = self.presses.setdefault(fixture, [])
        job = self._add((Press(self._side(fixture), fixture),), [*after, *before])
        before.append(job)
        is_on = (fixture in self.work.switched_on) ^ (len(before) % 2 == 1)
        fact: GoalFact = ("ToggledOn", fixture, None)
        for facts, holds in ((self.goal, is_on), (self.absent, not is_on)):
            if fact in facts:
                facts.remove(fact)
            if holds:
                facts.append(fact)
        return job

    def _cook(self, done: Done) -> None:
        item = self.layout.items[done.to]
        number = next(k for k, spot in enumerate(item.spots) if spot.on == done.place)
        hob = item.spots[number].site
        is_on = hob in self.work.switched_on or hob in self.presses
        heat = self.presses.get(hob, []) if is_on else [self._switch(hob)]
        heater, steps = self.layout.sites[hob].fixture.heater, (AwaitCooked(done.to),)
        if heater is not None and heater.needs_closed:
            side = self._side(hob)
            job = self._add((Close(side, hob), *steps, Open(side, hob)), heat, {hob})
        else:
            job = self._add(steps, heat)
        pan = self.layout.items.get(done.place)
        if pan is not None:
            self._during(job, pan, pan.use)
        self._during(job, item, number)
        self.goal.append(("Cooked", done.to, None))

    def _slice(self, done: Done) -> None:
        step = Slice if done.verb == "slice" else Dice
        job = self._with_tool(done.by, done.to, lambda side: (step(side, done.to),))
        self.carries[done.products[0], 0] = job
        for product in done.products:
            if (product, 1) in self.carries:
                self.carries[product, 1].after.append(job)
        self._in_use(job, done.to)

    _dice = _slice

    def _pour(self, done: Done) -> None:
        """Pour some of what is left in a vessel, after whatever filled it or was poured before."""
        room, left = self._volume(done.to), self.content[done.place]
        self.n_pours[done.place] -= 1
        most = left / (2 + self.n_pours[done.place])
        amount = min(room * done.deed.share, most) if room else min(ONTO * left, most)
        before = self.filling.get(done.place, [])
        step = partial(Pour, into=done.to, share=amount / left)
        job = self._with_tool(done.place, done.to, lambda side: (step(side),), before)
        self.filling[done.place] = [job]
        self.filling.setdefault(done.to, []).append(job)
        self.content[done.place] -= amount
        self.content[done.to] = self.content.get(done.to, 0.0) + amount
        self._in_use(job, done.to)
        self._clear_round(job, done.to, done.place)
        self.goal.append(("Contains" if room else "Covered", done.to, done.what))

    def _volume(self, name: str) -> float:
        item = self.layout.items.get(name)
        vessel = item.shape.parts.vessel if item else self.layout.sites[name].fixture.vessel
        return Hollow.of(vessel).volume if vessel else 0.0

    def _wipe(self, done: Done) -> None:
        job = self._with_tool(done.by, done.to, lambda side: (Wipe(side, done.to),))
        item = self.layout.items.get(done.to)
        if item is not None:
            # A cloth comes from above.
            tops = [k for k, spot in enumerate(item.spots) if spot.access == "top"] or [0]
            number = tops[int(self.rng.integers(len(tops)))]
            self.needs[job].add(item.spots[number].site)
            self._during(job, item, number)
        self._while_bare(job, done.to)
        self.absent.append(("Covered", done.to, done.what))

    def _while_bare(self, job: Job, name: str) -> None:
        """A job is done when things have left what it is done to, or before they come to stay."""
        if name in self.layout.items:
            self._without(job, lambda spot: spot.on == name)

    def _without(self, job: Job, is_there: Callable[[Spot], bool]) -> bool:
        """A job is done when things have left such spots, or before they come to stay; whether
        that can be.
        """
        can_be = True
        for item in self.layout.items.values():
            for k in (k for k, spot in enumerate(item.spots) if is_there(spot)):
                comes, leaves = item.comes(k), item.leaves(k)
                if leaves in self.carries:
                    job.after.append(self.carries[leaves])
                elif comes in self.carries:
                    self.carries[comes].after.append(job)
                else:
                    can_be = False
        return can_be

    def _clear_round(self, job: Job, to: str, tool: str) -> None:
        """What is higher than a thing is not near it when a tool or vessel is used there.

        Errors: :class:`PlanError` if it stays there.
        """
        target = self.layout.items.get(to)
        if target is None:
            return
        spot = target.spots[target.use]
        low, high = spot.solid

        def is_near(other: Spot) -> bool:
            (left, front, _), (right, back, top) = other.solid
            gaps = (left - high[0], low[0] - right, front - high[1], low[1] - back)
            return other.on not in (to, tool) and top > high[2] + TALL_M and max(gaps) < ROUND_M

        ours = [s for name in (to, tool) for s in self.layout.items[name].spots]
        if not self._without(job, lambda other: other not in ours and is_near(other)):
            raise PlanError(f"something high stays beside {to}, where {tool} is used")

    def _spread(self, done: Done) -> None:
        job = self._with_tool(
            done.by, done.to, lambda side: (Dip(side, done.place), Spread(side, done.to))
        )
        self._in_use(job, done.place)
        self._in_use(job, done.to)
        self._clear_round(job, done.to, done.by)
        self.goal.append(("Covered", done.to, done.what))

    def _stir(self, done: Done) -> None:
        job = self._with_tool(done.by, done.to, lambda side: (Stir(side, done.to),), shown=done.of)
        self._mixed(job, done)

    def _machine(self, done: Done) -> None:
        steps: Task = (*self._switch(done.to).steps, Wait(MACHINE_S))
        job = self.presses[done.to][-1]
        job.steps = steps
        self._mixed(job, done)

    def _mixed(self, job: Job, done: Done) -> None:
        """A job comes after all that is mixed came there."""
        job.after += self.filling.get(done.to, [])
        for name in (done.to, *done.of):
            self._in_use(job, name)
        self.filling[done.to] = [job]
        used = [("Contains", done.to, what) for what in done.of]
        self.goal = [fact for fact in self.goal if fact not in used]
        for name in done.products:
            self.carries[name, 0] = job
        if not done.products:
            self.goal.append(("Contains", done.to, done.what))

    def _tap(self, done: Done) -> None:
        side = self._side(done.place)
        press = Press(side, done.place)
        job = self._add((press, Wait(done.deed.seconds), press))
        item = self.layout.items[done.to]
        below = f"{done.place}{SPOUT}"
        numbers = [k for k, spot in enumerate(item.spots) if spot.on == below]
        if not numbers:
            raise PlanError(f"{done.to} never stands below the tap, at {below}")
        self._during(job, item, numbers[0])
        self.filling[done.to] = [job]
        self.content[done.to] = self._volume(done.to)
        self.goal.append(("Contains", done.to, done.what))

    def _in_use(self, job: Job, name: str) -> None:
        """A job is done while a thing, if it is one, is where it is used."""
        item = self.layout.items.get(name)
        if item is not None:
            self._during(job, item, item.use)
            self.needs[job].add(item.spots[item.use].site)

    def _during(self, job: Job, item: Item, number: int) -> None:
        """A job is done while a thing is at its place of this number."""
        comes, leaves = item.comes(number), item.leaves(number)
        if comes is not None:
            job.after.append(self.carries[comes])
        if leaves is not None and leaves in self.carries and self.carries[leaves] is not job:
            self.carries[leaves].after.append(job)

    def _with_tool(
        self,
        tool: str,
        to: str,
        steps: Callable[[Side], Task],
        before: Sequence[Job] = (),
        shown: Sequence[str] = (),
    ) -> Job:
        """Take a tool, or a vessel, use it, and put it back.

        Errors: :class:`PlanError` if it is used too far on the other side of each hand that reaches
        it.
        """
        item, target = self.layout.items[tool], self.layout.items.get(to)
        spot = item.spots[item.use]
        own = target.spots[target.use].pos if target else self.layout.sites[to].fixture.origin
        sides = [side for side in SIDES if (own[0] if side == "left" else -own[0]) <= ACROSS_M]
        sides = [side for side in sides if reaches(item, side)]
        if not sides:
            raise PlanError(f"{to} is too far from each hand that reaches {tool}")
        around = {name: self.layout.items[name] for name in {to, *shown} & set(self.layout.items)}
        for name, other in sorted(around.items()):
            its = other.spots[other.use].seen
            sides = [s for s in sides if not is_behind_arm(its, spot.seen, is_left=s == "left")]
            if not sides or not all(is_seen(its, spot.lifted(rise)) for rise in LIFTS_M):
                raise PlanError(f"{name} would be hidden by the arm that takes {tool}, or by it")
        side = sides[int(self.rng.integers(len(sides)))]
        back = Place(side, spot.support, spot.at, spot.access)
        job = self._add((Grasp(side, tool), *steps(side), back), before)
        self._in_use(job, tool)
        return job

    def _side(self, fixture: str) -> Side:
        """The hand on the side of a fixture."""
        x = self.layout.sites[fixture].fixture.origin[0]
        if abs(x) < MIDDLE_M:
            return SIDES[int(self.rng.integers(2))]
        return "left" if x < 0 else "right"

    def _side_by_side(self) -> None:
        """Join two carries of different hands into a job of both at once, if any can be."""
        single = {
            event: job
            for event, job in self.carries.items()
            if self.layout.items[event[0]].hand is not None and event[1] and job in self.needs
            and len(job.steps) == 2
        }  # fmt: skip
        pairs = [
            (a, b)
            for a, one in single.items()
            for b, two in single.items()
            if not (_waits_for(one, two) or _waits_for(two, one)) and self._is_apart(a, b)
        ]
        if not pairs:
            return
        (a, b) = pairs[int(self.rng.integers(len(pairs)))]
        one, two = self.carries[a], self.carries[b]
        both = self._add(
            (Together(one.steps, two.steps),), [*one.after, *two.after],
            self.needs.pop(one) | self.needs.pop(two),
        )  # fmt: skip
        self.carries[a] = self.carries[b] = both
        for job in self.needs:
            if one in job.after or two in job.after:
                job.after[:] = [j for j in job.after if j not in (one, two)] + [both]

    def _is_apart(self, a: Event, b: Event) -> bool:
        """Whether the left hand carries ``a`` while the right one carries ``b``, from one place."""
        left, right = self.layout.items[a[0]], self.layout.items[b[0]]
        if (left.hand, right.hand) != ("left", "right"):
            return False
        ways = [(item, item.spots[n - 1 : n + 1]) for item, (_, n) in ((left, a), (right, b))]
        (_, lefts), (_, rights) = ways
        if max(s.pos[0] for s in lefts) + APART_X_M > min(s.pos[0] for s in rights):
            return False
        goals = [
            Goal(item.hand or "left", "", partial(_pose, item, spots[0].pos, spot.pos, rise))
            for item, spots in ways
            for spot, rise in ((spots[0], 0.0), (spots[0], 0.13), (spots[1], 0.0), (spots[1], 0.13))
        ]
        return common_stance(goals) is not None

    def _doors(self) -> None:
        """Open and close what jobs need open, in one or two visits."""
        visits: dict[str, list[Job]] = {}
        for name, site in self.layout.sites.items():
            inside = [job for job, needs in self.needs.items() if name in needs]
            is_to_move = (name in self.work.left_open) != (name in self.work.opened)
            if site.fixture.panel is not None and (inside or is_to_move):
                visits[name] = self._visits(name, inside)
                if site.fixture.heater is None:
                    self._while_closed(name, visits[name])
        for upper, lower in HIDES.items():
            if upper in visits and lower in visits:
                within = {n: [j for j, needs in self.needs.items() if n in needs] for n in visits}
                orders = [
                    (one, two)
                    for one, two in ((upper, lower), (lower, upper))
                    if not any(_waits_for(a, b) for a in within[one] for b in within[two])
                ] or [(upper, lower)]
                one, two = orders[int(self.rng.integers(len(orders)))]
                for job in (*within[two], *visits[two]):
                    job.after += visits[one]

    def _while_closed(self, name: str, visits: Sequence[Job]) -> None:
        """What is on at the start is off before it is opened, and the other when it is closed."""
        for job in self.presses.get(name, []):
            is_on = name in self.work.switched_on
            first, then = (job, visits[0]) if is_on else (visits[-1], job)
            then.after.append(first)

    def _visits(self, name: str, inside: list[Job]) -> list[Job]:
        """Open before jobs and close after them; none waits for one of a later visit."""
        side = self._side(name)
        order = [inside[k] for k in self.rng.permutation(len(inside)).tolist()]
        order.sort(key=lambda job: sum(_waits_for(job, other) for other in inside))
        is_twice = len(order) > 1 and self.rng.integers(2)
        cut = int(self.rng.integers(1, len(order))) if is_twice else 0
        parts = [order[:cut], order[cut:]] if cut else [order]
        found: list[Job] = []
        for number, part in enumerate(parts):
            if number or name not in self.work.opened:
                opening = self._add((Open(side, name),), found[-1:])
                found.append(opening)
                for job in part:
                    job.after.append(opening)
            if number + 1 < len(parts) or name not in self.work.left_open:
                found.append(
                    self._add(
                        (Close(side, name, self._is_so(self.work.springs)),), [*part, *found[-1:]]
                    )
                )
        return found


def _pose(item: Item, start: Floats, end: Floats, rise: float, base: BasePose) -> HandPose:
    """How a hand that took a thing from ``start`` holds it ``rise`` above ``end``."""
    taken = grip_pose(base, item.hand or "left", item.shape.parts, start)
    return moved(taken, end - start + np.array([0.0, 0.0, rise]))


def _waits_for(job: Job, other: Job) -> bool:
    """Whether a job can only come after another one."""
    seen: set[Job] = set()
    ahead = [job]
    while ahead:
        for first in ahead.pop().after:
            if first is other:
                return True
            if first not in seen:
                seen.add(first)
                ahead.append(first)
    return False
