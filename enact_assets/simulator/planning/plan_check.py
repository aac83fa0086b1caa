"""What can be known to be wrong with a plan or a goal before anything is simulated."""

import math
from collections.abc import Callable, Collection, Sequence
from typing import Any, get_args

from enact_assets.engine.errors import ActivityError, PlanError, UnknownNameError
from enact_assets.settings.predicates import CONTACT_PREDICATES, EXISTS, predicate
from enact_assets.simulator.planning.basic_steps import Together
from enact_assets.simulator.planning.forecast import Forecast, foresee
from enact_assets.simulator.robot.kinematics import SIDES
from enact_assets.simulator.rooms.fixtures import Access
from enact_assets.simulator.simulation.recording import GoalFact
from enact_assets.simulator.skills.executor import Step
from enact_assets.simulator.stage.stage import Stage

ADVICE = "Change the plan or the placement in simulator/activities."
GOAL_PREDICATES = (*CONTACT_PREDICATES, EXISTS)
"""Those the simulator finds."""


def check_plan(
    stage: Stage,
    plan: Sequence[Step],
    where: str = "the plan",
    look: Callable[[Forecast, Step], None] = lambda _ahead, _step: None,
) -> None:
    """Go through a plan without simulating it: what its entries are, names, hands, panels, tools,
    and what is in reach.

    ``where`` names the activity in errors, and ``look`` may raise :class:`PlanError` at what holds
    before a step. Errors: :class:`PlanError` naming the first step that
    cannot be carried out, why, and what to do.
    """
    _require(isinstance(plan, tuple | list), f"{where}: the plan is {plan!r}, not a tuple of steps")
    for number, step in enumerate(plan, 1):
        _check_form(step, f"{where}, step {number} of {len(plan)}")
    ahead = Forecast.at_start(stage)
    for number, step in enumerate(plan, 1):
        here = f"{where}, step {number} of {len(plan)}"
        try:
            look(ahead, step)
            foresee(ahead, step, here)
        except PlanError as error:
            raise PlanError(f"{error}. {ADVICE}") from error
        except Exception as error:  # a wrong value may break a step in any way
            raise PlanError(f"{here}, {step}: {type(error).__name__}: {error}. {ADVICE}") from error


def _check_form(step: object, where: str) -> None:
    """Whether an entry of a plan is a step, with sides, ways and offsets that there are."""
    hint = "; put a star before it" if isinstance(step, tuple | list) else ""
    is_step = callable(getattr(step, "motions", None)) and not isinstance(step, type)
    _require(is_step, f"{where}: {step!r} is not a step{hint}")
    if isinstance(step, Together):
        for side, task in zip(SIDES, (step.left, step.right), strict=True):
            is_task = isinstance(task, tuple | list)
            _require(is_task, f"{where}: the {side} task is {task!r}, not a tuple of steps")
            for number, own in enumerate(task, 1):
                _check_form(own, f"{where}, step {number} of the {side} hand")
    side = getattr(step, "side", SIDES[0])
    _require(side in SIDES, f"{where}, {step}: no side {side!r} (known: {', '.join(SIDES)})")
    access, ways = getattr(step, "access", None), get_args(Access)
    known = access is None or access in ways
    _require(known, f"{where}, {step}: no access {access!r} (known: {', '.join(ways)}, or None)")
    at = getattr(step, "at", (0.0, 0.0))
    _require(_is_offset(at), f"{where}, {step}: the offset {at!r} is not two finite numbers")


def _is_offset(at: Any) -> bool:
    try:
        x, y = at
        return math.isfinite(x) and math.isfinite(y)
    except (TypeError, ValueError):
        return False


def _require(condition: bool, problem: str) -> None:  # noqa: FBT001 - an assertion
    if not condition:
        raise PlanError(f"{problem}. {ADVICE}")


def check_goal(stage: Stage, goal: Sequence[GoalFact], where: str = "the goal") -> None:
    """Check that every fact of a goal is one that could hold.

    Errors: :class:`ActivityError` if the goal is no tuple, or listing all facts that are not
    (predicate, subject, object or None), or name an unknown predicate or object, or too many or too
    few objects.
    """
    mend = "Mend the goal in simulator/activities."
    if not isinstance(goal, tuple | list):
        raise ActivityError(
            f"{where}: the goal is {goal!r}, not a tuple of (predicate, subject, object or None). "
            f"{mend}"
        )
    known = {o.name for o in stage.world.objects}
    wrong = [problem for fact in goal if (problem := _goal_problem(fact, known))]
    if wrong:
        raise ActivityError(
            f"{where}: {len(wrong)} of {len(goal)} goal facts can never hold: {'; '.join(wrong)}. "
            f"Known objects: {', '.join(sorted(known))}. {mend}"
        )


def _goal_problem(fact: object, known: Collection[str]) -> str:
    """Why a fact can never hold, or nothing."""
    match fact:
        case (str() as name, str() as subject, (str() | None) as other) if isinstance(fact, tuple):
            given = [subject] if other is None else [subject, other]
        case _:
            return f"{fact!r} is not (predicate, subject, object or None)"
    text = f"{name}({', '.join(given)})"
    try:
        arity = predicate(name).arity
    except UnknownNameError:
        return f"{text}: no predicate is called {name}"
    if name not in GOAL_PREDICATES:
        return f"{text}: the simulator never finds {name}"
    unknown = [o for o in given if o not in known]
    if unknown:
        return f"{text}: no object is called {' or '.join(unknown)}"
    if len(given) != arity:
        return f"{text}: {name} takes {arity} object(s), not {len(given)}"
    return ""


def check_names(
    names: Collection[str], known: Collection[str], what: str, problem: str, where: str
) -> None:
    """Check that all ``names`` are known. Errors: :class:`ActivityError` listing those that are
    not, ``what`` they are and their ``problem``.
    """
    mend = f"Mend the {what} in simulator/activities."
    if not isinstance(names, frozenset | set | tuple | list):
        raise ActivityError(f"{where}: the {what} are {names!r}, not a set of names. {mend}")
    unknown = sorted({repr(name) for name in names if name not in known})
    if unknown:
        raise ActivityError(
            f"{where}: {len(unknown)} of {len(names)} {what} are {problem}: "
            f"{', '.join(unknown)} (known: {', '.join(sorted(known))}). {mend}"
        )
