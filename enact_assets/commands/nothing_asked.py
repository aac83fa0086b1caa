"""Which variants have no questions after a run, and why."""

from collections.abc import Iterable, Iterator

import polars as pl

from enact_assets.commands.release.prospects import remarks
from enact_assets.demonstrations.recordings.folders import Recordings, camera_of_variant
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.demonstrations.replay.tables import Observability, States
from enact_assets.engine.errors import EnactError
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.plurals import counted, named
from enact_assets.engine.tables import no_rows_sha
from enact_assets.pipeline.handles.tools import RecordedVariants
from enact_assets.settings.classes import Gating, Variant
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import Registry

ASKED = "asked_questions"
SHOWN = 3
NONE_HERE = "no demonstration here is of such a source (`enact-assets import` takes recordings in)"


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
    asks = f"lengths {', '.join(map(str, lengths))}; it asks {variant.asks}"
    yield f"none of question set {variant.question_set} is among those that it asks ({asks})"


def _unasked(lake: Lake, name: str, gating: Gating, n_key_frames: int) -> list[str]:
    """Why nothing can be asked about one demonstration."""
    of = {"demonstration": name}
    read = {t: lake.read(t, of) for t in ("demonstrations", "facts", "objects", "later_parents")}
    tables = ReplayTables(**read, observability=Observability.empty(), states=States.empty())
    said = remarks(tables, [gating], {gating.name: n_key_frames})
    return [remark.text for remark in said if remark.is_warning]
