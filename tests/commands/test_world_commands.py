"""Commands about questions of WorldPrediction: who is asked, what is listed and exported."""

import json
from pathlib import Path

import pytest
from questions.world.asked_rooms import ASKED, WORLD, asked_root

from enact_assets.cli import main
from enact_assets.engine.lake.lake import Lake


@pytest.mark.parametrize(
    ("model", "variant", "said"),
    [
        # It answered [1, 2, 3], and was wrong in all questions.
        ("oracle", WORLD, "oracle answers WorldPrediction without being asked: `enact-assets "),
        ("clip_chain", WORLD, "`enact-assets materialize --model clip_chain --variant world:emb"),
        ("identity", WORLD, "identity is a reference baseline of ENACT: it does not answer"),
        ("a+b", WORLD, "a+b: a captioner and a reader are asked by `enact-assets materialize"),
        ("a+b", "baseline", "a+b: a captioner and a reader answer WorldPrediction alone"),
        ("random", "world:nothing", "unknown step file 'nothing'"),
        ("random", "world:", "unknown variant 'world:'"),
    ],
)
def test_those_that_nobody_asks_are_named(
    model: str, variant: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked_root(tmp_path)
    assert main(["ask", model, "--variant", variant, "--data", str(tmp_path)]) == 2
    assert said in capsys.readouterr().err.replace("\n", " ")


def test_its_questions_are_exported_and_answers_to_them_imported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`export` knew no question set of this name."""
    root = asked_root(tmp_path / "root")
    file, data = tmp_path / "out/questions.jsonl", ("--data", str(root.root))
    assert main(["export", WORLD, str(file), *data]) == 2
    assert "export them with --form messages" in capsys.readouterr().err.replace("\n", " ")
    assert main(["export", WORLD, str(file), "--form", "messages", "--answers", *data]) == 0
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert len(lines) == Lake(root.lake).read("asked_questions", ASKED).height
    assert {line["n_entries"] for line in lines} == {1}
    assert all((file.parent / p["picture"]).is_file() for p in lines[0]["parts"] if "picture" in p)
    answers = tmp_path / "answers.jsonl"
    told = [
        {name: line[name] for name in ("question_id", "shown_sha")} | {"answer": "A"}
        for line in lines
    ]
    answers.write_text("".join(json.dumps(line) + "\n" for line in told))
    imported = ["import-answers", str(answers), "--variant", WORLD, *data, "--model"]
    for name in ("markov", "a+b"):
        assert main([*imported, name]) == 2
    assert main([*imported, "other"]) == 0
    assert f"{len(lines)} answers of other under {WORLD}" in capsys.readouterr().out


def test_baselines_and_question_sets_are_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`models first` ended with a KeyError."""
    asked_root(tmp_path)
    assert main(["models", "first", "--data", str(tmp_path)]) == 0
    assert "first: a reference baseline. Always A." in capsys.readouterr().out
    (tmp_path / "step_files/films").mkdir(parents=True)
    assert main(["list", "--data", str(tmp_path)]) == 0
    assert f"{WORLD}, world:films" in capsys.readouterr().out
