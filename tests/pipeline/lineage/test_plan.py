"""Plans on a small world: what is stale, what may follow, and where a change ends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pipeline.lineage.small_world import NAMES, World

from enact_assets.engine.planning.freshness import answers, answers_of_parts, not_current
from enact_assets.engine.planning.lineage import NEVER, entry_changed
from enact_assets.engine.planning.marks import Marks
from enact_assets.engine.planning.states import State
from enact_assets.engine.planning.verdicts import judge
from enact_assets.engine.provenance import InputVersion, Provenance
from enact_assets.pipeline.driver.chosen import Chosen
from enact_assets.pipeline.driver.walk import planned
from enact_assets.pipeline.lineage.graph import EXTERNAL, GRAPH, ROOTS, STEP_NAMED, STEP_OF, STEPS
from enact_assets.pipeline.lineage.versions import setting_changes

from reference.lineage import closure, upstream

MADE = [(asset, p) for asset in STEP_OF for p in NAMES.partitions(asset) if asset not in ROOTS]
SETTINGS = [(root, p) for root in ROOTS for p in NAMES.partitions(root)]
SETTINGS += [(asset, p) for asset in EXTERNAL for p in NAMES.partitions(asset)]


def test_partitions_follow_as_the_obvious_twin_says() -> None:
    """An upstream partition that is forgotten is a change that nobody notices, for ever."""
    lineage = World().lineage
    for step in STEPS:
        for follow, given_input in zip(lineage.follows(step), step.inputs, strict=True):
            for partition in lineage.partitions(step):
                expected = upstream(step, partition, given_input, NAMES)
                found = set(lineage.states.members(follow, partition))
                assert found == expected, (step.name, given_input, partition)


def test_what_was_just_made_is_fresh() -> None:
    world = World()
    assert world.stale() == set()
    plan = judge(world.lineage)
    assert plan.stale == ()
    assert plan.may_follow == {}
    assert plan.n_fresh == sum(len(world.lineage.partitions(step)) for step in STEPS)


def test_what_one_model_learned_is_no_input_of_another() -> None:
    """Answers that cost money would be stale as soon as there is a model that is trained."""
    world, step = World(), STEP_NAMED["predictions"]
    read = {m: set(world.lineage.inputs(step, (m, "baseline"))) for m in ("oracle", "fact_reader")}
    assert read["fact_reader"] - read["oracle"] == {"fact_reader", "learned_precedences"}
    world.make(STEP_NAMED["training_statistics"], ("fold",), "other")
    assert world.stale() == {("fact_reader", ("fact_reader",))}
    world.make(STEP_NAMED["fact_reader"], ("fact_reader",), "other")
    stale = {p for name, p in world.stale() if name == "predictions"}
    assert stale == {("fact_reader", variant) for variant in NAMES.of["variant"]}


@given(st.sets(st.sampled_from(SETTINGS), min_size=1, max_size=3))
def test_a_changed_setting_makes_stale_what_reads_it_and_the_rest_may_follow(changed) -> None:
    world = World()
    for asset, partition in changed:
        world.lineage.states.set(asset, partition, State("another"))
    plan = judge(world.lineage)
    roots = {(asset, p) for asset, p in changed if asset in ROOTS}
    stale = {(s.step, s.partition) for s in plan.stale}
    following = {(name, p) for name, ps in plan.may_follow.items() for p in ps}
    assert stale.isdisjoint(following)
    assert stale | following == closure(STEPS, changed, NAMES) | roots
    assert stale >= roots
    for name, partition in stale - roots:
        step = STEP_NAMED[name]
        read = {(i.asset, q) for i in step.inputs for q in upstream(step, partition, i, NAMES)}
        assert not read.isdisjoint(changed)


@given(st.sampled_from(MADE), st.data())
def test_walking_a_plan_ends_and_touches_nothing_else(changed, data) -> None:
    """Made step by step, with rows that change or not: only the closure is ever made."""
    world = World()
    asset, partition = changed
    world.lineage.states.set(asset, partition, None)
    step_of = STEP_OF[asset]
    allowed = closure(STEPS, {(a, partition) for a in step_of.assets}, NAMES)
    allowed.add((step_of.name, partition))
    made = set()
    for step in STEPS:
        for p in world.lineage.partitions(step):
            if world.lineage.causes(step, p):
                made.add((step.name, p))
                world.make(step, p, data.draw(st.sampled_from(["0", "1"])))
    assert made <= allowed
    assert world.stale() == set()


def test_equal_content_ends_a_change() -> None:
    """Early cut-off: re-made with the same rows, nothing downstream is made again."""
    world = World()
    step = STEP_NAMED["segmentation"]
    world.code |= {"segmented_frames": "new", "scene_graphs": "new"}
    stale = world.stale()
    assert stale == {("segmentation", p) for p in world.lineage.partitions(step)}
    causes = world.lineage.causes(step, ("fold-0", "state"))
    assert all(str(cause).startswith("its code changed") for cause in causes)
    for _, partition in stale:
        world.make(step, partition, "0")
    assert world.stale() == set()


def test_a_name_that_comes_or_goes_changes_what_rolls_it_up() -> None:
    """Files stay when a demonstration is forgotten: no file changes, and yet the set is stale."""
    world = World()
    fewer = {**NAMES.of, "demonstration": NAMES.of["demonstration"][:2]}
    for asset in ("qa", "scene_graphs", "visibility", "objects", "demonstrations"):
        for partition in [p for p in world.lineage.states.of[asset] if p[0] == "pour-0"]:
            world.lineage.states.set(asset, partition, None)
    assert len(fewer["demonstration"]) == 2
    causes = world.lineage.causes(STEP_NAMED["question_set"], ("state",))
    assert any("qa changed (2 partitions, were 3" in str(cause) for cause in causes)


def test_every_reason_is_told_in_words() -> None:
    world = World()
    states, step = world.lineage.states, STEP_NAMED["path_counts"]
    partition = ("fold-1", "state")
    made = states.get("path_counts", partition)
    assert made is not None

    def told() -> list[str]:
        return [str(cause) for cause in world.lineage.causes(step, partition)]

    states.set("path_counts", partition, None)
    assert told() == [NEVER]
    states.set("path_counts", partition, State("x"))
    assert told() == ["it does not say what it was made from"]
    states.set("path_counts", partition, State("", None, "its file is cut short"))
    assert told() == ["its file is cut short"]
    others = Provenance("older", {**made.provenance.inputs, "facts": InputVersion("f", 1)})
    states.set("path_counts", partition, State("x", others))
    assert told() == ["its code changed (older -> code)", "facts is no longer an input"]
    lacking = {n: v for n, v in made.provenance.inputs.items() if n != "gating_config"}
    states.set("path_counts", partition, State("x", Provenance("code", lacking)))
    assert told() == ["gating_config is a new input"]


def test_a_multi_asset_is_made_again_when_one_of_its_tables_is_gone() -> None:
    """A run that was killed between two of its files must not count as done."""
    world = World()
    world.lineage.states.set("scene_graphs", ("fold-0", "state"), None)
    causes = world.lineage.causes(STEP_NAMED["segmentation"], ("fold-0", "state"))
    assert [str(c) for c in causes] == ["scene_graphs is not there"]


@pytest.mark.parametrize(
    ("n_failed", "is_blocked"), [(0, False), (1, False), (2, False), (3, True)]
)
def test_a_roll_up_is_blocked_only_when_all_it_rolls_up_failed(n_failed, is_blocked) -> None:
    """One failed demonstration must not stop the others; none at all must not give an empty set."""
    lineage, failed = World().lineage, Marks()
    for demonstration in NAMES.of["demonstration"][:n_failed]:
        failed.add(["qa"], (demonstration, "state"))
    assert lineage.is_blocked(STEP_NAMED["question_set"], ("state",), failed) is is_blocked
    assert not lineage.is_blocked(STEP_NAMED["question_set"], ("contact",), failed)
    orders = STEP_NAMED["question_orders"]
    assert lineage.is_blocked(orders, ("fold-0", "state"), failed) is (n_failed > 0)


def test_what_is_not_there_yet_is_no_reason() -> None:
    """An input that will be made again may come out as it was: then nothing follows."""
    world = World()
    world.lineage.states.set("trajectories", ("fold-0", "state"), None)
    plan = judge(world.lineage)
    assert [(s.step, s.partition) for s in plan.stale] == [("trajectories", ("fold-0", "state"))]
    assert plan.may_follow["qa"] == (("fold-0", "state"),)


def test_an_input_that_cannot_be_read_is_no_reason() -> None:
    """It is to be made again itself, and may come out as it was."""
    world = World()
    step, partition = STEP_NAMED["evaluation"], ("oracle", "baseline")
    world.lineage.states.set("predictions", partition, State("", problem="damaged"))
    assert "predictions" not in world.lineage.inputs(step, partition)
    assert world.lineage.causes(step, partition) == ()


def out_of_date(world: World) -> list[tuple[str, str | None, str]]:
    rows = not_current(world.lineage, lambda _asset: ()).filter(state="stale")
    return rows.select("asset", "partition", "why").rows()


def test_stale_rows_are_those_that_are_there() -> None:
    """Never made is not out of date; what is made from something stale is."""
    world = World()
    world.lineage.states.set("path_counts", ("fold-0", "state"), None)
    assert out_of_date(world) == []
    world.lineage.states.set("variant_config", ("high",), State("another"))
    rows = out_of_date(world)
    of_variants = [key for asset, key, _ in rows if asset != "probe_panels"]
    assert {str(key).split("|")[-1] for key in of_variants} == {"high"}
    why = {(asset, key): text for asset, key, text in rows}
    assert why["frame_images", "fold-0|high"].startswith("variant_config changed (variant_")
    assert why["evaluation", "oracle|high"] == "made from predictions, which is stale"


def test_one_change_has_one_pair_of_versions() -> None:
    """`probes` reads two variants: its reason had hashes that stood nowhere else."""
    world = World()
    lineage = world.lineage
    lineage.states.set("variant_config", ("high",), State("another"))
    of_high = {"variant_config": ("high",), "asked_questions": ("high",)}
    readers = {**of_high, "probes": ("oracle", "high")}
    first, *others = [lineage.causes(STEP_NAMED[n], p)[0].text for n, p in readers.items()]
    assert first == "the registry entry changed (variant_ -> another)"
    assert set(others) == {"variant_config changed (variant_ -> another)"}
    # Once it is reported, what it was is known to nobody.
    lineage.reported["variant_config"]["high",] = "another"
    (cause,) = lineage.causes(STEP_NAMED["probes"], ("oracle", "high"))
    assert cause.text == "variant_config changed (of baseline or high)"


def test_a_part_of_a_whole_is_stale_by_what_it_is_made_from() -> None:
    """All marts were called fresh while the warehouse was stale, or all would be stale with it."""
    world, whole = World(), STEP_NAMED["warehouse"]
    made_from = {"of_facts": {"facts"}, "of_both": {"facts", "qa"}, "of_nothing": set()}

    def told() -> dict[str, str]:
        found = answers(world.lineage)
        parts = answers_of_parts(world.lineage, found, whole, made_from)
        return {part: answer.text for part, answer in parts.items() if not answer.is_up_to_date}

    assert told() == {}
    world.make(STEP_NAMED["qa"], ("fold-0", "state"), "other")
    (text,) = told().values()
    assert list(told()) == ["of_both"]
    assert text.startswith("1 partition is stale. First of all: qa changed (9 partitions")
    world.code["replays"] = "newer"
    world.code["facts"] = "newer"
    assert told() == {
        "of_facts": "1 partition is made from what is stale. First of all: made from facts, "
        "stale themselves.",
        "of_both": told()["of_both"],
    }
    world.code["warehouse"] = "newer"
    assert set(told()) == set(made_from)
    world.lineage.states.set("warehouse", (), None)
    assert told() == {}, "what was never made is missing"


def test_every_way_to_follow_occurs() -> None:
    """Else the tests of this file would say nothing about one of them."""
    inputs = [(step, given_input) for step in STEPS for given_input in step.inputs]
    assert any(i.fixed and not i.is_also_own for _, i in inputs)
    assert any(i.fixed and i.is_also_own for _, i in inputs)
    assert any(i.when for _, i in inputs)
    for dimension in GRAPH.determines:
        for determined in GRAPH.determined_by(dimension):
            assert any(
                determined in GRAPH.dimensions[i.asset]
                and determined not in GRAPH.dimensions[step.assets[0]]
                and dimension in GRAPH.dimensions[step.assets[0]]
                for step, i in inputs
            )


def test_a_changed_entry_is_told_setting_by_setting() -> None:
    """Two hashes tell nobody what was changed, nor by how much."""
    was = {"name": "high", "camera": {"aperture_mm": 40.0, "lens": None}, "predicates": ["A", "B"]}
    now = {"name": "high", "camera": {"aperture_mm": 35.5, "lens": "wide"}, "predicates": ["A"]}
    assert setting_changes(was, was) == ""
    assert setting_changes(was, now) == (
        'camera.aperture_mm 40.0 -> 35.5, camera.lens null -> wide, predicates ["A", "B"] -> ["A"]'
    )
    more = {**now, "seed": 3, "name": "low"}
    assert setting_changes(was, more).endswith("camera.lens null -> wide and 2 more")
    assert setting_changes(now, was).startswith("camera.aperture_mm 35.5 -> 40.0")
    long = setting_changes({"predicates": ["A"] * 50}, {"predicates": []})
    assert len(long) < 100
    assert entry_changed("a" * 64, "b" * 64, "x 1 -> 2") == (
        "the registry entry changed: x 1 -> 2 (aaaaaaaa -> bbbbbbbb)"
    )
    assert entry_changed(None, "b" * 64, "") == "the registry entry changed (new)"


def test_steps_and_all_they_are_made_from() -> None:
    above = GRAPH.upstream(["visible_changes"])
    assert above >= {"replays", "segmentation", "visibility", "gating_config", "variant_config"}
    assert above.isdisjoint({"qa", "trajectories", "question_config"})
    assert GRAPH.upstream(["replays"]) == {"replays"}


def test_a_plan_of_one_step_has_what_is_stale_upstream_of_it() -> None:
    """Another camera of the baseline: "all fresh" would send a reader elsewhere."""
    lineage = World().lineage
    lineage.states.set("variant_config", ("baseline",), State("another camera"))
    plan = planned(lineage, Chosen(["qa"], None).complete(lineage), lambda: False)
    assert not any(row.is_asked_for for row in plan.stale)
    assert {row.step for row in plan.stale} == {"variant_config", "visibility"}
    assert set(plan.may_follow["qa"]) == set(lineage.names.partitions("qa"))
