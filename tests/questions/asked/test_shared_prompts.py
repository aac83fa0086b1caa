"""Prompts of imported question files: found in their rows, and given back to every question."""

import csv
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.engine.errors import QuestionError, QuestionFileError, SettingsError
from enact_assets.questions.asked.by_variant import ask_questions
from enact_assets.questions.asked.official import read_questions
from enact_assets.questions.asked.official_rows import to_rows
from enact_assets.questions.asked.shared_prompts import PUBLISHED, shared_prompts, words_sha
from enact_assets.questions.asked.templates import KINDS, fill_template
from enact_assets.questions.asked.variant_settings import variant_settings
from enact_assets.results.paper import results
from enact_assets.results.probes.panels import panel_of
from enact_assets.settings.classes import ANY_FILE, Prompts, QuestionSettings, settings_sha
from enact_assets.settings.registry import DEFAULT_REGISTRY, Registry, load_registry

from reference.household import all_chosen, build_household
from reference.official_sample import sample_of_160

HOME = build_household(4, lengths=range(3, 5))
THEIRS = {
    "forward": "Put them in order, as in [Action 2] then [Action 1].\n{actions}\nOnly a list.\n",
    "inverse": "Which was first?\n\n{actions}",
}


OTHER = fill_template("Put them\n{actions}", ["A.", "B.", "C.", "D."])


def rows_of(templates: dict[str, str], name: str = "theirs", **changed: str) -> pl.DataFrame:
    """The columns of ``official_questions`` that matter; ``changed``: line -> another text."""
    rows: list[dict[str, Any]] = []
    for line, (kind, length) in enumerate(((k, n) for n in (3, 4, 5) for k in KINDS), start=1):
        text = fill_template(templates[kind], [f"Thing {k} moved." for k in range(length - 1)])
        rows.append({"question_file": name, "line": line, "kind": kind, "length": length})
        rows[-1]["question"] = changed.get(f"line_{line}", text)
    return pl.DataFrame(rows)


def registry_with(folder: Path, entry: str) -> Registry:
    """The packaged registry with a variant ``theirs`` that has ``entry``."""
    path = folder / "registry.yaml"
    variant = f"variants:\n  theirs: {{{entry}, asks: all}}\n"
    path.write_text(DEFAULT_REGISTRY.read_text().replace("variants:\n", variant, 1))
    return load_registry(path)


@given(
    st.lists(
        st.text(st.characters(exclude_characters="{}[\r", codec="utf-8")), min_size=4, max_size=4
    )
)
def test_a_prompt_filled_in_with_its_actions_is_the_question(texts: list[str]) -> None:
    """Whatever stands around the actions, blanks at its ends included."""
    before, after, other, end = texts
    templates = {
        "forward": f"{before}\n{{actions}}\n{after}",
        "inverse": f"{other}\n{{actions}}\n{end}",
    }
    found = shared_prompts(rows_of(templates), "theirs")
    assert found == Prompts(**templates)


def test_questions_of_ours_are_asked_in_the_words_of_a_file(tmp_path: Path) -> None:
    variant = registry_with(tmp_path, "prompts: {question_file: theirs}").variant("theirs")
    with pytest.raises(QuestionError, match="its prompts are those of an imported file"):
        ask_questions(all_chosen(HOME.qa), HOME.qa, variant, QuestionSettings())
    variant = replace(variant, prompts=shared_prompts(rows_of(THEIRS), "theirs"))
    asked = ask_questions(all_chosen(HOME.qa), HOME.qa, variant, QuestionSettings())
    for kind, prompt, actions in asked.select("kind", "prompt", "actions").iter_rows():
        assert prompt == fill_template(THEIRS[kind], actions)
        assert words_sha(prompt) == words_sha(fill_template(THEIRS[kind], ["Another."]))
    assert asked["actions"].equals(HOME.asked["actions"])


@pytest.mark.parametrize(
    ("rows", "name", "message"),
    [
        (
            rows_of(THEIRS, line_5=OTHER),
            "theirs",
            r"line 5: its prompt has '\\n' where that of line 1 has ' in order, .* 3 forward ones",
        ),
        (
            rows_of(THEIRS, line_4="No action."),
            "theirs",
            r"line 4: expected the lines \[Action 1\] to \[Action 3\] once in its text, found 0",
        ),
        (rows_of(THEIRS).filter(kind="forward"), "theirs", "'theirs': no inverse question"),
        (rows_of(THEIRS), "others", "'others': no forward question"),
        (
            rows_of({**THEIRS, "inverse": "Give {json}.\n{actions}"}),
            "theirs",
            "'theirs', line 2: its prompt has braces",
        ),
        (rows_of(THEIRS), ANY_FILE, r"no forward question of an imported file \(theirs\) has the "),
        (rows_of(THEIRS).clear(), ANY_FILE, r"imported file \(there is none\) has the words"),
    ],
)  # fmt: skip
def test_a_file_without_one_prompt_names_the_first_question(
    rows: pl.DataFrame, name: str, message: str
) -> None:
    with pytest.raises(QuestionFileError, match=message):
        shared_prompts(rows, name)


def test_the_papers_prompts_are_those_of_the_published_questions() -> None:
    """In every question of the sample, and by the hash that comparable_with_published looks at."""
    file = sample_of_160()
    sample = to_rows("sample", read_questions(file), "")
    # A file of other words before it, by name, is passed over.
    rows = pl.concat([rows_of(THEIRS, "a"), sample.select(rows_of(THEIRS).columns)])
    found = shared_prompts(rows, ANY_FILE)
    assert found == shared_prompts(rows, "sample")
    for kind, text in sample.select("kind", "question").iter_rows():
        actions = re.findall(r"^\[Action \d+\] (.*)$", text, re.MULTILINE)
        assert fill_template(getattr(found, kind), actions) == text
        assert words_sha(text) == PUBLISHED[kind]
    changed = sample.with_columns(
        question=pl.when(line=1).then(pl.col("question") + "!").otherwise("question")
    )
    kind = sample.filter(line=1)["kind"][0]
    with pytest.raises(QuestionFileError, match=rf"79 questions of 80 {kind} ones differ from"):
        shared_prompts(changed, ANY_FILE)


def test_the_hashes_are_those_of_the_published_settings() -> None:
    with (Path(results.__file__).parent / "published_settings.csv").open() as file:
        rows = {row["setting"]: row["value"] for row in csv.DictReader(file)}
    assert {kind: rows[f"prompt.{kind}"] for kind in KINDS} == PUBLISHED


def test_the_variant_exists_where_its_file_is(tmp_path: Path) -> None:
    """Named by the registry, known with the data root, like a gating of a question file."""
    base = load_registry(DEFAULT_REGISTRY).variant("baseline")
    for entry, name, without in (
        ("prompts: as_published", ANY_FILE, []),
        ("prompts: {question_file: theirs}", "theirs", ["others"]),
    ):
        registry = registry_with(tmp_path, entry)
        variant = registry.variant("theirs")
        assert (variant.prompts, variant.prompts_of) == (None, name)
        assert settings_sha(variant) != settings_sha(replace(variant, prompts_of=None))
        assert panel_of(variant, base) == "prompts"
        settings = variant_settings(variant, registry.gating("state"))
        found = dict(settings.select("setting", "value").iter_rows())
        assert found["prompts.question_file"] == name
        assert "theirs" in registry.with_questions(["theirs"]).variants
        assert "theirs" not in registry.with_questions(without).variants


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            "prompts: {question_file: any}",
            r"theirs.prompts.question_file: expected the name of an ",
        ),
        ("prompts: {question_file: ../x}", "expected the name of an imported question file"),
        ("prompts: {file: theirs}", "theirs.prompts: unknown 'file'"),
        ("prompts: {}", "theirs.prompts: 'question_file' is missing"),
        ("gating: official, prompts: as_published", "theirs.prompts: profile 'release' asks in"),
    ],
)
def test_a_name_that_no_file_can_have_is_refused(tmp_path: Path, entry: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        registry_with(tmp_path, entry)
