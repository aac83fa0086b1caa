"""Rewards and training sets: verdicts and questions a CPU second, memory, what contamination finds.

It makes two training demonstrations with pictures of 256 px, in a data root that can be kept.
"""

import io
import json
import resource
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import polars as pl
from PIL import Image
from rich.console import Console

from enact_assets.commands.harnesses.rewards import reward_of, task_rewards
from enact_assets.commands.training.copies import BY_ID, BY_PICTURE, BY_TEXT, TestHeld, find_copies
from enact_assets.commands.training.exporting import make_training_set
from enact_assets.commands.training.order_rewards import OrderTable
from enact_assets.commands.training.sets import TrainingWanted, training_source, write_training_set
from enact_assets.demonstrations.pictures.fingerprints import NEAR_BITS, fingerprint, nearest
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import BASELINE, load_registry
from enact_assets.settings.splits import Split

NAMES = ("picking_up_toys-1000", "setting_the_table-1000")
N_QUESTIONS, N_ANSWERS, N_ORDERS, N_PLANTED = 40_000, 24_000, 2_000_000, 10
PX = 256
FORMS = ("{}", "So the order is {}.", "```python\n{}\n```", "I cannot tell.", "{}")


def main(kept: Path | None, tests: Path | None) -> None:
    """``kept``: a folder for what is made; ``tests``: a data root whose questions are planted."""
    folder = kept or Path(tempfile.mkdtemp(prefix="enact-training-"))
    root = DataRoot(folder / "root", lake_url=None)
    wanted = TrainingWanted(Split.TRAINING, N_QUESTIONS, tuple(range(3, 11)))
    console = Console(file=sys.stderr)
    made = make_training_set(root, NAMES, wanted, folder / "set", console, size_px=PX)
    _questions(root, wanted, folder)
    rows = pl.read_parquet(folder / "set" / "data" / "*.parquet")
    _rewards(rows)
    print(f"{made.n_questions:,} questions, {made.n_bytes / made.n_questions:,.0f} bytes each")
    if tests is not None:
        _contamination(DataRoot(tests), folder / "set", rows, folder / "planted")
    if kept is None:
        shutil.rmtree(folder)


def _questions(root: DataRoot, wanted: TrainingWanted, folder: Path) -> None:
    registry = load_registry()
    began = time.process_time()
    source = training_source(root, registry, registry.variant(BASELINE), NAMES, wanted)
    done = write_training_set(source, folder=folder / "again")
    spent = time.process_time() - began
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{done.n_questions:,} questions written: {done.n_questions / spent:,.0f} a CPU second; "
        f"{most:.2f} GB at most in this process"
    )
    shutil.rmtree(folder / "again")


def _rewards(rows: pl.DataFrame) -> None:
    random = np.random.default_rng(0)
    asked = rows.head(N_ANSWERS).select("kind", "answer", "fits").to_dicts()
    texts = []
    for number, row in enumerate(asked):
        order = list(row["answer"]) if number % 2 else random.permutation(row["answer"]).tolist()
        order = order[:-1] if number % 7 == 0 else order
        texts.append(FORMS[number % len(FORMS)].format(order))
    began = time.process_time()
    for text, row in zip(texts, asked, strict=True):
        reward_of(text, row["kind"], row["answer"], row["fits"])
    one_by_one = time.process_time() - began
    columns = {name: [row[name] for row in asked] for name in ("kind", "answer", "fits")}
    whole = task_rewards(completions=texts, **columns)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda _: task_rewards(completions=texts, **columns), range(4))) == (
            [whole] * 4
        )
    table = OrderTable(asked)
    numbers = random.integers(0, len(asked), N_ORDERS)
    orders = np.zeros((N_ORDERS, table.answers.shape[1]), np.int64)
    for n in np.unique(table.n_steps):
        of = table.n_steps[numbers] == n
        orders[of, :n] = random.random((int(of.sum()), n)).argsort(1) + 1
    began = time.process_time()
    table.rewards(numbers, orders)
    from_arrays = time.process_time() - began
    print(
        f"rewards a CPU second: from texts one by one {len(texts) / one_by_one:,.0f}, from arrays "
        f"of orders {N_ORDERS / from_arrays:,.0f}; four threads at once agree"
    )


def _contamination(tests: DataRoot, clean: Path, rows: pl.DataFrame, planted: Path) -> None:
    """Ten questions and ten pictures of ``tests`` among 10,000 questions of other seeds."""
    held = TestHeld(tests)
    lake, store = Lake(tests.lake), ImageStore(tests.images)
    asked = lake.read("asked_questions", {"variant": BASELINE}).head(N_PLANTED)
    shas = (
        lake.read_all("frame_images", variant=BASELINE)["image_sha"]
        .unique()
        .sort()
        .gather_every(7)
        .head(N_PLANTED)
    )
    shutil.rmtree(planted, ignore_errors=True)
    shutil.copytree(clean / "pictures", planted / "pictures")
    found = rows.head(10_000).select("question_id", "prompt", "images").to_dicts()
    for number, actions in enumerate(asked["actions"]):
        text = "\n".join(f"{k}. {action}" for k, action in enumerate(actions, 1))
        found[997 * number]["prompt"][0]["content"].append({"type": "text", "text": text})
    (planted / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in found))
    for number, sha in enumerate(shas):
        with Image.open(io.BytesIO(store.read_png(sha))) as image:
            small = image.convert("RGB").resize((image.width // 2, image.height // 2))
        small.save(planted / "pictures" / f"planted{number}.jpg", quality=60)
    began = time.process_time()
    copies = find_copies(held, planted)
    spent = time.process_time() - began
    n_alarms, n_told = held.false_alarms()
    others = [fingerprint(path.read_bytes()) for path in sorted(clean.glob("pictures/*.png"))]
    bits = nearest(np.array([one for one in others if one is not None]), held.hashes)[1]
    print(
        f"contamination: {len(copies.of(BY_TEXT))} of {len(set(map(tuple, asked['actions'])))} "
        f"questions by text ({len(copies.of(BY_ID))} by id, of which none was planted), "
        f"{len(copies.of(BY_PICTURE))} of {N_PLANTED} pictures found among {copies.n_rows:,} rows "
        f"and {copies.n_pictures:,} pictures in {spent:.1f} CPU s; false alarms: "
        f"{int((bits <= NEAR_BITS).sum())} of {len(bits)} pictures of other seeds (the nearest "
        f"{int(bits.min())} bits), {n_alarms} of {n_told} between demonstrations of the test"
    )
