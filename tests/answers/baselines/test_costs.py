"""What is said of costs, of answers and of repainted pictures: nothing unknown is free."""

import dataclasses
import datetime as dt
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from answers.models.small_questions import messages, model
from rich.console import Console

from enact_assets.answers.baselines.costs import ENOUGH, Estimate, estimate
from enact_assets.answers.baselines.edit_costs import EditEstimate, estimate_edits
from enact_assets.answers.baselines.known_models import KnownModels
from enact_assets.answers.baselines.model_asker import ModelAsker
from enact_assets.answers.baselines.picture_editor import PROMPT, render_sha_of
from enact_assets.answers.baselines.predict import refuse_gaps
from enact_assets.answers.imported.answer_files import ImportedAnswer, add_answers
from enact_assets.answers.models.answers import Answer
from enact_assets.answers.models.entries import Model, ModelEntry, PictureTokens, Price
from enact_assets.answers.models.ledger import Kept
from enact_assets.answers.models.picture_edits import edit_requests
from enact_assets.commands.plan_output import print_costs
from enact_assets.demonstrations.pictures.tables import FrameImages, WantedFrames
from enact_assets.engine.errors import PredictionError, UnknownNameError
from enact_assets.pipeline.costs.expected import NOT_MADE, PlannedCost, edit_costs_of, in_all
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.settings.classes import Variant
from enact_assets.settings.editing import EditingSettings
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import load_registry

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


PRICE = Price(10.0, 40.0)
EDITING = EditingSettings("painter", tries=3)
A, B, C, D = (letter * 64 for letter in "abcd")
MOST_OUT = 8_192
"""Tokens of OpenAI's largest picture, with a margin: ``picture_wires``."""


def painter(price: Price | None = PRICE) -> Model:
    entry = ModelEntry(id="openai-images/p", price=price)
    return Model("painter", entry, "openai_images", "p", "http://far.example/v1", "", {}, Path())


def replies(*tries: tuple[str, int], tokens: int | None = None) -> Kept:
    """A ledger with the reply to each (picture, attempt)."""
    shas = [edit_requests(painter(), [sha], PROMPT, n)[sha].sha for sha, n in tries]
    answers = {s: Answer(s, "picture", "p", text=s, tokens_in=tokens, tokens_out=tokens)
               for s in shas}  # fmt: skip
    return Kept(answers, Counter())


def render_sha(sha: str, attempt: int) -> str:
    return render_sha_of(edit_requests(painter(), [sha], PROMPT, attempt)[sha].sha)


def estimated(kept: Kept, *pictures: str | None, accepted: str = "", n: int = 0) -> EditEstimate:
    return estimate_edits(painter(), EDITING, pictures, kept, {accepted}, n_unknown=n)


def test_before_anything_is_bought_each_picture_counts_what_is_set_aside_for_it() -> None:
    found = estimated(replies(), A, B, B, None, n=2)
    assert (found.n_to_buy, found.n_open, found.n_known, found.n_requests) == (3, 0, 0, 9)
    most = edit_requests(painter(), [A], PROMPT, 0)[A].most_usd
    assert most > MOST_OUT * 40 / 1e6
    assert (found.usd, found.usd_at_most) == pytest.approx((3 * most, 9 * most))
    assert found.words() == (
        "3 pictures to buy; those of 2 demonstrations are not known yet (make wanted_frames, which "
        f"costs nothing): up to about {3 * most:.2f} USD (no bought pictures to learn from, so "
        f"each counts the limit of tokens); up to about {9 * most:.2f} USD if all are rejected "
        "until the last try."
    )


def test_each_try_that_is_left_counts_once() -> None:
    """A was accepted, B's second reply is not judged yet, C has no try left, D was never sent."""
    kept = replies((A, 0), (B, 0), (B, 1), (C, 0), (C, 1), (C, 2))
    found = estimated(kept, A, B, C, D, accepted=render_sha(A, 0))
    assert (found.n_to_buy, found.n_open, found.n_known, found.n_requests) == (1, 1, 2, 1 + 3)
    # Accepted at a later try, as well.
    assert estimated(kept, B, accepted=render_sha(B, 1)).n_requests == 0
    assert estimated(kept, C).words() == "0 pictures to buy; 1 more in the ledger."


def test_a_reply_that_was_paid_for_and_not_readable_is_a_try() -> None:
    kept = replies()
    first = edit_requests(painter(), [A], PROMPT, 0)[A].sha
    for n_paid, n_left in ((1, 3), (2, 2)):  # twice is the default of `max_unreadable`
        kept.unreadable[first] = n_paid
        assert estimated(kept, A).n_requests == n_left


def test_enough_bought_pictures_say_what_one_costs() -> None:
    others = [(f"{k:064x}", 0) for k in range(ENOUGH)]
    found = estimated(replies(*others, tokens=1_000), A, B)
    assert not found.is_bound
    assert found.usd == pytest.approx(2 * (1_000 * 10 + 1_000 * 40) / 1e6)
    assert f"about 0.1 USD (as {ENOUGH} bought pictures); about 0.3 USD if all" in found.words()
    few = estimated(replies(*others[1:], tokens=1_000), A, B)
    assert few.is_bound
    assert f"only {ENOUGH - 1} bought pictures to learn from" in few.words()


def test_nothing_unknown_is_free() -> None:
    found = estimate_edits(painter(None), EDITING, [A], replies(), ())
    assert found.words() == (
        "1 picture to buy: price unknown: set `price` of painter in models.yaml, in USD."
    )


def test_a_plan_counts_the_baselines_pictures_of_wanted_frames(tmp_path: Path) -> None:
    registry = load_registry()
    variant = Variant("repainted", "state", editing=EDITING)
    free = Variant("free", "state", editing=EditingSettings("mine"))
    lost = Variant("lost", "state", editing=EditingSettings("nobody"))
    added = {v.name: v for v in (variant, free, lost)}
    registry = dataclasses.replace(registry, variants={**registry.variants, **added})
    (tmp_path / "models.yaml").write_text(
        "models:\n  painter: {id: openai-images/p, price: {in: 10, out: 40}}\n"
        "  mine: {id: openai-images/p, price: {in: 0, out: 0}}\n"
    )
    data = DataResource(root=str(tmp_path), lake_url=None)
    here = {"demonstration": "d", "variant": "repainted"}
    row = {**here, "gating": "state"}
    wanted = [{**row, "key_frame": k, "frame": 30 * k, "frame_id": 30 * k} for k in range(4)]
    data.lake.write("wanted_frames", WantedFrames.build(wanted), here)
    partitions = [("d", name) for name in added] + [("e", "repainted"), ("d", "baseline")]

    def planned() -> list[PlannedCost]:
        return edit_costs_of(data, registry, partitions)

    cost = planned()[0].cost
    assert isinstance(cost, EditEstimate)
    assert (cost.n_to_buy, cost.n_unknown) == (4, 1)
    # Made since: two of the four look the same.
    theirs = {**here, "variant": "baseline"}
    size = {"render_sha": "1" * 64, "width_px": 32, "height_px": 32}
    images = [
        {**row, **theirs, "key_frame": k, "frame": 30 * k, "image_sha": sha, **size}
        for k, sha in enumerate((A, B, B, C, D))
    ]
    data.lake.write("frame_images", FrameImages.build(images), theirs)
    repainted, unknown = planned()
    assert isinstance(repainted.cost, EditEstimate)
    assert (repainted.name, repainted.variant) == ("painter", "repainted")
    assert repainted.cost.n_to_buy == 3
    assert (unknown.variant, unknown.cost) == ("lost", None)
    assert "unknown model 'nobody'" in unknown.problem
    assert in_all([repainted, unknown]) == (
        f"In all up to about {repainted.cost.usd:.2f} USD, "
        "and 1 partition whose price is not known, and pictures of 1 demonstration that are not "
        "known yet."
    )
    # A recording without pictures has none to repaint.
    data.lake.write("frame_images", FrameImages.empty(), theirs)
    cost = planned()[0].cost
    assert isinstance(cost, EditEstimate)
    assert cost.n_to_buy == 0


def test_only_models_of_pictures_have_such_a_price() -> None:
    seer = Model("seer", ModelEntry(id="chat/s"), "openai_chat", "s", "", "", {}, Path())
    with pytest.raises(PredictionError, match="seer edits no pictures"):
        estimate_edits(seer, EDITING, [A], replies(), ())


def test_missing_answers_name_three_ways_out() -> None:
    """Researcher F12: 13 of 2,304 cost the row, and the third was not named."""
    lost = Answer("sha", "q0", "seer", error="too long")
    answers = {("q0", 0): lost, ("q1", 0): Answer("sha", "q1", "seer", text="[1]")}
    refuse_gaps("seer", "baseline", answers, 1)
    with pytest.raises(PredictionError) as raised:
        refuse_gaps("seer", "baseline", answers, 0)
    for way in ("run the same command again", "`max_missing: 1` in the entry of seer", "forget"):
        assert way in str(raised.value)
