"""Build the world of an activity and run its plan: (activity, seed) -> World, Recording."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np

from enact_assets.engine.errors import ActivityError, GoalError, SimulationError, entry_named
from enact_assets.engine.ids import seed_from
from enact_assets.settings.classes import CameraSettings
from enact_assets.settings.predicates import EXISTS, STATE_PREDICATES
from enact_assets.simulator.activities import ACTIVITIES
from enact_assets.simulator.activities.base import Activity, Episode
from enact_assets.simulator.planning.plan_check import check_goal, check_names, check_plan
from enact_assets.simulator.shapes.world import World
from enact_assets.simulator.simulation.facts import Fact
from enact_assets.simulator.simulation.physics import FRAME_RATE_HZ
from enact_assets.simulator.simulation.recording import GoalFact, Recording, facts_of, missing_goals
from enact_assets.simulator.skills.executor import Executor
from enact_assets.simulator.view.masks import mask_sizes, object_masks

PACE = (0.95, 1.1)
PAUSE_S = (0.1, 0.5)
"""Ranges a seed draws the speed of all motions and the pause after each step from."""
LASTS, SETTLES, FLICKERS = 40, 20, 10
"""Frames that a change holds at least, and after which it is seen (profile ``paper``)."""
MASK_PX, LEAST_SHARE = 256, 165 / 512**2
"""Edge of the pictures in which things are measured, and the least share of one: 150 px of 512 by
512, and some to spare."""
END_S = 2.0
"""Standing still at the end, so that the last change can be seen to persist."""


def find_activity(name: str) -> Activity:
    """The activity called ``name``.

    Errors: :class:`UnknownNameError` listing the known ones, :class:`ActivityError` if its module
    cannot be loaded.
    """
    return entry_named(ACTIVITIES, name, "activity", "See simulator/activities.")


def random_draws(activity: str, seed: int) -> np.random.Generator:
    """All that varies between the seeds of an activity is drawn from this generator, in order."""
    return np.random.default_rng(seed_from("embedded", activity, seed))


def build_world(activity: str, seed: int, attempt: int = 1) -> World:
    """The world of one demonstration, always the same for the same code.

    Errors: :class:`UnknownNameError` for an unknown activity, :class:`ActivityError` for one
    that cannot be built.
    """
    return world_of(find_activity(activity), seed, attempt)


def world_of(found: Activity, seed: int, attempt: int = 1) -> World:
    """As :func:`build_world`, of an activity at hand."""
    return _built(found, seed, random_draws(found.name, seed), attempt).stage.world


def build_episode(activity: str, seed: int, rng: np.random.Generator, attempt: int = 1) -> Episode:
    """Draw the world, plan and goal of one demonstration, and compile the world.

    Errors: :class:`UnknownNameError` for an unknown activity, :class:`ActivityError` with
    what went wrong if it cannot be built or has no plan.
    """
    return _built(find_activity(activity), seed, rng, attempt)


def _built(found: Activity, seed: int, rng: np.random.Generator, attempt: int) -> Episode:
    where = f"{found.name} seed {seed}"
    mend = f"Mend {found.file or f'simulator/activities/{found.name}.py'}."
    try:
        episode = found.drawn(rng, attempt)
        _ = episode.stage.world.model
    except Exception as error:  # an activity may fail in any way
        what = " ".join(str(error).split()).rstrip(".")
        raise ActivityError(
            f"{where} cannot be built: {type(error).__name__}: {what}. {mend}"
        ) from error
    if not episode.plan:
        raise ActivityError(f"{where} has an empty plan. {mend}")
    return episode


def simulate(
    activity: str, seed: int, progress: Callable[[float], None] | None = None
) -> Recording:
    """Carry out the plan of one demonstration; ``progress`` gets the simulated seconds.

    Errors: :class:`UnknownNameError`, :class:`ActivityError` for a broken activity,
    :class:`PhysicsError` on any MuJoCo warning or if things fly apart, :class:`PlanError` for a
    step that cannot be done, :class:`GoalError` listing what is missing.
    """
    return carry_out(find_activity(activity), seed, progress)


def carry_out(
    found: Activity,
    seed: int,
    progress: Callable[[float], None] | None = None,
    failed: Callable[[SimulationError], None] = lambda _: None,
) -> Recording:
    """As :func:`simulate`, an activity at hand; ``failed`` gets the error of each failed attempt.

    An activity that draws places is drawn anew, at most ``attempts`` times in all, where its plan
    fails or something is hardly seen when it changes.
    """
    for attempt in range(1, found.attempts + 1):
        rng = random_draws(found.name, seed)
        try:
            episode = _built(found, seed, rng, attempt)
            recording = perform(found.name, seed, episode, rng, progress)
            if found.attempts > 1:
                check_seen(recording)
            return replace(recording, attempts=attempt)
        except SimulationError as error:
            failed(error)
            if attempt == found.attempts:
                raise
    raise ActivityError(f"{found.name} allows {found.attempts} attempts; allow one at least")


def check_seen(recording: Recording) -> None:
    """Refuse a recording in which a movable thing is hardly seen just before it changes, or after.

    Key frames are estimated, without gating. Errors: :class:`GoalError` naming the
    thing, the frame and how much of it is seen.
    """
    world, names = recording.world, [thing.name for thing in recording.world.objects]
    there = {
        (fact.subject, frame)
        for fact in recording.facts if fact.predicate == EXISTS
        for frame in range(fact.frame_from, fact.frame_to)
    }  # fmt: skip
    before: tuple[int, dict[str, float]] = (0, {})
    moments = [*_moments(recording), (0, set[str]())]
    for (frame, changed), (_, later) in pairwise(moments):
        state = recording.state(frame)
        mask = object_masks(world, state, CameraSettings(), MASK_PX, changed | later)
        pixels = {names[k]: size.pixels / MASK_PX**2 for k, size in mask_sizes(mask).items()}
        for name in sorted(changed):
            for at, found in (before, (frame, pixels)):
                share = found.get(name, 0.0)
                if found and (name, at) in there and share < LEAST_SHARE:
                    raise GoalError(
                        f"{recording.activity} seed {recording.seed}: {name} changes about frame "
                        f"{frame} and is hardly seen at frame {at}: {share:.2%} of the picture, "
                        f"not {LEAST_SHARE:.2%}. Change the places."
                    )
        before = (frame, pixels)


def _moments(recording: Recording) -> Iterator[tuple[int, set[str]]]:
    """The start, and frames that show lasting changes, with the movable things that change."""
    movable = {o.name for o in recording.world.objects if not (o.is_fixed or o.is_particles)}
    runs: dict[tuple[str, str, str | None], list[Fact]] = {}
    for fact in recording.facts:
        if fact.predicate in (*STATE_PREDICATES, EXISTS):
            runs.setdefault((fact.predicate, fact.subject, fact.object), []).append(fact)
    switches: dict[int, set[str]] = {0: set()}
    for (_, *objects), facts in runs.items():
        ends = [0, *_lasting(facts)]
        for at, until in pairwise([*ends, recording.n_frames]):
            if 0 < at < recording.n_frames and until - at >= LASTS:
                switches.setdefault(at, set()).update({o for o in objects if o} & movable)
    first, changed = 0, set[str]()
    for at in sorted(switches):
        if at > first + SETTLES:
            yield first + SETTLES, changed
            first, changed = at, set()
        changed = changed | switches[at] - {"robot"}
    yield min(first + SETTLES, recording.n_frames - 1), changed


def _lasting(facts: Iterable[Fact]) -> list[int]:
    """Frames at which a fact begins and ends, in turn; short runs go, the shortest first."""
    ends = sorted(at for fact in facts for at in (fact.frame_from, fact.frame_to))
    while len(ends) > 1:
        k = min(range(len(ends) - 1), key=lambda k: ends[k + 1] - ends[k])
        if ends[k + 1] - ends[k] >= FLICKERS:
            break
        del ends[k : k + 2]
    return ends


def perform(
    activity: str,
    seed: int,
    episode: Episode,
    rng: np.random.Generator,
    progress: Callable[[float], None] | None = None,
) -> Recording:
    """Run the plan of ``episode`` with pace and pauses drawn from ``rng``; errors as above."""
    where = f"{activity} seed {seed}"
    check_goal(episode.stage, episode.goal, where)
    check_goal(episode.stage, episode.absent, where)
    there = {thing.name for thing in episode.stage.world.objects}
    check_names(episode.covers, there, "covers", "no objects", where)
    starts = episode.stage.starts
    check_names(episode.stays, starts, "things that stay", "not there at the start", where)
    check_plan(episode.stage, episode.plan, where)
    robot = Executor(episode.stage, where, pace=float(rng.uniform(*PACE)), progress=progress)
    for number, step in enumerate(episode.plan, 1):
        robot.run(step, f"{number} of {len(episode.plan)}")
        robot.drive(robot.wait(float(rng.uniform(*PAUSE_S))))
    robot.drive(robot.wait(END_S))
    facts = facts_of(robot.physics, episode.covers)
    log = robot.physics.log
    n_frames = robot.physics.frame
    gone = missing_goals(facts, episode.absent, n_frames)
    moved = (name for name in sorted(episode.stays) if not robot.is_in_place(name))
    wrong = [
        *map(_written, missing_goals(facts, episode.goal, n_frames)),
        *(f"not {_written(fact)}" for fact in episode.absent if fact not in gone),
        *(f"{name} stands upright where it stood" for name in moved),
    ]
    if wrong:
        n_all = len(episode.goal) + len(episode.absent) + len(episode.stays)
        raise GoalError(
            f"{where}: the plan ran to its end after {n_frames} frames, but {len(wrong)} of "
            f"{n_all} goal facts do not hold: {'; '.join(wrong)}. Mend the plan or the goal in "
            "simulator/activities."
        )
    return Recording(
        activity=activity,
        seed=seed,
        world=episode.stage.world,
        frame_rate_hz=float(FRAME_RATE_HZ),
        qpos=np.array(log.qpos),
        mocap_pos=np.array(log.mocap_pos),
        mocap_quat=np.array(log.mocap_quat),
        appearance=np.array(log.appearance).reshape(len(log.qpos), -1),
        facts=facts,
        goal=episode.goal,
        performed=robot.performed,
        environment=episode.stage.environment,
        stands_for=episode.stands_for,
    )


def _written(fact: GoalFact) -> str:
    name, *objects = fact
    return f"{name}({', '.join(filter(None, objects))})"
