"""Which activities have to be trained, for which demonstrations and models."""

from collections.abc import Collection

from enact_assets.answers.baselines.learned_names import LEARNED, TRANSFER
from enact_assets.demonstrations.replay.embedded import parse_demonstration
from enact_assets.engine.errors import PredictionError, UnknownNameError
from enact_assets.simulator.activities import SHIPPED


def trained_activities(demonstrations: Collection[str], models: Collection[str]) -> set[str]:
    """Activities of the embedded ones of ``demonstrations``, if a model is trained on them.

    All activities for the model that learns from others; none without a model that is trained.
    """
    if TRANSFER in models:
        return set(SHIPPED)
    if set(LEARNED).isdisjoint(models):
        return set()
    return {activity for name in demonstrations if (activity := _activity(name)) is not None}


def check_training(model: str, trained: Collection[str]) -> None:
    """Refuse to learn from others while some of them are missing: it would not be as named.

    Errors: :class:`PredictionError` names how many activities are not in ``trained``, the first of
    them and what to do.
    """
    missing = sorted(set(SHIPPED) - set(trained))
    if model == TRANSFER and missing:
        raise PredictionError(
            f"{model} learns from all {len(SHIPPED)} activities; {len(missing)} have no "
            f"training_statistics, first {missing[0]}. Run `enact-assets materialize --asset "
            f"training_statistics --model {model}`."
        )


def _activity(demonstration: str) -> str | None:
    try:
        return parse_demonstration(demonstration)[0]
    except UnknownNameError:
        return None
