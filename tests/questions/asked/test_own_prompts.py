"""Prompts of the user: the same questions in the words of a template folder beside the registry."""

import dataclasses
import shutil
from pathlib import Path

import polars as pl
import pytest

from enact_assets.engine.errors import QuestionError, SettingsError
from enact_assets.engine.ids import content_sha
from enact_assets.questions.asked.by_variant import ask_questions
from enact_assets.questions.asked.variant_settings import variant_settings
from enact_assets.results.probes.panels import panel_of
from enact_assets.settings.classes import QuestionSettings, settings_sha
from enact_assets.settings.registry import DEFAULT_REGISTRY, load_registry

from reference.household import all_chosen, build_household

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
    for added in ("prompts", "is_imported", "editing"):
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
