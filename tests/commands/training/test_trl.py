"""TRL trains a tiny model on an exported training set: supervised, then by rewards."""

import os
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

# Before the imports: nothing here may reach the hub.
os.environ["HF_HUB_OFFLINE"] = os.environ["HF_DATASETS_OFFLINE"] = "1"
WHY = "PyTorch and TRL are not installed here: `make test-local` runs these tests"
torch = pytest.importorskip("torch", reason=WHY)
pytest.importorskip("trl", reason=WHY)

from answers.models import tiny_models
from datasets import Dataset, Image, List
from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

from enact_assets.commands.harnesses.rewards import pairs_rewards, task_rewards

from reference.training_root import write_set

# Its own words about settings that other packages renamed.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::FutureWarning")]
torch.set_num_threads(1)
QUIET = {
    "report_to": [],
    "save_strategy": "no",
    "use_cpu": True,
    "bf16": False,
    "logging_steps": 1,
    "activation_checkpointing": False,
    "per_device_train_batch_size": 8,
}


def short(prompt: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Its actions alone: bytes are tokens here, and a step should take a second."""
    blocks = []
    for block in prompt[0]["content"]:
        text = block["text"] or ""
        kept = "\n".join(re.findall(r"^\[.*", text, re.MULTILINE))
        blocks.append({**block, "text": kept} if block["type"] == "text" else block)
    return [{"role": "user", "content": blocks}]


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    folder = tmp_path_factory.mktemp("trl")
    write_set(folder, 120, 3)
    found = pl.read_parquet(folder / "set" / "data" / "*.parquet").to_dicts()
    for row in found:
        row["prompt"] = short(row["prompt"])
        row["images"] = [str(folder / "set" / name) for name in row["images"]]
    return Dataset.from_list(found).cast_column("images", List(Image()))


def test_supervised_training_and_three_steps_by_rewards(rows: Dataset, tmp_path: Path) -> None:
    """Random letters are no order and earn nothing: solved answers teach the form first."""
    torch.manual_seed(0)
    model, processor = tiny_models.qwen2_5_vl()
    told = rows.select_columns(["prompt", "completion", "images"])
    settings = SFTConfig(
        **QUIET, output_dir=str(tmp_path / "sft"), max_steps=60, learning_rate=5e-3,
        max_length=None, completion_only_loss=True,
    )  # fmt: skip
    trainer = SFTTrainer(model=model, processing_class=processor, train_dataset=told, args=settings)
    trainer.train()
    losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    assert len(losses) == 60
    assert losses[-1] < losses[0] / 3

    asked = rows.remove_columns(["completion"])
    settings = GRPOConfig(
        **QUIET, output_dir=str(tmp_path / "grpo"), max_steps=3, learning_rate=1e-3,
        num_generations=8, max_completion_length=8, reward_weights=[1.0, 0.5],
    )  # fmt: skip
    before = {name: weight.detach().clone() for name, weight in model.named_parameters()}
    trainer = GRPOTrainer(
        model=model, processing_class=processor, train_dataset=asked, args=settings,
        reward_funcs=[task_rewards, pairs_rewards],
    )  # fmt: skip
    trainer.train()
    spreads = [e["reward_std"] for e in trainer.state.log_history if "reward_std" in e]
    assert len(spreads) == 3
    assert max(spreads) > 0
    changed = [not torch.equal(w, before[name]) for name, w in model.named_parameters()]
    assert any(changed)
