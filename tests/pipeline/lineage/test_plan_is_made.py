"""What a plan lists is what a walk makes, whatever was asked for and whatever the results are.

A walk that found damaged files begins again, and does not try everything twice."""

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pipeline.lineage.small_world import NAMES, World

from enact_assets.engine.graph import StepSpec
from enact_assets.engine.grids import Partition
from enact_assets.engine.planning.freshness import not_current
from enact_assets.engine.planning.lineage import Lineage
from enact_assets.engine.planning.states import State
from enact_assets.pipeline.driver.chosen import Chosen
from enact_assets.pipeline.driver.walk import Failure, Observer, Report, Walk, planned
from enact_assets.pipeline.lineage.graph import (
    EXTERNAL,
    ROOTS,
    STEP_NAMED,
    STEPS,
    WAREHOUSE,
)
from enact_assets.pipeline.runs.run import Outcome, Run

MADE = [(s.name, p) for s in STEPS if s.name not in ROOTS for p in NAMES.partitions(s.assets[0])]
SETTINGS = [(asset, p) for asset in (*ROOTS, *EXTERNAL) for p in NAMES.partitions(asset)]
DIMENSIONS = ("demonstration", "variant", "model", "training_activity")
BUT_ROOTS = [asset for step in STEPS if step.name not in ROOTS for asset in step.assets]
NAMED = sorted({*(step.name for step in STEPS), *BUT_ROOTS})

selections = st.builds(
    lambda assets, only: (assets, only),
    st.none() | st.sets(st.sampled_from(NAMED), min_size=1, max_size=3),
    st.fixed_dictionaries(
        {}, optional={d: st.sets(st.sampled_from(NAMES.of[d]), min_size=1) for d in DIMENSIONS}
    ),
)  # fmt: skip


class Workshop:
    """Lands what a walk asks for in a world: rows as they were, or others if ``is_other`` says."""

    def __init__(self, world: World, is_other: "st.DataObject | None") -> None:
        self.world, self._is_other = world, is_other
        self.made: list[tuple[str, Partition]] = []
        self.published = self.now(world.lineage)

    def now(self, lineage: Lineage) -> set[tuple[str, str | None]]:
        rows = not_current(lineage, lambda _asset: ()).select("asset", "partition")
        return set(rows.iter_rows())

    def is_list_outdated(self, lineage: Lineage) -> bool:
        return self.now(lineage) != self.published

    def run(self, runs: Sequence[Run], started, _progress) -> Iterator[Outcome]:
        for run in runs:
            started(run)
            for names in run.partitions:
                self.made.append((run.step, names))
                if run.step not in ROOTS:
                    is_other = self._is_other is None or self._is_other.draw(st.booleans())
                    content = f"new {len(self.made)}" if is_other else "0"
                    self.world.make(STEP_NAMED[run.step], names, content)
            if run.step == WAREHOUSE:
                self.published = self.now(self.world.lineage)
            yield Outcome(run, "run")

    def landed(self, asset: str, partition: Partition) -> State | None:
        return self.world.lineage.states.get(asset, partition)

    def walk(self, chosen: Chosen) -> Report:
        report = Report()
        Walk(
            self.world.lineage,
            self,
            chosen,
            report,
            states=self,
            observer=Observer(),
            is_list_outdated=self.is_list_outdated,
            tags=lambda _step: {},
            is_forced=lambda _: False,
        ).go()
        return report


def plan_of(workshop: Workshop, assets, only) -> tuple[Chosen, set, set]:
    lineage = workshop.world.lineage
    chosen = Chosen(assets, only).complete(lineage)
    plan = planned(lineage, chosen, lambda: workshop.is_list_outdated(lineage))
    certain = [(s.step, s.partition) for s in plan.stale]
    assert len(certain) == len(set(certain))
    return chosen, set(certain), {(n, p) for n, found in plan.may_follow.items() for p in found}


@settings(max_examples=settings.default.max_examples * 2 // 5)
@given(
    selections,
    st.sets(st.sampled_from(MADE), max_size=12),
    st.sets(st.sampled_from(SETTINGS), max_size=3),
    st.sets(st.sampled_from(BUT_ROOTS), max_size=1),
    st.data(),
)
def test_a_walk_makes_what_is_stale_and_only_what_the_plan_lists(
    selection, gone, changed, recoded, data
) -> None:
    """A plan said 1 partition, and the walk rendered 3 for seven minutes."""
    world = World()
    workshop = Workshop(world, data)
    for name, partition in gone:
        for asset in STEP_NAMED[name].assets:
            world.lineage.states.set(asset, partition, None)
    for asset, partition in changed:
        world.lineage.states.set(asset, partition, State("another"))
    world.code.update(dict.fromkeys(recoded, "other code"))
    chosen, stale, may_follow = plan_of(workshop, *selection)
    assert stale.isdisjoint(may_follow)
    report = workshop.walk(chosen)
    made = set(workshop.made)
    assert len(made) == len(workshop.made)
    assert {(run.step, run.partition) for run in report.made} == made
    assert stale <= made <= stale | may_follow
    assert plan_of(workshop, *selection)[1:] == (set(), set())


class Breaking(Workshop):
    """Lists break off after the first two; alone, one partition of them fails."""

    def run(self, runs: Sequence[Run], started, progress) -> Iterator[Outcome]:
        for run in runs:
            if run.is_list:
                for outcome in super().run([run.of(run.partitions[:2])], started, progress):
                    yield Outcome(run, outcome.run_id, "its process ended unexpectedly")
            elif run.step == "path_counts" and run.partition == ("pour-0", "state"):
                yield Outcome(run, "run", "it kills its process")
            else:
                yield from super().run([run], started, progress)


def test_of_a_list_that_broke_off_only_what_is_not_there_is_made_again_one_by_one() -> None:
    """A killed process costs what had not landed; what killed it fails alone."""
    world = World()
    for partition in world.lineage.names.partitions("path_counts"):
        world.lineage.states.set("path_counts", partition, None)
    workshop = Breaking(world, None)
    wanted = world.lineage.names.partitions("path_counts")
    report = workshop.walk(Chosen({"path_counts"}, {}).complete(world.lineage))
    made = [partition for name, partition in workshop.made if name == "path_counts"]
    assert len(made) == len(set(made)), "nothing twice"
    assert set(made) == set(wanted) - {("pour-0", "state")}
    assert {run.partition for run in report.made if run.step == "path_counts"} == set(made)
    assert [str(f.run) for f in report.failures] == ["path_counts pour-0|state"]


@pytest.mark.slow
@given(selections)
def test_of_nothing_a_walk_makes_exactly_the_plan(selection) -> None:
    """Missing inputs of what was asked for are made as well: no message asks for them."""
    world = World()
    workshop = Workshop(world, None)
    for name, partition in MADE:
        for asset in STEP_NAMED[name].assets:
            world.lineage.states.set(asset, partition, None)
    chosen, stale, may_follow = plan_of(workshop, *selection)
    workshop.walk(chosen)
    assert (set(workshop.made), may_follow) == (stale, set())
    for name, partition in workshop.made:
        step = STEP_NAMED[name]
        for follow in world.lineage.follows(step):
            wanted = set(follow.groups(partition))
            if follow.is_rolled_up:
                above = world.lineage.graph.step_of[follow.asset]
                wanted = {
                    p
                    for p in world.lineage.partitions(above)
                    if tuple(p[i] for i in follow.bound_positions) in wanted
                    and chosen.matches(above, p)
                }
            assert all(world.lineage.states.get(follow.asset, p) for p in wanted)


def test_pictures_of_other_demonstrations_follow_where_models_are_shown_them() -> None:
    """Left as they were, the new questions about them would lack pictures; alone they are work
    that nobody asked for.
    """

    def made(assets: set[str] | None) -> set[Partition]:
        world = World()
        for asset in STEP_NAMED["qa"].assets:
            world.lineage.states.set(asset, ("fold-0", "state"), None)
        for asset in STEP_NAMED["frame_images"].assets:
            world.lineage.states.set(asset, ("pour-0", "baseline"), None)
        workshop = Workshop(world, None)
        only = {"demonstration": {"fold-0"}, "variant": {"baseline"}}
        chosen, stale, may_follow = plan_of(workshop, assets, only)
        workshop.walk(chosen)
        assert stale <= set(workshop.made) <= stale | may_follow
        return {p for name, p in workshop.made if name == "frame_images"}

    own, other = ("fold-0", "baseline"), ("fold-1", "baseline")  # and pour-0 was never made
    assert made(None) == made({"predictions"}) == {own, other}
    assert made({"frame_images"}) == {own}


def test_an_outdated_list_of_stale_partitions_is_planned_and_published() -> None:
    world = World()
    workshop = Workshop(world, None)
    assert plan_of(workshop, None, {})[1:] == (set(), set())
    workshop.published = {("qa", "fold-0|state")}
    chosen, stale, may_follow = plan_of(workshop, None, {})
    assert (stale, may_follow) == ({(WAREHOUSE, ())}, {("report", ())})
    workshop.walk(chosen)
    assert workshop.made == [(WAREHOUSE, ()), ("report", ())]
    assert plan_of(workshop, {"qa"}, {})[1:] == (set(), set())


def test_a_stale_report_leaves_the_warehouse_alone() -> None:
    """It was listed as one that may become stale, which nothing above it could make it."""
    world = World()
    workshop = Workshop(world, None)
    world.code["report"] = "other code"
    assert plan_of(workshop, None, {})[1:] == ({("report", ())}, set())
    workshop.published = {("qa", "fold-0|state")}
    lineage = world.lineage
    plan = planned(lineage, Chosen(None, {}), lambda: workshop.is_list_outdated(lineage))
    assert [row.step for row in plan.stale] == [WAREHOUSE, "report"]
    assert not plan.may_follow


DAMAGED = ("oracle", "high")


def failure(name: str, partition: Partition) -> Failure:
    return Failure(Run(name, (Partition(partition),)), "why", "run")


def report_of(*failures: Failure) -> Report:
    return Report(failures=list(failures), blocked=[failures[0].run], fresh={"qa": [("a", "b")]})


def with_damage() -> World:
    world = World()
    world.lineage.states.set("evaluation", DAMAGED, State("", None, "it was damaged"))
    return world


def test_only_what_reads_damaged_files_is_tried_again() -> None:
    """What failed otherwise may have rendered for an hour, and would fail again."""
    readers = [failure("error_analysis", DAMAGED), failure("warehouse", ())]
    other = failure("segmentation", ("fold-0", "state"))
    report = report_of(other, *readers)
    before, now = World().lineage, with_damage().lineage
    assert report.begins_again(before, now, lambda _step, _partition: True)
    assert report.failures == [other]
    assert (report.blocked, report.n_fresh) == ([], 0)
    assert report.damaged == ["evaluation oracle|high: it was damaged"]


def test_without_damage_or_leave_to_mend_it_nothing_is_tried_again() -> None:
    def is_chosen(step: StepSpec, _partition: Partition) -> bool:
        return step.name == "warehouse"

    failed = failure("warehouse", ())
    before, damaged = World().lineage, with_damage().lineage
    for now, chosen in (
        (World().lineage, lambda _step, _partition: True),
        (damaged, is_chosen),
    ):
        report = report_of(failed)
        assert not report.begins_again(before, now, chosen)
        assert (report.failures, report.blocked) == ([failed], [failed.run])
        assert report.damaged == []
    # Damaged before the walk, and not made again by it, as its step failed, too.
    assert not report_of(failed).begins_again(damaged, damaged, lambda _step, _partition: True)
