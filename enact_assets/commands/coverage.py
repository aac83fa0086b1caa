"""What the published leaderboards cover, and which answers are missing."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from enact_assets.commands.trying import spending_option
from enact_assets.contracts.errors import EnactError, WarehouseError
from enact_assets.data_root.paths import DataRoot
from enact_assets.plurals import counted, named
from enact_assets.predictions.learned_names import REFUSES

if TYPE_CHECKING:
    from enact_assets.driver.walk import Report
    from enact_assets.engine.graph import Partition

MISSING_ANSWERS = 3
"""Exit code of a command that made everything, while models left questions unanswered."""
NO_PICTURE = "materialize frame_images"
"""Part of the reason of a question whose pictures are missing."""
NO_REASON = "no reason is known"
PREDICTIONS, WAREHOUSE = "predictions", "warehouse"
SHOWN = 3
"""Models and variants with missing answers that are named."""


@dataclass(frozen=True)
class Gap:
    """Answers of a model under a variant that are missing, and the commonest reason."""

    model: str
    variant: str
    n_missing: int
    n_asked: int
    reason: str

    @property
    def was_asked(self) -> bool:
        """Whether the model has any answers, or should have been asked."""
        from enact_assets.data_root.answer_files import NONE_IMPORTED

        return self.reason != NONE_IMPORTED

    def command(self, root: DataRoot) -> str:
        """What gets them."""
        from enact_assets.data_root.answer_files import NOT_IMPORTED, OTHER_SHOWN

        data = root.option
        names = f"--model {self.model} --variant {self.variant}"
        if self.reason in {NOT_IMPORTED, OTHER_SHOWN} or not self.was_asked:
            return f"enact-assets import-answers FILE {names}{data}"
        if NO_PICTURE in self.reason:
            return f"enact-assets materialize {names}{data}"
        spending = _spending(self.model, root)
        return f"enact-assets materialize {names} --asset predictions --force{spending}{data}"

    def advice(self, root: DataRoot) -> str:
        """The command in a sentence, with the one that scores what it gets if it does not."""
        from enact_assets.asking.not_asked import AT_MOST

        if self.reason.endswith(AT_MOST):
            return "The model cannot be asked these questions."
        command = self.command(root)
        scores = f", then `enact-assets materialize{root.option}`" if "--force" in command else ""
        return f"To get them: `{command}`{scores}."


def coverage(warehouse: Path, variant: str) -> str:
    """What the leaderboard of ``variant`` is about, in one or two sentences.

    Errors: :class:`WarehouseError` if the published file cannot be read.
    """
    from enact_assets.data_root.published import query

    asked = query(
        warehouse,
        "select count(*) as questions, count(distinct demonstration) as demonstrations "
        "from asked_questions where variant = $variant",
        {"variant": variant},
    ).row(0, named=True)
    said = (
        f"{counted(asked['questions'], 'question')} about "
        f"{counted(asked['demonstrations'], 'demonstration')}"
    )
    gaps = _of([*_published_gaps(warehouse), *_absent(warehouse)], {"variant": [variant]})
    if not gaps:
        return f"{said}; no answer is missing."
    lacking = [f"{g.model} lacks {g.n_missing:,} of {g.n_asked:,}" for g in gaps]
    return f"{said}. Answers are missing: {named(lacking, SHOWN, 'model')}."


def missing_answers(
    root: DataRoot, report: "Report", only: Mapping[str, Collection[str]]
) -> tuple[str, int]:
    """Which models of ``only`` lack answers after the walk of ``report``, why, and how to get them;
    and the exit code.

    Nothing and 0 if none does, or if the walk was about no answers. A model whose
    answers were imported under other variants only is mentioned, and is no reason for the code:
    nobody meant to ask it. A walk that did not publish is judged by the lake: the published file
    is older. Questions that a trained reference refuses are never answered, and are not mentioned.
    Errors: :class:`WarehouseError` if the published file cannot be read; those of reading the lake.
    """
    if report.current(WAREHOUSE):
        found = _published_gaps(root.warehouse)
    else:
        found = _gaps_in_lake(root, report.current(PREDICTIONS))
    gaps = [gap for gap in _of(found, only) if REFUSES not in gap.reason]
    if not gaps:
        return "", 0
    gaps.sort(key=lambda gap: not gap.was_asked)
    n = sum(gap.n_missing for gap in gaps)
    lacking = [f"{g.n_missing:,} of {g.model} under {g.variant}" for g in gaps]
    text = (
        f"{counted(n, 'answer')} {'is' if n == 1 else 'are'} missing: "
        f"{named(lacking, SHOWN, 'partition')}. Reason of the first: {gaps[0].reason}. "
        f"{gaps[0].advice(root)}"
    )
    return text, MISSING_ANSWERS if gaps[0].was_asked else 0


def print_stopped(root: DataRoot, report: "Report", console: Console) -> None:
    """What the leaderboards cover that were published before Ctrl-C."""
    if report.current(WAREHOUSE) or not root.warehouse.exists():
        return
    console.print(
        Text(
            "\nThe DuckDB file and the report were published before and have nothing of this run. "
            "They cover:"
        )
    )
    from enact_assets.data_root.published import VARIANT_ORDER, query

    order = f"select distinct variant from leaderboard order by {VARIANT_ORDER}"  # noqa: S608
    try:
        for variant in query(root.warehouse, order)["variant"]:
            console.print(Text(f"  {variant}: {coverage(root.warehouse, variant)}"))
    except WarehouseError as error:  # the command was interrupted, which its exit code says
        console.print(Text(f"  unknown: {error}", "yellow"))


def _spending(model: str, root: DataRoot) -> str:
    """The option without which ``model`` buys nothing, if it costs money."""
    from enact_assets.predictions.known_models import KnownModels

    try:
        return spending_option(KnownModels(root).find(model))
    except EnactError:  # known no more: the command says so
        return ""


def _published_gaps(warehouse: Path) -> list[Gap]:
    """Of every model and variant that lacks answers in the published file, the most first."""
    from enact_assets.data_root.published import query

    rows = query(
        warehouse,
        """
        select
            model, variant, count(*) filter (raw_answer is null) as n_missing,
            count(*) as n_asked, coalesce(mode(error), $unknown) as reason
        from predictions
        group by all having n_missing > 0
        order by n_missing desc, model, variant
        """,
        {"unknown": NO_REASON},
    )
    return [Gap(*row) for row in rows.iter_rows()]


def _absent(warehouse: Path) -> list[Gap]:
    """Of every model and variant that should have been asked, and has no published answer at all:
    asking it failed, or all questions that it answered vanished since.
    """
    from enact_assets.data_root.published import query

    rows = query(
        warehouse,
        """
        select model, variant, sum(n_questions)::bigint as n, n, $unknown
        from absent_evaluations anti join predictions using (model, variant)
        where length is null
        group by all order by all
        """,
        {"unknown": NO_REASON},
    )
    return [Gap(*row) for row in rows.iter_rows()]


def _gaps_in_lake(root: DataRoot, partitions: Iterable["Partition"]) -> list[Gap]:
    """The same for some partitions of ``predictions``, as they are in the lake."""
    from enact_assets.engine.lake.lake import Lake
    from enact_assets.lineage.pipeline import dimensions

    gaps, lake = [], Lake(root.lake)
    for partition in partitions:
        names = dict(zip(dimensions(PREDICTIONS), partition, strict=True))
        rows = lake.read(PREDICTIONS, names)
        if n_missing := rows["raw_answer"].null_count():
            reasons = rows["error"].drop_nulls().mode().sort()
            reason = str(reasons[0]) if reasons.len() else NO_REASON
            gaps.append(Gap(names["model"], names["variant"], n_missing, rows.height, reason))
    return sorted(gaps, key=lambda gap: (-gap.n_missing, gap.model, gap.variant))


def _of(gaps: Iterable[Gap], only: Mapping[str, Collection[str]]) -> list[Gap]:
    """Those of the models and variants in ``only``."""
    return [
        gap
        for gap in gaps
        if gap.model in only.get("model", [gap.model])
        and gap.variant in only.get("variant", [gap.variant])
    ]
