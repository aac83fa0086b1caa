"""The report on disk: one HTML file, its figures, and its provenance."""

from collections.abc import Iterable, Mapping
from html.parser import HTMLParser
from pathlib import Path

from enact_assets.engine.provenance import Provenance
from enact_assets.engine.system.atomic import replacing

REPORT_FILE = "report.html"
FIGURES_FOLDER = "figures"
FIGURE_SUFFIXES = (".png", ".svg")
CONTENT_SHA, PROVENANCE = "enact-content-sha", "enact-provenance"
"""Names of the <meta> elements."""
_HEAD_BYTES = 1 << 16
"""Number of bytes at the beginning of a page that contain them."""


def write_report_files(
    folder: Path, html: str, figures: Mapping[str, bytes], *, is_ours: bool
) -> list[Path]:
    """Write figures (file name -> content), then the HTML file, each whole or not at all.

    Where the folder ``is_ours``, figures of an older report are removed. Errors:
    :class:`OutputError` if a file cannot be written.
    """
    written = []
    for name in sorted(figures):
        path = folder / FIGURES_FOLDER / name
        with replacing(path) as temporary:
            temporary.write_bytes(figures[name])
        written.append(path)
    if is_ours and (folder / FIGURES_FOLDER).is_dir():
        _remove_others(folder / FIGURES_FOLDER, figures)
    # Last, so that a reader finds its figures.
    path = folder / REPORT_FILE
    with replacing(path) as temporary:
        temporary.write_text(html, "utf-8")
    return [path, *written]


def report_provenance(folder: Path) -> tuple[str | None, Provenance | None]:
    """Content hash and provenance of the report; None if unknown.

    Both are None if there is no readable report; the remedy is to make it.
    """
    try:
        with (folder / REPORT_FILE).open("rb") as file:
            head = file.read(_HEAD_BYTES).decode("utf-8", "replace")
    except OSError:
        return None, None
    found = _Meta(head).found
    return found.get(CONTENT_SHA), Provenance.decoded(found.get(PROVENANCE, ""))


def _remove_others(folder: Path, keep: Iterable[str]) -> None:
    kept = set(keep)
    for path in sorted(folder.iterdir()):
        if path.suffix in FIGURE_SUFFIXES and path.name not in kept:
            path.unlink(missing_ok=True)


class _Meta(HTMLParser):
    """Name -> content of the <meta> elements of a page's head."""

    def __init__(self, head: str) -> None:
        super().__init__()
        self.found: dict[str, str] = {}
        self.feed(head)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        name, content = said.get("name"), said.get("content")
        if tag == "meta" and name is not None and content is not None:
            self.found[name] = content
