"""Models that run by a package, without the package or weights: parameters, reading an answer.

What Inspect does with a question is in test_wires_sdks.py."""

from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from enact_assets.answers.models.catalogue import load_catalogue
from enact_assets.answers.models.entries import Model
from enact_assets.answers.models.inspect_model import InspectModel
from enact_assets.answers.models.local_model import LocalModel, answer_in, parameters_of
from enact_assets.answers.models.local_weights import find_weights
from enact_assets.engine.errors import PredictionError, SettingsError
from enact_assets.questions.asked.parsing import read_answer
from enact_assets.questions.asked.thinking import without_thinking


def model(root: Path, parameters: str = "", asked: str = "hf/./weights") -> Model:
    entry = f"models: {{tiny: {{id: {asked}, parameters: {{{parameters}}}}}}}"
    (root / "models.yaml").write_text(entry)
    return load_catalogue(root).find("tiny")


@pytest.mark.skipif(find_spec("torch") is not None, reason="PyTorch is installed here")
def test_without_pytorch_the_error_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(PredictionError, match=r"need torch.*pip install 'enact_assets\[local\]'"):
        LocalModel(model(tmp_path))


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ("batch_size: 4", "batch_size 4 needs dtype float32"),
        ("batch_size: 4, dtype: bfloat16", "In bfloat16 the padding of a batch changes some"),
        ("batch_size: 0", "at least 1"),
        ("max_new_tokens: 0", "at least 1"),
        ("max_tokens: 5", r"unknown field `max_tokens` \(known: max_new_tokens, dtype"),
        ("dtype: float8", "Invalid enum value 'float8'"),
    ],
)
def test_parameters_that_cannot_be(tmp_path: Path, parameters: str, words: str) -> None:
    with pytest.raises(SettingsError, match=f"model tiny: parameters: .*{words}"):
        parameters_of(model(tmp_path, parameters))


def test_parameters_of_packaged_models_can_be(tmp_path: Path) -> None:
    catalogue = load_catalogue(tmp_path)
    found = [catalogue.find(name) for name in catalogue.models]
    local = [parameters_of(one) for one in found if one.channel == "local"]
    assert len(local) > 5
    assert parameters_of(model(tmp_path, "batch_size: 4, dtype: float32")).batch_size == 4


def test_a_folder_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(PredictionError, match=r"weights/config\.json does not exist"):
        find_weights(model(tmp_path), None)
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights" / "config.json").write_text("{}")
    with pytest.raises(PredictionError, match="a folder has no revisions"):
        find_weights(model(tmp_path), "main")
    (tmp_path / "weights" / "config.json").write_text("{")
    with pytest.raises(PredictionError, match=r"config\.json is not JSON"):
        find_weights(model(tmp_path), None)


@pytest.mark.parametrize(
    ("written", "given", "answer"),
    [
        (" [2, 1] <|im_end|>", {"markers": {"<|im_end|>"}}, "[2, 1]"),
        ("<think>\nmaybe [1, 2]\n</think>\n\n[2, 1]", {}, None),
        ("<think>maybe [1, 2]", {}, None),
        ("no [1]</think>[2, 1]", {"began_to_think": True}, "<think>no [1]</think>[2, 1]"),
        ("maybe [1, 2]", {"began_to_think": True}, "<think>maybe [1, 2]"),
        ("so [2, 1]<|end|>", {"markers": {"<|end|>"}}, "so [2, 1]"),
        # Tokenizers of Mistral, OpenAI's open weights and GLM call these special.
        ("[THINK][1, 2][/THINK][2, 1]</s>", {"markers": {"[THINK]", "[/THINK]", "</s>"}},
         "[THINK][1, 2][/THINK][2, 1]"),
        ("<|channel|>analysis<|message|>[1, 2]<|end|><|channel|>final<|message|>[2, 1]",
         {"markers": {"<|channel|>", "<|message|>", "<|end|>"}},
         "<|channel|>analysis[1, 2]<|channel|>final<|message|>[2, 1]"),
        ("<|begin_of_box|>2, 1<|end_of_box|>", {"markers": {"<|begin_of_box|>", "<|end_of_box|>"}},
         None),
        ("", {}, ""),
    ],
)  # fmt: skip
def test_an_answer_keeps_its_thoughts_for_the_second_reading(
    written: str, given: dict[str, Any], answer: str | None
) -> None:
    """The release reads thoughts, so that a model here would have another second score than the
    same weights behind a server. None: as it was written."""
    found = answer_in(written, **given)
    assert found == (written if answer is None else answer)
    is_open = without_thinking(found) is None
    assert read_answer(found, 2) == (
        (None, "open_thought") if is_open else ([2, 1], None) if found else (None, "empty_answer")
    )


def test_a_missing_package_is_named_with_the_line_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    model = load_catalogue(tmp_path).find("inspect/bedrock/some.model-v1:0")
    assert model.asked_id == "bedrock/some.model-v1:0"
    with pytest.raises(PredictionError, match=r"pip install 'enact_assets\[inspect\]'"):
        InspectModel(model)
