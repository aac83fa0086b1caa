"""Style of all figures: one look, and equal bytes for equal rows.

Figures are drawn narrow, so that their letters can be read on a phone; a wide page shows two side
by side. Colours are those of Okabe and Ito, which people with any colour vision tell apart.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from enact_assets.report.parts import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

WIDTH_IN = 4.8
INK, GREY, FAINT = "#1a1a1a", "#767676", "#d0d0d0"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6b4c9a", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
PNG_DPI = 144
MAX_NAME = 26
THUMBNAIL_PX, THUMBNAIL_COLOURS = 480, 48
_SETTINGS: dict[Any, Any] = {
    # Else ids in the file are drawn at random.
    "svg.hashsalt": "enact_assets",
    # Letters as shapes: the same on every machine.
    "svg.fonttype": "path",
    # A model name is not a formula.
    "text.parse_math": False,
    "font.family": ["DejaVu Sans"],
    "font.size": 9,
    "axes.titlesize": 10,
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
    "legend.fontsize": 8,
    "lines.linewidth": 1.4,
    "hatch.linewidth": 0.6,
    "figure.facecolor": "white",
    "figure.constrained_layout.use": True,
}


@contextmanager
def canvas(
    height_in: float, rows: int = 1, columns: int = 1, **layout: Any
) -> Iterator[tuple["Canvas", list["Axes"]]]:
    """An empty figure and its axes, row by row, in the look of all figures."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Empty

    with mpl.rc_context(_SETTINGS):
        drawn = Empty(figsize=(WIDTH_IN, height_in))
        FigureCanvasAgg(drawn)
        axes = drawn.subplots(rows, columns, squeeze=False, **layout)
        yield drawn, [one for line in axes for one in line]


def finished(drawn: "Canvas", name: str, caption: str, alt: str) -> Figure:
    """The drawn figure as files. To be called within :func:`canvas`."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    svg, png = io.BytesIO(), io.BytesIO()
    # Laid out once, for both files: it takes longer than drawing. `savefig` would draw each twice.
    layout = drawn.get_layout_engine()
    if layout is not None:
        layout.execute(drawn)
    drawn.set_layout_engine("none")
    to_svg: Any = FigureCanvasSVG(drawn)
    to_svg.print_svg(svg, metadata={"Date": None, "Creator": None})
    drawn.set_dpi(PNG_DPI)
    to_png: Any = FigureCanvasAgg(drawn)
    to_png.print_png(png, metadata={"Software": None})
    return Figure(name, caption, alt, svg.getvalue(), png.getvalue())


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
    """``text`` as it can be drawn: on one line, not too long, in letters that the font has."""
    known = _letters()
    shown = "".join(c if ord(c) in known else "\N{REPLACEMENT CHARACTER}" for c in text)
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


@cache
def _letters() -> frozenset[int]:
    from matplotlib.font_manager import findfont, get_font

    return frozenset(get_font(findfont("DejaVu Sans")).get_charmap())
