"""What can be known to be wrong with a plan or a goal before anything is simulated."""

from collections.abc import Sequence

from enact_assets.contracts.errors import ActivityError, PlanError, UnknownNameError
from enact_assets.contracts.predicates import predicate
from enact_assets.simulator.forecast import Forecast, foresee
from enact_assets.simulator.plan import Step
from enact_assets.simulator.recording import GoalFact
from enact_assets.simulator.stage import Stage

ADVICE = "Change the plan or the placement in simulator/activities."


def check_plan(stage: Stage, plan: Sequence[Step], where: str = "the plan") -> None:
    """Go through a plan without simulating it: names, hands, panels, tools, and what is in reach.

    ``where`` names the activity in errors. Errors: :class:`PlanError` naming the first step that
    cannot be carried out, why, and what to do.
    """
    ahead = Forecast.at_start(stage)
    for number, step in enumerate(plan, 1):
        try:
            foresee(ahead, step, f"{where}, step {number} of {len(plan)}")
        except PlanError as error:
            raise PlanError(f"{error}. {ADVICE}") from error


def check_goal(stage: Stage, goal: Sequence[GoalFact], where: str = "the goal") -> None:
    """Check that every fact of a goal is one that could hold.

    Errors: :class:`ActivityError` listing all that name an unknown predicate or object, or too many
    or too few objects.
    """
    known = {o.name for o in stage.world.objects}
    wrong = []
    for name, *objects in goal:
        text = f"{name}({', '.join(str(o) for o in objects if o is not None)})"
        try:
            arity = predicate(name).arity
        except UnknownNameError:
            wrong.append(f"{text}: no predicate is called {name}")
            continue
        given = [o for o in objects if o is not None]
        unknown = [o for o in given if o not in known]
        if unknown:
            wrong.append(f"{text}: no object is called {' or '.join(unknown)}")
        elif len(given) != arity:
            wrong.append(f"{text}: {name} takes {arity} object(s), not {len(given)}")
    if wrong:
        raise ActivityError(
            f"{where}: {len(wrong)} of {len(goal)} goal facts can never hold: {'; '.join(wrong)}. "
            f"Known objects: {', '.join(sorted(known))}. Mend the goal in simulator/activities."
        )
