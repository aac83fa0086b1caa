"""How a plan is printed."""

import io

from rich.console import Console

from enact_assets.commands.plan_output import print_plan
from enact_assets.engine.planning.plan import Cause, Plan, PlannedStep


def test_a_plan_is_in_columns_and_hides_no_single_name() -> None:
    steps = [
        PlannedStep(name, (name,), (f"model_{k}", "baseline"), (Cause("never materialized"),))
        for name, n in (("question_set_config", 6), ("evaluation", 7))
        for k in range(n)
    ]
    out = io.StringIO()
    console = Console(file=out, width=400, highlight=False)
    print_plan(console, Plan(tuple(steps), {"probes": (("all",),)}, 1234))
    first, _, one, other, _, _, follows = out.getvalue().splitlines()
    assert first.startswith("13 partitions to make, 1,234 fresh. 1 more may become stale")
    assert one.index("6 partitions") == other.index("7 partitions") == follows.index("1 partition")
    assert "model_5|baseline): never" in one
    assert "more" not in one
    assert "model_4|baseline and 2 more): never" in other
