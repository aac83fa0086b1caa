"""Style of all figures: one look, and equal bytes for equal rows.

Figures of the page are drawn narrow, so that their letters can be read on a phone; a wide page
shows two side by side. Within :func:`printing` the same figures are drawn for paper.
"""

import io
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from enact_assets.results.report.parts import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

WIDTH_IN, LARGE_FROM_IN = 4.8, 4.4
"""Width on the page, and the smallest width at which letters have the same size as there."""
INK, GREY, FAINT = "#1a1a1a", "#767676", "#d0d0d0"
CHANCE: dict[str, Any] = {"color": INK, "linestyle": ":", "linewidth": 1.2}
"""Lines for the score of a random order."""
INTERVAL: dict[str, Any] = {"linewidth": 0.9, "alpha": 0.8}
PNG_DPI, PRINT_DPI = 144, 300
MAX_NAME = 26
NOT_BESIDE = "; ours may not be compared with them"
"""End of notes on published numbers; left out where the note of :func:`printing` says so, too."""
PARTIAL, REFERENCE = " (partial)", " (ref.)"
"""After the name of a model that answered some of the questions only, and of a reference."""
THUMBNAIL_PX, THUMBNAIL_COLOURS = 480, 48
FONT = "DejaVu Sans"
SVG_FONTS = f"'{FONT}', Verdana, Geneva, sans-serif"
"""Of letters in SVG, which are text: fonts about as wide, as text must fit where it was set."""
_SETTINGS: dict[Any, Any] = {
    # Else ids in the file are drawn at random.
    "svg.hashsalt": "enact_assets",
    # Text stays text: it can be searched, selected and edited.
    "svg.fonttype": "none",
    # TrueType: journals refuse Type 3.
    "pdf.fonttype": 42,
    # A model name is not a formula.
    "text.parse_math": False,
    "font.family": [FONT],
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "hatch.linewidth": 0.6,
    "figure.facecolor": "white",
    "figure.constrained_layout.use": True,
}
_SIZES = {
    "font.size": 9,
    "axes.titlesize": 10,
    "legend.fontsize": 8,
    "lines.markeredgewidth": 1,
}
_NO_DATES = {"CreationDate": None, "Creator": None, "Producer": None}


@dataclass(frozen=True)
class _Style:
    width_in: float
    png_dpi: int
    has_pdf: bool
    note: str = ""
    """Note in every file of a figure, as it may be seen without the page."""


_ON_PAGE = _Style(WIDTH_IN, PNG_DPI, has_pdf=False)
_style: ContextVar[_Style] = ContextVar("style", default=_ON_PAGE)
_partial: ContextVar[str] = ContextVar("partial", default="")


@contextmanager
def printing(width_in: float, note: str = "") -> Iterator[None]:
    """Within the block, figures are ``width_in`` wide, have a PDF file, and a PNG of 300 dpi.

    Letters of narrow figures are smaller than the page's in proportion, those of wide ones are not
    larger. ``note`` is printed below every figure that compares with the paper.
    """
    token = _style.set(_Style(width_in, PRINT_DPI, has_pdf=True, note=note))
    try:
        yield
    finally:
        _style.reset(token)


@contextmanager
def naming_partial(text: str) -> Iterator[None]:
    """Within the block, a figure that names a :data:`PARTIAL` model says ``text``: how many
    questions its scores are about.
    """
    token = _partial.set(text)
    try:
        yield
    finally:
        _partial.reset(token)


def pt(size: float) -> float:
    """A size of letters or markers in points, as it is at the width that is drawn now."""
    return size * _scale()


def _scale() -> float:
    return min(1.0, _style.get().width_in / LARGE_FROM_IN)


@contextmanager
def canvas(
    height_in: float, rows: int = 1, columns: int = 1, **layout: Any
) -> Iterator[tuple["Canvas", list["Axes"]]]:
    """An empty figure and its axes, row by row, in the look of all figures."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Empty

    sizes: dict[Any, Any] = {name: pt(size) for name, size in _SIZES.items()}
    with mpl.rc_context({**_SETTINGS, **sizes}):
        drawn = Empty(figsize=(_style.get().width_in, height_in * _scale()))
        FigureCanvasAgg(drawn)
        axes = drawn.subplots(rows, columns, squeeze=False, **layout)
        yield drawn, [one for line in axes for one in line]


def finished(
    drawn: "Canvas", name: str, caption: str, alt: str, note: str = "", *, is_of_enact: bool = True
) -> Figure:
    """The drawn figure as files. To be called within :func:`canvas`.

    ``note`` is printed below it, in the file itself. Figures for paper also have the note of
    :func:`printing`, unless they are not ``is_of_enact``, and the numbers of questions that partial
    models were scored on. The caption says the same.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_pdf import FigureCanvasPdf
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    style = _style.get()
    partial = _partial.get() if _names_partial(drawn) else ""
    limits = style.note if is_of_enact else ""
    notes = (note.replace(NOT_BESIDE, "") if limits else note, partial, limits)
    said = " ".join(text for text in notes if text)
    if said:
        caption = f"{caption}. {said}"
    about = {"Title": name, "Description": caption} if style.has_pdf else {}
    svg, png, pdf = io.BytesIO(), io.BytesIO(), io.BytesIO()
    # The layout is computed once for all files, as it takes longer than drawing. `savefig` would
    # draw each file twice.
    layout = drawn.get_layout_engine()
    if layout is not None:
        layout.execute(drawn)
    drawn.set_layout_engine("none")
    if said:
        _write_below(drawn, said)
    to_svg: Any = FigureCanvasSVG(drawn)
    to_svg.print_svg(svg, metadata={"Date": None, "Creator": None, **about})
    if style.has_pdf:
        to_pdf: Any = FigureCanvasPdf(drawn)
        to_pdf.print_pdf(pdf, metadata={**_NO_DATES, "Title": name, "Subject": caption})
    drawn.set_dpi(style.png_dpi)
    to_png: Any = FigureCanvasAgg(drawn)
    to_png.print_png(png, metadata={"Software": None, **about})
    text = svg.getvalue().replace(f"'{FONT}'".encode(), SVG_FONTS.encode())
    return Figure(name, caption, alt, text, png.getvalue(), pdf.getvalue())


def _names_partial(drawn: "Canvas") -> bool:
    from matplotlib.text import Text

    return any(PARTIAL.strip() in found.get_text() for found in drawn.findobj(Text))


def _write_below(drawn: "Canvas", text: str) -> None:
    """``text`` in small letters, in added space below a figure that is laid out: its content moves
    up unchanged.
    """
    size = pt(6.5)
    width, height = drawn.get_size_inches()
    # Letters of the font are about 0.55 of their size wide.
    lines = textwrap.wrap(text, int(width * 72 / (0.55 * size)))
    room = (1.3 * size * len(lines) + 4) / 72
    total = height + room
    drawn.set_size_inches(width, total)
    for axes in drawn.axes:
        at = axes.get_position(original=True)
        moved = (at.y0 * height + room) / total
        axes.set_position((at.x0, moved, at.width, at.height * height / total))
    for found in drawn.texts:  # the title of the whole
        found.set_y((found.get_position()[1] * height + room) / total)
    for legend in drawn.legends:
        legend.set_bbox_to_anchor((0, room / total, 1, height / total), drawn.transFigure)
    drawn.text(
        *(0.015, 2 / 72 / total, "\n".join(lines)),
        fontsize=size, color=GREY, va="bottom", ha="left", linespacing=1.2, in_layout=False,
    )  # fmt: skip


def thumbnail(png: bytes) -> bytes:
    """The PNG file in fewer pixels and colours, about a quarter of its size: for Dagster's log."""
    from PIL import Image

    out = io.BytesIO()
    with Image.open(io.BytesIO(png)) as image:
        size = (THUMBNAIL_PX, round(image.height * THUMBNAIL_PX / image.width))
        small = image.convert("RGB").resize(size, Image.Resampling.LANCZOS)
    small.quantize(THUMBNAIL_COLOURS).save(out, "PNG", optimize=True)
    return out.getvalue()


def drawable(text: str, limit: int = MAX_NAME) -> str:
    """``text`` for drawing: on one line, not too long, with characters of the font."""
    known = _letters()
    shown = "".join(c if ord(c) in known else "\N{REPLACEMENT CHARACTER}" for c in text)
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


@cache
def _letters() -> frozenset[int]:
    from matplotlib.font_manager import findfont, get_font

    return frozenset(get_font(findfont(FONT)).get_charmap())
