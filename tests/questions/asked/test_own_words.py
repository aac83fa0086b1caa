"""Words of the user: predicates that the registry adds to a gating, with their wording (public K1).

Prompts: the same questions in the words of a template folder beside the registry."""

import dataclasses
import re
import shutil
from pathlib import Path

import polars as pl
import pytest
import yaml

from enact_assets.demonstrations.pictures.observed import visibility_from_observability
from enact_assets.demonstrations.replay.tables import LaterParents, Observability
from enact_assets.engine.errors import QuestionError, SettingsError
from enact_assets.engine.ids import content_sha
from enact_assets.pipeline.steps.profiles import INDEX_CHANGES, SAMPLE, SEGMENT, WRITE
from enact_assets.questions.asked.by_variant import ask_questions
from enact_assets.questions.asked.natural import AGREEMENTS, sentence
from enact_assets.questions.asked.variant_settings import variant_settings
from enact_assets.questions.asked.wording import word_actions
from enact_assets.questions.paths.transition_graph import build_transition_graph
from enact_assets.results.probes.panels import panel_of
from enact_assets.settings.classes import VIDEO, QuestionSettings, Variant, settings_sha
from enact_assets.settings.components import Component
from enact_assets.settings.predicates import CATALOGUE, CONTACT_PREDICATES
from enact_assets.settings.registry import DEFAULT_REGISTRY, Gating, load_registry

from reference.builders import build_demonstrations, build_facts, build_objects
from reference.household import all_chosen, build_household

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


FORWARD = "Put {n_steps} pictures in order.\n{actions}\nAnswer like [2, 1]. {not a placeholder}"
INVERSE = "Put the actions in order:\n{actions}"
EDIT = "Make a photograph of it. " * 20
HOME = build_household(4, lengths=range(3, 5))


@pytest.fixture
def registry_file(tmp_path: Path) -> Path:
    """The packaged registry with a variant `as_published` in prompts of its own, and `repainted`,
    whose image model has a prompt too long for YAML.
    """
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "forward.txt").write_text(FORWARD)
    (tmp_path / "words" / "inverse.txt").write_text(INVERSE)
    (tmp_path / "words" / "edit.txt").write_text(EDIT)
    path = tmp_path / "registry.yaml"
    shutil.copy(DEFAULT_REGISTRY, path)
    entry = "variants:\n  as_published: {prompts: words, asks: 144}\n"
    entry += "  repainted: {editing: {model: painter, prompt_file: words/edit.txt}}\n"
    path.write_text(path.read_text().replace("variants:\n", entry, 1))
    return path


def asked(path: Path) -> pl.DataFrame:
    variant = load_registry(path).variant("as_published")
    return ask_questions(all_chosen(HOME.qa), HOME.qa, variant, QuestionSettings())


def test_only_the_words_around_the_actions_change(registry_file: Path) -> None:
    """Otherwise a difference between both wordings would not be one of the prompt."""
    theirs, ours = asked(registry_file), HOME.asked
    same = [name for name in ours.columns if name not in {"variant", "prompt"}]
    assert theirs.select(same).equals(ours.select(same))
    for row in theirs.iter_rows(named=True):
        lines = "\n".join(f"[Action {k}] {a}" for k, a in enumerate(row["actions"], 1))
        template = FORWARD if row["kind"] == "forward" else INVERSE
        expected = template.replace("{actions}", lines)
        assert row["prompt"] == expected.replace("{n_steps}", str(row["length"] - 1))
    assert not set(theirs["prompt"]) & set(ours["prompt"])


def test_an_edited_template_is_another_setting_without_a_restart(registry_file: Path) -> None:
    """A daemon reads the registry at every step; the file of the registry did not change."""
    before = load_registry(registry_file).variant("as_published")
    assert load_registry(registry_file).variant("as_published") is before
    (registry_file.parent / "words" / "inverse.txt").write_text(INVERSE + " Now.")
    after = load_registry(registry_file).variant("as_published")
    assert settings_sha(after) != settings_sha(before)
    assert "Now." in asked(registry_file).filter(kind="inverse")["prompt"][0]


def test_the_prompt_of_an_image_model_is_the_text_of_its_file(registry_file: Path) -> None:
    """Wherever the text stands, it decides the pictures, and nothing else does."""
    before = load_registry(registry_file).variant("repainted")
    assert before.editing is not None
    assert before.editing.prompt == EDIT
    for text in ("Short.", EDIT + "!"):
        (registry_file.parent / "words" / "edit.txt").write_text(text)
        after = load_registry(registry_file).variant("repainted")
        assert settings_sha(after) != settings_sha(before)
        assert after.editing == dataclasses.replace(before.editing, prompt=text)
    inline = registry_file.read_text().replace("prompt_file: words/edit.txt", "prompt: Short.")
    (registry_file.parent / "words" / "edit.txt").write_text("Short.")
    in_file = load_registry(registry_file).variant("repainted")
    registry_file.write_text(inline)
    assert load_registry(registry_file).variant("repainted") == in_file


def test_variants_without_prompts_hash_as_before(registry_file: Path) -> None:
    """Or every answer that was bought would become stale."""
    ours, theirs = load_registry(), load_registry(registry_file)
    for name, variant in ours.variants.items():
        assert settings_sha(theirs.variant(name)) == settings_sha(variant)
    before = dataclasses.asdict(ours.variant("emoji"))
    for added in ("prompts", "prompts_of", "is_imported", "editing", "is_mirrored"):
        del before[added]
    for added in ("backend", "llvm_version"):
        del before["renderer"][added]
    assert settings_sha(ours.variant("emoji")) == content_sha(before)


def test_both_wordings_are_one_panel_and_the_settings_name_the_text(registry_file: Path) -> None:
    registry = load_registry(registry_file)
    variant, baseline = registry.variant("as_published"), registry.variant("baseline")
    assert panel_of(variant, baseline) == "prompts"
    rows = {
        name: dict(
            variant_settings(found, registry.gating("state")).select("setting", "value").iter_rows()
        )
        for name, found in (("theirs", variant), ("ours", baseline))
    }
    assert variant.prompts is not None
    assert rows["theirs"]["prompts"] == variant.prompts.sha
    assert "prompts" not in rows["ours"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("nowhere", "nowhere/forward.txt: cannot be read"),
        ("''", "expected the path of a folder"),
    ],
)
def test_prompts_that_cannot_be_read_are_named(
    registry_file: Path, words: str, message: str
) -> None:
    text = registry_file.read_text()
    registry_file.write_text(text.replace("prompts: words", f"prompts: {words}"))
    with pytest.raises(SettingsError, match=message):
        load_registry(registry_file)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("prompt_file: nowhere.txt", r"nowhere.txt: cannot be read \(No such file"),
        ("prompt_file: words", "words: cannot be read"),
        ("prompt_file: ''", r"variants.repainted.editing.prompt_file: expected text; found ''"),
        ("prompt_file: 7", "prompt_file: expected text; found 7"),
        ("prompt_file: ../edit.txt", "prompt_file: expected a text file beside the registry or"),
        ("prompt_file: words/empty.txt", "empty.txt has no text; write a prompt into it"),
        ("prompt_file: words/long.txt", "long.txt must have at most 20000 characters; found 'xxx"),
        ("prompt: Better., prompt_file: words/edit.txt", "`prompt` is set; leave one of them out"),
    ],
)
def test_a_file_that_is_no_prompt_for_an_image_model_is_named(
    registry_file: Path, entry: str, message: str
) -> None:
    (registry_file.parent / "words" / "empty.txt").write_text("\n ")
    (registry_file.parent / "words" / "long.txt").write_text("x" * 20_001)
    text = registry_file.read_text()
    registry_file.write_text(text.replace("prompt_file: words/edit.txt", entry))
    with pytest.raises(SettingsError, match=message):
        load_registry(registry_file)


@pytest.mark.parametrize("name", ["baseline", "official"])
def test_questions_with_their_own_words_take_no_prompts(registry_file: Path, name: str) -> None:
    text = registry_file.read_text()
    registry_file.write_text(text.replace(f"  {name}:\n", f"  {name}:\n    prompts: words\n", 2))
    with pytest.raises(SettingsError, match=rf"variants\.{name}\.prompts"):
        load_registry(registry_file)


def test_a_template_without_a_place_for_the_actions_is_refused(registry_file: Path) -> None:
    (registry_file.parent / "words" / "forward.txt").write_text("Order the pictures.")
    with pytest.raises(QuestionError, match=r"forward.txt of variant 'as_published'.*\{actions\}"):
        asked(registry_file)
