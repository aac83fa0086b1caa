"""The skill of waiting: until something is cooked."""

from enact_assets.simulator.matter.heat import COOKED_C
from enact_assets.simulator.simulation.physics import FRAME_RATE_HZ
from enact_assets.simulator.skills.motion import Motion, Motions


def await_cooked(robot: Motion, thing: str, at_most_s: float) -> Motions:
    """Stand still until ``thing`` is cooked.

    Errors: :class:`PlanError` if it is not cookable, or not cooked after ``at_most_s``.
    """
    heat = robot.physics.matter.heat
    robot.step_name = f"await_cooked({thing})"
    robot.require(thing in heat.number, f"{thing} is not cookable")
    k = heat.number[thing]
    for _ in range(round(at_most_s * FRAME_RATE_HZ)):
        if heat.is_cooked(thing):
            return
        yield
    robot.require(
        heat.is_cooked(thing),
        f"{thing} has {heat.temperatures[k]:.0f} C after {at_most_s:.0f} s, not {COOKED_C:.0f}: "
        "is the heat on, and is it near enough",
    )
