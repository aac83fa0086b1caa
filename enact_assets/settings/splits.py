"""Which split a demonstration belongs to. Its seed says it, so that anybody can check a file by the
names in it, without a table.

Splits share no world (``World.sha``): everything that varies is drawn from the seed. They do share
rooms, furniture and kinds of things.
"""

from collections.abc import Mapping
from enum import StrEnum

from enact_assets.settings.classes import EMBEDDED

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


def split_of(source: str, seed: int | None) -> Split:
    """The split of a demonstration of ``source``; ``seed`` is that of an embedded one."""
    if source != EMBEDDED or seed is None or seed < RESERVED_SEEDS.start:
        return Split.TEST
    if seed in RESERVED_SEEDS:
        return Split.REFERENCE
    if seed >= FIRST_TRAINING:
        return Split.TRAINING
    return Split.TEST if seed >= FIRST_OF_WORLD else Split.VALIDATION
