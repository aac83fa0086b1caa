"""Kitchen appliances and the sink: what has a button, heats, cools or gives water.

Side places only: buttons and doors face the middle of the kitchen. Griddle, blender and microwave
stand on a counter added before; the last heats only while its door is shut. Things put into the
sink stand on the bottom of its basin.
"""

from enact_assets.simulator.rooms.furniture import at_side

add_fridge = at_side("appliances", "fridge")
add_stove = at_side("appliances", "stove")
add_griddle = at_side("appliances", "griddle")
add_sink = at_side("appliances", "sink")
add_microwave = at_side("appliances", "microwave")
add_blender = at_side("appliances", "blender")
