"""The list of demonstrations, and one demonstration with its key frames and the changes between
them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from enact_assets.engine.errors import UnknownNameError
from enact_assets.results.browse.pictures_shown import Shown
from enact_assets.results.published import Ask
from enact_assets.settings.classes import QUESTIONS
from enact_assets.settings.registry import BASELINE


@dataclass(frozen=True)
class DemonstrationRow:
    """A demonstration of a list; ``n_asked`` counts its questions under ``variant``: the baseline,
    or else the first variant with questions about it. ``seconds`` is None without a frame rate.
    """

    demonstration: str
    activity: str
    source: str
    seconds: float | None
    n_key_frames: int
    variant: str | None
    n_asked: int


@dataclass(frozen=True)
class KeyFrame:
    """A frame that questions show: ``changes`` are components that differ from the frame before.

    ``changes`` are None without a replay, ``time_s`` without a frame rate. Imported questions may
    show one frame at several places; then it has ``further`` numbers.
    """

    number: int
    frame: int
    time_s: float | None
    changes: tuple[str, ...] | None
    picture: Shown
    further: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """Its numbers."""
        return f"{self.number}-{self.further[-1]}" if self.further else f"{self.number}"


@dataclass(frozen=True)
class Demonstration:
    """A demonstration under one gating; pictures are those of ``variant``."""

    demonstration: str
    activity: str
    source: str
    n_frames: int
    frame_rate_hz: float
    gating: str
    variant: str
    gatings: tuple[str, ...]
    views: tuple[tuple[str, str], ...]
    """All pairs of gating and variant with pictures: first those with questions, the baseline's
    before others.
    """
    key_frames: tuple[KeyFrame, ...]

    @property
    def seconds(self) -> float | None:
        """Its duration; None without a frame rate."""
        return self.n_frames / self.frame_rate_hz if self.frame_rate_hz else None

    @property
    def has_replay(self) -> bool:
        """Whether the changes between key frames are known."""
        return self.source != QUESTIONS

    @property
    def pictures(self) -> tuple[Shown, ...]:
        """Of all key frames, in order."""
        return tuple(key_frame.picture for key_frame in self.key_frames)


def list_demonstrations(ask: Ask) -> tuple[DemonstrationRow, ...]:
    """All published ones, by name. Errors: :class:`WarehouseError`."""
    rows = ask(
        """
        select demonstration, activity, source, n_frames / nullif(frame_rate_hz, 0) as seconds,
            coalesce(n_key_frames, 0) as n_key_frames, variant, coalesce(n_asked, 0) as n_asked
        from demonstrations
        left join (
            select demonstration, max(n) as n_key_frames
            from (
                select demonstration, gating, count(distinct frame) as n
                from segmented_frames group by all
            )
            group by all
        ) using (demonstration)
        left join (
            select distinct on (demonstration) *
            from (
                select demonstration, variant, count(*) as n_asked
                from asked_questions group by all
            )
            order by demonstration, variant <> $baseline, variant
        ) using (demonstration)
        order by demonstration
        """,
        {"baseline": BASELINE},
    )
    return tuple(DemonstrationRow(**row) for row in rows.iter_rows(named=True))


def has_demonstration(ask: Ask, name: str) -> bool:
    """Whether it is published. Errors: :class:`WarehouseError`."""
    sql = "select count(*) > 0 from demonstrations where demonstration = $name"
    return bool(ask(sql, {"name": name}).item())


def read_demonstration(
    ask: Ask, name: str, variant: str | None = None, gating: str | None = None
) -> Demonstration:
    """Key frames of a demonstration with the pictures of ``variant``.

    By default a pair with questions about it, the baseline's before others; without questions, the
    first pair. Errors: :class:`UnknownNameError` if it is not published, or has no key frames under
    the gating or no pictures under the variant; :class:`WarehouseError`.
    """
    found = ask("from demonstrations where demonstration = $name", {"name": name})
    if found.is_empty():
        known = ask("select demonstration from demonstrations").to_series()
        raise UnknownNameError.of("demonstration", name, known)
    row = found.row(0, named=True)
    gatings, pairs, asked = _views(ask, name)
    if variant is not None and variant not in {v for _, v in pairs}:
        raise UnknownNameError.of(
            f"variant with pictures of {name}", variant, {v for _, v in pairs}
        )
    if gating is not None and gating not in gatings:
        raise UnknownNameError.of(f"gating of {name}", gating, gatings)
    fitting = [
        (g, v)
        for g, v in pairs
        if (variant is None or v == variant) and (gating is None or g == gating)
    ]
    else_gating = gating or next(iter(gatings), "")
    else_variant = variant or next((v for g, v in asked if g == else_gating), BASELINE)
    first = fitting[0] if fitting else (else_gating, else_variant)
    frames = ask(
        """
        select segmented_frames.*, image_sha
        from segmented_frames
        left join (
            from frame_images where demonstration = $name and variant = $variant
        ) using (demonstration, gating, key_frame)
        where demonstration = $name and gating = $gating
        order by key_frame
        """,
        {"name": name, "gating": first[0], "variant": first[1]},
    )
    return Demonstration(
        demonstration=name,
        activity=row["activity"],
        source=row["source"],
        n_frames=row["n_frames"],
        frame_rate_hz=row["frame_rate_hz"],
        gating=first[0],
        variant=first[1],
        gatings=tuple(gatings),
        views=tuple(pairs),
        key_frames=tuple(
            _key_frame(list(same), row)
            for _, same in groupby(frames.iter_rows(named=True), lambda frame: frame["frame"])
        ),
    )


_Pairs = list[tuple[str, str]]


def _views(ask: Ask, name: str) -> tuple[list[str], _Pairs, _Pairs]:
    """Gatings with key frames; pairs of gating and variant with pictures; pairs with questions."""

    def pairs(sql: str) -> list[tuple[str, str | None]]:
        return ask(sql, {"name": name}).rows()

    asked = _ordered(
        pairs("select distinct gating, variant from asked_questions where demonstration = $name")
    )
    there = pairs(
        "select distinct gating, variant from segmented_frames "
        "left join (from frame_images where demonstration = $name) "
        "using (demonstration, gating, key_frame) where demonstration = $name"
    )
    ordered = _ordered(there)
    first = [pair for pair in asked if pair in ordered]
    views = first + [pair for pair in ordered if pair not in first]
    known = {g for g, _ in there}
    gatings = [g for g, _ in (*asked, *views) if g in known] + sorted(known)
    return list(dict.fromkeys(gatings)), views, asked


def _ordered(pairs: Iterable[tuple[str, str | None]]) -> _Pairs:
    """The baseline first, then by variant and gating."""
    named = [(g, v) for g, v in pairs if v is not None]
    return sorted(named, key=lambda pair: (pair[1] != BASELINE, pair[1], pair[0]))


def _key_frame(same: list[dict[str, Any]], demonstration: Mapping[str, Any]) -> KeyFrame:
    """One frame, of which ``same`` has a row for each of its numbers."""
    first, *others = same
    rate_hz = demonstration["frame_rate_hz"]
    shown = next((row for row in same if row["image_sha"] is not None), first)
    number = first["key_frame"]
    return KeyFrame(
        number=number,
        frame=first["frame"],
        time_s=first["frame"] / rate_hz if rate_hz else None,
        changes=None if demonstration["source"] == QUESTIONS else tuple(first["changes"]),
        picture=Shown(f"Key frame {number}", number, shown["image_sha"]),
        further=tuple(row["key_frame"] for row in others),
    )
