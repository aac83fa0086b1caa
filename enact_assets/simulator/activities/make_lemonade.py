"""Make lemonade: cut a lemon, put it into a pitcher with water and sugar, stir, and pour it out."""

from dataclasses import dataclass

import numpy as np

from enact_assets.simulator.activities.base import (
    HEAD_PITCH_RAD,
    PALETTE,
    Activity,
    Episode,
    Mirror,
    draw_colors,
    draw_one,
    draw_some,
    is_drawn,
)
from enact_assets.simulator.activities.errands import Spot, errand
from enact_assets.simulator.planning.basic_steps import (
    Grasp,
    Place,
    Press,
    Slice,
    Task,
    move,
)
from enact_assets.simulator.planning.job_orders import Job, in_valid_order, in_visits
from enact_assets.simulator.planning.matter_steps import Pour, Stir, Wait
from enact_assets.simulator.rooms import appliances, kitchen
from enact_assets.simulator.shapes.surfaces import Color, Surface
from enact_assets.simulator.simulation.recording import GoalFact
from enact_assets.simulator.stage.stage_builder import StageBuilder
from enact_assets.simulator.stage.transitions import Stirred

PEEL: Color = (0.98, 0.8, 0.05)
WOOD: Color = (0.72, 0.5, 0.26)
WATER = Surface((0.12, 0.4, 0.85), finish="gloss")
SUGAR = Surface((0.95, 0.95, 0.93), "speckles", "matte", (0.75, 0.75, 0.75), 0.01)
LEMONADE = Surface((0.98, 0.72, 0.06), finish="gloss")
HALVES = ("half_lemon_1", "half_lemon_2")
DECOYS: tuple[tuple[str, Color], ...] = (
    ("bell_pepper", (0.75, 0.05, 0.03)),
    ("onion", (0.45, 0.05, 0.2)),
    ("potato", (0.6, 0.42, 0.2)),
    ("tomato", (0.75, 0.04, 0.03)),
    ("salt_shaker", (0.9, 0.9, 0.88)),
    ("pepper_mill", (0.3, 0.14, 0.05)),
)
VESSEL_COLORS: tuple[Color, ...] = (
    *(PALETTE[k] for k in (0, 3, 4, 8, 9)),
    (0.03, 0.03, 0.035),
    (0.55, 0.03, 0.2),
)
"""Not those of water, sugar and lemonade."""
CUPS = ("goblet", "mug")
ON_SHELF = (0.0, -0.19)
"""A lemon, and another one or a cup."""
DONE_SHARES = {"water": 0.25, "sugar": 0.08}
"""Share of the pitcher that is filled at the start."""
KNIFE_AT, SPOON_AT, PITCHER_AT, CUP_AT = (0.34, -0.2), (-0.34, -0.18), (0.0, 0.16), (0.27, 0.12)
"""On the table; the second cup stands opposite the first one."""
LEFT_KEPT, RIGHT_KEPT = (-0.17, -0.13), (0.17, -0.13)
"""Cups on the worktops."""
HALF_AT = (0.17, 0.025)
"""Half a lemon on the table, on either side."""
TAP_AT, TAP_S = (0.0, 0.06), 5.5
"""Below the tap, and how long it runs."""
BETWEEN_LEFT = (Spot("shelf", 0.19, -0.02), Spot("table", -0.36, 0.25))
BETWEEN_RIGHT = (Spot("sideboard", 0.01, -0.16), Spot("table", 0.36, 0.25))
"""Where things are carried from and to meanwhile."""


@dataclass(frozen=True)
class Draw:
    """What sets one round of lemonade apart: where water comes from, what is ``done`` at the start
    (the lemon cut, or water or sugar in the pitcher), and where things stand.

    One of two cups is on the table; the other one ``comes`` (its number) from its own side, and a
    ``wrong`` one that stands in its place goes to the other side.
    """

    mirror: Mirror
    has_tap: bool
    done: str
    is_sugar_away: bool
    is_cabinet_open: bool
    cup: str
    wrong: str
    comes: int
    carafe_at: tuple[float, float]
    sugar_at: tuple[float, float]
    served_at: tuple[tuple[float, float], tuple[float, float]]
    kept_at: tuple[tuple[float, float], tuple[float, float]]

    @property
    def cups(self) -> tuple[str, str]:
        """The cups, the one on the designed left first."""
        return (f"{self.cup}_1", f"{self.cup}_2")

    @property
    def cup_stores(self) -> tuple[str, str]:
        """Where cups are kept on the designed left and right."""
        return ("shelf" if self.has_tap else "countertop", "sideboard")

    @property
    def water_place(self) -> str:
        """Where the carafe is put back."""
        return "sink" if self.has_tap else "countertop"

    @property
    def used_half(self) -> str:
        """The half on the designed left."""
        return HALVES[1 if self.mirror.is_mirrored else 0]

    @property
    def other_half(self) -> str:
        """The half on the designed right, which is not put into the pitcher."""
        return HALVES[0 if self.mirror.is_mirrored else 1]


def build(rng: np.random.Generator) -> Episode:
    """Draw one round of lemonade."""
    mirror, style, has_tap = Mirror.draw(rng), draw_one(rng, kitchen.STYLES), bool(rng.integers(2))
    done = "lemon" if is_drawn(rng) else draw_one(rng, tuple(DONE_SHARES))
    cup, wrong = draw_some(rng, CUPS)
    draw = Draw(
        mirror,
        has_tap,
        done,
        is_sugar_away=not has_tap and done != "sugar" and is_drawn(rng),
        is_cabinet_open=is_drawn(rng),
        cup=cup,
        wrong=wrong,
        comes=int(rng.integers(2)),
        carafe_at=TAP_AT if has_tap else mirror.near(rng, 0.13, -0.12),
        sugar_at=mirror.near(rng, -0.15, -0.12),
        served_at=(
            mirror.near(rng, -CUP_AT[0], CUP_AT[1], 0.008),
            mirror.near(rng, *CUP_AT, 0.008),
        ),
        kept_at=(
            mirror.near(rng, *((ON_SHELF[1], -0.02) if has_tap else LEFT_KEPT), 0.008),
            mirror.near(rng, *RIGHT_KEPT, 0.008),
        ),
    )
    stage = StageBuilder()
    kitchen.add_room(stage.scene, style)
    left_x, right_x = mirror.x(kitchen.LEFT_X), mirror.x(kitchen.RIGHT_X)
    stage.furnish(
        appliances.add_sink(stage.scene, style, left_x)
        if has_tap
        else kitchen.add_counter(stage.scene, style, left_x, "countertop", "countertop"),
        kitchen.add_shelf(stage.scene, style, left_x),
        kitchen.add_table(stage.scene, style),
        kitchen.add_counter(stage.scene, style, right_x, "sideboard", "sideboard"),
        kitchen.add_cabinet(stage.scene, style, right_x),
    )
    if draw.is_sugar_away and draw.is_cabinet_open:
        stage.leave_open("cabinet")
    _set_out(rng, stage, draw)
    things = draw_some(rng, DECOYS, 2)
    sides = ((mirror.left, BETWEEN_LEFT), (mirror.right, BETWEEN_RIGHT))
    errands = [
        errand(rng, mirror, stage, side, thing, between=spots)
        for thing, (side, spots) in zip(things, sides, strict=True)
    ]
    _fill(stage, draw)
    plan = in_valid_order(rng, *_jobs(rng, draw), *(job for job, _ in errands))
    goal: tuple[GoalFact, ...] = (
        *(("Contains", cup, "lemonade") for cup in draw.cups),
        *(("OnTop", cup, "table") for cup in draw.cups),
        ("Contains", "pitcher", "lemonade"),
        ("OnTop", "pitcher", "table"),
        ("Inside" if has_tap else "OnTop", "carafe", draw.water_place),
        ("OnTop", "sugar_bowl", "sideboard"),
        ("OnTop", "knife", "table"),
        ("OnTop", "wooden_spoon", "table"),
        ("OnTop", draw.wrong, draw.cup_stores[1 - draw.comes]),
        *(fact for _, fact in errands),
    )
    covers = frozenset({"shelf", "cabinet"})
    return Episode(stage.finish(HEAD_PITCH_RAD), plan, goal, covers)


def _set_out(rng: np.random.Generator, stage: StageBuilder, draw: Draw) -> None:
    """Put the things where they stand at the start."""
    mirror = draw.mirror
    pitcher, carafe, bowl, knife, *cups = draw_colors(rng, 7, VESSEL_COLORS)
    stage.put("cutting_board", "cutting_board", (0.6, 0.38, 0.2), "table", (0.0, -0.17))
    stage.put("pitcher", "pitcher", pitcher, "table", mirror.near(rng, *PITCHER_AT, 0.01))
    stage.put("knife", "knife", knife, "table", mirror.at(*KNIFE_AT))
    stage.put("wooden_spoon", "wooden_spoon", WOOD, "table", mirror.at(*SPOON_AT))
    if draw.is_sugar_away:
        stage.put("sugar_bowl", "sugar_bowl", bowl, "cabinet", mirror.near(rng, -0.12, -0.02))
    else:
        stage.put("sugar_bowl", "sugar_bowl", bowl, "sideboard", draw.sugar_at)
    shelf = [mirror.near(rng, x, -0.02, 0.008) for x in ON_SHELF]
    if draw.done == "lemon":
        for half, side in zip((draw.used_half, draw.other_half), (-1, 1), strict=True):
            at = mirror.near(rng, side * HALF_AT[0], HALF_AT[1], 0.006)
            stage.put(half, "half_lemon", PEEL, "table", at)
    else:
        stage.put("lemon_1", "lemon", PEEL, "shelf", shelf[0], halves=HALVES)
    if draw.has_tap:
        stage.put("carafe", "carafe", carafe, "sink", TAP_AT)
    else:
        if draw.done != "lemon":
            stage.put("lemon_2", "lemon", PEEL, "shelf", shelf[1])
        stage.put("carafe", "carafe", carafe, "countertop", draw.carafe_at)
    comes, stays = draw.cups[draw.comes], draw.cups[1 - draw.comes]
    stage.put(comes, draw.cup, cups[0], draw.cup_stores[draw.comes], draw.kept_at[draw.comes])
    stage.put(stays, draw.cup, cups[1], "table", draw.served_at[1 - draw.comes])
    stage.put(draw.wrong, draw.wrong, cups[2], "table", draw.served_at[draw.comes])
    if draw.done != "lemon":
        for half in HALVES:
            stage.put_later(half, "half_lemon", PEEL)


def _fill(stage: StageBuilder, draw: Draw) -> None:
    """Declare what is poured and what it turns into."""
    stage.substance("water", WATER, holders=("carafe", "pitcher"))
    stage.substance("sugar", SUGAR, kind="grains", holders=("sugar_bowl", "pitcher"))
    stage.substance("lemonade", LEMONADE, holders=("pitcher", *draw.cups))
    stage.fill("sugar_bowl", "sugar", 0.9)
    if draw.done in DONE_SHARES:
        stage.fill("pitcher", draw.done, DONE_SHARES[draw.done])
    if draw.has_tap:
        stage.tap("sink", "water")
    else:
        stage.fill("carafe", "water", 0.95)
    parents = (draw.used_half, "water", "sugar")
    stage.recipe(("lemonade",), parents, when=Stirred("pitcher"))


def _jobs(rng: np.random.Generator, draw: Draw) -> list[Job]:
    """All but what is done at the start."""
    mirror, cups = draw.mirror, draw.cups
    left, right = mirror.left, mirror.right
    knife_at, spoon_at = mirror.at(*KNIFE_AT), mirror.at(*SPOON_AT)
    jobs = []
    half = move(left, draw.used_half, "pitcher")
    if draw.done == "lemon":
        # Both halves at the same time, one with each hand.
        other = move(right, draw.other_half, "cutting_board", mirror.at(0.05, 0.0))
        cut = Job((mirror.together(half, other),))
    else:
        board = Job(move(left, "lemon_1", "cutting_board"))
        back = (Place(right, "table", knife_at),)
        cut = Job(
            (Grasp(right, "knife"), Slice(right, "lemon_1"), mirror.together(half, back)), [board]
        )
        jobs.append(board)
    jobs.append(cut)
    mixed = [cut]
    if draw.done != "water":
        water = _water(draw)
        mixed.append(water[-1])
        jobs += water
    if draw.done != "sugar":
        sugar = Job(
            (
                Grasp(right, "sugar_bowl"),
                Pour(right, "pitcher", 0.55),
                Place(right, "sideboard", draw.sugar_at),
            )
        )
        mixed.append(sugar)
        if draw.is_sugar_away:
            jobs += in_visits(rng, right, "cabinet", [sugar], is_open=draw.is_cabinet_open)
        else:
            jobs.append(sugar)
    stir = Job(
        (Grasp(left, "wooden_spoon"), Stir(left, "pitcher"), Place(left, "table", spoon_at)), mixed
    )
    comes, keeps = draw.comes, 1 - draw.comes
    sides = (left, right)
    leave = Job(move(sides[keeps], draw.wrong, draw.cup_stores[keeps], draw.kept_at[keeps]))
    bring = Job(move(sides[comes], cups[comes], "table", draw.served_at[comes]), [leave])
    first, second = draw_some(rng, (0, 1))
    pours = [Pour(right, cups[first], 0.35), Pour(right, cups[second], 0.5)]

    def drink(*poured: Pour) -> Task:
        """Some of the cups are filled."""
        back = Place(right, "table", mirror.near(rng, *PITCHER_AT, 0.01))
        return (Grasp(right, "pitcher"), *poured, back)

    if is_drawn(rng):
        drinks = [Job(drink(*pours), [stir, bring])]
        if draw.done != "lemon":
            other = move(right, draw.other_half, "table", mirror.near(rng, *HALF_AT, 0.006))
            drinks.append(Job(other, [cut]))
    else:
        once = Job(drink(pours[0]), [stir, *([bring] if first == comes else [])])
        drinks = [once, Job(drink(pours[1]), [once, bring])]
    return [*jobs, stir, leave, bring, *drinks]


def _water(draw: Draw) -> list[Job]:
    """The carafe, filled at the tap first if there is one, is poured into the pitcher: the last
    job.
    """
    left = draw.mirror.left
    pour = Job(
        (
            Grasp(left, "carafe"),
            Pour(left, "pitcher", 0.6 if draw.has_tap else 0.42),
            Place(left, draw.water_place, draw.carafe_at),
        )
    )
    if not draw.has_tap:
        return [pour]
    tap = Job((Press(left, "sink"), Wait(TAP_S), Press(left, "sink")))
    pour.after.append(tap)
    return [tap, pour]


ACTIVITY = Activity(
    "make_lemonade", "Cut a lemon, mix lemonade in a pitcher and pour two drinks.", build
)
