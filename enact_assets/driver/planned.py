"""The plan of a walk: what :class:`Chosen` lets it make, and whether it publishes."""

from collections.abc import Callable
from dataclasses import replace

from enact_assets.driver.chosen import Chosen
from enact_assets.engine.graph import Partition
from enact_assets.engine.planning.plan import Cause, Lineage, Plan, PlannedStep
from enact_assets.lineage.pipeline import REPORT, STEP_NAMED, WAREHOUSE

OUTDATED = Cause("its list of stale and missing partitions is outdated")


def planned(lineage: Lineage, chosen: Chosen, is_list_outdated: Callable[[], bool]) -> Plan:
    """What a walk over ``chosen`` makes, and what it may make depending on results.

    ``is_list_outdated`` says whether the published list of stale and missing partitions differs
    from the present one; it is asked only if nothing else decides whether to publish.
    """
    plan = lineage.plan(None if chosen.is_everything else chosen.is_chosen)
    for_others = (
        step
        for step in plan.stale
        if not chosen.is_asked_for(STEP_NAMED[step.name], step.partition)
    )
    return _published(replace(plan, upstream=tuple(for_others)), chosen, is_list_outdated)


def _published(plan: Plan, chosen: Chosen, is_list_outdated: Callable[[], bool]) -> Plan:
    """``plan`` with the warehouse if its list is, or may come to be, outdated; then the report."""
    known = {step.name for step in plan.stale} | set(plan.may_follow)
    step, whole = STEP_NAMED[WAREHOUSE], Partition()
    if WAREHOUSE in known or not chosen.is_chosen(step, whole):
        return plan
    stale, may_follow = plan.stale, dict(plan.may_follow)
    if known - {REPORT}:
        may_follow[WAREHOUSE] = (whole,)
    elif is_list_outdated():
        # Before the report, the only step that can be there.
        stale = (PlannedStep(step.name, step.assets, whole, (OUTDATED,)), *stale)
    else:
        return plan
    n_fresh = plan.n_fresh - 1
    if REPORT not in known and chosen.is_chosen(STEP_NAMED[REPORT], whole):
        may_follow[REPORT] = (whole,)
        n_fresh -= 1
    return replace(plan, stale=stale, may_follow=may_follow, n_fresh=n_fresh)
