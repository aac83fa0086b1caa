"""What answers a plan will buy."""

from typing import TYPE_CHECKING

from enact_assets.commands.coverage import PREDICTIONS

if TYPE_CHECKING:
    from enact_assets.driver.materialize import Driver
    from enact_assets.engine.planning.plan import Plan
    from enact_assets.runs.expected_costs import PlannedCost

WORLD_PREDICTIONS = "world_predictions"


def answers_to_buy(driver: "Driver", plan: "Plan") -> "list[PlannedCost]":
    """What the answers of ``plan`` that cost money will cost, of each model and what asks it."""
    from enact_assets.lineage.pipeline import dimensions

    def asked_by(step: str, *named: str) -> list[tuple[str, str]]:
        stale = [made.partition for made in plan.stale if made.name == step]
        first, second = (dimensions(step).index(dimension) for dimension in named)
        return [(p[first], p[second]) for p in (*stale, *plan.may_follow.get(step, ()))]

    found: list[PlannedCost] = []
    if enact := asked_by(PREDICTIONS, "model", "variant"):
        from enact_assets.runs.expected_costs import costs_of

        found += costs_of(driver.data, enact)
    if world := asked_by(WORLD_PREDICTIONS, "world_model", "world_source"):
        from enact_assets.runs.world_costs import world_costs_of

        found += world_costs_of(driver.data, world)
    return found
