"""Tiny models of seven families, asked as real ones are: files of a download, on the CPU."""

import dataclasses
import functools
import io
import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

# Before the imports: nothing here may reach the hub.
os.environ["HF_HUB_OFFLINE"] = "1"
WHY = "PyTorch and Transformers are not installed here: `make test-local` runs these tests"
torch = pytest.importorskip("torch", reason=WHY)
pytest.importorskip("transformers", reason=WHY)

import safetensors.torch
from answers.models import tiny_models

from enact_assets.answers.models.entries import Model, ModelEntry
from enact_assets.answers.models.local_model import LocalModel
from enact_assets.answers.models.messages import Message, Picture, Text
from enact_assets.engine.errors import PredictionError
from enact_assets.questions.asked.parsing import heed_stop, read_answer

pytestmark = pytest.mark.slow
# Models this small lose more time to the second thread than it saves.
torch.set_num_threads(1)

# Transformers' code for GLM uses NumPy as it was before version 2.
OLD = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
FAMILIES = [pytest.param(name, marks=OLD) for name in tiny_models.FAMILIES]
FLOAT32 = {"dtype": "float32", "max_new_tokens": 16}


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("weights")
    for family in tiny_models.FAMILIES:
        tiny_models.save(family, folder / family)
    return folder


def entry(folder: Path, asked_id: str, **parameters: Any) -> Model:
    given = ModelEntry(id=f"hf/{asked_id}", name="tiny")
    return Model("tiny", given, "local", asked_id, "", "", {**FLOAT32, **parameters}, folder)


def open_model(weights: Path, family: str, **parameters: Any) -> LocalModel:
    return LocalModel(entry(weights, f"./{family}", **parameters))


@functools.cache
def read_picture(sha: str) -> bytes:
    noise = np.random.default_rng(int(sha)).integers(0, 255, (16, 16, 3), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(noise).resize((512, 512)).save(file, "png")
    return file.getvalue()


def question(number: int, n_pictures: int = 3, words: str = "Order the states.") -> Message:
    shown = [
        part
        for place in range(n_pictures)
        for part in (Text(f"\n[State {place}] "), Picture(str(10 * number + place)))
    ]
    return Message(f"q{number}", (*shown, Text(f"\n{words}{' Like [2, 1].' * number}")))


QUESTIONS = [question(0), question(1, 4), question(2, 2), question(3)]


def ask(model: LocalModel, messages: list[Message]) -> list[Any]:
    return list(model.answers(messages, read_picture))


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_batch_answers_as_single_questions_do(weights: Path, family: str, attention: str) -> None:
    alone = ask(open_model(weights, family, attention=attention), QUESTIONS)
    together = ask(open_model(weights, family, attention=attention, batch_size=3), QUESTIONS)
    assert together == alone
    assert len({reply.written for reply in alone}) == len(alone)  # else nothing was compared
    assert all(reply.tokens_out > 0 and reply.tokens_in > 16 for reply in alone)
    again = ask(open_model(weights, family, attention=attention), QUESTIONS[:1])
    assert again == alone[:1]


@pytest.mark.parametrize("family", FAMILIES)
def test_the_order_of_pictures_counts(weights: Path, family: str) -> None:
    model = open_model(weights, family)
    parts = list(QUESTIONS[0].parts)
    parts[1], parts[3] = parts[3], parts[1]
    swapped = dataclasses.replace(QUESTIONS[0], parts=tuple(parts))
    first, second = (scores(model, message) for message in (QUESTIONS[0], swapped))
    assert np.abs(first - second).max() > 0.01
    np.testing.assert_array_equal(scores(model, QUESTIONS[0]), first)


def scores(model: LocalModel, message: Message) -> Any:
    """Of each possible first token."""
    seen = []
    head = model._loaded.model.lm_head
    hook = head.register_forward_hook(lambda _, __, output: seen.append(output[0, -1].numpy()))
    ask(model, [message])
    hook.remove()
    return seen[0]


@pytest.mark.parametrize("family", FAMILIES)
def test_bfloat16_answers(weights: Path, family: str) -> None:
    replies = ask(open_model(weights, family, dtype="bfloat16"), QUESTIONS[:2])
    assert all(reply.written for reply in replies)


def test_padding_is_on_the_left(weights: Path) -> None:
    model = open_model(weights, "internvl", batch_size=2)
    masks = []
    language = model._loaded.model
    hook = language.register_forward_pre_hook(
        lambda _, __, given: masks.append(given["attention_mask"]), with_kwargs=True
    )
    ask(model, [question(0, 1), question(1, 3)])
    hook.remove()
    shorter, longer = masks[0].tolist()
    assert shorter[0] == 0
    assert shorter[-1] == longer[0] == longer[-1] == 1


def test_placeholders_in_a_prompt_are_an_error_of_that_question(weights: Path) -> None:
    model = open_model(weights, "internvl", batch_size=3)
    bad = question(1, words="Look at <IMG_CONTEXT> here.")
    first, second, third = ask(model, [QUESTIONS[0], bad, QUESTIONS[2]])
    assert isinstance(second, PredictionError)
    assert "'<IMG_CONTEXT>'" in str(second)
    assert [first, third] == ask(model, [QUESTIONS[0], QUESTIONS[2]])


def test_a_question_longer_than_the_context_is_an_error_of_that_question(weights: Path) -> None:
    model = open_model(weights, "gemma3", batch_size=2)
    good, bad = ask(model, [QUESTIONS[0], question(1, words="x" * 4096)])
    assert isinstance(bad, PredictionError)
    assert "more than the 4096" in str(bad)
    assert [good] == ask(model, [QUESTIONS[0]])


def test_memory_that_runs_out(weights: Path) -> None:
    model = open_model(weights, "gemma3", batch_size=2)
    hook = model._loaded.model.register_forward_pre_hook(lambda *_: torch.empty(2**50))
    lost = ask(model, QUESTIONS[:2])
    hook.remove()
    assert all("lower `batch_size` (2)" in str(error) for error in lost)
    assert all(reply.written for reply in ask(model, QUESTIONS[:2]))


def test_why_an_answer_ended(weights: Path) -> None:
    model = open_model(weights, "llava_onevision")
    reply = ask(model, QUESTIONS[:1])[0]
    assert reply.stop == "cut"
    assert reply.tokens_out == 16
    first = int(scores(model, QUESTIONS[0]).argmax())
    model._loaded.model.generation_config.eos_token_id = first
    model._loaded._ends = {first}
    ended = ask(model, QUESTIONS[:1])[0]
    assert (ended.stop, ended.tokens_out, ended.written) == ("complete", 1, "")


def test_reasoning_that_the_prompt_opened_and_nothing_closed_is_no_answer(weights: Path) -> None:
    reply = ask(open_model(weights, "qwen3_vl"), QUESTIONS[:1])[0]
    assert reply.text.startswith("<think>")
    assert heed_stop(read_answer(reply.text, 3), reply.stop) == (None, "cut")
    assert reply.written


def test_settings_of_pictures_and_of_the_template(weights: Path) -> None:
    few = ask(open_model(weights, "qwen2_5_vl"), QUESTIONS[:1])[0]
    size = {"shortest_edge": 56**2, "longest_edge": 224**2}
    many = ask(open_model(weights, "qwen2_5_vl", images={"size": size}), QUESTIONS[:1])[0]
    assert many.tokens_in - few.tokens_in == 3 * (64 - 16)
    thinking = {"enable_thinking": True}
    more = ask(open_model(weights, "qwen2_5_vl", chat_template_kwargs=thinking), QUESTIONS[:1])[0]
    assert more.tokens_in - few.tokens_in == len("think!")
    wrong = open_model(weights, "qwen2_5_vl", chat_template_kwargs={"enable_thought": True})
    with pytest.raises(PredictionError, match="no variable 'enable_thought'"):
        ask(wrong, QUESTIONS[:1])
    for images in ({"sizes": size}, {"size": {"min_pixels": 3136}}, {"size": "small"}):
        with pytest.raises(PredictionError, match="cannot take pictures with `images: "):
            ask(open_model(weights, "qwen2_5_vl", images=images), QUESTIONS[:1])


def test_version_covers_what_decides_answers(weights: Path, tmp_path: Path) -> None:
    def version(family: str = "gemma3", **parameters: Any) -> str:
        return open_model(weights, family, **parameters).version

    assert version() == version()
    changed = [
        version("internvl"),
        version(dtype="bfloat16"),
        version(attention="eager"),
        version(batch_size=2),
    ]
    tiny_models.save("gemma3", tmp_path / "gemma3", seed=1)
    changed.append(LocalModel(entry(tmp_path, "./gemma3")).version)
    assert len({version(), *changed}) == 6
    assert f"torch {torch.__version__}" in version()


def test_a_branch_of_the_hub_is_pinned_to_its_commit(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In what a download leaves on disk, without a network."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    repository = tmp_path / "models--enact--tiny"
    first, second = "a" * 40, "b" * 40
    for seed, commit in enumerate((first, second)):
        tiny_models.save("gemma3", repository / "snapshots" / commit, seed)
    main = repository / "refs" / "main"
    main.parent.mkdir()
    main.write_text(first)
    model = LocalModel(entry(tmp_path, "enact/tiny"))
    main.write_text(second)
    later = LocalModel(entry(tmp_path, "enact/tiny", revision="main"))
    assert (model.weights.revision, later.weights.revision) == (first, second)
    assert first in model.version
    here = ask(open_model(weights, "gemma3"), QUESTIONS[:1])[0]
    assert ask(model, QUESTIONS[:1])[0].written == here.written
    assert ask(later, QUESTIONS[:1])[0].written != here.written
    with pytest.raises(PredictionError, match=r"not on this machine.*hf download enact/other"):
        LocalModel(entry(tmp_path, "enact/other"))


def test_code_of_a_repository_is_never_run(weights: Path, tmp_path: Path) -> None:
    folder = tmp_path / "own"
    shutil.copytree(weights / "gemma3", folder)
    (folder / "ran.py").write_text("raise SystemExit('ran')")
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "own_vl", "auto_map": {"AutoModel": "ran.Model"}}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(PredictionError, match=r"trust_remote_code.*vllm/\./own.*import-answers"):
        LocalModel(entry(tmp_path, "./own"))


def test_weights_that_are_missing_are_not_drawn_at_random(weights: Path, tmp_path: Path) -> None:
    shutil.copytree(weights / "gemma3", tmp_path / "gemma3")
    file = tmp_path / "gemma3" / "model.safetensors"
    tensors = safetensors.torch.load_file(file)
    tensors.pop(next(name for name in tensors if "layers.1.mlp" in name))
    safetensors.torch.save_file(tensors, file, {"format": "pt"})
    with pytest.raises(PredictionError, match=r"1 of its weights are missing.*layers\.1\.mlp"):
        ask(LocalModel(entry(tmp_path, "./gemma3")), QUESTIONS[:1])


def test_damaged_weights_name_the_model(weights: Path, tmp_path: Path) -> None:
    shutil.copytree(weights / "gemma3", tmp_path / "torn")
    file = tmp_path / "torn" / "model.safetensors"
    file.write_bytes(file.read_bytes()[:1000])
    with pytest.raises(PredictionError, match="model tiny could not be loaded"):
        ask(LocalModel(entry(tmp_path, "./torn")), QUESTIONS[:1])
