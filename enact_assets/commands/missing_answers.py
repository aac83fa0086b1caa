"""What a run leaves open: which answers are missing, why, and how to get them; and which variants
have no questions, and why.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping

import polars as pl
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
from enact_assets.commands.release.prospects import remarks
from enact_assets.demonstrations.recordings.folders import Recordings, camera_of_variant
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.demonstrations.replay.tables import Observability, States
from enact_assets.engine.errors import EnactError, WarehouseError
from enact_assets.engine.grids import Partition
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.plurals import counted, named
from enact_assets.engine.tables import no_rows_sha
from enact_assets.pipeline.driver.walk import Report
from enact_assets.pipeline.handles.tools import RecordedVariants
from enact_assets.pipeline.lineage.graph import dimensions
from enact_assets.results.published import VARIANT_ORDER, query
from enact_assets.settings.classes import Gating, Variant, in_words, world_source_of
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import Registry

MISSING_ANSWERS = 3
"""Exit code of a command that made everything, while models left questions unanswered."""
NO_PICTURE = "pictures are missing under"
"""Part of the reason of a question whose pictures are missing."""
PREDICTIONS, WAREHOUSE = "predictions", "warehouse"
ASKED = "asked_questions"
NONE_HERE = "no demonstration here is of such a source (`enact-assets import` takes recordings in)"


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


def nothing_asked(root: DataRoot, registry: Registry, variants: Iterable[str]) -> list[str]:
    """Sentences about those of ``variants``, made or fresh in the lake, that ask no question.

    Of each variant the footer of a file is read. A file that cannot be read does not stop the run:
    it is skipped, and the reason is that it cannot be read.
    """
    lake, by_reason = Lake(root.lake), dict[str, list[str]]()
    for name in variants:
        if name in registry.variants and _asks_nothing(lake, name):
            try:
                why = next(_reasons(lake, root, registry, registry.variant(name)))
            except EnactError as error:
                why = f"why cannot be read ({error})"
            by_reason.setdefault(why, []).append(name)
    return [
        f"Variant{'s' * (len(names) > 1)} {', '.join(names)} ask{'s' * (len(names) == 1)} no "
        f"question here: {why.removesuffix('.')}."
        for why, names in by_reason.items()
    ]


def _asks_nothing(lake: Lake, variant: str) -> bool:
    try:
        return lake.metadata(ASKED, {"variant": variant}).content_sha == no_rows_sha(ASKED)
    except EnactError:
        return False


def _reasons(lake: Lake, root: DataRoot, registry: Registry, variant: Variant) -> Iterator[str]:
    """Why it asks nothing: the first that holds, and a last one that always does."""
    gating = registry.gating(variant.gating)
    there = lake.read_all("demonstrations").filter(pl.col("source").is_in(variant.sources))
    if there.is_empty():
        yield NONE_HERE
    lacking = set()
    if gating.question_file is None:
        lacking = set(RecordedVariants(Recordings(root.recordings)).lacking(there, variant))
    names = [name for name in there["demonstration"] if name not in lacking]
    if not names:
        where = camera_of_variant(variant.name)
        yield f"no pictures of {named(sorted(lacking), SHOWN)} came under it ({where})"
    among = {"demonstration": set(names)}
    frames = lake.read_all("segmented_frames", among=among, gating=gating.name)
    counts = dict(frames.group_by("demonstration").len().iter_rows())
    least = gating.profile.min_length
    if all(counts.get(name, 0) < least for name in names):
        found = [f"{name} has {counted(counts.get(name, 0), 'key frame')}" for name in names]
        why = " ".join(_unasked(lake, names[0], gating, counts.get(names[0], 0)))
        yield f"{named(found, SHOWN)}, and a question takes {least} or more. {names[0]}: {why}"
    written = lake.read_all("qa", among=among, gating=gating.name).height
    if not written:
        most = f"{gating.profile.min_changes} to {gating.profile.max_changes} visible changes"
        yield (
            f"no {least} key frames of {named(names, SHOWN)} follow each other with {most} "
            "from one to the next"
        )
    chosen = lake.read("question_set", {"question_set": variant.question_set})
    lengths = sorted(set(chosen.filter(pl.col("source").is_in(variant.sources))["length"]))
    if not lengths:
        yield f"question set {variant.question_set} has none of their {written:,} questions"
    asks = variant.asks if isinstance(variant.asks, str) else in_words(variant.asks)
    chosen_from = f"lengths {', '.join(map(str, lengths))}; it asks {asks}"
    yield f"none of question set {variant.question_set} is among those that it asks ({chosen_from})"


def _unasked(lake: Lake, name: str, gating: Gating, n_key_frames: int) -> list[str]:
    """Why nothing can be asked about one demonstration."""
    of = {"demonstration": name}
    read = {t: lake.read(t, of) for t in ("demonstrations", "facts", "objects", "later_parents")}
    tables = ReplayTables(**read, observability=Observability.empty(), states=States.empty())
    said = remarks(tables, [gating], {gating.name: n_key_frames})
    return [remark.text for remark in said if remark.is_warning]
