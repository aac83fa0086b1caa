"""When a walk that found damaged files begins again, and what it does not try twice."""

from small_world import World

from enact_assets.engine.graph import Partition, StepSpec
from enact_assets.engine.planning.states import State
from enact_assets.pipeline.driver.walk import Failure, Report, Step
from enact_assets.pipeline.lineage.graph import STEP_NAMED

DAMAGED = ("oracle", "high")


def failure(name: str, partition: Partition) -> Failure:
    return Failure(Step(name, STEP_NAMED[name].assets, "|".join(partition), ""), "why", "run")


def report_of(*failures: Failure) -> Report:
    return Report(failures=list(failures), blocked=[failures[0].step], fresh={"qa": [("a", "b")]})


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
        assert (report.failures, report.blocked) == ([failed], [failed.step])
        assert report.damaged == []
    # Damaged before the walk, and not made again by it, as its step failed, too.
    assert not report_of(failed).begins_again(damaged, damaged, lambda _step, _partition: True)
