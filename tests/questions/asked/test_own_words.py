"""Predicates that the registry adds to a gating, with their wording (public K1)."""

import re
from pathlib import Path

import polars as pl
import pytest
import yaml

from enact_assets.demonstrations.pictures.observed import visibility_from_observability
from enact_assets.demonstrations.replay.tables import LaterParents, Observability
from enact_assets.engine.errors import QuestionError, SettingsError
from enact_assets.pipeline.steps.profiles import INDEX_CHANGES, SAMPLE, SEGMENT, WRITE
from enact_assets.questions.asked.natural import AGREEMENTS, sentence
from enact_assets.questions.asked.variant_settings import variant_settings
from enact_assets.questions.asked.wording import word_actions
from enact_assets.questions.paths.transition_graph import build_transition_graph
from enact_assets.settings.classes import VIDEO, QuestionSettings, Variant
from enact_assets.settings.components import Component
from enact_assets.settings.predicates import CATALOGUE, CONTACT_PREDICATES
from enact_assets.settings.registry import DEFAULT_REGISTRY, Gating, load_registry

from reference.builders import build_demonstrations, build_facts, build_objects

N_FRAMES = 900
ADDED = sorted({*CATALOGUE} - {*CONTACT_PREDICATES, "Exists", "Related", "Transition"})
FIXED = {
    "begins": ["{S} {is} now fixed to {O}", "{S} {has} been put onto {O}"],
    "ends": "{S} {is} no longer fixed to {O}",
}


def gating_with(tmp_path: Path, also: object, **fields: object) -> Gating:
    """The gating of a registry in which it has this entry."""
    entries = yaml.safe_load(DEFAULT_REGISTRY.read_text("utf-8"))
    entries["gatings"]["parts"] = {"profile": "paper", "contact": False, "also": also} | fields
    path = tmp_path / "registry.yaml"
    path.write_text(yaml.safe_dump(entries))
    return load_registry(path).gating("parts")


def test_parts_attached_and_detached_are_asked_about(tmp_path: Path) -> None:
    """From the annotation of a video to its questions; without the entry there is one key frame."""
    gating = gating_with(tmp_path, {"AttachedTo": FIXED})
    parts = [("lid", [(100, 300), (400, N_FRAMES)]), ("label", [(200, 500)]), ("tap", [(600, 700)])]
    names = ["jar", *(name for name, _ in parts)]
    demonstrations = build_demonstrations(N_FRAMES).with_columns(source=pl.lit(VIDEO))
    objects = build_objects(*((name, name) for name in names))
    facts = build_facts(
        *(("Exists", name, None, [(0, N_FRAMES)]) for name in names),
        *(("AttachedTo", name, "jar", times) for name, times in parts),
    )
    segment = SEGMENT.of(gating.profile)
    plain = load_registry(DEFAULT_REGISTRY).gating("state")
    assert segment(demonstrations, facts, objects, plain, None).segmented_frames.height == 1
    found = segment(demonstrations, facts, objects, gating, None)
    frames = found.segmented_frames
    assert frames.height == 8
    seen = Observability.build(
        [
            {"demonstration": "try-0", "camera": "external_sensor1", "object_name": name,
             "frame_from": 0, "frame_to": N_FRAMES, "pixels": 100, "x_min_px": 0, "y_min_px": 0,
             "x_max_px": 9, "y_max_px": 9, "height_px": 48, "width_px": 48}
            for name in names
        ]
    )  # fmt: skip
    visibility = visibility_from_observability(seen, frames)
    later = LaterParents.empty()
    index = INDEX_CHANGES.of(gating.profile)(
        found.scene_graphs, visibility, objects, gating.profile, frames.height, later_parents=later
    )
    graph = build_transition_graph(frames, index)
    settings = QuestionSettings()
    drawn = SAMPLE.of(gating.profile)(frames, graph, index, gating.profile, settings)
    qa = WRITE.of(gating.profile)(
        *(frames, drawn, graph, index),
        settings=settings,
        profile=gating.profile,
        own_words=gating.own_words,
    )
    assert qa.height > 20
    texts = {part for actions in qa["actions"] for text in actions for part in text.split(". ")}
    said = {text.rstrip(".") for text in texts}
    assert "The lid is now fixed to the jar" in said
    assert "The lid has been put onto the jar" in said
    assert "The label is no longer fixed to the jar" in said


@pytest.mark.parametrize("predicate", ADDED)
def test_every_other_predicate_can_be_added_with_its_words(tmp_path: Path, predicate: str) -> None:
    thing = " {O}" * (CATALOGUE[predicate].arity == 2)
    words = {"begins": "{S} {is} now so" + thing, "ends": "{S} {is} no longer so" + thing}
    gating = gating_with(tmp_path, {predicate: words})
    assert gating.looks_at(predicate)
    assert not gating.looks_at("Touching")
    other = "jar" if thing else None
    for operation, expected in (("add", "now so"), ("remove", "no longer so")):
        component = Component(operation, predicate, "scissors", other)
        told = word_actions([[str(component)]], own=gating.own_words)
        assert told == [f"The scissors are {expected}{' the jar' * bool(thing)}."]
        with pytest.raises(QuestionError, match="the gating adds none"):
            sentence(component)
        assert word_actions([[str(component)]], wording="symbolic") == [str(component)]
    settings = variant_settings(Variant("v", "parts"), gating)
    assert settings.filter(setting="gating.also")["value"].to_list() == [predicate]


@pytest.mark.parametrize(
    ("also", "told"),
    [
        ({"OnTop": FIXED}, "also: this gating looks at it as it is"),
        ({"Touching": FIXED}, "contacts count with `contact: true`"),
        ({"INSIDE": FIXED}, "no predicate that can be added (can be: Grasping, AttachedTo"),
        ({"attached": FIXED}, "the nearest is AttachedTo"),
        ({"Exists": FIXED}, "no predicate that can be added"),
        ({"AttachedTo": {"begins": "{S} {O}"}}, "'ends' is missing"),
        ({"AttachedTo": FIXED | {"ends": []}}, "expected a sentence, or a list"),
        ({"AttachedTo": FIXED | {"ends": "{S} came off. {O}"}}, "without a full stop"),
        ({"AttachedTo": FIXED | {"ends": "{S} came off"}}, "takes {S} and {O}"),
        ({"AttachedTo": FIXED | {"ends": "it came off {O}"}}, "takes {S} and {O}"),
        ({"Burnt": FIXED}, "Burnt takes {S}, and no other object"),
        ({"AttachedTo": FIXED | {"ends": "{S} left {O} {when}"}}, "in braces can be {S}, {O}"),
        ({"AttachedTo": FIXED | {"ends": "{S} left {O} }"}}, "in braces can be"),
        ({"AttachedTo": FIXED | {"ends": "{S} {0} {O}"}}, "in braces can be"),
        ({"AttachedTo": FIXED | {"ends": FIXED["begins"]}}, "AttachedTo.begins says the same"),
        ({"AttachedTo": FIXED, "Overlaid": FIXED}, "AttachedTo.begins says the same"),
    ],
)
def test_a_wrong_entry_is_named(tmp_path: Path, also: object, told: str) -> None:
    with pytest.raises(SettingsError) as error:
        gating_with(tmp_path, also)
    assert told in str(error.value)
    assert "gatings.parts.also" in str(error.value)


def test_the_example_of_the_documentation_is_a_registry(tmp_path: Path) -> None:
    docs = (DEFAULT_REGISTRY.parents[1] / "docs" / "sources.md").read_text("utf-8")
    (text,) = re.findall(r"<!-- example: gatings -->\n```yaml\n(.*?)```", docs, re.DOTALL)
    entries = yaml.safe_load(DEFAULT_REGISTRY.read_text("utf-8"))
    for part, entry in yaml.safe_load(text).items():
        entries[part] |= entry
    path = tmp_path / "registry.yaml"
    path.write_text(yaml.safe_dump(entries))
    registry = load_registry(path)
    gating = registry.gating(registry.variant("parts").gating)
    assert gating.looks_at("AttachedTo")
    held = Component("add", "Grasping", "agent", "mug")
    assert sentence(held, 0, gating.own_words) == "The robot now holds the mug."


def test_the_release_counts_every_state_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="counts every recorded state; delete the entry"):
        gating_with(tmp_path, {"AttachedTo": FIXED}, profile="release", contact=True)


def test_fields_of_sentences_are_those_that_are_filled_in(tmp_path: Path) -> None:
    from enact_assets.settings.classes import SENTENCE_FIELDS

    assert {*SENTENCE_FIELDS} - {"S", "O", "o"} <= {*AGREEMENTS}
    text = " ".join(f"{{{name}}}" for name in SENTENCE_FIELDS)
    gating = gating_with(tmp_path, {"AttachedTo": {"begins": text, "ends": f"not {text}"}})
    component = Component("add", "AttachedTo", "lid", "jar")
    assert sentence(component, 0, gating.own_words) == "The lid the jar jar is has."
