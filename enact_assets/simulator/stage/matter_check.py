"""What is wrong with the declared substances, heat and recipes of a stage, found before it runs."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from enact_assets.engine.errors import StageError
from enact_assets.simulator.rooms.fixtures import Fixture
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.stage.substances import Covering, Filling, Substance
from enact_assets.simulator.stage.transitions import (
    Cut,
    Diced,
    Recipe,
    Stirred,
    Switched,
    parents_of,
)
from enact_assets.simulator.things.kinds import Thing
from enact_assets.simulator.things.thing_parts import Coat, Vessel


@dataclass
class Declarations:
    """Substances, fillings, coats, taps, cookable things and recipes of one stage.

    ``taps`` maps a fixture to its substance, ``cookable`` a thing to the surfaces of its geoms once
    it is cooked, ``cooked_cues`` to the cue that shows them.
    """

    substances: dict[str, Substance] = field(default_factory=dict)
    fillings: list[Filling] = field(default_factory=list)
    coverings: list[Covering] = field(default_factory=list)
    taps: dict[str, str] = field(default_factory=dict)
    cookable: dict[str, dict[str, Surface]] = field(default_factory=dict)
    cooked_cues: dict[str, int] = field(default_factory=dict)
    recipes: list[Recipe] = field(default_factory=list)


def vessels_of(things: Mapping[str, Thing], fixtures: Mapping[str, Fixture]) -> dict[str, Vessel]:
    """Everything that can hold a substance, by name."""
    found = {name: thing.parts.vessel for name, thing in things.items()}
    found |= {name: fixture.vessel for name, fixture in fixtures.items()}
    return {name: vessel for name, vessel in found.items() if vessel is not None}


def coats_of(things: Mapping[str, Thing], fixtures: Mapping[str, Fixture]) -> dict[str, Coat]:
    """Everything a substance can lie on, by name."""
    found = {name: thing.parts.coat for name, thing in things.items()}
    found |= {name: fixture.coat for name, fixture in fixtures.items()}
    return {name: coat for name, coat in found.items() if coat is not None}


def check_matter(
    declared: Declarations,
    things: Mapping[str, Thing],
    fixtures: Mapping[str, Fixture],
    geoms: Mapping[str, object],
    waiting: Mapping[str, tuple[str, ...]],
) -> None:
    """Raise :class:`StageError` that lists everything wrong with what was declared.

    ``geoms`` has the names of all visible geoms, ``waiting`` the things that were put later
    with the parents said then, if any.
    """
    vessels, coats = vessels_of(things, fixtures), coats_of(things, fixtures)
    problems = [
        *_profiles(vessels),
        *_substances(declared, vessels, coats, {*things, *fixtures}),
        *_starts(declared, vessels, coats),
        *_heat(declared, things, fixtures, geoms),
        *_recipes(declared, things, fixtures, waiting),
    ]
    if problems:
        raise StageError(
            f"{len(problems)} thing(s) wrong with the substances, heat or recipes of this stage: "
            f"{'; '.join(problems)}. Mend the activity in simulator/activities."
        )


def _known(names: Iterable[str]) -> str:
    return f"(known: {', '.join(sorted(names)) or 'none'})"


def _profiles(vessels: Mapping[str, Vessel]) -> Iterator[str]:
    for name, vessel in vessels.items():
        heights = [h for h, _ in vessel.profile]
        if len(heights) < 2 or any(b <= a for a, b in pairwise(heights)):
            yield f"the profile of vessel {name!r} does not rise: its heights are {heights}"
        elif min(r for _, r in vessel.profile) < 0 or vessel.mouth_radius <= 0:
            yield f"the profile of vessel {name!r} has a radius that is not positive"


def _substances(
    declared: Declarations,
    vessels: Mapping[str, Vessel],
    coats: Mapping[str, Coat],
    others: set[str],
) -> Iterator[str]:
    for name, substance in declared.substances.items():
        if name in others:
            yield f"substance {name!r} has the name of a thing or fixture"
        if not substance.holders and not substance.coats:
            yield f"substance {name!r} has neither holders nor coats: it can be nowhere"
        if substance.patch_m <= 0:
            yield f"substance {name!r} has particles of radius {substance.patch_m}"
        for holder in substance.holders:
            if holder not in vessels:
                yield f"substance {name!r}: {holder!r} is not a vessel {_known(vessels)}"
        for on in substance.coats:
            if on not in coats:
                yield f"substance {name!r}: {on!r} has no coat {_known(coats)}"


def _starts(
    declared: Declarations, vessels: Mapping[str, Vessel], coats: Mapping[str, Coat]
) -> Iterator[str]:
    made = parents_of(declared.recipes)
    filled: dict[str, float] = {}
    for start in declared.fillings:
        found = declared.substances.get(start.substance)
        if found is None:
            yield f"{start.vessel!r} is filled with {start.substance!r}, which is not a substance"
        elif start.vessel not in found.holders:
            yield (
                f"{start.vessel!r} is filled with {start.substance!r}, whose holders are only "
                f"{_known(found.holders)}"
            )
        if start.substance in made:
            yield f"{start.substance!r} fills {start.vessel!r} before its recipe makes it"
        if not start.share > 0:
            yield f"{start.vessel!r} is filled to a share of {start.share}"
        filled[start.vessel] = filled.get(start.vessel, 0.0) + start.share
    for vessel, share in filled.items():
        if share > 1.0 and vessel in vessels:
            yield f"{vessel!r} is filled to {share:.3g} of its volume"
    for cover in declared.coverings:
        found = declared.substances.get(cover.substance)
        if found is None:
            yield f"{cover.on!r} is covered by {cover.substance!r}, which is not a substance"
        elif cover.on not in found.coats:
            yield (
                f"{cover.on!r} is covered by {cover.substance!r}, which may only lie on "
                f"{_known(found.coats)}"
            )
        elif cover.on in coats and cover.n is not None:
            most = len(coats[cover.on].patches)
            if not 1 <= cover.n <= most:
                yield f"{cover.on!r} has {most} places for {cover.substance!r}, not {cover.n}"


def _heat(
    declared: Declarations,
    things: Mapping[str, Thing],
    fixtures: Mapping[str, Fixture],
    geoms: Mapping[str, object],
) -> Iterator[str]:
    for thing, surfaces in declared.cookable.items():
        if thing not in things:
            yield f"{thing!r} is cookable, but no thing {_known(things)}"
            continue
        own = [g for g in geoms if g.startswith(f"{thing}.")]
        for geom in surfaces:
            if geom not in own:
                yield f"cooked {thing!r} changes {geom!r}, which is not a part of it {_known(own)}"
    for name, substance in declared.taps.items():
        tap = fixtures.get(name)
        if tap is None or tap.spout is None:
            yield f"{name!r} is a tap, but no fixture with a spout"
        elif tap.button is None:
            yield f"the tap {name!r} has no button"
        if substance not in declared.substances or not declared.substances[substance].flows:
            yield f"from the tap {name!r} runs {substance!r}, which is not a substance that flows"
    for fixture in fixtures.values():
        if fixture.heater is not None and fixture.button is None:
            yield f"the heater of {fixture.name!r} has no button"
        if fixture.heater is not None and fixture.heater.needs_closed and fixture.panel is None:
            yield f"the heater of {fixture.name!r} needs a closed panel, and there is none"


def _recipes(
    declared: Declarations,
    things: Mapping[str, Thing],
    fixtures: Mapping[str, Fixture],
    waiting: Mapping[str, tuple[str, ...]],
) -> Iterator[str]:
    known = {*things, *declared.substances}
    made: set[str] = set()
    for recipe in declared.recipes:
        what = f"recipe {' + '.join(recipe.parents)} -> {' + '.join(recipe.products)}"
        if not recipe.parents or not recipe.products:
            yield f"{what} lacks parents or products"
        for name in (*recipe.parents, *recipe.products):
            if name not in known:
                yield f"{what}: {name!r} is neither thing nor substance"
        for name in recipe.products:
            if name in things and name not in waiting:
                yield f"{what}: {name!r} is there from the start; put it later"
            if name in made:
                yield f"{what}: {name!r} is made by another recipe too"
            made.add(name)
            if waiting.get(name) and sorted(waiting[name]) != sorted(recipe.parents):
                yield f"{what}: {name!r} was put later with the parents {waiting[name]}"
        yield from _condition(what, recipe, declared, things, fixtures)
    for name in sorted(set(waiting) - made):
        yield f"{name!r} was put later, but no recipe makes it"


def _condition(
    what: str,
    recipe: Recipe,
    declared: Declarations,
    things: Mapping[str, Thing],
    fixtures: Mapping[str, Fixture],
) -> Iterator[str]:
    when = recipe.when
    dissolved = [n for n in (*recipe.parents, *recipe.products) if n in declared.substances]
    if isinstance(when, Stirred | Switched):
        yield from _mixing(what, when, things, fixtures)
        place = when.vessel if isinstance(when, Stirred) else when.fixture
        for name in dissolved:
            if place not in declared.substances[name].holders:
                yield f"{what}: {name!r} may not be in {place!r}; add it to its holders"
        return
    if dissolved:
        yield f"{what}: substances take part in what is stirred or blended only"
    if isinstance(when, Cut | Diced):
        if recipe.parents != (when.thing,):
            yield f"{what} cuts {when.thing!r}, which must be its only parent"
        return
    for name in recipe.parents:
        if name in things and name not in declared.cookable:
            yield f"{what} is baked, but {name!r} is not cookable"


def _mixing(
    what: str,
    when: Stirred | Switched,
    things: Mapping[str, Thing],
    fixtures: Mapping[str, Fixture],
) -> Iterator[str]:
    name = when.vessel if isinstance(when, Stirred) else when.fixture
    fixture = fixtures.get(name)
    parts = things[name].parts if name in things and isinstance(when, Stirred) else None
    if fixture is None and parts is None:
        yield f"{what} happens in {name!r}, which is not there"
        return
    hollow = fixture or parts
    if hollow is not None and hollow.cavity is None and hollow.vessel is None:
        yield f"{what} happens in {name!r}, which has neither cavity nor hollow"
    if isinstance(when, Switched) and fixture is not None and fixture.button is None:
        yield f"{what} needs {name!r} to be switched on, but it has no button"
