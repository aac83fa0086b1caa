"""What answers to questions of WorldPrediction will cost, as a plan says."""

from pathlib import Path

from questions.world.asked_rooms import ASKED, SOURCE, WORLD, asked_root

from enact_assets.engine.lake.lake import Lake
from enact_assets.pipeline.costs.expected import costs_of
from enact_assets.pipeline.runs.resources import DataResource

MODELS = """models:
  sees: {id: chat/sees, base_url: 'http://127.0.0.1:9/v1', price: {in: 1, out: 2},
         picture_tokens: {rule: fixed, numbers: [256]}, parameters: {max_tokens: 100}}
  reads: {id: chat/reads, base_url: 'http://127.0.0.1:9/v1', price: {in: 1, out: 2}, max_images: 0}
  free: {id: chat/free, base_url: 'http://127.0.0.1:9/v1', price: {in: 0, out: 0}}
"""


def test_models_and_captioners_are_planned_and_readers_are_not_known(tmp_path: Path) -> None:
    root = asked_root(tmp_path)
    (tmp_path / "models.yaml").write_text(MODELS)
    data = DataResource(root=str(tmp_path))
    names = ("oracle", "sees", "sees+reads", "free", "nobody", "sees+free")
    found = costs_of(data, [(name, WORLD) for name in names])
    told = [(cost.name, cost.problem) for cost in found]
    assert told[:3] == [("sees", ""), ("sees", ""), ("reads", "its captions are not written yet")]
    assert told[3][0] == "nobody"
    assert "is known no more" in told[3][1]
    assert told[4:] == [("sees", "")]  # the reader of the last pair costs nothing
    answers, captions = found[0].cost, found[1].cost
    assert answers is not None
    assert captions is not None
    lake = Lake(root.lake)
    assert answers.n_to_buy == lake.read("asked_questions", ASKED).height
    n_clips = lake.read("world_candidates", SOURCE).n_unique(["recording", "action"])
    assert captions.n_to_buy == lake.read_all("frame_images").height + n_clips
    assert captions.usd is not None
    assert 0 < captions.usd < 1
    (unmade,) = costs_of(data, [("sees", "world:films")])
    assert unmade.problem == "its questions are not made yet"


def test_a_captioner_and_a_reader_cost_nothing_under_variants_of_enact(tmp_path: Path) -> None:
    """They answer WorldPrediction alone; a plan named both as not known."""
    asked_root(tmp_path)
    (tmp_path / "models.yaml").write_text(MODELS)
    assert costs_of(DataResource(root=str(tmp_path)), [("sees+reads", "baseline")]) == []
