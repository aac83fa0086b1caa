"""Steps in memory: the same rows from wherever the chain begins, and nothing computed twice."""

import subprocess
import sys
from dataclasses import replace
from functools import cache

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from benchmarks.synthetic import demonstration_name, generate
from enact_assets.demonstrations.replay.tables import (
    Demonstrations,
    Facts,
    LaterParents,
    Objects,
    Observability,
)
from enact_assets.engine.errors import MissingPartitionError
from enact_assets.engine.memory import Made, run_in_memory
from enact_assets.engine.tables import table
from enact_assets.pipeline.steps import changes
from enact_assets.pipeline.steps.frame_steps import visibility
from enact_assets.pipeline.steps.profiles import INDEX_CHANGES
from enact_assets.pipeline.steps.question_steps import qa, question_set
from enact_assets.pipeline.steps.segmentation_steps import segmentation
from enact_assets.pipeline.steps.statistics_steps import probes
from enact_assets.pipeline.steps.trajectory_steps import path_counts, trajectories, visible_changes
from enact_assets.questions.asked.tables import AskedQuestions
from enact_assets.results.verification.tables import Evaluation
from enact_assets.settings.classes import Gating, QuestionSetSettings, QuestionSettings, Variant
from enact_assets.settings.predicates import CONTACT_PREDICATES
from enact_assets.settings.profile import PAPER, RELEASE
from enact_assets.settings.registry import BASELINE
from enact_assets.settings.world import EnvironmentSettings

PROFILES = {
    "paper": Gating("contact", PAPER, CONTACT_PREDICATES),
    "release": Gating("release", RELEASE, ()),
}
CHAIN = (segmentation, visibility, visible_changes, path_counts, trajectories, qa)


def settings_of(profile: str) -> tuple[object, ...]:
    gating = PROFILES[profile]
    asked = QuestionSetSettings(gating.name, gating.name)
    return (
        gating,
        asked,
        QuestionSettings(trajectories_per_length=4),
        Variant(BASELINE, gating.name),
        EnvironmentSettings(),
    )


def names_of(profile: str) -> dict[str, str]:
    name = PROFILES[profile].name
    return {"demonstration": demonstration_name(0), "gating": name, "question_set": name}


@cache
def made(profile: str) -> Made:
    replay = generate(0, 2_600)
    given = {
        Demonstrations: replay.demonstrations,
        Facts: replay.facts,
        Objects: replay.objects,
        LaterParents: replay.later_parents,
        Observability: replay.observability,
    }
    return run_in_memory(CHAIN, given, names_of(profile), settings_of(profile))


@pytest.mark.parametrize("profile", PROFILES)
def test_a_chain_that_begins_later_gives_the_same_questions(profile: str) -> None:
    """Key frames that a file chose are put where the step would have made them."""
    before = made(profile).tables
    given = {table(name): rows for name, rows in before.items() if name not in ("qa", "facts")}
    again = run_in_memory((qa,), given, names_of(profile), settings_of(profile))
    assert_frame_equal(again.tables["qa"], before["qa"])
    assert before["qa"].height > 20


def test_what_comes_together_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three steps ask for the changes between key frames, a tenth of what the chain takes."""
    before, n_made = made("release").tables, []

    def counted(*arguments: pl.DataFrame, later_parents: pl.DataFrame) -> object:
        n_made.append(arguments)
        return real(*arguments, later_parents=later_parents)

    real = INDEX_CHANGES.release
    monkeypatch.setattr(changes, "INDEX_CHANGES", replace(INDEX_CHANGES, release=counted))
    given = {table(name): rows for name, rows in before.items()}
    steps = (visible_changes, trajectories, qa)
    run_in_memory(steps, given, names_of("release"), settings_of("release"))
    assert len(n_made) == 1


def test_a_table_that_is_not_there_is_named() -> None:
    given = {table(name): rows for name, rows in made("paper").tables.items() if name != "facts"}
    with pytest.raises(MissingPartitionError, match=r"facts .* demonstrations, .*Give its rows"):
        run_in_memory((segmentation,), given, names_of("paper"), settings_of("paper"))


def test_rows_of_another_name_are_not_taken_for_those_that_are_read() -> None:
    """The rows of a variant compared with themselves would say that it changes nothing."""
    given = {t: t.empty() for t in (Evaluation, AskedQuestions)}
    names = {"model": "oracle", "variant": "high", "gating": "contact"}
    variants = (Variant("high", "contact"), Variant(BASELINE, "contact"))
    with pytest.raises(MissingPartitionError, match=r"evaluation oracle\|baseline: not in memory"):
        run_in_memory((probes,), given, names, variants)


def test_steps_over_all_demonstrations_see_the_one() -> None:
    given = {table(name): rows for name, rows in made("paper").tables.items()}
    found = run_in_memory((question_set,), given, names_of("paper"), settings_of("paper"))
    chosen = found.tables["question_set"]
    assert set(chosen["demonstration"]) == {demonstration_name(0)}
    assert set(chosen["question_id"]) <= set(given[table("qa")]["question_id"])


@pytest.mark.slow
def test_modules_of_steps_are_imported_in_any_order() -> None:
    """One that asked for settings was refused unless another had registered them before."""
    code = "import enact_assets.pipeline.steps.segmentation_steps"
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603 - our own interpreter
