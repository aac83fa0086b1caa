"""Carries recipes out: what parents were turns into products, in their place and at rest.

It is done between two frames. A parent that vanishes leaves nothing behind: what lay on it comes to
lie on the first product that has a coat for it, what was in it goes into the first product that may
hold it, and a hand that held it is empty.
"""

import numpy as np

from enact_assets.settings.arrays import Floats
from enact_assets.simulator.matter.contents import Contents
from enact_assets.simulator.mechanics.bodies import Bodies
from enact_assets.simulator.mechanics.containment import is_inside
from enact_assets.simulator.robot.kinematics import SIDES
from enact_assets.simulator.rooms.fixtures import Access
from enact_assets.simulator.shapes.rotations import quat_z
from enact_assets.simulator.stage.transitions import Baked, Cut, Diced, Recipe, Stirred, Switched

DROP_M = 0.002
"""Products start this far above where they come to rest."""
GAP_M = 0.03
"""Products side by side lie this far apart: a blade goes between them."""
DENSITY_KG_PER_M3 = 1000.0
"""What turns into a substance has the volume of so dense a thing of its mass."""


def missing_parents(recipe: Recipe, bodies: Bodies, matter: Contents) -> list[str]:
    """Parents that are not where ``recipe`` needs them."""
    when = recipe.when
    if isinstance(when, Baked):
        return _not_baked(recipe, bodies, matter)
    if isinstance(when, Cut | Diced):
        return [name for name in recipe.parents if name not in bodies.existing]
    place = when.vessel if isinstance(when, Stirred) else when.fixture
    content = matter.fluids.content(place)
    return [
        name
        for name in recipe.parents
        if not (
            name in content
            if name in matter.fluids.number
            else name in bodies.existing and is_inside(bodies, name, place)
        )
    ]


def _not_baked(recipe: Recipe, bodies: Bodies, matter: Contents) -> list[str]:
    is_cooked = matter.heat.is_cooked
    raw = [p for p in recipe.parents if p not in bodies.existing or not is_cooked(p)]
    if raw or len(recipe.parents) == 1:
        return raw
    stage = bodies.stage
    shared = [
        place
        for place in (*stage.things, *stage.fixtures)
        if place not in recipe.parents and all(is_inside(bodies, p, place) for p in recipe.parents)
    ]
    if shared:
        return []
    joined = {recipe.parents[0]}
    for _ in recipe.parents:
        joined |= {p for p in recipe.parents if any(bodies.touches(p, other) for other in joined)}
    return [p for p in recipe.parents if p not in joined]


def make(recipe: Recipe, bodies: Bodies, matter: Contents) -> None:
    """Let the parents of a recipe turn into its products now."""
    stage, fluids = bodies.stage, matter.fluids
    holder = _holder(recipe)
    place = _place(recipe, bodies)
    solids = [p for p in recipe.parents if p in stage.things]
    support, access = _support(recipe, bodies, matter)
    volume = _dissolve(recipe, bodies, matter)
    matter.done.add(recipe)
    for name in solids:
        _vanish(name, recipe, bodies, matter)
        del matter.access[name]
        _set_down(name, support, matter.resting)
    new = [p for p in recipe.products if p in stage.things]
    for name, pos in zip(new, _spread(new, place, bodies), strict=True):
        bodies.teleport(name, pos, quat_z(0.0))
        matter.heat.inherit(bodies, name, recipe.parents)
        matter.access[name] = access
        if support:
            matter.resting[name] = support
    dissolved = [p for p in recipe.products if p in fluids.number]
    for name in dissolved:
        fluids.add(fluids.number[name], fluids.place[holder], volume / len(dissolved))
    if not dissolved:
        matter.used += volume
    bodies.existing = bodies.existing - set(solids) | set(recipe.products)
    for name in recipe.parents:
        if name in fluids.number and not matter.is_left(name):
            matter.use_up(name, bodies)


def _support(recipe: Recipe, bodies: Bodies, matter: Contents) -> tuple[str, Access]:
    """What the products come to lie on or in, "" if it is not known, and how they are reached."""
    fixtures, holder = bodies.stage.fixtures, _holder(recipe)
    if holder:
        return holder, fixtures[holder].access if holder in fixtures else matter.access[holder]
    first = next(p for p in recipe.parents if p in bodies.stage.things)
    below = first
    while below in recipe.parents:
        below = matter.resting.get(below, "")
    return below, matter.access[first]


def _set_down(gone: str, support: str, resting: dict[str, str]) -> None:
    """Let what stood on a thing that is gone stand on ``support``, if there is any."""
    resting.pop(gone, None)
    for name in [name for name, on in resting.items() if on == gone]:
        if support:
            resting[name] = support
        else:
            del resting[name]


def _holder(recipe: Recipe) -> str:
    if isinstance(recipe.when, Stirred):
        return recipe.when.vessel
    return recipe.when.fixture if isinstance(recipe.when, Switched) else ""


def _place(recipe: Recipe, bodies: Bodies) -> Floats:
    """Where the bottom of the products comes to lie."""
    stage = bodies.stage
    name = _holder(recipe)
    if name in stage.fixtures:
        return np.array(stage.fixtures[name].origin)
    if name in stage.things:
        body = bodies.data.body(name)
        up = body.xmat.reshape(3, 3)[:, 2]
        place: Floats = body.xpos + up * stage.things[name].parts.rest_height
        return place
    return bodies.pose(next(p for p in recipe.parents if p in stage.things))[0]


def _spread(names: list[str], place: Floats, bodies: Bodies) -> list[Floats]:
    """Places of products side by side along x, about ``place``."""
    widths = [2 * bodies.stage.things[name].parts.radius + GAP_M for name in names]
    left = np.cumsum([0.0, *widths])
    return [
        place + np.array([left[k] + 0.5 * widths[k] - 0.5 * left[-1], 0.0, DROP_M])
        for k in range(len(names))
    ]


def _dissolve(recipe: Recipe, bodies: Bodies, matter: Contents) -> float:
    """Take the parents that are substances out of the vessel; the volume of what becomes one."""
    fluids = matter.fluids
    holder = _holder(recipe)
    volume = 0.0
    for name in recipe.parents:
        if name in fluids.number:
            volume += fluids.take(fluids.number[name], fluids.place[holder], np.inf)
        elif any(p in fluids.number for p in recipe.products):
            body = bodies.model.body(name).id
            solid = float(bodies.model.body_subtreemass[body]) / DENSITY_KG_PER_M3
            matter.made += solid
            volume += solid
    return volume


def _vanish(name: str, recipe: Recipe, bodies: Bodies, matter: Contents) -> None:
    for side in SIDES:
        if bodies.held[side] == name:
            bodies.release(side, name)
    fluids, coats = matter.fluids, matter.coats
    if name in fluids.place:
        h = fluids.place[name]
        for s in list(fluids.layers[h]):
            volume = fluids.take(s, h, np.inf)
            heirs = [fluids.place[p] for p in recipe.products if p in fluids.place]
            heirs = [k for k in heirs if fluids.allowed[s, k]]
            if heirs:
                fluids.add(s, heirs[0], volume)
            else:
                fluids.spilled[s] += volume
    at = bodies.pose(name)[0]
    for s, volume in enumerate(coats.drop(name).tolist()):
        left = volume
        for product in recipe.products:
            left = coats.deposit(bodies, s, product, at, left) if left > 0.0 else 0.0
        matter.used += left
    bodies.teleport(name, np.asarray(bodies.stage.limbo[name]), quat_z(0.0))
