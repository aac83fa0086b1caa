"""Rewards are the verifier's verdicts, of whole orders alone."""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands.harnesses.exported import said_without_us
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.commands.harnesses.rewards import (
    NOTHING,
    pairs_rewards,
    reward_of,
    task_rewards,
    whole_rewards,
)
from enact_assets.commands.harnesses.scoring import score_answer
from enact_assets.commands.harnesses.step_fits import fits_texts
from enact_assets.commands.training.order_rewards import OrderTable

from reference.household import build_household

HOME = build_household(4, lengths=range(3, 7))
ROWS: list[dict[str, Any]] = [
    {"kind": row["kind"], "answer": row["answer"], "fits": fits}
    for row, fits in zip(HOME.asked.to_dicts(), fits_texts(HOME.index, HOME.asked), strict=True)
]


def read(row: dict[str, Any]) -> tuple[str, Sequence[int], dict[str, list[int]]]:
    return row["kind"], row["answer"], json.loads(row["fits"])


@pytest.mark.parametrize("row", ROWS[::7])
def test_every_whole_order_earns_what_it_scores(row: dict[str, Any]) -> None:
    for order in permutations(range(1, len(row["answer"]) + 1)):
        score = score_answer(f"{list(order)}", *read(row))
        found = reward_of(f"{list(order)}", *row.values())
        assert found == (1.0, float(score.is_accepted), score.pairwise_accuracy)


def test_leaving_a_label_out_never_pays() -> None:
    """By the paper's rule it does; that this is so is what makes the test one."""
    n_gains = 0
    for row in ROWS:
        n = len(row["answer"])
        whole = [score_answer(str(list(o)), *read(row)) for o in permutations(range(1, n + 1))]
        guess = sum(score.pairwise_accuracy for score in whole) / len(whole)
        short = [list(o) for size in range(1, n) for o in permutations(range(1, n + 1), size)]
        n_gains += max(score_answer(str(o), *read(row)).pairwise_accuracy for o in short) > guess
        assert {reward_of(str(order), *row.values()) for order in short} == {NOTHING}
    assert n_gains > len(ROWS) / 2


@pytest.mark.parametrize(
    ("text", "stop"),
    [(None, None), ("I cannot say.", None), ("[1, 1]", None), ("[2, 1", "cut"), ("[1]", "refused")],
)
def test_what_orders_nothing_earns_nothing(text: str | None, stop: str | None) -> None:
    for row in ROWS[:3]:
        assert reward_of(text, *row.values(), stop) == NOTHING


@given(st.data())
def test_arrays_of_orders_earn_what_texts_earn(data: st.DataObject) -> None:
    """Also short and long ones, labels that repeat, and those that were never shown."""
    table = OrderTable(ROWS)
    labels = st.integers(-2, 9)
    numbers = data.draw(st.lists(st.integers(0, len(ROWS) - 1), min_size=1, max_size=20))
    orders = np.zeros((len(numbers), table.answers.shape[1]), np.int64)
    for order, number in zip(orders, numbers, strict=True):
        right = ROWS[number]["answer"]
        any_labels = st.lists(labels, max_size=len(order))
        said = data.draw(st.one_of(st.just(right), st.permutations(right), any_labels))
        order[: len(said)] = said
    found = table.rewards(np.array(numbers), orders)
    for k, (number, order) in enumerate(zip(numbers, orders, strict=True)):
        row = ROWS[number]
        n = len(row["answer"])
        is_whole = sorted(order[:n]) == list(range(1, n + 1)) and not order[n:].any()
        expected = reward_of(str(order[:n].tolist()), *row.values()) if is_whole else NOTHING
        assert (found.whole[k], found.task[k], found.pairs[k]) == expected


def test_a_table_holds_no_more_steps_than_bits() -> None:
    with pytest.raises(ValueError, match="17 steps"):
        OrderTable([{"kind": "inverse", "answer": list(range(1, 18)), "fits": "{}"}])


def test_columns_are_rewarded_as_training_hands_them_over() -> None:
    """Texts, conversations, and contents in blocks; other columns do not matter."""
    rows = ROWS[:3]
    columns = {name: [row[name] for row in rows] for name in rows[0]} | {"images": [None] * 3}
    texts = [str(row["answer"]) for row in rows]
    texts[1] = "no"
    conversations = [[{"role": "assistant", "content": text}] for text in texts]
    blocks = [
        [{"role": "assistant", "content": [{"type": "text", "text": text}]}] for text in texts
    ]
    for completions in (texts, conversations, blocks):
        assert task_rewards(completions=completions, prompts=texts, **columns) == [1.0, 0.0, 1.0]
        assert pairs_rewards(completions=completions, **columns) == [1.0, 0.0, 1.0]
        assert whole_rewards(completions=completions, **columns) == [1.0, 0.0, 1.0]
    with pytest.raises(ValueError, match="2 of completions, 3 of kind"):
        pairs_rewards(completions=texts[:2], **columns)


def test_threads_are_paid_alike() -> None:
    orders = [str(list(range(len(row["answer"]), 0, -1))) for row in ROWS]
    one_by_one = [reward_of(text, *row.values()) for text, row in zip(orders, ROWS, strict=True)]
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(reward_of, t, *r.values()) for t, r in zip(orders, ROWS, strict=True)]
        assert [one.result() for one in asked] == one_by_one
    assert len(set(one_by_one)) > 2


def test_the_file_of_an_export_rewards_without_this_package(tmp_path: Path) -> None:
    columns = "{name: [row[name] for row in rows] for name in rows[0]}"
    texts = "[str(row['answer'][::-1]) for row in rows]"
    rewards = said_without_us(tmp_path, ROWS, f"enact_score.pairs_rewards({texts}, **{columns})")
    assert rewards == [reward_of(str(row["answer"][::-1]), *row.values()).pairs for row in ROWS]
