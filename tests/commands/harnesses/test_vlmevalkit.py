"""VLMEvalKit builds the data set by name, shows questions in order, and scores as we do."""

import json
from pathlib import Path

import pytest
from commands.harnesses.exported import VLMEVALKIT_STARTS, answers_to, exported, run_in

from enact_assets.commands.harnesses.question_rows import text_and_pictures
from enact_assets.commands.harnesses.scoring import score_answer
from enact_assets.commands.harnesses.vlmevalkit import write_vlmevalkit

pytestmark = pytest.mark.slow

CODE = (
    VLMEVALKIT_STARTS
    + """
folder, answers = sys.argv[1], sys.argv[2]
os.environ["LMUData"] = folder
sys.path.insert(0, folder)
import pandas as pd
from enact_dataset import register
register()
from vlmeval.dataset import build_dataset
data = build_dataset("ENACT")
shown = {data.data.iloc[k]["index"]: data.build_prompt(k) for k in range(len(data.data))}
result = data.evaluate(answers)
scores = pd.read_csv(os.path.splitext(answers)[0] + "_scores.tsv", sep="\\t", dtype={"index": str})
found = [type(data).__name__, shown, result.to_dict("records"), scores.to_dict("records")]
print(json.dumps(found))
"""
)


def test_it_is_built_by_name_and_scores_as_we_do(tmp_path: Path) -> None:
    found = exported(tmp_path)
    folder = write_vlmevalkit(found)
    said = answers_to(found)
    answers = tmp_path / "m_ENACT.tsv"
    lines = ["index\tprediction", *(f"{id_}\t{text}" for id_, text in said.items())]
    answers.write_text("\n".join(lines) + "\n")
    name, shown, result, scores = run_in("vlmevalkit", CODE, folder, answers, home=tmp_path)
    assert name == "ENACT"
    assert set(shown) == set(said)
    by_id = {row["index"]: row for row in scores}
    right = steps = n_accepted = 0
    for row in found.rows.iter_rows(named=True):
        names = row["images_file_names"]
        assert [
            part["value"] if part["type"] == "text" else Path(part["value"]).read_bytes().hex()
            for part in shown[row["question_id"]]
        ] == [
            part if isinstance(part, str) else (found.folder / names[part]).read_bytes().hex()
            for part in text_and_pictures(row)
        ]
        ours = score_answer(
            said[row["question_id"]], row["kind"], row["answer"], json.loads(row["fits"])
        )
        assert by_id[row["question_id"]]["task"] == float(ours.is_accepted)
        assert by_id[row["question_id"]]["right"] == ours.n_right
        right, steps = right + ours.n_right, steps + ours.n_steps
        n_accepted += ours.is_accepted
    (whole,) = [row for row in result if row["kind"] == "all"]
    assert whole["pairwise_accuracy"] == pytest.approx(right / steps)
    assert whole["task_accuracy"] == pytest.approx(n_accepted / len(said))
    assert 0 < n_accepted < len(said)
