"""What a plan says about the amount of work."""

from typing import Any, cast

import dagster as dg
import polars as pl

from enact_assets.engine.errors import MissingPartitionError
from enact_assets.engine.grids import Partition
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.planning.verdicts import MISSING, STALE, Verdict, Verdicts
from enact_assets.pipeline.runs.new_version import work_of
from enact_assets.pipeline.runs.step_times import StepTimes


class FewRows:
    """A lake of predictions: model -> rows."""

    def __init__(self, rows: dict[str, int]) -> None:
        self._rows = rows

    def read(self, _: str, where: dict[str, str]) -> pl.DataFrame:
        if where["model"] not in self._rows:
            raise MissingPartitionError("not made")
        return pl.DataFrame({"row": range(self._rows[where["model"]])})


def test_a_partition_without_rows_was_made_before() -> None:
    """Baselines of WorldPrediction have no answers under variants of ENACT."""
    stale = {"random": STALE, "first": STALE, "oracle": MISSING}
    plan = Verdicts.of(
        [Verdict("predictions", Partition.of(m, "baseline"), s) for m, s in stale.items()]
    )
    lake = cast("Lake", cast("Any", FewRows({"random": 5, "first": 0})))
    with dg.DagsterInstance.ephemeral() as instance:
        work = work_of(StepTimes(instance), lake, plan.stale)
    assert (work.n_answers, work.n_new_answers) == (5, 1)
