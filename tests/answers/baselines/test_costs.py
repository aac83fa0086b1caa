"""What is said of the cost of answers: nothing unknown is free, nothing estimated is exact."""

import datetime as dt
from pathlib import Path
from typing import Any

import msgspec
import pytest
from answers.models.small_questions import messages, model
from rich.console import Console

from enact_assets.answers.baselines.costs import ENOUGH, Estimate, estimate
from enact_assets.answers.baselines.known_models import KnownModels
from enact_assets.answers.baselines.model_asker import ModelAsker
from enact_assets.answers.imported.answer_files import ImportedAnswer, add_answers
from enact_assets.answers.models.answers import Answer
from enact_assets.answers.models.entries import Model, PictureTokens, Price
from enact_assets.commands.plan_output import print_costs
from enact_assets.engine.errors import PredictionError, UnknownNameError
from enact_assets.pipeline.costs.expected import NOT_MADE, PlannedCost, in_all
from enact_assets.settings.paths import DataRoot

FIXED = PictureTokens("fixed", (100,))


def said(asked: Model, n_bought: int = 0) -> str:
    bought = [Answer("sha", "q", "seer", text="", tokens_out=7) for _ in range(n_bought)]
    return estimate(asked, messages(4), n_bought, bought).words()


def test_an_estimate_says_where_its_length_is_from() -> None:
    """A few answers are too few to learn from, but they were bought."""
    seer = model("http://far.example", picture_tokens=FIXED)
    assert "up to 400 out, up to about 0.0016 USD (no bought answers to learn from" in said(seer)
    assert "(only 3 bought answers to learn from" in said(seer, 3)
    enough = said(seer, ENOUGH)
    assert "about 28 out, about 0.00" in enough
    assert f"as in {ENOUGH} bought answers" in enough


@pytest.mark.parametrize(
    ("entry", "lacks"),
    [
        ({"price": None}, "set `price` of seer in models.yaml, in USD"),
        ({"price": Price(1.0, 2.0, currency="CNY")}, "set `price` of seer in models.yaml, in USD"),
        ({"picture_tokens": None}, "seer has no rule `picture_tokens`"),
    ],
)
def test_a_price_that_is_not_known_says_what_lacks(entry: dict[str, Any], lacks: str) -> None:
    words = said(model("http://far.example", **{"picture_tokens": FIXED} | entry))
    assert f"price unknown: {lacks}" in words
    assert "free" not in words


def test_a_model_of_this_process_may_cost_money() -> None:
    """What Inspect asks is charged for; its limit of tokens has a name of its own."""
    insp = model("", "inspect", picture_tokens=FIXED)
    assert "price unknown: `parameters` of seer set no limit" in said(insp)
    limited = msgspec.structs.replace(insp, parameters={"max_tokens": 100})
    assert said(limited) == said(model("http://far.example", picture_tokens=FIXED))
    free = msgspec.structs.replace(model("", "python", price=None), parameters={})
    assert said(free, 3) == "4 answers to ask for; 3 more are in the ledger: free."


def test_a_sum_names_what_it_leaves_out(capsys: pytest.CaptureFixture[str]) -> None:
    old = model("http://far.example", retired=dt.date(2020, 1, 1))
    known = Estimate(3, 0, tokens_in=9, tokens_out=9, usd=2.5)
    costs = [
        PlannedCost("seer", "baseline", old, known),
        PlannedCost("seer", "emoji", old, known),
        PlannedCost("seer", "noise", old, problem=NOT_MADE),
        PlannedCost("seer", "blurred", old, Estimate(3, 0, why_unknown="no rule")),
        PlannedCost("gone", "baseline", problem="is known no more"),
        PlannedCost("gone", "emoji", problem="is known no more"),
    ]
    assert in_all(costs) == (
        "In all about 5.00 USD, and 1 partition whose questions are not made yet, and 3 partitions "
        "whose price is not known."
    )
    assert in_all(costs[:1]) is None
    print_costs(Console(width=500), costs)
    printed = capsys.readouterr().out
    assert printed.count("was retired on 2020-01-01") == 1
    assert printed.count("gone: not known: is known no more") == 1
    assert "seer noise: not known: its questions are not made yet" in printed


def test_imported_answers_are_asked_of_nobody_and_cost_nothing(tmp_path: Path) -> None:
    """An id means the name that answers were imported under, whoever knows its provider."""
    (tmp_path / "models.yaml").write_text("models: {mine: {id: vllm/m, price: {in: 1, out: 2}}}")
    root = DataRoot(tmp_path)
    known = KnownModels(root)
    assert known.called("vllm/m") == "mine"
    assert known.called("lab/m/7b") == "lab:m+7b"
    assert known.called("lab:m") == "lab:m"
    with pytest.raises(UnknownNameError, match="unknown model 'lab/m/7b'"):
        known.find("lab/m/7b")
    for name in ("mine", "lab:m+7b"):
        add_answers(root, name, "baseline", [ImportedAnswer("q0", "[1]")])
    for text, name in (("vllm/m", "mine"), ("lab/m/7b", "lab:m+7b"), ("lab:m+7b", "lab:m+7b")):
        found = known.find(text)
        assert found is not None
        assert (found.name, found.channel, found.costs_money) == (name, "answers", False)
    ask = ModelAsker(root, lambda _: b"")
    answer = ask("mine", "baseline", messages(1))["q0", 0]
    assert (answer.text, answer.stop) == ("[1]", None)


def test_what_cannot_be_asked_is_an_error_of_ours(tmp_path: Path) -> None:
    ask = ModelAsker(DataRoot(tmp_path), lambda _: b"")
    with pytest.raises(PredictionError, match="oracle is a reference baseline"):
        ask("oracle", "baseline", [])
    with pytest.raises(UnknownNameError, match="`enact-assets forget model seer`"):
        ask("seer", "baseline", [])
