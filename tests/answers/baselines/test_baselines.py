"""What baselines answer, what is asked of them, and what happens when a picture is missing."""

from collections import Counter
from collections.abc import Mapping
from functools import cache

import numpy as np
import polars as pl
import pytest

from enact_assets.answers.baselines.learned_names import LEARNED
from enact_assets.answers.baselines.predict import answers_to, predictions_of
from enact_assets.answers.baselines.references import BASELINE_NAMES, MODELS, REFERENCES, baseline
from enact_assets.answers.baselines.requests import ImageReader, build_request, request_sha
from enact_assets.answers.baselines.text_prior import ActionRules
from enact_assets.answers.models.messages import Picture, Text
from enact_assets.demonstrations.pictures.thumbnails import THUMBNAIL_EDGE, Image, thumbnail
from enact_assets.engine.errors import MissingPartitionError, PredictionError, UnknownNameError
from enact_assets.settings.registry import load_registry

from reference.household import Household, build_household

EDGE = 48


@cache
def household() -> Household:
    return build_household(4)


def predict(
    model: str,
    variant: str,
    asked: pl.DataFrame,
    images: ImageReader,
    shas: Mapping[tuple[str, int], str],
) -> pl.DataFrame:
    return predictions_of(model, variant, answers_to(model, variant, asked, images, shas))


def moving_bar(demonstration: str, key_frame: int) -> Image:
    """A white bar that moves steadily: neighbours in time look alike."""
    image = np.zeros((EDGE, EDGE, 3), np.uint8)
    image[:, key_frame : key_frame + 8] = 255
    return image


def shas(home: Household) -> dict[tuple[str, int], str]:
    return {(home.demonstration, k): f"sha {k}" for k in range(home.index.n_key_frames)}


def orders(model: str, kind: str) -> list[tuple[list[int], list[int]]]:
    """(given, reference) of every question of ``kind``."""
    home = household()
    asked = home.asked.filter(pl.col("kind") == kind)
    found = predict(model, "baseline", asked, moving_bar, shas(home)).join(asked, on="question_id")
    return [
        ([int(x) for x in raw.strip("[]").split(",")], answer)
        for raw, answer in found.select("raw_answer", "answer").iter_rows()
    ]


UNTRAINED = sorted(set(MODELS) - set(LEARNED))


@pytest.mark.parametrize("model", UNTRAINED)
@pytest.mark.parametrize("kind", ["forward", "inverse"])
def test_every_model_answers_every_question_with_a_permutation(model: str, kind: str) -> None:
    """A repeated label would be scored as unparsed, not as the baseline's own error."""
    for given, reference in orders(model, kind):
        assert sorted(given) == sorted(reference)


def test_pixel_continuity_follows_a_steady_motion_exactly() -> None:
    """Pictures that change steadily leave one shortest path: the true order."""
    found = orders("pixel_continuity", "forward")
    assert all(given == reference for given, reference in found)
    inverse = orders("pixel_continuity", "inverse")
    assert 0 < sum(given == reference for given, reference in inverse) < len(inverse)


def test_the_oracle_knows_and_identity_counts() -> None:
    """Fixed points of the scale."""
    for kind in ("forward", "inverse"):
        assert all(given == reference for given, reference in orders("oracle", kind))
        assert all(given == sorted(given) for given, _ in orders("identity", kind))


def test_random_answers_depend_on_the_question_alone() -> None:
    """Answers that change with the order of rows could not be reproduced."""
    home = household()
    all_at_once = predict("random", "v", home.asked, moving_bar, shas(home))
    alone = predict("random", "v", home.asked.reverse().head(3), moving_bar, shas(home))
    assert alone.join(all_at_once, on=all_at_once.columns, nulls_equal=True).height == 3
    short = Counter(str(g) for g, _ in orders("random", "forward") if len(g) == 2)
    assert set(short) == {"[1, 2]", "[2, 1]"}


def test_each_picture_is_read_once() -> None:
    """Ten thousand questions share a few hundred pictures."""
    home, read = household(), Counter[tuple[str, int]]()

    def counted(demonstration: str, key_frame: int) -> Image:
        read[demonstration, key_frame] += 1
        return moving_bar(demonstration, key_frame)

    predict("pixel_continuity", "v", home.asked, counted, shas(home))
    assert set(read.values()) == {1}


@pytest.mark.parametrize("model", ["oracle", "pixel_continuity"])
def test_a_missing_picture_costs_its_questions_only(model: str) -> None:
    """One lost file must neither stop the partition nor be scored as a wrong answer."""
    home = household()
    absent = 5
    known = {key: sha for key, sha in shas(home).items() if key[1] != absent}
    found = predict(model, "aperture_80", home.asked, moving_bar, known)
    is_hit = home.asked.select("question_id", hit=pl.col("key_frames").list.contains(absent))
    for row in found.join(is_hit, on="question_id").iter_rows(named=True):
        assert (row["raw_answer"] is None) == row["hit"]
        assert (row["error"] is not None) == row["hit"]
        if row["hit"]:
            assert f"key frame {absent} of household-4" in row["error"]
            assert "'aperture_80'" in row["error"]
    assert 0 < is_hit["hit"].sum() < home.asked.height


def test_an_unreadable_picture_is_a_reason_too() -> None:
    """A damaged file and a picture of the wrong shape are errors of their questions."""
    home = household()

    def unreadable(demonstration: str, key_frame: int) -> Image:
        if key_frame == 5:
            raise MissingPartitionError("images: sha 5 is gone")
        image = moving_bar(demonstration, key_frame)
        return image[..., 0] if key_frame == 6 else image

    found = predict("pixel_continuity", "v", home.asked, unreadable, shas(home))
    errors = "\n".join(found["error"].drop_nulls())
    assert "MissingPartitionError: images: sha 5 is gone" in errors
    assert "key frame 6 of household-4: expected a picture of shape" in errors
    assert 0 < found["raw_answer"].null_count() < found.height


def test_a_request_is_named_by_model_prompt_and_pictures_in_order() -> None:
    """Answers bought for one request must not be served for another."""
    home = household()
    question = home.asked.filter(pl.col("kind") == "forward").row(0, named=True)
    request = build_request(question, moving_bar, shas(home))

    def sha(
        model: str = "m", pictures: dict[tuple[str, int], str] | None = None, **changed: object
    ) -> str:
        known = {**shas(home), **(pictures or {})}
        return request_sha(model, build_request({**question, **changed}, moving_bar, known))

    same, other_picture = sha(question_id="x"), (home.demonstration, question["key_frames"][1])
    others = [
        sha("n"),
        sha(prompt="x"),
        sha(pictures={other_picture: "new"}),
        sha(shown_key_frames=question["shown_key_frames"][::-1]),
    ]
    assert same == request_sha("m", request)
    assert len({same, *others}) == 5
    assert [p.shown.name for p in request.pictures][:2] == ["Current State", "Next State 1"]


def test_models_are_shown_the_parts_of_the_question_in_order() -> None:
    """Providers get this message; a picture that is missing must not become an empty one."""
    home = household()
    question = home.asked.filter(pl.col("kind") == "inverse").row(0, named=True)
    message = build_request(question, moving_bar, shas(home)).message
    assert message.question_id == question["question_id"]
    assert message.parts[:2] == (
        Text("[Current State]"),
        Picture(f"sha {question['key_frames'][0]}"),
    )
    assert message.parts[-1] == Text(question["prompt"])
    assert message.n_pictures == question["length"]
    with pytest.raises(PredictionError, match=r"^Current State: .* of household-4; materialize "):
        _ = build_request(question, moving_bar, {}).message


def test_thumbnails_average_cells_whatever_the_size() -> None:
    """Sizes that 32 does not divide would leave a strip out or shift the cells."""
    for shape in ((64, 64), (50, 77), (20, 40)):
        flat = np.full((*shape, 3), 200, np.uint8)
        assert thumbnail(flat) == pytest.approx(np.full((THUMBNAIL_EDGE, THUMBNAIL_EDGE, 3), 200.0))
    noise = np.random.default_rng(0).integers(0, 256, (64, 64, 3), np.uint8)
    means = noise.reshape(32, 2, 32, 2, 3).mean(axis=(1, 3))
    padded = np.pad(means, ((1, 1), (1, 1), (0, 0)), mode="edge")
    kernel = np.array([1, 2, 1]) / 4
    expected = sum(
        kernel[a] * kernel[b] * padded[a : a + 32, b : b + 32] for a in range(3) for b in range(3)
    )
    assert thumbnail(noise) == pytest.approx(expected)


def test_models_are_those_of_the_registry_and_unknown_ones_are_named() -> None:
    """A model that is registered and not built would fail after everything else ran."""
    assert set(load_registry().models) <= set(MODELS)
    assert set(LEARNED) < set(REFERENCES) == set(BASELINE_NAMES)
    assert all(baseline(name) for name in UNTRAINED)
    for name, about in MODELS.items():
        assert len(about.split()) > 10
        assert (name in LEARNED) == about.startswith("Trained on this simulator, other seeds.")
    with pytest.raises(
        UnknownNameError,
        match=r"unknown model 'gpt' \(known: fact_reader, fact_reader_transfer, identity, ",
    ):
        predict("gpt", "v", household().asked, moving_bar, {})


def test_no_questions_make_an_empty_table() -> None:
    """Another gating may have nothing to ask."""
    assert predict("random", "v", household().asked.clear(), moving_bar, {}).height == 0


def test_text_prior_knows_a_contact_from_either_side() -> None:
    """Recordings name the two objects of a contact in any order."""
    rules = ActionRules([["+Touching(sponge, countertop)"], ["-Touching(countertop, sponge)"]])
    assert list(rules.facts) == [("Touching", "countertop", "sponge")]
    assert rules.makes[0][True] == rules.makes[1][False] == set(rules.facts)
