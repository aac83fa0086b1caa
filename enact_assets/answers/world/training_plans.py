"""Plans that baselines learn orders from: none of them is shown by a question."""

from collections.abc import Iterable, Sequence

import polars as pl

from enact_assets.engine.errors import EnactError
from enact_assets.engine.tables import Of
from enact_assets.questions.world.action_labels import category_of
from enact_assets.questions.world.annotated_actions import flawless_recordings
from enact_assets.questions.world.tables import TrainingPlans
from enact_assets.settings.world import EMBEDDED_WORLD, set_columns
from enact_assets.simulator.planning.forecast import Forecast, foresee
from enact_assets.simulator.simulate import build_episode, random_draws
from enact_assets.simulator.simulation.performed import described

SEEDS = range(100, 120)
"""Of embedded plans that are learned from; :func:`embedded_training` leaves out those asked."""


def embedded_training(
    activities: Iterable[str], *, not_seeds: Iterable[int] = ()
) -> Of[TrainingPlans]:
    """Plans of ``activities`` under :data:`SEEDS`, without simulating them: 0.1 s each.

    A seed whose plan cannot be carried out is left out, as is one of ``not_seeds``.
    Errors: :class:`UnknownNameError` for an unknown activity.
    """
    left_out, rows = set(not_seeds), []
    for activity in sorted(set(activities)):
        for seed in SEEDS:
            if seed in left_out:
                continue
            try:
                labels = planned_categories(activity, seed)
            except EnactError:
                continue  # a demonstration of it would fail as well
            rows += [
                {
                    **set_columns(EMBEDDED_WORLD),
                    "plan": f"{activity}-{seed}",
                    "action": number,
                    "category": label,
                }
                for number, label in enumerate(labels, 1)
            ]
    return TrainingPlans.build(rows)


def planned_categories(activity: str, seed: int) -> Sequence[str]:
    """Categories of the steps of a plan, as ``action_states`` calls them once it was carried out,
    at the first attempt.

    Errors: :class:`UnknownNameError`, :class:`ActivityError`; :class:`PlanError` for a plan that
    cannot be carried out.
    """
    episode = build_episode(activity, seed, random_draws(activity, seed))
    stage = episode.stage
    ahead = Forecast.at_start(stage)
    kinds = {thing.name: thing.category for thing in stage.world.objects}
    found = []
    for number, step in enumerate(episode.plan, 1):
        verb, objects = described(step, ahead.held, ahead.resting)
        found.append(category_of(verb, objects, kinds))
        foresee(ahead, step, f"{activity} seed {seed}, step {number}")
    return found


def annotated_training(actions: pl.DataFrame) -> Of[TrainingPlans]:
    """Recordings of table ``annotated_actions`` in which the person made no error."""
    rows = actions.filter(flawless_recordings()).select(
        "question_set", "world_source", "action", "person", "category", plan="recording"
    )
    return TrainingPlans.arranged(rows)
