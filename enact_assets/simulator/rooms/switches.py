"""Buttons of appliances, and the surfaces by which a switched one is known."""

from enact_assets.simulator.fixtures import Vec3
from enact_assets.simulator.shapes import Scene
from enact_assets.simulator.world import Cue, Surface

RED = Surface((0.75, 0.04, 0.03), finish="gloss")
LAMP_OFF = Surface((0.05, 0.1, 0.06), finish="gloss")
LAMP_ON = Surface((0.1, 1.0, 0.2), finish="glow")
GLOWING = Surface((1.0, 0.22, 0.03), finish="glow")


def button(scene: Scene, name: str, at: Vec3, surfaces_on: dict[str, Surface]) -> tuple[Vec3, str]:
    """A round red button that lies on a surface at ``at``, and the cue it switches.

    Returns where the finger presses, and the geom.
    """
    geom = scene.visible(
        f"{name}.button", "cylinder", (0.045, 0.015), RED, (*at[:2], at[2] + 0.015)
    )
    scene.cues.append(Cue(name, surfaces_on))
    return (at[0], at[1], at[2] + 0.03), geom
