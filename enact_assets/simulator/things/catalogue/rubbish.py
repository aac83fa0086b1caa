"""Builders of what is thrown away."""

from enact_assets.simulator.shapes.mjcf import Scene
from enact_assets.simulator.shapes.pieces import BLACK, Piece, drawn
from enact_assets.simulator.shapes.surfaces import Color, Surface, darker, gloss
from enact_assets.simulator.things.thing_parts import Builder, Parts, upright_cylinder


def crumpled_paper(scene: Scene, name: str, color: Color) -> Parts:
    """A ball of crumpled paper with writing on it."""
    paper = Surface((0.9, 0.89, 0.84), "stripes", "matte", color, 0.03)
    turns = ((0.4, 0.3, 0.0), (1.1, 0.7, 0.5), (0.2, 1.2, 1.0), (0.8, 0.1, 0.9))
    pieces = [
        Piece(f"side_{k}", "box", (0.052, 0.045, 0.05), paper, (0, 0, 0.066), turn)
        for k, turn in enumerate(turns)
    ]
    return Parts(
        drawn(scene, name, pieces) + upright_cylinder(0.055, 0, 0.12, 0.1),
        grasp_out=0.03,
        grasp_height=0.088,
        grip=0.11,
        radius=0.078,
        height=0.138,
    )


def newspaper(scene: Scene, name: str, color: Color) -> Parts:
    """A folded newspaper: grey columns, a headline and a coloured picture."""
    text = Surface((0.82, 0.81, 0.77), "stripes", "matte", (0.55, 0.55, 0.53), 0.02)
    pieces = (
        Piece("sheets", "box", (0.072, 0.12, 0.014), text, (0, 0, 0.014)),
        Piece("headline", "box", (0.06, 0.014, 0.001), BLACK, (0, 0.09, 0.0285)),
        Piece("picture", "box", (0.034, 0.035, 0.001), gloss(color), (-0.028, 0.02, 0.0285)),
    )
    solid = Scene.solid("box", (0.072, 0.12, 0.014), (0, 0, 0.014), 0.2)
    return Parts(
        drawn(scene, name, pieces) + solid,
        grasp_out=0.1,
        grasp_height=0.02,
        grip=0.04,
        radius=0.148,
        height=0.028,
    )


def broken_pot(scene: Scene, name: str, color: Color) -> Parts:
    """The lower half of a broken flower pot, with shards standing up."""
    profile = (
        (0, 0), (0.06, 0), (0.085, 0.075), (0.078, 0.075), (0.056, 0.012), (0, 0.01),
    )  # fmt: skip
    clay = Surface(color, "mottled", "matte", darker(color, 0.6), 0.1)
    pieces = (
        Piece("foot", "mesh", scene.mesh("broken_pot", profile), clay),
        Piece("shard_1", "box", (0.035, 0.005, 0.04), clay, (0.0, 0.078, 0.09), (-0.3, 0.6, 0)),
        Piece("shard_2", "box", (0.005, 0.03, 0.03), clay, (-0.08, 0.0, 0.085), (0.5, -0.3, 0)),
    )
    solid = upright_cylinder(0.06, 0, 0.02, 0.4) + upright_cylinder(0.075, 0.02, 0.075, 0.2)
    return Parts(
        drawn(scene, name, pieces) + solid,
        grasp_out=0.078,
        grasp_height=0.065,
        grip=0.02,
        radius=0.09,
        height=0.13,
    )


KINDS: dict[str, Builder] = {
    "crumpled_paper": crumpled_paper,
    "newspaper": newspaper,
    "broken_pot": broken_pot,
}
