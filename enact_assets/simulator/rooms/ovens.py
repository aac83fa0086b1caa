"""An oven with a door that stands on a counter: it heats only while its door is shut."""

from enact_assets.simulator.rooms.furniture import at_side

add_microwave = at_side("appliances", "microwave")
