"""What of a replay can be asked about: its changes by predicate, key frames under each gating."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import polars as pl

from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.engine.errors import EnactError
from enact_assets.engine.plurals import counted, named
from enact_assets.pipeline.steps.profiles import SEGMENT
from enact_assets.questions.key_frames.families import resolve_parents
from enact_assets.questions.key_frames.landed import SegmentedTables
from enact_assets.settings.classes import Gating
from enact_assets.settings.frame_ids import FrameIds
from enact_assets.settings.predicates import CATALOGUE, EXISTS, RELATED, TRANSITION, nearest
from enact_assets.settings.registry import Registry

SHOWN = 8
"""Predicates that a remark names."""
ADVICE = (
    "`also` of a gating in the registry adds a predicate, with its wording (`contact: true` adds "
    "Touching): docs/sources.md."
)


@dataclass(frozen=True)
class Remark:
    """Something to say about a replay; a warning if no question comes of it."""

    text: str
    is_warning: bool = False

    @property
    def kind(self) -> str:
        """How a line about it begins."""
        return "warning" if self.is_warning else "note"


@dataclass(frozen=True)
class Remarks:
    """Remarks on one replay: ``numbers``, if any key frames could be found, and the ``others``."""

    numbers: Remark | None
    others: tuple[Remark, ...]

    def __iter__(self) -> Iterator[Remark]:
        if self.numbers is not None:
            yield self.numbers
        yield from self.others


def remarks(
    tables: ReplayTables,
    gatings: Iterable[Gating],
    n_key_frames: Mapping[str, int] = MappingProxyType({}),
) -> Remarks:
    """What can be asked about one replay under each of ``gatings``, and why the rest cannot.

    Predicates are named that none looks at, and words that are no predicates, with the nearest of
    ours. ``n_key_frames`` (name of a gating -> key frames) spares segmenting where it is known.
    """
    changes = changes_by_predicate(tables)
    n = int(changes["n"].sum())
    gatings = list(gatings)
    if not gatings:
        source = tables.demonstrations.item(0, "source")
        said = f"no variant of the registry asks about {source} demonstrations"
        return Remarks(None, (Remark(said, is_warning=True),))
    numbers, few = [], []
    for gating in gatings:
        n_asked = int(changes.filter(_is_seen(gating))["n"].sum())
        try:
            n_found = n_key_frames.get(gating.name, -1)
            if n_found < 0:
                n_found = segmented(tables, gating).segmented_frames.height
        except EnactError as error:
            said = f"no key frames under gating {gating.name}: {error}"
            few.append(Remark(said, is_warning=True))
            continue
        found = counted(n_found, "key frame")
        numbers.append(
            f"{n_asked:,} of {counted(n, 'change')} can make a question and give {found} under "
            f"gating {gating.name}"
        )
        if n_found < gating.profile.min_length:
            few.append(Remark(_too_few(n_found, n_asked, gating, tables), is_warning=True))
    is_seen = pl.any_horizontal(_is_seen(gating) for gating in gatings)
    left = changes.filter(~is_seen)
    in_all = Remark("; ".join(numbers)) if numbers else None
    return Remarks(in_all, (*_unseen(left, n, gatings, is_warning=bool(few)), *few))


def segmented(tables: ReplayTables, gating: Gating) -> SegmentedTables:
    """Key frames of a replay under ``gating``, by the rules of its profile."""
    segment = SEGMENT.of(gating.profile)
    parts = tables.demonstrations, tables.facts, tables.objects
    return segment(*parts, gating, tables.later_parents)


def asking(registry: Registry, source: str) -> list[Gating]:
    """Gatings of the variants that ask about demonstrations of ``source``, but for those that take
    their questions from files.
    """
    asked = [v.gating for v in registry.variants.values() if source in v.sources]
    gatings = [registry.gating(name) for name in dict.fromkeys(asked)]
    return [gating for gating in gatings if gating.question_file is None]


def changes_by_predicate(tables: ReplayTables) -> pl.DataFrame:
    """Columns predicate, arity (objects that it has there), n (how often a fact of it begins or
    ends within the replay) and first (id of the first such frame); the most frequent first. An
    object that turns into another is a change of ``Transition``; an object that appears or
    disappears is not a change.
    """
    row = tables.demonstrations.row(0, named=True)
    n_frames = row["n_frames"]
    facts = tables.facts.filter(~pl.col("predicate").is_in([EXISTS, RELATED]))
    of = "predicate", pl.col("object").is_not_null().cast(pl.Int64).alias("arity") + 1
    ends = [
        facts.filter(pl.col("frame_from") > 0).select(*of, at="frame_from"),
        facts.filter(pl.col("frame_to") < n_frames).select(*of, at="frame_to"),
        _transitions(tables),
    ]
    found = (
        pl.concat(ends)
        .group_by("predicate", "arity")
        .agg(n=pl.len(), first=pl.col("at").min())
        .sort("n", "predicate", "arity", descending=[True, False, False])
    )
    ids = FrameIds(tuple(row["frame_id_runs"])).at(found["first"].to_numpy())
    return found.with_columns(first=pl.Series(ids, dtype=pl.Int64))


def _transitions(tables: ReplayTables) -> pl.DataFrame:
    origins = resolve_parents(tables.objects, tables.later_parents)
    children = [name for name, of in origins.items() if any(o.parents for o in of)]
    appear = tables.facts.filter(
        pl.col("predicate") == EXISTS, pl.col("frame_from") > 0, pl.col("subject").is_in(children)
    )
    return appear.select(predicate=pl.lit(TRANSITION), arity=pl.lit(2, pl.Int64), at="frame_from")


def _is_seen(gating: Gating) -> pl.Expr:
    seen = [name for name in CATALOGUE if gating.looks_at(name)]
    return pl.col("predicate").is_in([*seen, TRANSITION])


def _unseen(left: pl.DataFrame, n: int, gatings: list[Gating], *, is_warning: bool) -> list[Remark]:
    """Remarks on changes that no gating looks at."""
    said = []
    seen_by = f"no gating that asks about this ({named([g.name for g in gatings], 3)})"
    ours = left.filter(pl.col("predicate").is_in(list(CATALOGUE)))
    if ours.height:
        words = [f"{p} ({k:,}, first at frame {at})" for p, _, k, at in ours.iter_rows()]
        said.append(
            f"{int(ours['n'].sum()):,} of {counted(n, 'change')} are of {named(words, SHOWN)}, "
            f"which {seen_by} looks at: 0 questions about them. {ADVICE}"
        )
    others = left.filter(~pl.col("predicate").is_in(list(CATALOGUE)))
    if others.height:
        words = [
            f"{p} ({k:,}, first at frame {at}{_near(p, arity)})"
            for p, arity, k, at in others.iter_rows()
        ]
        said.append(
            f"{int(others['n'].sum()):,} of {counted(n, 'change')} are of {named(words, SHOWN)}, "
            "which are no predicates of ours: 0 questions about them. Write ours in their place."
        )
    return [Remark(text, is_warning) for text in said]


def _near(word: str, arity: int) -> str:
    near = nearest(word, arity)
    return "" if near is None else f", nearest: {near}"


def _too_few(n_found: int, n_asked: int, gating: Gating, tables: ReplayTables) -> str:
    """Why no question comes of ``n_found`` key frames."""
    profile = gating.profile
    said = (
        f"0 questions under gating {gating.name}: {counted(n_found, 'key frame')}, and a question "
        f"takes {profile.min_length} or more"
    )
    if profile.counts_every_state:
        first = profile.release_constants.first_key_frame
        states = tables.facts.filter(~pl.col("predicate").is_in([EXISTS, RELATED]))
        holds = (pl.col("frame_from") <= first) & (pl.col("frame_to") > first)
        if states.filter(holds).is_empty():
            said += (
                f". No state holds at frame {first}, where profile 'release' takes its first key "
                "frame, and by its formula every graph is like one without states. List what holds "
                "from the start, too"
            )
    elif not n_asked:
        said += ". No change is of a predicate that it looks at"
    return f"{said}."
