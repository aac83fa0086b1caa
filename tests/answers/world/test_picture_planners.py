"""Planners that read pictures learn what these show, and nothing from the questions they answer."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from enact_assets.answers.baselines.requests import ModelRequest, Picture
from enact_assets.answers.world.label_models import OEPP, LabelMaterial, known_of
from enact_assets.answers.world.models import NO_PICTURES, WorldMaterial, baseline_answers
from enact_assets.answers.world.picture_planners import plans_from_pictures
from enact_assets.answers.world.training_plans import annotated_training
from enact_assets.demonstrations.pictures.thumbnails import Image
from enact_assets.engine.ids import seed_from
from enact_assets.questions.asked.types import KeyFramePicture
from enact_assets.questions.world.annotated_actions import annotated_actions
from enact_assets.questions.world.annotated_questions import annotated_questions
from enact_assets.questions.world.captaincook4d import FOLDER, NAME
from enact_assets.questions.world.step_files import read_step_file
from enact_assets.settings.world import LETTERS, PP, WorldSettings

RECIPES = pl.col("recording").str.extract(r"^(\d+)_").is_in(["4", "9"])


@pytest.fixture(scope="module")
def asked() -> LabelMaterial:
    rows = annotated_actions(read_step_file(FOLDER, NAME), {}).rows.filter(RECIPES)
    settings = WorldSettings(plans_per_length=2, lengths=(3,))
    questions, candidates = annotated_questions(rows, settings)
    return LabelMaterial(questions, candidates, known_of(None, rows), annotated_training(rows))


def drawn(name: str, k: int) -> Image:
    rng = np.random.default_rng(seed_from(name, k))
    return np.kron(rng.integers(0, 256, (8, 8, 3), np.uint8), np.ones((16, 16, 1), np.uint8))


def pictured(asked: LabelMaterial, *, tells: bool = True) -> dict[str, ModelRequest]:
    """Pictures of states by what is done first and last; if they tell nothing, by the question."""
    found = {}
    for row in asked.questions.filter(task=PP).iter_rows(named=True):
        names = [row["plan"][0], row["plan"][-1]] if tells else [row["question_id"]] * 2
        pictures = tuple(
            Picture(KeyFramePicture("", name, k), f"{name} {k}", drawn)
            for k, name in enumerate(names)
        )
        found[row["question_id"]] = ModelRequest(row["question_id"], "x", PP, 1, pictures, (1,), ())
    return found


def share_right(asked: LabelMaterial, letters: Mapping[str, str]) -> float:
    answers = dict(asked.questions.select("question_id", "answer").iter_rows())
    return float(np.mean([answers[question] == letter for question, letter in letters.items()]))


@pytest.mark.parametrize(
    "fit", ["oepp_ridge", *(pytest.param(f, marks=pytest.mark.slow) for f in [*OEPP][1:])]
)
def test_what_pictures_tell_is_learned(asked: LabelMaterial, fit: str) -> None:
    telling = plans_from_pictures(fit, asked, pictured(asked))
    silent = plans_from_pictures(fit, asked, pictured(asked, tells=False))
    assert set(telling) == set(silent) == set(asked.questions.filter(task=PP)["question_id"])
    assert len(telling) > 40
    assert share_right(asked, telling) > share_right(asked, silent) + 0.1


def test_a_person_teaches_nothing_about_that_person(asked: LabelMaterial) -> None:
    """Whatever the right answers to these questions are: those about others change, they do not."""
    shown, person = pictured(asked), dict(asked.known.select("recording", "person").iter_rows())
    one = min(filter(None, person.values()))
    theirs = [recording for recording, who in person.items() if who == one]
    is_theirs = pl.col("recording").is_in(theirs)
    other = pl.col("answer").replace_strict(list(LETTERS), [*LETTERS[1:], LETTERS[0]])
    changed = asked.questions.with_columns(pl.when(is_theirs).then(other).otherwise("answer"))
    before = plans_from_pictures("oepp_ridge", asked, shown)
    after = plans_from_pictures("oepp_ridge", replace(asked, questions=changed), shown)
    own = set(asked.questions.filter(is_theirs, task=PP)["question_id"])
    differ = {question for question, letter in before.items() if after[question] != letter}
    assert own
    assert differ
    assert not differ & own


def test_a_question_without_a_picture_has_no_answer(asked: LabelMaterial) -> None:
    shown = pictured(asked)
    lost = min(shown)
    first, second = shown[lost].pictures
    shown[lost] = replace(shown[lost], parts=(first, replace(second, sha=None)))
    material = WorldMaterial(asked.questions, asked.candidates, shown, labels=asked)
    found = baseline_answers("oepp_ridge_pictures", material)
    without = [question for (question, _), answer in found.items() if answer.text is None]
    assert without == [lost]
    assert found[lost, 0].error == NO_PICTURES
