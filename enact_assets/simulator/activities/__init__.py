"""The activities of the embedded simulator, by name. The names are those of BEHAVIOR-1K."""

from enact_assets.simulator.activities import (
    cleaning_garage,
    clearing_table_after_breakfast,
    cooking_breakfast,
    doing_laundry,
    make_a_salad,
    make_a_steak,
    make_lemonade,
    outfit_a_basic_toolbox,
    picking_up_toys,
    setting_the_table,
    unloading_groceries,
    watering_indoor_flowers,
)
from enact_assets.simulator.activities.base import Activity

ACTIVITIES: dict[str, Activity] = {
    module.ACTIVITY.name: module.ACTIVITY
    for module in (
        cleaning_garage,
        clearing_table_after_breakfast,
        cooking_breakfast,
        doing_laundry,
        make_a_salad,
        make_a_steak,
        make_lemonade,
        outfit_a_basic_toolbox,
        picking_up_toys,
        setting_the_table,
        unloading_groceries,
        watering_indoor_flowers,
    )
}
