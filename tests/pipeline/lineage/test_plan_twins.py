"""The plan that compares all partitions of a step at once is the plan partition by partition.

So are a partition explained, and a plan from the catalogue instead of the footers of all files."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pipeline.lineage.small_world import NAMES, World

from benchmarks.many_partitions import build
from benchmarks.tiny_root import write_small_registry
from enact_assets.engine.fingerprints import input_number, inputs_number, version_number
from enact_assets.engine.graph import Graph, Input, Names, StepSpec
from enact_assets.engine.grids import Partition
from enact_assets.engine.planning.explained import explain
from enact_assets.engine.planning.lineage import Lineage
from enact_assets.engine.planning.marks import Marks
from enact_assets.engine.planning.states import State, States
from enact_assets.engine.planning.verdicts import (
    FOLLOWS,
    FRESH,
    HELD,
    STATUSES,
    WAITS,
    Judge,
    Verdict,
    Verdicts,
    judge,
)
from enact_assets.engine.provenance import InputVersion, Provenance
from enact_assets.engine.tables import no_rows_sha
from enact_assets.pipeline.lineage.code import code_version
from enact_assets.pipeline.lineage.graph import EXTERNAL, GRAPH, ROOTS, STEP_OF, STEPS
from enact_assets.pipeline.lineage.lake_states import LakeStates
from enact_assets.pipeline.runs.instance import open_instance
from enact_assets.pipeline.runs.names import current_names
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.settings.registry import load_registry

from reference.lineage import upstream
from reference.row_wise_verdicts import row_wise_verdicts

ASSETS = [(asset, p) for asset in (*STEP_OF, *EXTERNAL) for p in NAMES.partitions(asset)]
CHANGES = ("gone", "other", "unreadable", "unsaid", "lacking", "misled")
NAMED = {"d": ("d-0", "d-1"), "g": ("g-0", "g-1"), "v": ("v-0", "v-1", "v-2")}
DECIDED = {"v": {"v-0": "g-0", "v-1": "g-0", "v-2": "g-1"}}


def changed(state: State | None, how: str, is_settings: bool) -> State | None:
    """``state`` as a damaged disk, another version of the code or another lake may leave it."""
    if state is None or is_settings:
        return State("other")
    made = state.provenance
    if how == "gone" or made is None:
        return None
    if how == "unreadable":
        return State("", made, "its file is cut short")
    if how == "unsaid":
        return State(state.version)
    inputs = dict(made.inputs)
    if how == "lacking" and inputs:
        inputs.pop(min(inputs))
    if how == "misled":
        inputs["an_older_input"] = InputVersion("x", 1)
    return State("other" if how == "other" else state.version, Provenance("code", inputs))


def every(verdicts: Verdicts) -> list[Verdict]:
    return list(verdicts.rows(*STATUSES))


def lineage_pairs(lineage: Lineage) -> list[tuple[str, Partition]]:
    assets = [asset for step in lineage.steps for asset in step.assets]
    return [(asset, p) for asset in assets for p in lineage.names.partitions(asset)]


def compare(lineage: Lineage, chosen: frozenset[Partition]) -> None:
    def is_chosen(_step: StepSpec, partition: Partition) -> bool:
        return partition in chosen

    def hold(_step: StepSpec, row: Verdict) -> str | None:
        return {0: HELD, 1: WAITS}.get(len("".join(row.partition)) % 4)

    assert every(judge(lineage)) == row_wise_verdicts(lineage)
    assert every(judge(lineage, only_there=True)) == row_wise_verdicts(lineage, only_there=True)
    assert every(judge(lineage, is_chosen)) == row_wise_verdicts(lineage, is_chosen)
    assert every(judge(lineage, hold=hold)) == row_wise_verdicts(lineage, hold=hold)
    running = [(asset, p) for asset, p in lineage_pairs(lineage) if p in chosen]
    marks = Marks()
    for asset, partition in running:
        marks.add([asset], partition)
    one_by_one = Judge(lineage, running=marks)
    found = [row for s in lineage.steps for row in every(Verdicts(one_by_one.judge(s, hold)))]
    assert found == row_wise_verdicts(lineage, running=frozenset(running), hold=hold)


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.sampled_from(ASSETS), st.sampled_from(CHANGES)), max_size=6),
    st.sets(st.sampled_from(sorted(STEP_OF)), max_size=2),
    st.frozensets(st.sampled_from([p for _, p in ASSETS]), max_size=8),
    st.data(),
)
def test_the_plan_of_the_pipeline_is_that_of_its_twin(changes, recoded, chosen, data) -> None:
    world = World()
    for step in STEPS:  # some of it made again, so that versions differ from those first made
        own = world.lineage.partitions(step)
        if step.name not in ROOTS and own and data.draw(st.integers(0, 9)) == 0:
            world.make(step, data.draw(st.sampled_from(own)), "1")
    lineage = world.lineage
    judge(lineage)  # whatever it remembers must not outlive the changes
    for (asset, partition), how in changes:
        is_settings = asset in ROOTS or asset in EXTERNAL
        now = changed(lineage.states.get(asset, partition), how, is_settings)
        lineage.states.set(asset, partition, now)
    world.code.update(dict.fromkeys(recoded, "other code"))
    compare(lineage, chosen)


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Lineage, dict[str, str]]:
    """A graph of random steps, of which some partitions were never made, and code that may change.

    ``x`` is an external input, ``r`` a root; steps read what is before them in every way.
    """
    dimensions: dict[str, tuple[str, ...]] = {"x": ("d",), "r": ("g",)}
    steps = [StepSpec("r", ("r",), ())]
    for k in range(draw(st.integers(2, 4))):
        read = draw(st.lists(st.sampled_from(sorted(dimensions)), max_size=3, unique=True))
        dims = tuple(draw(st.lists(st.sampled_from("dgv"), max_size=3, unique=True).map(sorted)))
        inputs = tuple(draw(inputs_of(asset, dimensions[asset], dims)) for asset in read)
        when = ("odd",) if "d" in dims and draw(st.booleans()) else ()
        assets = (f"s{k}", f"t{k}")[: draw(st.integers(1, 2))]
        steps.append(StepSpec(assets[0], assets, inputs, when=when))
        dimensions |= dict.fromkeys(assets, dims)
    graph = Graph(tuple(steps), dimensions, ("r",), ("x",), (), {"v": "g"}, {"odd": "d"})
    of = {d: names[: draw(st.integers(1, len(names)))] for d, names in NAMED.items() if d != "g"}
    names = Names(graph, {**of, "g": NAMED["g"]}, DECIDED, {"odd": frozenset({"d-1"})})
    states = {asset: {p: State(f"{asset} {p}") for p in names.partitions(asset)} for asset in "xr"}
    states |= {asset: {} for step in steps[1:] for asset in step.assets}
    code: dict[str, str] = {}
    reported = {"r": {p: state.version for p, state in states["r"].items()}}
    lineage = Lineage(names, States(states), lambda asset: code.get(asset, "code"), reported)
    for step in steps[1:]:
        for partition in lineage.partitions(step):
            made = Provenance("code", lineage.inputs(step, partition))
            for asset in step.assets:
                if draw(st.integers(0, 7)):
                    state = State(f"{asset} {partition}", made)
                    lineage.states.set(asset, partition, state)
    return lineage, code


def inputs_of(asset: str, theirs: tuple[str, ...], ours: tuple[str, ...]) -> st.SearchStrategy:
    known = {*ours, *("g" if "v" in ours else "")}
    fixed = [(), *(((d, NAMED[d][0]),) for d in theirs if d != "d")]
    both = st.booleans() if known.issuperset(theirs) else st.just(value=False)
    when = st.sampled_from([None, "odd"] if "d" in ours else [None])
    return st.builds(
        lambda f, b, w: Input(asset, f, b and bool(f), w), st.sampled_from(fixed), both, when
    )


@given(worlds(), st.data())
def test_the_plan_of_any_graph_is_that_of_its_twin(
    made: tuple[Lineage, dict[str, str]], data
) -> None:
    lineage, code = made
    names_of = [(a, p) for a in lineage.states.of for p in lineage.names.partitions(a)]
    judge(lineage)  # whatever it remembers must not outlive the changes
    if names_of:
        for asset, partition in data.draw(st.lists(st.sampled_from(names_of), max_size=4)):
            how = data.draw(st.sampled_from(CHANGES))
            state = changed(lineage.states.get(asset, partition), how, asset in "xr")
            lineage.states.set(asset, partition, state)
    code.update(data.draw(st.dictionaries(st.sampled_from(["s1", "t1"]), st.just("new code"))))
    compare(lineage, frozenset(p for _, p in names_of[::2]))
    marks = Marks()
    for asset, partition in names_of[::5]:
        marks.add([asset], partition)
    for step in lineage.steps:
        partitions = lineage.partitions(step)
        expected = [p for p in partitions if lineage.touches(step, p, marks)]
        touched = zip(partitions, lineage.touched(step, marks), strict=True)
        assert [p for p, is_touched in touched if is_touched] == expected
        suspects = lineage.may_be_stale(step)
        assert all(s for p, s in zip(partitions, suspects, strict=True) if lineage.causes(step, p))


def test_a_marked_partition_of_a_name_that_left_may_count_for_all() -> None:
    """A run that is still making it is waited for, as when partitions were asked one by one."""
    lineage, marks = World().lineage, Marks()
    marks.add(["qa"], ("left-0", "state"))
    step = lineage.graph.step_named["question_set"]
    assert lineage.touches(step, ("state",), marks)
    assert lineage.touched(step, marks)[lineage.partitions(step).index(("state",))]


@given(
    st.dictionaries(st.sampled_from(["facts", "qa", "x"]), st.text(max_size=3)), st.integers(0, 9)
)
def test_fingerprints_of_one_and_of_many_are_the_same(inputs: Mapping[str, str], n: int) -> None:
    one = inputs_number((asset, version, n) for asset, version in inputs.items())
    many = np.zeros(2, np.uint64)
    for asset, version in inputs.items():
        number = np.array([version_number(version)] * 2, np.uint64)
        many += input_number(asset, number, np.array([n] * 2, np.uint64))
    assert many.tolist() == [one, one]
    assert version_number("ab" * 32) == int("ab" * 8, 16)


def test_a_changed_partition_among_many_is_noticed_after_a_plan_without_it() -> None:
    lineage = World().lineage
    judge(lineage)
    was = lineage.states.of["qa"]["pour-0", "state"]
    lineage.states.set("qa", ("pour-0", "state"), State("other", was.provenance))
    plan = judge(lineage)
    assert every(plan) == row_wise_verdicts(lineage)
    assert ("question_set", ("state",)) in {(s.step, s.partition) for s in plan.stale}


def test_where_an_input_is_never_made_nothing_touches() -> None:
    """``s0`` is made of odd demonstrations only, and ``s1`` of all reads it."""
    steps = (StepSpec("s0", ("s0",), (), when=("odd",)), StepSpec("s1", ("s1",), (Input("s0"),)))
    graph = Graph(steps, {"s0": ("d",), "s1": ("d",)}, conditions={"odd": "d"})
    names = Names(graph, {"d": NAMED["d"]}, holds={"odd": frozenset({"d-1"})})
    lineage = Lineage(names, States({"s0": {}, "s1": {}}), lambda _asset: "code", {})
    for step in steps:
        for partition in lineage.partitions(step):
            made = State("x", Provenance("code", lineage.inputs(step, partition)))
            lineage.states.set(step.name, partition, made)
    assert every(judge(lineage)) == row_wise_verdicts(lineage)
    lineage.states.set("s0", ("d-1",), None)
    plan = judge(lineage)
    assert every(plan) == row_wise_verdicts(lineage)
    assert plan.may_follow == {"s1": (("d-1",),)}


def test_a_partition_without_rows_makes_nothing_stale_that_reads_all() -> None:
    """researcher F9: a video's empty pictures made predictions of every other source stale."""
    lineage = World().lineage
    step = lineage.graph.step_named["predictions"]
    (ours,) = [p for p in lineage.partitions(step) if p == ("oracle", "baseline")]
    empty, place = State(no_rows_sha("frame_images")), ("pour-0", "baseline")
    for before, after in ((None, empty), (empty, None)):
        lineage.states.set("frame_images", place, before)
        made = State("x", Provenance("code", lineage.inputs(step, ours)))
        for asset in step.assets:
            lineage.states.set(asset, ours, made)
        assert lineage.causes(step, ours) == ()
        lineage.states.set("frame_images", place, after)
        assert lineage.causes(step, ours) == ()
        at = lineage.partitions(step).index(ours)
        assert not lineage.may_be_stale(step)[at]
        assert every(judge(lineage)) == row_wise_verdicts(lineage)
    lineage.states.set("frame_images", place, State("rows"))
    (cause,) = lineage.causes(step, ours)
    assert cause.text.startswith("frame_images changed (3 partitions, were 2")
    # Where one partition is read, and no other, that it has no rows is a version of it.
    one, nothing = lineage.graph.step_named["frame_images"], no_rows_sha("wanted_frames")
    lineage.states.set("wanted_frames", place, State(nothing))
    assert lineage.inputs(one, place)["wanted_frames"].version == nothing


MADE = [(asset, p) for asset in STEP_OF for p in NAMES.partitions(asset)]
SETTINGS = [(root, p) for root in ROOTS for p in NAMES.partitions(root)]
SETTINGS += [(asset, p) for asset in EXTERNAL for p in NAMES.partitions(asset)]


@settings(max_examples=settings.default.max_examples * 2 // 5)
@given(st.sets(st.sampled_from(SETTINGS), max_size=2), st.sampled_from(MADE), st.data())
def test_it_says_what_the_plan_of_everything_says(changed, gone, data) -> None:
    world = World()
    for asset, partition in changed:
        world.lineage.states.set(asset, partition, State("another"))
    if gone[0] not in ROOTS:
        for asset in STEP_OF[gone[0]].assets:
            world.lineage.states.set(asset, gone[1], None)
    plan = judge(world.lineage)
    stale = {(s.step, s.partition): s for s in plan.stale}
    following = {(s.step, s.partition) for s in plan.rows(FOLLOWS)}
    asset, partition = data.draw(st.sampled_from([gone, *MADE]))
    step = STEP_OF[asset]
    found = explain(world.lineage, asset, partition)
    mine = stale.get((step.name, partition))
    if mine is not None:
        assert found.verdict == mine
    else:
        assert found.verdict.status == (FOLLOWS if (step.name, partition) in following else FRESH)
        assert found.verdict.causes == ()
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
    assert {(s.step, s.partition) for s in found.upstream} == above & stale.keys()
    for shown, given_input in zip(found.inputs, step.inputs, strict=True):
        expected = upstream(step, partition, given_input, NAMES)
        assert set(shown.partitions) == {p.key for p in expected}
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


@pytest.mark.slow
def test_a_plan_from_the_catalogue_is_that_from_the_files(tmp_path: Path) -> None:
    registry = load_registry(write_small_registry(tmp_path / "registry.yaml"))
    root = tmp_path / "data"
    n_files = build(root, 3, registry, processes=1)
    instance = open_instance(root)
    names = current_names(instance, registry)
    instance.dispose()
    states = DataResource(root=str(root), lake_url=None).states(registry)

    def plans() -> tuple[Verdicts, list[Verdict]]:
        now = states.current(names)
        lineage = Lineage(names, now, code_version, {})
        plain = States({asset: dict(of) for asset, of in now.of.items()})
        for table, of in states.index.scan().items():
            problems = {p: s.problem for p, s in now.of[table].items()}
            plain.of[table].clear()
            for partition, record in of.items():
                if names.has(table, partition):
                    problem = record.problem or problems[partition]
                    said = (record.content_sha or "", record.provenance, problem)
                    plain.of[table][partition] = State(*said, record.mtime_ns)
        return judge(lineage), row_wise_verdicts(Lineage(names, plain, code_version, {}))

    first, expected = plans()
    assert every(first) == expected
    assert first.n_fresh > n_files / 2
    stale = {row.step for row in first.stale}
    spoil(states)
    changed, expected = plans()
    assert every(changed) == expected
    made_again = {"segmentation", "qa", "trajectories", "frame_images"}
    assert {row.step for row in changed.stale} - stale == made_again
    texts = " ".join(row.why for row in changed.stale if row.step in made_again)
    for why in (
        "truncated or damaged",
        "never materialized",
        "of its pictures are gone",
        "(embedded",
    ):
        assert why in texts or why == "(embedded"
    (root / "catalogue.db").unlink()
    assert every(plans()[0]) == every(changed)


def spoil(states: LakeStates) -> None:
    """A file cut short, one deleted, one of another partition in its place, a picture deleted."""
    lake = states.lake.root
    one, other, *_ = sorted((lake / "qa").iterdir())
    cut = min((lake / "segmented_frames" / one.name).iterdir())
    cut.write_bytes(cut.read_bytes()[:-40])
    min((lake / "qa" / one.name).iterdir()).unlink()
    here, there = (min((lake / "trajectories" / d.name).iterdir()) for d in (one, other))
    here.write_bytes(there.read_bytes())
    named = states.index.scan(["frame_images"])["frame_images"]
    head = f"{int(next(iter(named.values())).images[0]):016x}"  # type: ignore[index]
    next(states.images.root.glob(f"{head[:2]}/{head}*.png")).unlink()
