"""Questions as variants ask them: the baseline word for word, others in their own wording."""

from functools import cache
from pathlib import Path

import polars as pl
import pytest

from enact_assets.answers.baselines.predict import answers_to, predictions_of
from enact_assets.demonstrations.pictures.thumbnails import Image
from enact_assets.engine.errors import QuestionError
from enact_assets.questions.asked.by_variant import ask_questions
from enact_assets.questions.asked.noise import Vocabulary
from enact_assets.questions.asked.qa import write_questions
from enact_assets.questions.asked.selection import chosen_by_variant, select_questions
from enact_assets.questions.asked.tables import AskedQuestions
from enact_assets.questions.asked.wording import word_actions
from enact_assets.results.verification.evaluate import PAPER_ANSWERS, evaluate
from enact_assets.settings.classes import (
    NoiseSettings,
    QuestionSetSettings,
    QuestionSettings,
    Variant,
)
from enact_assets.settings.components import Component
from enact_assets.settings.predicates import STATE_PREDICATES
from enact_assets.settings.registry import load_registry

from reference.household import Household, all_chosen, build_household

SETTINGS = QuestionSettings(question_set_per_stratum=6, probe_set_per_stratum=6)
BASELINE = Variant("baseline", "state")
SYMBOLIC = Variant("symbolic_predicates", "state", wording="symbolic")
EMOJI = Variant("emoji", "state", wording="emoji")
NOISE = Variant("noise_1", "state", noise=NoiseSettings(0.4, 1))
TRUE = ["key_frames", "shown_key_frames", "action_components", "answer"]
TEXT = ["actions", "wording", "prompt"]
STATE = QuestionSetSettings("state", "state")


@cache
def home() -> Household:
    return build_household(6, trajectories_per_length=5)


@cache
def chosen() -> pl.DataFrame:
    return select_questions(
        home().qa,
        {home().demonstration: "sha"},
        STATE,
        SETTINGS,
        {home().demonstration: "embedded"},
    )


def ask(variant: Variant, qa: pl.DataFrame | None = None, **changes: pl.DataFrame) -> pl.DataFrame:
    words = {home().demonstration: Vocabulary.of(home().objects, STATE_PREDICATES)}
    rows = changes.get("chosen", chosen())
    qa = home().qa if qa is None else qa
    return ask_questions(rows, qa, variant, SETTINGS, vocabularies=words)


def told_like(asked: pl.DataFrame, other: pl.DataFrame, columns: list[str]) -> bool:
    both = (asked.sort("question_id"), other.sort("question_id"))
    return both[0].select(columns).equals(both[1].select(columns))


def test_the_baseline_asks_to_the_letter_what_is_written() -> None:
    """One word more in a prompt, and every bought answer belongs to another question."""
    asked = ask(BASELINE)
    written = home().qa.join(asked, on="question_id", how="semi")
    assert asked.height == chosen().height > 50
    assert told_like(asked, written, [*TRUE, *TEXT])
    assert asked["told_components"].equals(asked["action_components"])
    assert asked["n_perturbed"].sum() == 0


@pytest.mark.parametrize("variant", [SYMBOLIC, EMOJI, NOISE], ids=lambda v: v.name)
def test_what_is_true_of_a_question_is_the_same_under_every_variant(variant: Variant) -> None:
    """Probes compare like with like: pictures, order and answer stay."""
    assert told_like(ask(variant), ask(BASELINE), ["question_id", *TRUE, "evidence_sha"])


@pytest.mark.parametrize("wording", ["natural", "symbolic", "emoji"])
def test_rate_0_and_the_wording_of_qa_are_the_baseline_whichever_way_it_is_told(
    wording: str,
) -> None:
    """Telling actions anew must take the same phrasings and the same order as writing them did."""
    settings = QuestionSettings(wording=wording)
    written = write_questions(home().trajectories, home().transition_graph, settings)
    same = Variant("same", "state", wording=wording, noise=NoiseSettings(0.0, 7))
    as_written = ask(same, written)
    anew = ask(
        same, home().qa if wording != "natural" else written.with_columns(wording=pl.lit("x"))
    )
    assert told_like(as_written, written.join(as_written, on="question_id", how="semi"), TEXT)
    assert told_like(anew, as_written, as_written.columns)


def test_other_wordings_tell_the_same_changes_with_a_key() -> None:
    """The text of each action, and the prompt that shows it."""
    for variant, sign in ((SYMBOLIC, "+P(a, b)"), (EMOJI, "✅ it holds now")):
        for row in ask(variant).iter_rows(named=True):
            assert row["actions"] == word_actions(row["action_components"], wording=variant.wording)
            assert row["told_components"] == row["action_components"]
            assert all(
                f"[Action {k}] {text}\n" in row["prompt"]
                for k, text in enumerate(row["actions"], start=1)
            )
            assert sign in row["prompt"] or variant is EMOJI
            assert "{" not in row["prompt"]
            assert row["wording"] == variant.wording
    assert not [p for p in ask(BASELINE)["prompt"] if "are written in" in p]


def test_noise_changes_what_is_told_of_perturbed_components_and_nothing_else() -> None:
    """Other phrasings of true changes would be probed along with the noise."""
    asked = ask(NOISE).join(ask(BASELINE), on="question_id", suffix="_true")
    assert 0 < (asked["n_perturbed"] > 0).sum() < asked.height
    for row in asked.iter_rows(named=True):
        same = row["told_components"] == row["told_components_true"]
        assert same == (row["n_perturbed"] == 0) == (row["prompt"] == row["prompt_true"])
        both = zip(row["told_components"], row["actions"], row["actions_true"], strict=True)
        for k, (told, text, text_true) in enumerate(both):
            true = row["told_components_true"][k]
            assert (text == text_true) == (told == true)
            if set(true) < set(told):  # a made-up change beside true ones, which keep their words
                assert all(s.rstrip(".") in text for s in text_true.split(". "))


def test_both_questions_of_a_trajectory_hear_the_same_noise() -> None:
    """Forward and inverse are compared: noise of one's own would be a difference between them."""
    told = {}
    for row in (
        ask(NOISE, chosen=all_chosen(home().qa))
        .join(home().qa.select("question_id", "trajectory_id"), on="question_id")
        .iter_rows(named=True)
    ):
        steps = row["told_components"]
        if row["kind"] == "inverse":
            steps = [steps[label - 1] for label in row["answer"]]
        assert told.setdefault(row["trajectory_id"], steps) == steps
    assert len(told) == home().trajectories.height


def test_noise_is_the_same_whatever_else_is_asked_and_another_with_another_seed() -> None:
    """A demonstration more must not change what models were asked about the others."""
    asked = ask(NOISE)
    few = ask(NOISE, chosen=chosen().reverse().head(7))
    assert few.equals(asked.join(few, on="question_id", how="semi"))
    assert ask(NOISE).equals(asked)
    other = ask(Variant("noise_1", "state", noise=NoiseSettings(0.4, 2)))
    assert not told_like(other, asked, ["told_components"])
    symbols = ask(Variant("both", "state", wording="symbolic", noise=NOISE.noise))
    assert told_like(symbols, asked, ["question_id", "told_components", "n_perturbed"])


def test_noise_disturbs_who_reads_the_actions_and_not_what_is_right() -> None:
    """Verified by what is told, the oracle would be wrong; unread, noise would change nothing."""
    told, index = (ask(BASELINE), ask(NOISE)), {home().demonstration: home().index}
    shas = {(home().demonstration, k): f"sha {k}" for k in range(100)}

    def no_picture(demonstration: str, key_frame: int) -> Image:
        raise AssertionError((demonstration, key_frame))

    def answers(model: str, questions: pl.DataFrame) -> pl.DataFrame:
        given = answers_to(model, "v", questions, no_picture, shas)
        return predictions_of(model, "v", given)

    assert evaluate(answers("oracle", told[1]), told[1], index, PAPER_ANSWERS)["is_exact"].all()
    for model in ("random", "text_prior"):
        both = (
            answers(model, told[0])
            .join(answers(model, told[1]), on="question_id")
            .join(told[1].select("question_id", "kind", "n_perturbed"), on="question_id")
        ).with_columns(
            is_other=pl.col("raw_answer") != pl.col("raw_answer_right"),
            is_read=(pl.col("kind") == "inverse") & (pl.col("n_perturbed") > 0),
        )
        assert not both.filter(~pl.col("is_read"))["is_other"].any()
        assert both["is_other"].any() == (model == "text_prior")
        is_perturbed = both["n_perturbed"] > 0
        assert (both["request_sha"] != both["request_sha_right"]).equals(is_perturbed)


def test_a_gating_with_other_predicates_draws_from_them() -> None:
    """Contacts may be taken for other places only where contacts count."""
    seen = {}
    for predicates in (STATE_PREDICATES, (*STATE_PREDICATES, "Touching")):
        words = {home().demonstration: Vocabulary.of(home().objects, predicates)}
        rows = ask_questions(chosen(), home().qa, NOISE, SETTINGS, vocabularies=words)
        told = rows["told_components"].explode().explode().to_list()
        seen[len(predicates)] = "Touching" in {Component.parse(text).predicate for text in told}
    assert list(seen.values()) == [False, True]


def test_a_question_that_was_never_written_and_noise_without_objects_are_told() -> None:
    """Half of the questions would be asked, and the other half missing from every score."""
    with pytest.raises(QuestionError, match=r"symbolic_predicates: \d+ of \d+ questions .* never"):
        ask(SYMBOLIC, home().qa.head(3))
    with pytest.raises(QuestionError, match="noise needs the objects of household-6"):
        ask_questions(chosen(), home().qa, NOISE, SETTINGS)
    nobody = ask(NOISE, chosen=chosen().clear())
    assert nobody.equals(AskedQuestions.empty())


def test_prompts_of_ones_own_are_used_with_and_without_a_key(tmp_path: Path) -> None:
    """A template that explains nothing is its author's choice, and no error."""
    (tmp_path / "forward.txt").write_text("Order:{notation}\n{actions}")
    (tmp_path / "inverse.txt").write_text("Order\n{actions}")
    rows = ask_questions(chosen(), home().qa, SYMBOLIC, SETTINGS, template_folder=tmp_path)
    starts = {"forward": "Order: Changes are written as", "inverse": "Order\n[Action 1] "}
    for kind, prompt in rows.select("kind", "prompt").iter_rows():
        assert prompt.startswith(starts[kind])


def test_variants_that_only_tell_otherwise_show_pictures_that_are_there_already() -> None:
    """Five variants more must not render a picture: renders are known by these settings."""
    variants = load_registry().variants
    base = variants["baseline"]
    told = [v for v in variants.values() if v.wording != "natural" or v.noise.rate]
    assert len(told) == 5
    for variant in told:
        looks = (variant.camera, variant.renderer, variant.appearance, variant.gating)
        assert looks == (base.camera, base.renderer, base.appearance, base.gating)
        rows = chosen_by_variant(chosen(), variant)
        # Table 12: 145 in each cell, 137 in the longest.
        assert variant.asks == dict.fromkeys(range(3, 10), 145) | {10: 137}
        most = pl.when(pl.col("length") == 10).then(137).otherwise(145)
        assert rows.height == chosen().filter(pl.col("place") <= most).height > 0
