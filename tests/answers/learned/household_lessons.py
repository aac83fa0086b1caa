"""Households as lessons: pictures in which each fact that holds lights up a place of its own."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from zlib import crc32

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.answers.baselines.predict import answers_to, predictions_of
from enact_assets.answers.learned.fitting import Knowledge, learn
from enact_assets.answers.learned.models import LearnedModel, learned_model
from enact_assets.answers.learned.picture_features import GRID, PICTURE_PX
from enact_assets.answers.learned.tables import TrainingStatistics
from enact_assets.answers.learned.training import statistics_rows
from enact_assets.results.verification.evaluate import PAPER_ANSWERS, evaluate

from reference.household import Household, build_household

ACTIVITY, OTHER = "setting_the_table", "picking_up_toys"
TAUGHT = {ACTIVITY: range(1, 4), OTHER: range(11, 14)}
ASKED = 9
EDGE = PICTURE_PX // GRID


def pictures_of(home: Household) -> NDArray[np.uint8]:
    """(n, 128, 128, 3): a grey cell per fact, white while it holds."""
    n = home.index.n_key_frames
    found = np.full((n, PICTURE_PX, PICTURE_PX, 3), 60, np.uint8)
    columns = ("key_frame", "predicate", "subject", "object")
    for k, *fact in home.scene_graphs.select(columns).iter_rows():
        row, column = divmod(crc32(str(fact).encode()) % (GRID * GRID), GRID)
        found[k, EDGE * row : EDGE * (row + 1), EDGE * column : EDGE * (column + 1)] = 255
    return found


@cache
def home_of(seed: int) -> Household:
    return build_household(seed, trajectories_per_length=12, lengths=range(3, 7))


@cache
def statistics() -> pl.DataFrame:
    """Three lessons of each of two activities, which are the same game."""
    rows = []
    for activity, seeds in TAUGHT.items():
        for seed in seeds:
            home = home_of(seed)
            rows += list(statistics_rows(activity, seed, pictures_of(home), home.index))
    return TrainingStatistics.build(rows)


@cache
def taught(name: str) -> Knowledge:
    return learn(name, statistics())


@cache
def model(name: str) -> LearnedModel:
    found = learned_model(name, *taught(name))
    assert isinstance(found, LearnedModel)
    return found


@dataclass(frozen=True)
class Lesson:
    """Questions about one household, as if it were a demonstration of ``name``."""

    name: str
    home: Household
    questions: pl.DataFrame
    pictures: NDArray[np.uint8]

    @property
    def shas(self) -> Mapping[tuple[str, int], str]:
        return {(self.name, k): f"sha {k}" for k in range(len(self.pictures))}


@cache
def asked(name: str = f"{ACTIVITY}-0") -> Lesson:
    home = home_of(ASKED)
    questions = home.asked.with_columns(demonstration=pl.lit(name))
    return Lesson(name, home, questions, pictures_of(home))


def answered(
    model_name: str, lesson: Lesson, questions: pl.DataFrame | None = None
) -> pl.DataFrame:
    """Rows of ``predictions``."""
    answers = answers_to(
        model_name,
        "baseline",
        lesson.questions if questions is None else questions,
        lambda _name, k: lesson.pictures[k],
        lesson.shas,
        learned=model(model_name),
    )
    return predictions_of(model_name, "baseline", answers)


def accuracy(
    model_name: str, lesson: Lesson, questions: pl.DataFrame | None = None
) -> dict[str, float]:
    """Kind -> share of right answers."""
    asked_now = lesson.questions if questions is None else questions
    found = answered(model_name, lesson, asked_now)
    index = {lesson.name: lesson.home.index}
    scored = evaluate(found, asked_now, index, PAPER_ANSWERS)
    assert scored["is_accepted"].null_count() == 0
    return dict(scored.group_by("kind").agg(pl.col("is_accepted").mean()).iter_rows())
