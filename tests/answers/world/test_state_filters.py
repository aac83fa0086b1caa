"""Filters of the pictures of two states: distances, thresholds, and a model that is asked."""

import io
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from questions.world.asked_rooms import ASKED, WORLD, asked_root

from enact_assets.answers.baselines.model_asker import ModelAsker
from enact_assets.answers.people.variant_questions import shown_questions
from enact_assets.answers.world.state_filters import (
    ENCODERS,
    OCCLUDED,
    TOO_ALIKE,
    TOO_DIFFERENT,
    distances,
    occlusion_message,
    says_yes,
    why_removed,
    world_filters,
)
from enact_assets.engine.errors import PredictionError, SettingsError
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.pipeline.costs.first_answers import asked_of
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.questions.world.stored_pictures import stored_pictures
from enact_assets.settings.classes import KNOWN
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import load_registry
from enact_assets.settings.world import WorldFilterSettings
from enact_assets.settings.world_entries import world_of

JUDGE = """
from pathlib import Path

import numpy as np

class Judge:
    def answer(self, parts):
        with Path(__file__).with_name("asked.txt").open("a") as asked:
            asked.write(".")
        n = sum(not isinstance(p, str) for p in parts)
        is_hidden = n == 1 and np.asarray(parts[0])[40:200].mean() < {dark}
        return "Yes, no. " + ("I see " if not n else '{{"answer": "yes"}}' if is_hidden else "No.")
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> DataRoot:
    return asked_root(tmp_path_factory.mktemp("rooms"))


def filtered(
    root: DataRoot, settings: WorldFilterSettings, models: Path | None = None
) -> pl.DataFrame:
    lake, images = Lake(root.lake), ImageStore(root.images)
    shas = {key: sha for key, (sha, _, _) in stored_pictures(lake, WORLD).items()}
    ask = ModelAsker(DataRoot(models or root.root), images.read_png)
    asked = lake.read("asked_questions", ASKED)
    return world_filters(
        WORLD, asked, shas, settings, read=lambda *key: images.read(shas[key]), ask=ask
    )


def states_of(root: DataRoot) -> dict[str, tuple[str, str]]:
    lake = Lake(root.lake)
    shas = {key: sha for key, (sha, _, _) in stored_pictures(lake, WORLD).items()}
    rows = lake.read("world_questions", {"question_set": WORLD}).iter_rows(named=True)
    return {
        row["question_id"]: tuple(
            shas[row["recording"], row[f"key_frame_{when}"]] for when in ("before", "after")
        )
        for row in rows
    }


def test_nothing_is_left_out_by_default(root: DataRoot) -> None:
    assert not load_registry().world.filters.is_on
    assert filtered(root, WorldFilterSettings()).is_empty()


def test_distances_are_those_of_any_encoder(root: DataRoot) -> None:
    """Of the mean colour: a twin by hand; each picture is read once."""
    images, pairs, read = ImageStore(root.images), states_of(root), list[str]()

    def read_once(sha: str) -> np.ndarray:
        read.append(sha)
        return images.read(sha)

    found = distances(pairs, read_once, lambda p: p.mean(axis=(1, 2)))
    assert len(read) == len(set(read)) == len({sha for pair in pairs.values() for sha in pair})
    for question, (before, after) in pairs.items():
        first, second = (images.read(sha).reshape(-1, 3).mean(axis=0) for sha in (before, after))
        assert found[question] == pytest.approx(sum((first - second) ** 2) ** 0.5)
    assert set(ENCODERS) == set(KNOWN["encoder"])


def test_the_shipped_encoder_orders_pictures_by_what_differs() -> None:
    """A square that moves is farther than one that is where it was; size of pictures is free."""
    (encoder,) = ENCODERS.values()
    random = np.random.default_rng(0)
    room = random.integers(0, 255, (96, 160, 3)).astype(np.uint8)
    apart = []
    for share in (0.0, 0.1, 0.3, 1.0):
        other = room.copy()
        n = round(96 * share)
        other[:n] = random.integers(0, 255, (n, 160, 3))
        vectors = encoder(np.stack([room, other]))
        assert vectors.shape[0] == 2
        apart.append(float(np.linalg.norm(vectors[0] - vectors[1])))
    assert apart == sorted(apart)
    assert apart[0] == 0 < apart[1]


@given(
    st.sampled_from(["wm", "pp"]),
    st.one_of(st.none(), st.floats(0, 20)),
    st.sampled_from([None, False, True]),
    st.tuples(*[st.one_of(st.just(0.0), st.floats(0, 20))] * 3),
)
def test_the_first_filter_that_applies_is_named(task, distance, hidden, thresholds) -> None:
    wm, pp, least = thresholds
    settings = WorldFilterSettings(most_distance_wm=wm, most_distance_pp=pp, least_distance=least)
    reasons = []
    most = {"wm": wm, "pp": pp}[task]
    if distance is not None:
        reasons += [TOO_DIFFERENT] * (most > 0 and distance > most)
        reasons += [TOO_ALIKE] * (distance < least)
    reasons += [OCCLUDED] * (hidden is True)
    expected = reasons[0] if reasons else None
    assert why_removed(task, settings, distance=distance, is_occluded=hidden) == expected


def test_questions_left_out_are_asked_of_nobody(root: DataRoot, tmp_path: Path) -> None:
    """Thresholds at the median of the distances: those beyond it, and below the least, go."""
    asked = Lake(root.lake).read("asked_questions", ASKED)
    everything = filtered(root, WorldFilterSettings(least_distance=1e-9))
    assert everything["removed_by"].null_count() == everything.height
    of_task = {
        task: everything.filter(asked["kind"].str.starts_with(task))["distance"]
        for task in ("wm", "pp")
    }
    wm, pp, least = (of_task["wm"].median(), of_task["pp"].median(), of_task["wm"].min() + 1e-9)
    found = filtered(root, WorldFilterSettings("picture_features", wm, pp, least))
    assert found["distance"].equals(everything["distance"])
    rows = found.join(asked, on="question_id", maintain_order="left")
    limit = pl.when(pl.col("kind").str.starts_with("wm")).then(wm).otherwise(pp)
    gone = rows.filter(pl.col("removed_by").is_not_null())
    is_out = (pl.col("distance") > limit) | (pl.col("distance") < least)
    assert gone["question_id"].to_list() == rows.filter(is_out)["question_id"].to_list()
    assert set(gone["removed_by"]) == {TOO_ALIKE, TOO_DIFFERENT}
    assert 0 < gone.height < rows.height
    copy = asked_root(tmp_path)
    Lake(copy.lake).write("world_filters", found, ASKED)
    left = set(rows["question_id"]) - set(gone["question_id"])
    assert {q.question_id for q in shown_questions(copy, WORLD).questions} == left
    data = DataResource(root=str(copy.root))
    assert set(asked_of(data, WORLD).questions["question_id"]) == left


def test_a_model_is_asked_once_about_each_picture(root: DataRoot, tmp_path: Path) -> None:
    images, pairs = ImageStore(root.images), states_of(root)
    shas = sorted({sha for pair in pairs.values() for sha in pair})
    ask = ModelAsker(root, images.read_png)

    def darkness(sha: str) -> float:
        return float(np.asarray(Image.open(io.BytesIO(ask.read_shown(sha))))[40:200].mean())

    values = {sha: darkness(sha) for sha in shas}
    dark = float(np.median(list(values.values())))
    (tmp_path / "judge.py").write_text(JUDGE.format(dark=dark))
    named = f"models: {{judge: {{id: 'python/{tmp_path / 'judge.py'}:Judge'}}}}"
    (tmp_path / "models.yaml").write_text(named)
    settings = WorldFilterSettings(occlusion_model="judge")
    first, again = (filtered(root, settings, tmp_path) for _ in range(2))
    assert first.equals(again)
    # Once the numbers that every model is tried with; the second time the ledger answers.
    assert len((tmp_path / "asked.txt").read_text()) == 1 + len(shas)
    for row in first.iter_rows(named=True):
        is_hidden = any(values[sha] < dark for sha in pairs[row["question_id"]])
        assert row["is_occluded"] == is_hidden
        assert row["removed_by"] == (OCCLUDED if is_hidden else None)
    assert set(first["is_occluded"]) == {True, False}
    with pytest.raises((PredictionError, SettingsError), match="nobody"):
        filtered(root, WorldFilterSettings(occlusion_model="nobody"), tmp_path)


def test_the_message_about_a_picture_depends_on_it_alone() -> None:
    assert occlusion_message("a" * 64) == occlusion_message("a" * 64)
    assert occlusion_message("a" * 64).question_id != occlusion_message("b" * 64).question_id


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"answer": "yes"}', True),
        ("First yes. Then no", False),
        ("<think>yes</think> No.", False),
        ("<think>yes", None),
        ("nobody knows yesterday", None),
        ("", None),
        (None, None),
    ],
)
def test_the_last_yes_or_no_counts(text: str | None, said: bool | None) -> None:
    assert says_yes(text) is said


def test_settings_of_filters_are_checked() -> None:
    found = world_of({"filters": {"most_distance_wm": 3, "occlusion_model": "llama"}}, "here")
    assert found.filters == WorldFilterSettings(most_distance_wm=3.0, occlusion_model="llama")
    for entry, told in (
        ({"encoder": "dino"}, "here.filters.encoder"),
        ({"least_distance": -1}, "here.filters.least_distance"),
        ({"occlusion_model": 3}, "expected the name of a model"),
        ({"most": 3}, "here.filters"),
    ):
        with pytest.raises(SettingsError, match=told):
            world_of({"filters": entry}, "here")
