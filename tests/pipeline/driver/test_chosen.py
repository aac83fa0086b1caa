"""What a plan and a walk are to make, where only variants are named."""

from pathlib import Path

import pytest
from pipeline.lineage.small_world import World

from enact_assets.demonstrations.pictures.demonstration_sources import all_sources
from enact_assets.demonstrations.recordings.folders import Recordings
from enact_assets.engine.errors import UnknownNameError
from enact_assets.engine.planning.states import State
from enact_assets.pipeline.driver.chosen import Chosen, asking_nothing, choose
from enact_assets.pipeline.lineage.graph import STEP_NAMED, names_now
from enact_assets.settings.registry import load_registry
from enact_assets.simulator.activities import ACTIVITIES

RECORDED, FILMED, EMBEDDED, GONE = "tidy_1", "film_1", "setting_the_table-0", "gone_1"


@pytest.fixture
def chosen(tmp_path: Path):
    """Of one demonstration per source: the partitions that are chosen of a step."""
    for name, file in ((RECORDED, "scene_graph_0.json"), (FILMED, "annotation.csv")):
        (tmp_path / name).mkdir()
        (tmp_path / name / file).touch()
    registry = load_registry()
    names = names_now(registry, {RECORDED, FILMED, EMBEDDED, GONE}, {"oracle"}, ())
    sources = all_sources(Recordings(tmp_path))

    def of(step: str, assets: list[str] | None = None, **only: list[str]) -> set[str]:
        found, spec = choose(assets, only, names, registry, sources), STEP_NAMED[step]
        return {"|".join(p) for p in names.partitions(spec.assets[0]) if found.is_chosen(spec, p)}

    return of


@pytest.mark.parametrize(
    ("variants", "demonstrations"),
    [
        (["recorded"], {RECORDED}),
        (["recorded", "real_world_video"], {RECORDED, FILMED}),
        (["fisheye"], {EMBEDDED}),
        ([], {RECORDED, FILMED, EMBEDDED}),
    ],
)
def test_variants_alone_mean_what_they_ask_about(chosen, variants, demonstrations) -> None:
    """All embedded demonstrations were simulated and rendered for one recording.

    A recording that is gone stays: its step says so.
    """
    assert chosen("replays", variant=variants) == {*demonstrations, GONE}


@pytest.mark.parametrize(
    ("only", "told"),
    [
        ({"variant": ["official"]}, "Variant official asks no question here: no question file"),
        ({"variant": ["recorded"]}, "Variant recorded asks no question here: no demonstration is"),
        ({"variant": ["recorded"], "demonstration": [EMBEDDED]}, None),
        ({"variant": ["fisheye"]}, None),
        ({}, None),
    ],
)
def test_a_variant_that_asks_nothing_here_is_mentioned(tmp_path: Path, only, told) -> None:
    """`plan --variant official` listed some leftovers, and not that no file was imported."""
    registry, sources = load_registry(), all_sources(Recordings(tmp_path))
    names = names_now(registry, {EMBEDDED}, {"oracle"}, ())
    chosen = choose(None, only, names, registry, sources)
    notes = asking_nothing(chosen, only, names, registry)
    assert len(notes) == (told is not None)
    assert not notes or notes[0].startswith(told)


@pytest.mark.parametrize(
    ("only", "others", "ours"),
    [
        ({"variant": ["real_world_video"]}, {"recorded", "fisheye"}, {"real_world_video"}),
        ({"demonstration": [RECORDED]}, {"real_world_video", "fisheye"}, {"recorded"}),
        ({"demonstration": [RECORDED, EMBEDDED]}, {"real_world_video"}, {"recorded", "fisheye"}),
    ],
)
def test_variants_about_other_sources_are_looked_at_again(
    tmp_path: Path, only, others, ours
) -> None:
    """researcher F9: a video shares its question set with recordings, whose rows became stale."""
    for name, file in ((RECORDED, "scene_graph_0.json"), (FILMED, "annotation.csv")):
        (tmp_path / name).mkdir()
        (tmp_path / name / file).touch()
    registry, sources = load_registry(), all_sources(Recordings(tmp_path))
    names = names_now(registry, {RECORDED, FILMED, EMBEDDED}, {"oracle"}, ())
    bystanders = choose(None, only, names, registry, sources).bystanders
    assert others <= bystanders
    assert bystanders.isdisjoint(ours)


def test_a_bystander_is_asked_anew_where_its_question_set_is_made() -> None:
    lineage = World().lineage
    step = lineage.graph.step_named["asked_questions"]

    def is_made(assets: list[str] | None, variant: str) -> bool:
        chosen = Chosen(assets, {"variant": ["release"]})
        chosen.bystanders = frozenset({"high"})
        return chosen.complete(lineage).is_chosen(step, (variant,))

    assert is_made(None, "high")
    assert is_made(["evaluation"], "high")
    assert not is_made(["demonstrations"], "high")
    assert not is_made(["evaluation"], "contact")
    was = lineage.states.of["asked_questions"]["high",]
    lineage.states.set("asked_questions", ("high",), State(was.version))
    assert not is_made(None, "high")  # stale for another reason, which is not ours to mend


def test_a_demonstration_is_made_under_what_asks_about_it(chosen) -> None:
    """Imported questions name dozens of demonstrations, which no other gating has to segment."""
    assert chosen("segmentation", variant=["recorded"]) == {
        f"{RECORDED}|state", f"{GONE}|contact", f"{GONE}|state"
    }  # fmt: skip
    assert chosen("frame_images", variant=["recorded"]) == {
        f"{RECORDED}|recorded", f"{GONE}|baseline", f"{GONE}|recorded"
    }  # fmt: skip
    of_both = chosen("segmentation", variant=["fisheye", "contact"])
    assert of_both >= {f"{EMBEDDED}|state", f"{EMBEDDED}|contact"}
    everything = chosen("segmentation", variant=["recorded"], demonstration=[EMBEDDED])
    assert everything == {f"{EMBEDDED}|state", f"{EMBEDDED}|contact"}


@pytest.mark.parametrize(
    ("models", "only", "trained"),
    [
        ({"oracle"}, {}, set()),
        ({"oracle", "fact_reader"}, {}, {"make_a_salad", "setting_the_table"}),
        ({"oracle", "fact_reader"}, {"model": ["oracle"]}, set()),
        ({"oracle", "fact_reader"}, {"variant": ["recorded"]}, set()),
        ({"fact_reader"}, {"variant": ["fisheye"]}, {"make_a_salad", "setting_the_table"}),
        ({"fact_reader"}, {"demonstration": [EMBEDDED]}, {"setting_the_table"}),
        ({"fact_reader_transfer"}, {"demonstration": [EMBEDDED]}, set(ACTIVITIES)),
        (
            {"fact_reader", "fact_reader_transfer"},
            {"demonstration": [EMBEDDED], "model": ["fact_reader"]},
            {"setting_the_table"},
        ),
    ],
)
def test_what_is_trained_follows_from_models_and_demonstrations(
    tmp_path: Path, models: set[str], only: dict[str, list[str]], trained: set[str]
) -> None:
    """Half a minute for each activity: none without a model that learns from it."""
    registry = load_registry()
    (tmp_path / RECORDED).mkdir()
    (tmp_path / RECORDED / "scene_graph_0.json").touch()
    names = names_now(registry, {RECORDED, EMBEDDED, "make_a_salad-3"}, models, ())
    found = choose(None, only, names, registry, all_sources(Recordings(tmp_path)))
    spec = STEP_NAMED["training_statistics"]
    made = {a for (a,) in names.partitions("training_statistics") if found.is_chosen(spec, (a,))}
    assert made == trained
    learned = {model for model in models if model.startswith("fact")}
    assert set(names.partitions("fact_reader")) == {(model,) for model in learned}


def test_a_named_demonstration_is_made_whatever_is_asked_about_it(chosen) -> None:
    found = chosen("replays", variant=["recorded"], demonstration=[EMBEDDED])
    assert found == {EMBEDDED}


def test_the_baseline_comes_along_only_where_something_is_compared_with_it(chosen) -> None:
    """Answers that were imported under one variant failed for lack of the baseline's."""
    assert chosen("evaluation", variant=["recorded"]) == {"oracle|baseline", "oracle|recorded"}
    alone = chosen("evaluation", ["evaluation"], variant=["recorded"])
    assert alone == {"oracle|recorded"}
    both = chosen("evaluation", ["evaluation", "probes"], variant=["recorded"])
    assert both == {"oracle|baseline", "oracle|recorded"}


def test_an_unknown_variant_is_named(chosen) -> None:
    with pytest.raises(UnknownNameError, match="mirror"):
        chosen("replays", variant=["mirror"])
