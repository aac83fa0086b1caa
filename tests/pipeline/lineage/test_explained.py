"""A partition explained, beside the plan of everything and the obvious twin of its inputs."""

from hypothesis import given
from hypothesis import strategies as st
from pipeline.lineage.small_world import NAMES, World

from enact_assets.engine.graph import partition_key
from enact_assets.engine.planning.explained import FOLLOWS, FRESH, MISSING, STALE, explain
from enact_assets.engine.planning.plan import NEVER
from enact_assets.engine.planning.states import State
from enact_assets.pipeline.lineage.graph import EXTERNAL, GRAPH, ROOTS, STEP_OF

from reference.lineage import upstream

MADE = [(asset, p) for asset in STEP_OF for p in NAMES.partitions(asset)]
SETTINGS = [(root, p) for root in ROOTS for p in NAMES.partitions(root)]
SETTINGS += [(asset, p) for asset in EXTERNAL for p in NAMES.partitions(asset)]


@given(st.sets(st.sampled_from(SETTINGS), max_size=2), st.sampled_from(MADE), st.data())
def test_it_says_what_the_plan_of_everything_says(changed, gone, data) -> None:
    world = World()
    for asset, partition in changed:
        world.lineage.states.set(asset, partition, State("another"))
    if gone[0] not in ROOTS:
        for asset in STEP_OF[gone[0]].assets:
            world.lineage.states.set(asset, gone[1], None)
    plan = world.lineage.plan()
    stale = {(s.name, s.partition): s for s in plan.stale}
    following = {(name, p) for name, found in plan.may_follow.items() for p in found}
    asset, partition = data.draw(st.sampled_from([gone, *MADE]))
    step = STEP_OF[asset]
    found = explain(world.lineage, asset, partition)
    mine = stale.get((step.name, partition))
    if mine is not None:
        assert found.status == (MISSING if found.why == (NEVER,) else STALE)
        assert found.why == tuple(str(cause) for cause in mine.causes)
    else:
        assert found.status == (FOLLOWS if (step.name, partition) in following else FRESH)
        assert found.why == ()
    # All of the partition's ancestors, by asking for each pair.
    above, left = set(), [(step.name, partition)]
    while left:
        name, ours = left.pop()
        for given_input in GRAPH.step_named[name].inputs:
            for theirs in upstream(GRAPH.step_named[name], ours, given_input, NAMES):
                maker = STEP_OF.get(given_input.asset)
                if maker is not None and (maker.name, theirs) not in above:
                    above.add((maker.name, theirs))
                    left.append((maker.name, theirs))
    assert {(s.name, s.partition) for s in found.upstream} == above & stale.keys()
    for shown, given_input in zip(found.inputs, step.inputs, strict=True):
        expected = upstream(step, partition, given_input, NAMES)
        assert set(shown.partitions) == {partition_key(p) for p in expected}
        maker = STEP_OF.get(given_input.asset)
        is_open = [
            maker is not None and (maker.name, p) in stale.keys() | following for p in expected
        ]
        assert shown.n_stale == sum(is_open)


def test_a_changed_input_is_named_with_both_versions() -> None:
    world = World()
    changed = ("demonstrations", ("fold-0",))
    world.make(STEP_OF[changed[0]], changed[1], "other")
    found = explain(world.lineage, "qa", ("fold-0", "state"))
    (given_input,) = (i for i in found.inputs if i.asset == changed[0])
    assert given_input.is_changed
    assert given_input.was is not None
    assert given_input.now is not None
    assert given_input.was.version == "demonstrations fold-0 0"
    assert given_input.now.version == "demonstrations fold-0 other"
    assert not any(i.is_changed for i in found.inputs if i.asset not in STEP_OF[changed[0]].assets)
