"""The registry of models: what is packaged, what a user's file changes, what pictures count for."""

from pathlib import Path

import polars as pl
import pytest

from enact_assets.answers.models.budget import Budget
from enact_assets.answers.models.catalogue import Catalogue, id_of, load_catalogue, name_of
from enact_assets.answers.models.entries import PictureTokens
from enact_assets.answers.models.keys import has_key
from enact_assets.answers.models.not_asked import problems_of, why_nothing
from enact_assets.answers.models.picture_tokens import most_tokens_of, tokens_of
from enact_assets.answers.models.wires import WIRES
from enact_assets.engine.errors import SettingsError, UnknownNameError
from enact_assets.results.paper.results import FOLDER

PUBLISHED = pl.read_csv(FOLDER / "published_accuracies.csv")["published_model"].unique()


def catalogue(root: Path, text: str) -> Catalogue:
    """With this file of models."""
    (root / "models.yaml").write_text(text)
    return load_catalogue(root)


def test_the_thirty_models_of_the_paper_are_there(tmp_path: Path) -> None:
    """Under the names of its tables, each with an id that can be asked or imported."""
    packaged = load_catalogue(tmp_path)
    named = {entry.published for entry in packaged.models.values()}
    assert named == set(PUBLISHED) - {"Human"}
    models = [packaged.find(name) for name in packaged.models]
    for model in models:
        if model.channel in WIRES:
            assert WIRES[model.channel].most_tokens_out(model.parameters)
    tokens = [tokens_of(model.entry.picture_tokens) for model in models]
    known = [n for n in tokens if n is not None]
    assert len(known) >= 20
    assert min(known) > 100


def test_a_users_file_changes_single_fields_and_adds_models(tmp_path: Path) -> None:
    models = catalogue(
        tmp_path,
        "spending: {max_usd: 3}\n"
        "models:\n"
        "  glm-4.1v-thinking-flashx: {price: {in: 0.3, out: 0.3}}\n"
        "  mine: {id: vllm/me/mine, base_url: 'http://gpu:8000/v1/', max_images: 4}\n",
    )
    assert models.spending.max_usd == 3
    assert not models.spending.by_automation
    changed = models.find("glm-4.1v-thinking-flashx")
    assert changed.price is not None
    assert changed.price.tokens_in == 0.3
    assert changed.asked_id == "glm-4.1v-thinking-flashx"
    mine = models.find("mine")
    expected = ("openai_chat", "me/mine", "http://gpu:8000/v1")
    assert (mine.channel, mine.asked_id, mine.base_url) == expected
    # Another machine may charge; this one does not.
    assert mine.price is None
    assert mine.costs_money
    assert not models.find("vllm/me/mine-too").costs_money


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("models: {mine: {id: vllm/x, max_image: 4}}", "models.mine: .*max_image"),
        ("models: {a+b: {id: vllm/x}}", r"'a\+b' would mean a captioner and a reader"),
        ("models: {mine: {id: vllm/x, samples: many}}", "models.mine: .*samples"),
        ("models: {mine: {id: vllm/x, samples: 0}}", "models.mine: .*samples"),
        ("models: {mine: {id: vllm/x, price: {in: -1, out: 1}}}", "models.mine: .*in"),
        ("models: {a/b: {id: vllm/x}}", "a name has letters"),
        ("models: {mine: {max_images: 4}}", "models.mine: .*id"),
        ("spending: {max_usd: none}", "spending: .*max_usd"),
        ("spending: {max_usd: -3}", "spending: .*max_usd"),
        ("models: {a: {id: vllm/x}, A: {id: vllm/y}}", "models: 'A' differs from 'a' in case"),
        ("model: {}", "unknown 'model'"),
        ("models: [", "not valid YAML: line 1"),
        ("- models", "expected a mapping"),
    ],
)
def test_what_is_wrong_in_the_file_is_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SettingsError, match=rf"models\.yaml.*{said}"):
        catalogue(tmp_path, text)


@pytest.mark.parametrize(
    ("id_", "address", "path"),
    [
        ("chat/x", "http://gpu:8000/v1", "/chat/completions"),
        ("chat/x", "http://gpu:8000/v1", "/chat/completions/"),
        ("vllm/x", "http://gpu:8000/v1", "/completions"),
        ("vllm/x", "http://gpu:8000/v1", "/models"),
        ("openai/x", "https://proxy/v1", "/responses"),
        ("anthropic/x", "https://proxy", "/v1/messages"),
        ("anthropic/x", "https://proxy", "/v1"),
        ("google/x", "https://proxy", "/v1beta"),
        ("google/x", "https://proxy", "/v1beta/models/gemini:generateContent"),
        ("openai/x", "https://proxy/one", "/responses"),
    ],
)
def test_an_address_with_the_path_that_requests_add_is_refused(
    tmp_path: Path, id_: str, address: str, path: str
) -> None:
    """Researcher F14: it was asked as `/chat/completions/chat/completions`."""
    entry = f"models: {{mine: {{id: {id_}, base_url: '{address}HERE'}}}}\n"
    with pytest.raises(SettingsError, match=f"Write '{address}(/v1)?' in models.yaml"):
        catalogue(tmp_path, entry.replace("HERE", path)).find("mine")
    assert catalogue(tmp_path, entry.replace("HERE", "")).find("mine").base_url == address


def test_a_name_beside_a_packaged_one_is_no_fault_of_the_registry(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as raised:
        catalogue(tmp_path, "models: {GPT-5-2025-08-07: {id: vllm/x}}\n")
    assert str(raised.value) == (
        f"{tmp_path}/models.yaml: models: 'GPT-5-2025-08-07' differs from 'gpt-5-2025-08-07' in "
        "case only, a packaged name; write 'gpt-5-2025-08-07' to change that entry, or another name"
    )


@pytest.mark.parametrize("path", ["/models/qwen", "/models/qwen/v1", "/responses", "/messages"])
def test_an_address_of_a_gateway_may_name_a_model(tmp_path: Path, path: str) -> None:
    address = f"http://gateway{path}"
    models = catalogue(tmp_path, f"models: {{mine: {{id: chat/x, base_url: '{address}'}}}}\n")
    assert models.find("mine").base_url == address


@pytest.mark.parametrize("host", ["127.0.0.1", "gpu"])
def test_a_key_that_an_entry_names_and_nobody_set_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    """Researcher F13: a server of this machine was asked without a word about it."""
    monkeypatch.delenv("MINE_KEY", raising=False)
    entry = f"{{id: chat/x, base_url: 'http://{host}/v1', key: MINE_KEY, price: {{in: 0, out: 0}}}}"
    model = catalogue(tmp_path, f"models: {{mine: {entry}}}\n").find("mine")
    said = f"{problems_of([model])} {why_nothing(model, Budget(tmp_path, 1.0))}"
    assert has_key(model) is False
    assert said.count("the environment variable MINE_KEY") == 1
    monkeypatch.setenv("MINE_KEY", "secret")
    assert has_key(model) is True
    assert problems_of([model]) == []


def test_a_model_of_unknown_price_says_which_line_to_add(tmp_path: Path) -> None:
    """Researcher F15."""
    budget = Budget(tmp_path, 1.0)
    entry = "models: {mine: {id: chat/x, base_url: 'http://gpu:8000/v1'PRICE}}"
    said = str(why_nothing(catalogue(tmp_path, entry.replace("PRICE", "")).find("mine"), budget))
    line = "price: {in: 0, out: 0}"
    assert f"set `price` in models.yaml, in USD per million tokens: `{line}`" in said
    added = catalogue(tmp_path, entry.replace("PRICE", f", {line}"))
    assert why_nothing(added.find("mine"), budget) is None
    other = added.find("modelscope/a/b")
    said = str(why_nothing(other, budget))
    again = catalogue(tmp_path, said.split("`")[3]).find("modelscope/a/b")
    assert (again.name, again.costs_money) == (other.name, False)


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ("id: vllm/x, version: 2", "mine: `version` is that of a Python class"),
        ("id: 'python/a.py:A', version: 1.10", "models.mine: .*version"),
        ("id: 'python/a.py:A', version: ''", "models.mine: .*version"),
        ("id: vllm/x, stops: {eos: whole}", "models.mine: .*stops"),
        ("id: vllm/x, stops: [eos]", "models.mine: .*stops"),
    ],
)
def test_versions_and_reasons_to_stop_of_another_form(
    tmp_path: Path, fields: str, error: str
) -> None:
    with pytest.raises(SettingsError, match=error):
        catalogue(tmp_path, f"models: {{mine: {{{fields}}}}}\n").find("mine")


def test_an_id_of_a_known_provider_needs_no_entry(tmp_path: Path) -> None:
    models = load_catalogue(tmp_path)
    for given in ("hf/Qwen/Some-VL", "ollama/some:7b", "openrouter/a/b:free"):
        model = models.find(given)
        assert model.asked_id == given.partition("/")[2]
        assert id_of(name_of(given)) == given
        assert models.find(model.name) == model
    # One that has an entry is that model; a partition of an id keeps meaning the id.
    assert models.find("openai/gpt-5-mini-2025-08-07").name == "gpt-5-mini-2025-08-07"
    assert models.find("openai:gpt-5-mini-2025-08-07").name == "openai:gpt-5-mini-2025-08-07"


@pytest.mark.parametrize("text", ["gpt-6", "nowhere/gpt-6", "openai/", "hf:", "/x", ""])
def test_what_names_no_model_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UnknownNameError, match="unknown model"):
        load_catalogue(tmp_path).find(text)


def test_an_id_that_no_partition_can_be_named_after_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="give it a name"):
        load_catalogue(tmp_path).find("hf/a+b/c")


def test_an_alias_has_the_facts_of_its_model_and_a_name_of_its_own(tmp_path: Path) -> None:
    models = load_catalogue(tmp_path)
    alias, exact = models.find("openai/gpt-5-mini"), models.find("gpt-5-mini-2025-08-07")
    assert alias.name == "openai:gpt-5-mini"
    assert alias.asked_id == "gpt-5-mini"
    assert alias.price == exact.price
    assert alias.may_serve("gpt-5-mini-2025-08-07")
    # Its price holds for the model that it meant when that was looked up.
    assert not alias.may_serve("gpt-5-mini-2027-01-01")
    assert not alias.may_serve("gpt-5-nano-2025-08-07")


@pytest.mark.parametrize(
    ("asked", "served", "is_same"),
    [
        ("openai/gpt-7", "gpt-7", True),
        ("openai/gpt-7", "gpt-7-2026-08-07", True),
        ("openai/gpt-7", "gpt-7-mini", False),
        ("openai/gpt-7", "gpt-7-mini-2026-08-07", False),
        ("google/gemini-9", "models/gemini-9", True),
        ("google/gemini-9", "gemini-9-001", True),
        ("google/gemini-9", "gemini-9-lite", False),
        ("vllm/Org/Some-VL", "some-vl", True),
        ("anthropic/claude-x", "claude-y", False),
    ],
)
def test_who_may_answer(tmp_path: Path, asked: str, served: str, *, is_same: bool) -> None:
    assert load_catalogue(tmp_path).find(asked).may_serve(served) is is_same


def test_retirement_is_said(tmp_path: Path) -> None:
    models = load_catalogue(tmp_path)
    found = problems_of([models.find("claude-sonnet-4-20250514"), models.find("glm-4.5v")])
    assert len(found) == 1
    assert found[0].startswith("Model claude-sonnet-4-20250514 was retired on 2026-06-15. Cannot")
    assert found[0].endswith("imported answers only.")


@pytest.mark.parametrize(
    ("rule", "numbers", "tokens", "most"),
    [
        ("tiles", (85, 170), 255, 255),
        ("tiles", (70, 140), 210, 210),
        ("patches", (32, 1.62), 415, 415),
        ("patches", (32, 2.46), 630, 630),
        ("patches", (32, 1.2), 308, 308),
        ("patches", (4, 1), 1536, 1536),
        ("grid", (28,), 361, 361),
        ("qwen", (28, 2), 326, 326),
        ("qwen", (32, 2), 258, 258),
        ("qwen", (28,), 324, 324),
        ("gemini_tiles", (258, 768), 1032, 1290),
        ("fixed", (1120,), 1120, 1120),
    ],
)
def test_a_picture_of_512_pixels(
    rule: str, numbers: tuple[float, ...], tokens: int, most: int
) -> None:
    assert tokens_of(PictureTokens(rule, numbers)) == tokens
    assert most_tokens_of(PictureTokens(rule, numbers)) == most


def test_nothing_known_is_no_number() -> None:
    assert tokens_of(None) is None
    assert most_tokens_of(None) is None


@pytest.mark.parametrize(
    ("rule", "numbers", "words"),
    [
        ("squares", (), "unknown rule 'squares'"),
        ("tiles", (85,), "cannot take"),
        ("grid", (0,), "cannot take"),
        ("fixed", (-1,), "gives -1"),
        ("fixed", (float("nan"),), "gives nan"),
        ("grid", (float("nan"),), "cannot take"),
    ],
)
def test_wrong_rules_are_named(rule: str, numbers: tuple[float, ...], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        tokens_of(PictureTokens(rule, numbers))
