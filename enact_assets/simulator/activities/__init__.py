"""The activities of the embedded simulator, by name."""

from enact_assets.simulator.activities import prepare_breakfast, put_away_groceries, set_table
from enact_assets.simulator.activities.base import Activity

ACTIVITIES: dict[str, Activity] = {
    a.name: a for a in (prepare_breakfast.ACTIVITY, put_away_groceries.ACTIVITY, set_table.ACTIVITY)
}
