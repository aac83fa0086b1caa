"""Which answers are missing after a run, why, and how to get them."""

from collections.abc import Collection, Iterable, Mapping

from rich.console import Console
from rich.text import Text

from enact_assets.answers.baselines.known_models import KnownModels
from enact_assets.answers.baselines.learned_names import REFUSES
from enact_assets.answers.baselines.references import BASELINE_NAMES
from enact_assets.answers.imported.answer_files import NONE_IMPORTED, NOT_IMPORTED, OTHER_SHOWN
from enact_assets.answers.models.not_asked import AT_MOST
from enact_assets.answers.people.answered import NOT_YET
from enact_assets.commands.coverage import NO_REASON, SHOWN, Gap, coverage, gaps_of, published_gaps
from enact_assets.commands.option_types import spending_option
from enact_assets.engine.errors import EnactError, WarehouseError
from enact_assets.engine.grids import Partition
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.plurals import counted, named
from enact_assets.pipeline.driver.walk import Report
from enact_assets.pipeline.lineage.graph import dimensions
from enact_assets.results.published import VARIANT_ORDER, query
from enact_assets.settings.classes import world_source_of
from enact_assets.settings.paths import DataRoot

MISSING_ANSWERS = 3
"""Exit code of a command that made everything, while models left questions unanswered."""
NO_PICTURE = "pictures are missing under"
"""Part of the reason of a question whose pictures are missing."""
PREDICTIONS, WAREHOUSE = "predictions", "warehouse"


def missing_answers(
    root: DataRoot, report: "Report", only: Mapping[str, Collection[str]]
) -> tuple[str, int]:
    """Which models of ``only`` lack answers after the run of ``report``, why, and how to get them;
    and the exit code.

    Empty and 0 if no model does, or if the run made no answers. A model whose answers were imported
    under other variants only is mentioned, but does not affect the code, as it was not meant to be
    asked. After a run that did not publish, the lake is read, as the published file is older.
    Questions that a trained reference refuses are never answered, and are not mentioned; nor are
    those of WorldPrediction that a baseline cannot answer, such as one that compares pictures.
    Errors: :class:`WarehouseError` if the published file cannot be read; those of reading the lake.
    """
    if report.current(WAREHOUSE):
        found = published_gaps(root.warehouse)
    else:
        found = _gaps_in_lake(root, report.current(PREDICTIONS))
    gaps = [gap for gap in gaps_of(found, only) if not _is_refused(gap)]
    if not gaps:
        return "", 0
    gaps.sort(key=lambda gap: not _was_asked(gap))
    n = sum(gap.n_missing for gap in gaps)
    lacking = [f"{g.n_missing:,} of {g.model} under {g.variant}" for g in gaps]
    text = (
        f"{counted(n, 'answer')} {'is' if n == 1 else 'are'} missing: "
        f"{named(lacking, SHOWN, 'partition')}. Reason of the first: {gaps[0].reason}. "
        f"{advice(gaps[0], root)}"
    )
    return text, MISSING_ANSWERS if _was_asked(gaps[0]) else 0


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

    order = f"select distinct variant from leaderboard order by {VARIANT_ORDER}"  # noqa: S608
    try:
        for variant in query(root.warehouse, order)["variant"]:
            console.print(Text(f"  {variant}: {coverage(root.warehouse, variant)}"))
    except WarehouseError as error:  # the command was interrupted, which its exit code says
        console.print(Text(f"  unknown: {error}", "yellow"))


def _is_refused(gap: Gap) -> bool:
    """Whether nothing gets the answers: a baseline gave none."""
    is_of_world = world_source_of(gap.variant) is not None and gap.model in BASELINE_NAMES
    return is_of_world or REFUSES in gap.reason


def _was_asked(gap: Gap) -> bool:
    """Whether the model has any answers, or should have been asked."""
    return gap.reason != NONE_IMPORTED


def command_for(gap: Gap, root: DataRoot) -> str:
    """What gets the answers."""
    data = root.option
    names = f"--model {gap.model} --variant {gap.variant}"
    if gap.reason in {NOT_IMPORTED, OTHER_SHOWN} or not _was_asked(gap):
        return f"enact-assets import-answers FILE {names}{data}"
    if NO_PICTURE in gap.reason:
        return f"enact-assets materialize {names}{data}"
    spending = _spending(gap.model, root)
    return f"enact-assets materialize {names} --asset predictions --force{spending}{data}"


def advice(gap: Gap, root: DataRoot) -> str:
    """The command in a sentence, with the one that scores what it gets if it does not."""
    if gap.reason == NOT_YET:
        return "Annotators answer on the page: `enact-assets annotate serve`."
    if gap.reason.endswith(AT_MOST):
        return "The model cannot be asked these questions."
    command = command_for(gap, root)
    scores = f", then `enact-assets materialize{root.option}`" if "--force" in command else ""
    return f"To get them: `{command}`{scores}."


def _spending(model: str, root: DataRoot) -> str:
    """The option without which ``model`` buys nothing, if it costs money."""
    try:
        return spending_option(KnownModels(root).find(model))
    except EnactError:  # known no more: the command says so
        return ""


def _gaps_in_lake(root: DataRoot, partitions: Iterable["Partition"]) -> list[Gap]:
    """The same for some partitions of ``predictions``, as they are in the lake."""
    gaps, lake = [], Lake(root.lake)
    for partition in partitions:
        names = partition.as_dict(dimensions(PREDICTIONS))
        rows = lake.read(PREDICTIONS, names)
        if n_missing := rows["raw_answer"].null_count():
            reasons = rows["error"].drop_nulls().mode().sort()
            reason = str(reasons[0]) if reasons.len() else NO_REASON
            gaps.append(Gap(names["model"], names["variant"], n_missing, rows.height, reason))
    return sorted(gaps, key=lambda gap: (-gap.n_missing, gap.model, gap.variant))
