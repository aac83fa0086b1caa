"""The activities of the embedded simulator, by name."""

from enact_assets.simulator.activities import (
    cooking_breakfast,
    setting_the_table,
    unloading_groceries,
)
from enact_assets.simulator.activities.base import Activity

ACTIVITIES: dict[str, Activity] = {
    a.name: a
    for a in (cooking_breakfast.ACTIVITY, unloading_groceries.ACTIVITY, setting_the_table.ACTIVITY)
}
