"""The schedule that collects batches runs while there are any, and puts answers into the ledger."""

from pathlib import Path

import dagster as dg
import pytest
from answers.models.small_questions import messages, read_picture

from enact_assets.answers.models.bought_batches import ledger_folders, submit
from enact_assets.answers.models.budget import Budget
from enact_assets.answers.models.ledger import read_answers
from enact_assets.pipeline.dagster.batch_collection import collect_batches, hourly_batches
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.settings.paths import DataRoot

from reference.batch_server import serving
from reference.misbehaving_server import answer_to

pytestmark = pytest.mark.slow


def test_answers_are_collected_while_a_batch_is_open(tmp_path: Path) -> None:
    data, root = DataResource(root=str(tmp_path)), DataRoot(tmp_path, lake_url=None)
    context = dg.build_schedule_context(resources={"data": data})
    assert isinstance(hourly_batches(context), dg.SkipReason)
    with serving() as server:
        (tmp_path / "models.yaml").write_text(
            "models:\n  seer:\n    id: chat/seer-2\n    key: ''\n"
            f"    base_url: {server.url}/v1\n    price: {{in: 1.0, out: 2.0}}\n"
            "    parameters: {max_tokens: 100}\n"
        )
        seer = data.models.find("seer")
        assert seer is not None
        budget = Budget(root.ledger, 1.0)
        submit(seer, messages(3), read_picture, root.ledger, budget=budget)
        for _ in range(2):  # the server's batch ends at the second look
            assert isinstance(hourly_batches(context), dg.RunRequest)
            with dg.instance_for_test() as instance:
                run = collect_batches.execute_in_process(
                    resources={"data": data}, instance=instance
                )
            assert run.success
    said = {a.question_id: a.text for a in read_answers(root.ledger).values()}
    assert {said[f"q{k}"] for k in range(3)} == {answer_to(f"q{k}") for k in range(3)}
    assert not ledger_folders(root.ledger)
    assert isinstance(hourly_batches(context), dg.SkipReason)
