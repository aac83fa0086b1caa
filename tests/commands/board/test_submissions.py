"""A submission scores as its model does; what was changed in it is said, each change apart."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.answers.baselines.tables import Predictions
from enact_assets.answers.models.entries import Model, ModelEntry
from enact_assets.cli import main
from enact_assets.commands.board.submissions import (
    VariantQuestions,
    bundle_of,
    recomputed,
    settings_of,
)
from enact_assets.engine.errors import MissingPartitionError, PredictionError
from enact_assets.results.board.bundles import Bundle, claims_of, read_bundle, write_bundle
from enact_assets.settings.registry import load_registry

from reference.asked_root import write_asked_root, write_evidence

MODEL = "borea"
Change = Callable[[dict[str, Any]], None]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> VariantQuestions:
    """A household's questions, answered by a model: right, shuffled, short, unreadable, missing."""
    root, home = write_asked_root(tmp_path_factory.mktemp("board"))
    write_evidence(root, home)
    found = VariantQuestions(root, load_registry(), "baseline")
    rows = found.lake.read("asked_questions", {"variant": "baseline"})
    draw = random.Random(3)  # noqa: S311 - no secret
    answers = []
    for number, (id_, order) in enumerate(rows.select("question_id", "answer").iter_rows()):
        said: list[str | None] = [
            f"So: {order}",
            f"{draw.sample(order, len(order))}",
            f"{order[:-1]}",
            "I cannot tell.",
            None,
        ]
        raw = said[number % len(said)]
        answers.append(
            dict.fromkeys(Predictions.schema())
            | {"model": MODEL, "variant": "baseline", "question_id": id_, "repetition": 0}
            | {"request_sha": "1" * 64, "raw_answer": raw, "usd": 0.25, "tokens_in": 7}
            | {"error": "no answer" if raw is None else None}
        )
    predictions = pl.DataFrame(answers, schema=dict(Predictions.empty().schema))
    here = {"model": MODEL, "variant": "baseline"}
    found.lake.write("predictions", Predictions.of(predictions), here)
    found.lake.write("evaluation", found.evaluated(predictions), here)
    return found


@pytest.fixture(scope="module")
def bundle(asked: VariantQuestions) -> Bundle:
    return bundle_of(asked, MODEL, None)


def changed(bundle: Bundle, change: Change, *, is_sealed: bool = True) -> Bundle:
    """A bundle with a change, under a new hash unless it is not ``is_sealed``."""
    found = json.loads(msgspec.json.encode(bundle))
    change(found)
    made = msgspec.convert(found, Bundle)
    return made.sealed() if is_sealed else made


def test_a_bundle_scores_as_its_model_does(
    asked: VariantQuestions, bundle: Bundle, tmp_path: Path
) -> None:
    write_bundle(tmp_path / "one.json", bundle)
    again = read_bundle(tmp_path / "one.json")
    assert again == bundle
    found = recomputed(again, asked)
    assert found.problems == ()
    assert found.claims == bundle.claims
    here = {"model": MODEL, "variant": "baseline"}
    evaluation = asked.lake.read("evaluation", here)
    key = ["question_id", "repetition"]
    columns = ["is_accepted", "n_steps_passed", "answer_status", *key]
    assert found.evaluation.select(columns).sort(key).equals(evaluation.select(columns).sort(key))
    for claim in bundle.claims:
        of = evaluation.filter(kind=claim.kind)
        assert claim.task == pytest.approx(of["is_accepted"].mean())
        assert claim.n_missing == of["is_accepted"].null_count()
    assert bundle.cost.usd == pytest.approx(0.25 * evaluation.height)
    assert bundle.cost.tokens_out is None


def answer(found: dict[str, Any]) -> None:
    one = next(a for a in found["answers"] if a.get("raw_answer", "").startswith("So"))
    one["raw_answer"] = "[1]"


def other(found: dict[str, Any]) -> None:
    for one in found["answers"][:3]:
        one["of"] = "0" * 64


def claim(found: dict[str, Any]) -> None:
    found["claims"][0]["n_accepted"] += 1


def left_out(found: dict[str, Any]) -> None:
    found["answers"].pop(4)


def unknown(found: dict[str, Any]) -> None:
    found["answers"].append({"question_id": "nix", "of": "0" * 64})


def twice(found: dict[str, Any]) -> None:
    found["answers"].append(found["answers"][0])


def repeated(found: dict[str, Any]) -> None:
    """Right answers count more often than others."""
    one = found["answers"][0]
    found["answers"] += [{**one, "repetition": k} for k in range(1, 9)]


def elsewhere(found: dict[str, Any]) -> None:
    found["world"] = "other-world"


def two_claims(found: dict[str, Any]) -> None:
    found["claims"].insert(0, {**found["claims"][0], "n_accepted": 999})


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (repeated, "without all repetitions, from 0 to 8"),
        (elsewhere, "It says that it is of world other-world"),
        (two_claims, "it claims two numbers for one kind"),
        (answer, "accepted, its answers score"),
        (other, "3 answers to questions with other texts"),
        (claim, "accepted, its answers score"),
        (left_out, "1 question of baseline without an answer"),
        (unknown, "1 answer to questions that baseline does not ask here, first nix"),
        (twice, "is answered twice"),
    ],
)
def test_each_change_is_noticed(
    asked: VariantQuestions, bundle: Bundle, change: Change, says: str
) -> None:
    found = recomputed(changed(bundle, change), asked)
    assert any(says in problem for problem in found.problems)
    assert not any("changed after it was written" in problem for problem in found.problems)
    open_ = recomputed(changed(bundle, change, is_sealed=False), asked)
    assert "changed after it was written" in open_.problems[0]


def test_kinds_of_change_are_told_apart(asked: VariantQuestions, bundle: Bundle) -> None:
    """Only a wrong claim, or an answer with a new hash, differs in counts alone."""
    marks = ("with other texts", "without an answer", "does not ask here")
    found = {
        change.__name__: [
            mark
            for mark in marks
            if any(
                mark in problem for problem in recomputed(changed(bundle, change), asked).problems
            )
        ]
        for change in (answer, other, claim, left_out, unknown)
    }
    assert found == {
        "answer": [], "other": [marks[0]], "claim": [], "left_out": [marks[1]],
        "unknown": [marks[2]],
    }  # fmt: skip


@given(st.integers(0, 10**6))
def test_any_other_count_is_a_difference(number: int) -> None:
    rows = {"kind": ["forward"], "is_accepted": [True], "n_steps_passed": [2], "n_steps": [2]}
    rows |= {"reason": [None], "answer_status": ["parsed"]}
    (found,) = claims_of(pl.DataFrame(rows, schema_overrides={"reason": pl.String}))
    assert (found.n_accepted, found.task, found.pairs) == (1, 1.0, 1.0)
    assert (msgspec.structs.replace(found, n_steps=number) == found) == (number == 2)


def test_the_commands(
    asked: VariantQuestions, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, file = ["--data", str(asked.root.root)], tmp_path / "one.json"
    assert main(["submit", MODEL, "--output", str(file), *data]) == 0
    assert "no keys" in capsys.readouterr().out
    assert main(["verify-submission", str(file), *data]) == 0
    said = capsys.readouterr().out
    assert "All counts are as claimed" in said
    assert "Recomputed" in said
    found = json.loads(file.read_text())
    claim(found)
    file.write_text(json.dumps(found))
    assert main(["verify-submission", str(file), *data]) == 1
    assert "Differs: It was changed after" in capsys.readouterr().out


def test_what_cannot_be_submitted_or_read(asked: VariantQuestions, tmp_path: Path) -> None:
    with pytest.raises(MissingPartitionError, match="--model nix"):
        bundle_of(asked, "nix", None)
    with pytest.raises(PredictionError, match="WorldPrediction"):
        _ = VariantQuestions(asked.root, asked.registry, "world:embedded").hashes
    odd = {"format": "enact-submission-1", "answers": [{"question_id": "a", "repetition": -1}]}
    for content in (b"{}", b"[" * 100_000, b"\xff", json.dumps(odd).encode()):
        (tmp_path / "none.json").write_bytes(content)
        with pytest.raises(PredictionError, match="is no submission"):
            read_bundle(tmp_path / "none.json")


def test_settings_have_no_keys_no_addresses_and_no_folders() -> None:
    entry = ModelEntry(id="python//srv/me/secret_project/m.py:Mine", name="mine")
    given = {"temperature": 0.5, "max_tokens": 99, "reasoning": {"effort": "low", "key": "sk-1"}}
    given |= {"authorization": "Bearer sk-2", "api_base": "http://10.0.0.5", "headers": {"x": "y"}}
    model = Model("mine", entry, "python", "", "http://10.0.0.5", "KEY", given, Path())
    assert settings_of(model) == {
        "id": "python/m.py:Mine",
        "temperature": 0.5,
        "max_tokens": 99,
        "reasoning": {"effort": "low"},
    }
