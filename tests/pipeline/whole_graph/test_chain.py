"""The whole chain, on a recording and on simulations: what is made, is fresh, and is scored."""

import duckdb
import numpy as np
import polars as pl
import pytest
from made_roots import Materialized

from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.tables import TABLES
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.pipeline.steps.changes import Changes
from enact_assets.questions.key_frames.component_index import ComponentIndex
from enact_assets.results.verification.expectation import expect_random_orders
from enact_assets.settings.registry import Gating


@pytest.fixture(params=["materialized", pytest.param("simulated", marks=pytest.mark.slow)])
def chain(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Materialized:
    found: Materialized = request.getfixturevalue(request.param)
    monkeypatch.setenv("ENACT_REGISTRY", str(found.registry_file))
    return found


def is_simulated(chain: Materialized) -> bool:
    """Or a recording in which everything goes the same way, which makes some models perfect."""
    return len(chain.registry.demonstrations) > 0


def query(chain, sql: str) -> pl.DataFrame:
    with duckdb.connect(str(chain.root / "enact.duckdb"), read_only=True) as connection:
        return connection.sql(sql).pl()


def index_of(lake: Lake, demonstration: str, gating: Gating) -> ComponentIndex:
    """The changes that verify questions about one demonstration."""
    replayed = {"demonstration": demonstration}
    here = {**replayed, "gating": gating.name}
    return Changes(
        frames=lake.read("segmented_frames", here),
        graphs=lake.read("scene_graphs", here),
        seen=lake.read("visibility", here),
        objects=lake.read("objects", replayed),
        later=lake.read("later_parents", replayed),
        demonstrations=lake.read("demonstrations", replayed),
        gating=gating,
    ).index


def test_every_table_has_rows_in_every_partition(chain) -> None:
    """An empty stage in the middle would leave empty marts and no error."""
    lake = DataResource(root=str(chain.root)).lake
    # Nothing is trained without a model that learns.
    learned = {"training_statistics", "fact_reader", "learned_precedences"}
    # Tests of their own: nothing here is an environment, and a recording has no plan.
    world = {"actions", "action_states", "wanted_clips", "clip_images", "film_images"}
    world |= {"annotated_actions", "training_plans", "captions"}
    world |= {name for name in TABLES if name.startswith("world_")}
    # Nobody answered.
    of_people = {"human_answers", "human_agreement", "question_quality", "kept_questions"}
    # No variant of these shows mirror images.
    not_here = {"official_questions", "mirrored_findings", *learned, *world}
    for name in sorted(set(TABLES) - not_here):
        partitions = lake.partitions(name)
        assert partitions, name
        for partition in partitions:
            # Embedded demonstrations measure masks at key frames instead; nothing is made twice.
            empty = {"observability" if is_simulated(chain) else "states", "later_parents"}
            empty |= of_people
            assert lake.read(name, partition).is_empty() == (name in empty), (name, partition)


def test_a_second_walk_does_nothing(chain) -> None:
    again = chain.again()
    assert again.made == []
    assert again.n_fresh > 0
    assert again.is_success


def test_oracle_scores_exactly_one_everywhere(chain) -> None:
    rows = query(chain, "select * from evaluation where model = 'oracle'")
    assert rows.height > 0
    assert rows.get_column("is_exact").all()
    assert (rows.get_column("pairwise_accuracy") == 1.0).all()


def test_every_parsed_answer_is_compared_and_agrees_with_its_score(chain) -> None:
    """Error analysis that looks at other changes than verification would explain nothing."""
    found = query(
        chain,
        "select model, variant, evaluation.kind, question_id, answer_status, is_exact, "
        "evaluation.n_steps_passed as scored, compared.n_steps_passed as compared, "
        "n_reference, n_predicted, n_missing + n_hallucinated as n_wrong, "
        "len(flatten(action_components)) as n_told "
        "from evaluation "
        "left join compared_answers as compared using (model, variant, question_id) "
        "left join asked_questions using (variant, question_id)",
    )
    parsed = found.filter(answer_status="parsed")
    assert parsed.height == parsed["compared"].count() == found["compared"].count() > 250
    assert (parsed["scored"] == parsed["compared"]).all()
    # Actions tell what shows of the true steps; an order of actions says no more and no less.
    assert (parsed["n_reference"] == parsed["n_told"]).all()
    inverse = parsed.filter(kind="inverse")
    assert (inverse["n_predicted"] == inverse["n_told"]).all()
    assert (parsed.filter("is_exact")["n_wrong"] == 0).all()
    assert parsed["n_wrong"].sum() > 250


def test_random_agrees_with_the_permutation_expectation(chain) -> None:
    """A verifier that accepts too much or too little moves random off its expectation.

    The expectation is exact per question; the mean over questions of the random model's scores
    must lie within its 99.9 % interval around the mean expectation.
    """
    data = DataResource(root=str(chain.root))
    gating = chain.registry.gating("state")
    questions = data.lake.read("asked_questions", {"variant": "baseline"})
    names = questions["demonstration"].unique()
    indexes = {name: index_of(data.lake, name, gating) for name in names}
    expected = expect_random_orders(questions, indexes).sort("question_id")
    scored = data.lake.read("evaluation", {"model": "random", "variant": "baseline"})
    scored = scored.sort("question_id")
    assert scored.height == expected.height > 50
    for got, wanted in (
        ("is_accepted", "expected_task_accuracy"),
        ("pairwise_accuracy", "expected_pairwise_accuracy"),
    ):
        difference = (
            scored.get_column(got).cast(pl.Float64).to_numpy()
            - expected.get_column(wanted).to_numpy()
        )
        error = difference.std(ddof=1) / np.sqrt(difference.size)
        assert abs(difference.mean()) < 3.3 * error, (got, difference.mean(), error)


def test_no_model_but_the_oracle_is_perfect_and_nothing_is_missing(chain) -> None:
    board = query(
        chain,
        "select model, kind, pairwise_accuracy, n_missing, n_unparsed from leaderboard_details "
        "where length is null and kind is not null",
    )
    assert board.get_column("n_missing").sum() == board.get_column("n_unparsed").sum() == 0
    others = board.filter(pl.col("model") != "oracle")
    is_imperfect = others.get_column("pairwise_accuracy") < 1.0
    assert is_imperfect.all() if is_simulated(chain) else is_imperfect.any()
    assert set(board.get_column("model")) == set(chain.registry.models)


def test_probe_questions_keep_their_text_and_change_their_pictures(chain) -> None:
    lake = DataResource(root=str(chain.root)).lake
    base = lake.read("predictions", {"model": "pixel_continuity", "variant": "baseline"})
    wide = lake.read("predictions", {"model": "pixel_continuity", "variant": "aperture_80"})
    both = wide.join(base, on="question_id")
    assert both.height == wide.height > 0
    assert (both.get_column("request_sha") != both.get_column("request_sha_right")).all()


@pytest.mark.slow
def test_a_variant_has_the_pictures_that_its_questions_show(simulated) -> None:
    """Pictures that nobody is shown are most of what rendering fourteen variants would cost."""
    lake = DataResource(root=str(simulated.root)).lake
    for partition in lake.partitions("frame_images"):
        rows = lake.read("frame_images", partition)
        variant = simulated.registry.variant(partition["variant"])
        demonstration = {"demonstration": partition["demonstration"]}
        known = lake.read("segmented_frames", {**demonstration, "gating": variant.gating})
        asked = lake.read("asked_questions", {"variant": variant.name}).filter(**demonstration)
        shown = set(asked["key_frames"].explode())
        is_baseline = variant.name == "baseline"
        assert set(rows["key_frame"]) == (set(known["key_frame"]) if is_baseline else shown)
        assert is_baseline or len(shown) < known.height, "nothing was left out: ask fewer"


def test_what_is_said_of_chance_and_of_edited_objects_covers_every_question(chain) -> None:
    """An inner join on a table with holes would quietly describe fewer questions."""
    counts = query(
        chain,
        "select (select count(*) from qa) as n_questions, "
        "(select count(*) from question_orders) as n_orders, "
        "(select count(*) from qa inner join question_orders "
        "using (demonstration, gating, question_id)) as n_both, "
        "(select count(*) from transition_graph) as n_edges, "
        "(select count(*) from transition_graph semi join edited_objects "
        "using (demonstration, gating, key_frame_from, key_frame_to)) as n_edited, "
        "(select min(pixels) from edited_objects) as min_px",
    ).row(0, named=True)
    assert counts["n_questions"] == counts["n_orders"] == counts["n_both"] > 0
    assert counts["n_edges"] == counts["n_edited"] > 0
    floor = chain.registry.gating("state").embedded_min_visible_fraction
    assert counts["min_px"] > (floor * 512**2 if is_simulated(chain) else 50)


@pytest.mark.slow
def test_embedded_steps_name_every_change_that_shows(simulated) -> None:
    """If the gating says so, and not otherwise."""
    of = simulated.registry.gatings
    found = DataResource(root=str(simulated.root)).lake.read_all("ambiguous_changes")
    untold = set(found.filter(ambiguity="untold")["gating"])
    assert untold == {name for name in set(found["gating"]) if not of[name].embedded_names_all}


def test_pictures_are_stored_once(chain) -> None:
    """The public release stores each picture again for every question."""
    lake = DataResource(root=str(chain.root)).lake
    shas = lake.read_all("frame_images").get_column("image_sha")
    files = list((chain.root / "images").rglob("*.png"))
    assert len(files) == shas.n_unique() < shas.len()


@pytest.mark.parametrize("model", ["random", "pixel_continuity", "text_prior"])
def test_answers_are_not_all_the_same(chain, model: str) -> None:
    lake = DataResource(root=str(chain.root)).lake
    answers = lake.read("predictions", {"model": model, "variant": "baseline"})
    assert answers.get_column("raw_answer").n_unique() > 10
