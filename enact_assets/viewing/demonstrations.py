"""Demonstrations: a list of them, and one as its key frames with what changed between them."""

from dataclasses import dataclass

from enact_assets.contracts.errors import UnknownNameError
from enact_assets.contracts.registry import BASELINE
from enact_assets.data_root.published import Ask
from enact_assets.viewing.pictures import Shown


@dataclass(frozen=True)
class DemonstrationRow:
    """A demonstration of a list; ``n_asked`` counts questions that the baseline asks. ``seconds``
    is None if only its key frames are known.
    """

    demonstration: str
    activity: str
    source: str
    seconds: float | None
    n_key_frames: int
    n_asked: int


@dataclass(frozen=True)
class KeyFrame:
    """A key frame: ``changes`` are components that differ from the key frame before. ``time_s`` is
    None if only key frames are known.
    """

    number: int
    frame: int
    time_s: float | None
    changes: tuple[str, ...]
    picture: Shown


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
    views: tuple[tuple[str, str], ...]
    """All pairs of gating and variant under which there are pictures, the baseline's first."""
    key_frames: tuple[KeyFrame, ...]

    @property
    def seconds(self) -> float | None:
        """How long it is; None if only its key frames are known."""
        return _seconds(self.n_frames, self.frame_rate_hz)

    @property
    def pictures(self) -> tuple[Shown, ...]:
        """Of all key frames, in order."""
        return tuple(key_frame.picture for key_frame in self.key_frames)


def list_demonstrations(ask: Ask) -> tuple[DemonstrationRow, ...]:
    """All published ones, by name. Errors: :class:`WarehouseError`."""
    rows = ask(
        """
        select demonstration, activity, source, n_frames / nullif(frame_rate_hz, 0) as seconds,
            coalesce(n_key_frames, 0) as n_key_frames, coalesce(n_asked, 0) as n_asked
        from demonstrations
        left join (
            select demonstration, max(n) as n_key_frames
            from (
                select demonstration, gating, count(*) as n from segmented_frames group by all
            )
            group by all
        ) using (demonstration)
        left join (
            select demonstration, count(*) as n_asked
            from asked_questions where variant = $variant group by all
        ) using (demonstration)
        order by demonstration
        """,
        {"variant": BASELINE},
    )
    return tuple(DemonstrationRow(**row) for row in rows.iter_rows(named=True))


def has_demonstration(ask: Ask, name: str) -> bool:
    """Whether it is published. Errors: :class:`WarehouseError`."""
    sql = "select count(*) > 0 from demonstrations where demonstration = $name"
    return bool(ask(sql, {"name": name}).item())


def read_demonstration(
    ask: Ask, name: str, variant: str | None = None, gating: str | None = None
) -> Demonstration:
    """Key frames of a demonstration with the pictures of ``variant``, by default the baseline.

    Without a ``gating`` that of the variant's pictures, or the first there is. Errors:
    :class:`UnknownNameError` if it is not published, or has no key frames under the gating or
    no pictures under the variant; :class:`WarehouseError`.
    """
    values = {"name": name, "baseline": BASELINE}
    found = ask("from demonstrations where demonstration = $name", {"name": name})
    if found.is_empty():
        known = ask("select demonstration from demonstrations").to_series()
        raise UnknownNameError.of("demonstration", name, known)
    row = found.row(0, named=True)
    views = ask(
        "select distinct gating, variant from segmented_frames "
        "left join (from frame_images where demonstration = $name) "
        "using (demonstration, gating, key_frame) where demonstration = $name "
        "order by variant is null, variant <> $baseline, variant, gating",
        values,
    )
    pairs = [(g, v) for g, v in views.iter_rows() if v is not None]
    if variant is not None and variant not in {v for _, v in pairs}:
        raise UnknownNameError.of(
            f"variant with pictures of {name}", variant, {v for _, v in pairs}
        )
    gatings = views.get_column("gating").unique(maintain_order=True).to_list()
    if gating is not None and gating not in gatings:
        raise UnknownNameError.of(f"gating of {name}", gating, gatings)
    fitting = [
        (g, v)
        for g, v in pairs
        if (variant is None or v == variant) and (gating is None or g == gating)
    ]
    first = fitting[0] if fitting else (gating or next(iter(gatings), ""), variant or BASELINE)
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
        views=tuple(pairs),
        key_frames=tuple(
            KeyFrame(
                number=frame["key_frame"],
                frame=frame["frame"],
                time_s=_seconds(frame["frame"], row["frame_rate_hz"]),
                changes=tuple(frame["changes"]),
                picture=Shown(
                    f"Key frame {frame['key_frame']}", frame["key_frame"], frame["image_sha"]
                ),
            )
            for frame in frames.iter_rows(named=True)
        ),
    )


def _seconds(n_frames: int, frame_rate_hz: float) -> float | None:
    """None at rate 0, which key frames without the frames between have."""
    return n_frames / frame_rate_hz if frame_rate_hz else None
