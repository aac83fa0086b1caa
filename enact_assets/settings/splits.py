"""Which split a demonstration belongs to. Its seed says it, so that anybody can check a file by the
names in it, without a table.

Splits share no world (``World.sha``): everything that varies is drawn from the seed. They do share
rooms, furniture and kinds of things. Rooms and activities that a training set leaves out make
splits with names of their own, among the seeds for validation.
"""

from collections.abc import Mapping
from enum import StrEnum

from enact_assets.settings.classes import EMBEDDED

WORLD_VERSION = "embedded-2"
"""Version of the embedded world: another one gives other demonstrations under the same names."""
RESERVED_SEEDS = range(100, 116)
"""Seeds of demonstrations that reference models are trained on. No question is about them."""
FIRST_OF_WORLD, FIRST_TRAINING = 900, 1000


class Split(StrEnum):
    """What questions about a demonstration are for."""

    TEST = "test"
    REFERENCE = "reference"
    VALIDATION = "validation"
    TRAINING = "training"


SPLITS_IN_WORDS: Mapping[Split, str] = {
    Split.TEST: "0 to 99, and 900 to 999; official questions, recordings and films",
    Split.REFERENCE: "100 to 115: trained references learn from them, nothing asks about them",
    Split.VALIDATION: "116 to 899",
    Split.TRAINING: "from 1000 on",
}


class HeldOut(StrEnum):
    """What a training set can leave out, so that validation asks about something new."""

    ROOMS = "rooms"
    ACTIVITIES = "activities"


HELD_OUT_IN_WORDS: Mapping[HeldOut, str] = {
    HeldOut.ROOMS: "the first style of each kind of room, about a fifth of all seeds",
    HeldOut.ACTIVITIES: "the ten that are not among the paper's 29",
}
HELD_OUT_ACTIVITIES = frozenset(
    {
        "cleaning_garage",
        "clearing_table_after_breakfast",
        "cooking_breakfast",
        "doing_laundry",
        "make_a_salad",
        "make_a_steak",
        "make_lemonade",
        "setting_the_table",
        "unloading_groceries",
        "watering_indoor_flowers",
    }
)


def is_held_out_room(environment: str) -> bool:
    """Whether the room of ``environment`` (of actions: activity, room and style, side) is."""
    return environment.split(", ")[1].endswith(" 1")


def split_of(source: str, seed: int | None) -> Split:
    """The split of a demonstration of ``source``; ``seed`` is that of an embedded one."""
    if source != EMBEDDED or seed is None or seed < RESERVED_SEEDS.start:
        return Split.TEST
    if seed in RESERVED_SEEDS:
        return Split.REFERENCE
    if seed >= FIRST_TRAINING:
        return Split.TRAINING
    return Split.TEST if seed >= FIRST_OF_WORLD else Split.VALIDATION
