"""Build the world of an activity and run its plan: (activity, seed) -> World, Recording."""

from collections.abc import Callable

import numpy as np

from enact_assets.engine.errors import ActivityError, GoalError, entry_named
from enact_assets.engine.ids import seed_from
from enact_assets.simulator.activities import ACTIVITIES
from enact_assets.simulator.activities.base import Activity, Episode
from enact_assets.simulator.planning.plan_check import (
    check_covers,
    check_goal,
    check_plan,
    check_stays,
)
from enact_assets.simulator.shapes.world import World
from enact_assets.simulator.simulation.physics import FRAME_RATE_HZ
from enact_assets.simulator.simulation.recording import (
    GoalFact,
    Recording,
    facts_of,
    missing_goals,
)
from enact_assets.simulator.skills.executor import Executor

PACE = (0.95, 1.1)
PAUSE_S = (0.1, 0.5)
"""Ranges a seed draws the speed of all motions and the pause after each step from."""
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


def build_world(activity: str, seed: int) -> World:
    """The world of one demonstration, always the same for the same code.

    Errors: :class:`UnknownNameError` for an unknown activity, :class:`ActivityError` for one
    that cannot be built.
    """
    return build_episode(activity, seed, random_draws(activity, seed)).stage.world


def build_episode(activity: str, seed: int, rng: np.random.Generator) -> Episode:
    """Draw the world, plan and goal of one demonstration, and compile the world.

    Errors: :class:`UnknownNameError` for an unknown activity, :class:`ActivityError` with
    what went wrong if it cannot be built or has no plan.
    """
    found = find_activity(activity)
    mend = f"Mend simulator/activities/{activity}.py."
    try:
        episode = found.build(rng)
        _ = episode.stage.world.model
    except Exception as error:  # an activity may fail in any way
        what = " ".join(str(error).split()).rstrip(".")
        raise ActivityError(
            f"{activity} seed {seed} cannot be built: {type(error).__name__}: {what}. {mend}"
        ) from error
    if not episode.plan:
        raise ActivityError(f"{activity} seed {seed} has an empty plan. {mend}")
    return episode


def simulate(
    activity: str, seed: int, progress: Callable[[float], None] | None = None
) -> Recording:
    """Carry out the plan of one demonstration; ``progress`` gets the simulated seconds.

    Errors: :class:`UnknownNameError`, :class:`ActivityError` for a broken activity,
    :class:`PhysicsError` on any MuJoCo warning or if things fly apart, :class:`PlanError` for a
    step that cannot be done, :class:`GoalError` listing what is missing.
    """
    rng = random_draws(activity, seed)
    episode = build_episode(activity, seed, rng)
    return perform(activity, seed, episode, rng, progress)


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
    check_covers(episode.stage, episode.covers, where)
    check_stays(episode.stage, episode.stays, where)
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
    )


def _written(fact: GoalFact) -> str:
    name, *objects = fact
    return f"{name}({', '.join(filter(None, objects))})"
