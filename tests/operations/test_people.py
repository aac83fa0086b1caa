"""People in a data root: invited and planned by the command, scored like any model."""

from pathlib import Path

import polars as pl
import pytest
from tiny_roots import TinyRoot

from enact_assets.answers.people.store import Store, Submission
from enact_assets.cli import main
from enact_assets.engine.lake.lake import Lake
from enact_assets.pipeline.driver.materialize import Driver
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import load_registry

pytestmark = pytest.mark.slow
NAMES = ("person_1", "person_2", "solver_1")
MADE = ("predictions", "evaluation", "human_answers", "human_agreement", "question_quality")


def annotate(root: Path, *words: str) -> int:
    return main(["annotate", *words, "--data", str(root)])


def answer_all(store: Store, truth: dict[str, list[int]], *, but: int = 0) -> None:
    """All that annotators were assigned: right, but every fifth answer of the second; ``but`` stay
    open.
    """
    for annotator in store.annotators():
        rows = [r for r in store.assignments(annotator.id) if r["revision"] is None]
        for k, row in enumerate(rows[: len(rows) - but]):
            given: list[int] | None = list(truth[row["question_id"]])
            if annotator.id == "person_2" and k % 5 == 4:
                given = None if k % 2 else [*given[1:], given[0]]
            reason = None if given else "unseen"
            store.save(row, Submission(f"{row['id']} {k} {but}", given, reason, "", 4000))


def test_people_answer_and_are_scored(
    tiny: TinyRoot, copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert annotate(copied, "invite", "Ada", "Bert") == 0
    assert annotate(copied, "invite", "machine", "--role", "solver") == 0
    said = capsys.readouterr().out
    assert said.count("/join/") == 3
    assert annotate(copied, "plan", "--plan", "k_each", "--k", "2") == 0
    lake, root = Lake(copied / "lake"), DataRoot(copied)
    asked = lake.read("asked_questions", {"variant": "baseline"})
    truth = dict(asked.select("question_id", "answer").iter_rows())
    store = Store(root.people)
    for annotator in store.annotators():
        while store.draw(annotator):
            pass
    answer_all(store, truth, but=2)
    report = tiny.driver(copied).run(models=NAMES, assets=MADE)
    assert report.is_success, [f.message for f in report.failures]
    of = {"model": "person_2", "variant": "baseline"}
    predictions = lake.read("predictions", of)
    assigned = {r["question_id"] for r in store.assignments("person_2") if not r["is_practice"]}
    assert set(predictions["question_id"]) == assigned
    assert predictions["raw_answer"].null_count() == 2
    assert set(predictions["error"].drop_nulls()) == {"the annotator has not answered it yet"}
    evaluation = lake.read("evaluation", of)
    cannot = evaluation.filter(answer_status="unparsed")
    assert cannot.height > 0
    assert not cannot["is_accepted"].any()
    assert lake.read("evaluation", {**of, "model": "person_1"})["is_accepted"].all()
    agreement = lake.read("human_agreement", {"variant": "baseline"})
    whole = agreement.filter(pl.col("kind").is_null(), pl.col("length").is_null(), role="person")
    unanimous = whole.filter(measure="unanimous")["value"].item()
    assert 0.75 < unanimous < 1
    assert agreement.filter(role="solver").is_empty()  # alone
    quality = lake.read("question_quality", {"variant": "baseline"})
    assert set(quality["role"]) == {"person", "solver"}
    # Nothing is made twice, and another answer makes its annotator stale alone.
    plan, _ = tiny.driver(copied).plan(models=NAMES, assets=("predictions",))
    assert not plan.stale
    answer_all(store, truth)
    plan, _ = tiny.driver(copied).plan(models=NAMES, assets=("predictions",))
    stale = {one.partition for one in plan.stale}
    assert ("person_2", "baseline") in stale
    report = tiny.driver(copied).run(models=NAMES)
    assert report.is_success, [f.message for f in report.failures]
    assert main(["sql", "from leaderboard", "--data", str(copied)]) == 0
    said = capsys.readouterr().out
    assert "people (2)" in said
    assert "solvers (1)" in said
    assert "person_1" not in said
    assert lake.read("predictions", of)["raw_answer"].null_count() == 0
    check_kept(tiny, copied, store, truth)


def check_kept(tiny: TinyRoot, root: Path, store: Store, truth: dict[str, list[int]]) -> None:
    """A question set keeps what both persons solved; a third person measures how well people do."""
    registry = root / "registry.yaml"
    more = "question_sets:\n  solved: {gating: state, keep: solved_by >= 2 of 2}\n"
    registry.write_text(tiny.registry.read_text() + more)
    driver = Driver(root, registry=load_registry(registry), workers=1)
    made = ("question_quality", "kept_questions")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ENACT_REGISTRY", str(registry))
        assert driver.run(assets=made).is_success
        lake = Lake(root / "lake")
        kept = lake.read("kept_questions", {"question_set": "solved"})
        n_kept = kept["is_kept"].sum()
        assert 0 < n_kept < kept.height
        assert lake.read("kept_questions", {"question_set": "state"}).is_empty()
        assert annotate(root, "invite", "Cleo") == 0
        assert annotate(root, "plan", "--plan", "k_each", "--k", "3", "--kept", "solved") == 0
        third = next(a for a in store.annotators() if a.id == "person_3")
        while store.draw(third):
            pass
        answer_all(store, truth)
        assert driver.run(models=["person_3"], assets=made).is_success
        after = lake.read("kept_questions", {"question_set": "solved"})
    assert after["is_kept"].sum() == n_kept
    assert set(after.filter(pl.col("n_later") > 0)["is_kept"]) == {True}
    assert after["n_later_solved"].sum() == after["n_later"].sum() > 0


def test_wrong_use_of_the_command_says_what_to_do(
    copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words, says in (
        (("invite",), "name at least one annotator"),
        (("plan",), "invite them first"),
        (("plan", "--kept", "solved"), "--plan k_each"),
        (("plan", "--k", "0"), "--k must be at least 1"),
        (("plan", "--variant", "nix"), "nix"),
        (("serve", "Ada"), "takes no names"),
        (("invite", "person_7", "--again"), "person_7"),
        (("serve", "--host", "0.0.0.0"), "--public-name"),  # noqa: S104
        (("import-answers",), ""),
    ):
        if words == ("import-answers",):
            answers = copied / "a.jsonl"
            answers.write_text("{}")
            line = ["import-answers", str(answers), "--model", "person_1", "--data", str(copied)]
            assert main(line) == 2
            assert "name of an annotator" in capsys.readouterr().err
            continue
        assert annotate(copied, *words) == 2
        assert says in " ".join(capsys.readouterr().err.split())
