"""What a plan will buy: answers of models, and pictures by an image model."""

from enact_assets.commands.missing_answers import PREDICTIONS
from enact_assets.engine.planning.verdicts import Verdicts
from enact_assets.pipeline.costs.expected import PlannedCost, costs_of, edit_costs_of
from enact_assets.pipeline.driver.materialize import Driver
from enact_assets.pipeline.lineage.graph import dimensions

FRAME_IMAGES = "frame_images"


def answers_to_buy(driver: Driver, plan: Verdicts) -> list[PlannedCost]:
    """What the answers of ``plan`` that cost money will cost, of each model and what asks it."""
    planned = _planned(plan, PREDICTIONS, "model", "variant")
    return costs_of(driver.data, planned) if planned else []


def pictures_to_buy(driver: Driver, plan: Verdicts) -> list[PlannedCost]:
    """What the pictures of ``plan`` that an image model makes will cost, of each variant."""
    if not (pictures := _planned(plan, FRAME_IMAGES, "demonstration", "variant")):
        return []
    return edit_costs_of(driver.data, driver.registry, pictures)


def _planned(plan: Verdicts, step: str, *named: str) -> list[tuple[str, str]]:
    """Partitions of ``step`` that are made or may be made, by two dimensions."""
    stale = [made.partition for made in plan.stale if made.step == step]
    first, second = (dimensions(step).index(dimension) for dimension in named)
    return [(p[first], p[second]) for p in (*stale, *plan.may_follow.get(step, ()))]
