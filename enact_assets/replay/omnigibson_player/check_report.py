"""The report of a check: blocks of text, tables and pictures, as Markdown and as HTML."""

import html
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from enact_assets.replay.omnigibson_player.request import REPORT_FILES

BY_EYE = (
    "Each picture shows the scene from the robot's head camera, the right way up.",
    (
        "Each box encloses the object whose name it has. Boxes beside their objects mean that "
        "segmentation lags, or that the picture is of another frame."
    ),
    "Colours, shadows and textures look as in the benchmark's own pictures of this activity.",
    (
        "Objects stand on what they stood on when the demonstration was recorded: nothing floats, "
        "sinks in or has fallen."
    ),
    "Where a hand holds something in the picture, the table of grasps says so.",
)
"""What a person has to look at: no number says it."""
STYLE = (
    "body{font:15px/1.45 sans-serif;max-width:70em;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse;margin:1em 0}td,th{border:1px solid #bbb;padding:.2em .6em;"
    "text-align:left}img{max-width:100%}figure{margin:1em 0}"
)


@dataclass
class Report:
    """Blocks in their order, each a kind and what it holds."""

    title: str
    blocks: list[tuple[str, Any]] = field(default_factory=list)

    def heading(self, text: str) -> None:
        """Begin a section."""
        self.blocks.append(("heading", text))

    def paragraph(self, text: str) -> None:
        """Add a paragraph."""
        self.blocks.append(("paragraph", text))

    def points(self, texts: Sequence[str]) -> None:
        """Add a list."""
        self.blocks.append(("points", list(texts)))

    def table(self, header: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Add a table; numbers are rounded to three places."""
        shown = [[_text(value) for value in row] for row in rows]
        self.blocks.append(("table", (list(header), shown)))

    def picture(self, caption: str, file: str) -> None:
        """Add a picture, by its path beside the report."""
        self.blocks.append(("picture", (caption, file)))

    def write(self, folder: Path) -> tuple[Path, Path]:
        """Write ``report.md`` and ``report.html`` into ``folder``; returns both paths."""
        markdown, html = REPORT_FILES
        files = folder / markdown, folder / html
        for file, text in zip(files, (self.markdown(), self.html()), strict=True):
            file.write_text(text, encoding="utf-8")
        return files

    def markdown(self) -> str:
        """All of it as Markdown."""
        parts = [f"# {self.title}"]
        for kind, what in self.blocks:
            if kind == "heading":
                parts.append(f"## {what}")
            elif kind == "points":
                parts.append("\n".join(f"- [ ] {text}" for text in what))
            elif kind == "table":
                lines = [what[0], ["---"] * len(what[0]), *what[1]]
                cells = [[cell.replace("|", "\\|").replace("\n", " ") for cell in r] for r in lines]
                parts.append("\n".join(f"| {' | '.join(row)} |" for row in cells))
            elif kind == "picture":
                parts.append(f"{what[0]}\n\n![{what[0]}]({what[1]})")
            else:
                parts.append(what)
        return "\n\n".join(parts) + "\n"

    def html(self) -> str:
        """All of it as one HTML page."""
        esc = html.escape
        parts = [f"<h1>{esc(self.title)}</h1>"]
        for kind, what in self.blocks:
            if kind == "heading":
                parts.append(f"<h2>{esc(what)}</h2>")
            elif kind == "points":
                parts.append("<ul>" + "".join(f"<li>{esc(text)}</li>" for text in what) + "</ul>")
            elif kind == "table":
                head = "".join(f"<th>{esc(cell)}</th>" for cell in what[0])
                rows = ("".join(f"<td>{esc(cell)}</td>" for cell in row) for row in what[1])
                body = "".join(f"<tr>{row}</tr>" for row in rows)
                parts.append(f"<table><tr>{head}</tr>{body}</table>")
            elif kind == "picture":
                image = f'<img src="{esc(what[1])}" alt="{esc(what[0])}">'
                parts.append(f"<figure><figcaption>{esc(what[0])}</figcaption>{image}</figure>")
            else:
                parts.append(f"<p>{esc(what)}</p>")
        head = f'<meta charset="utf-8"><title>{esc(self.title)}</title><style>{STYLE}</style>'
        return f"<!doctype html><html><head>{head}</head><body>{''.join(parts)}</body></html>\n"


def _text(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)
