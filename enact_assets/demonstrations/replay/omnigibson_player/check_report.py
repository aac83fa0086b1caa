"""The report of a check: its sections, made of text, tables and pictures, as Markdown and HTML."""

import html
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from enact_assets.demonstrations.replay.omnigibson_player.check_measures import (
    Found,
    angle_deg,
    relative_pose,
    seconds_per_frame,
)
from enact_assets.demonstrations.replay.omnigibson_player.request import REPORT_FILES, View

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


SETTLE_RENDERS = 8
"""Renders after which a picture counts as settled: more than any replay uses."""
MOST_ROWS = 10
"""Rows of the longest tables."""


def add_sections(report: Report, found: Found, view: View, *, n_frames: int, renders: int) -> None:
    """Add all that ``found`` says of a demonstration of ``n_frames``, of which a replay renders
    each ``renders`` times.
    """
    _speed(report, found, n_frames, renders)
    _camera(report, found, view)
    _lag(report, found, renders)
    _drift(report, found)
    _grasps(report, found)
    report.heading("Pictures, and the same with boxes")
    for look in found.looks:
        report.picture(f"Frame {look.frame}", picture_name(look.frame))
    report.heading("To look at")
    report.points(BY_EYE)


def picture_name(frame: int) -> str:
    """Name of the file that shows ``frame``."""
    return f"frame_{frame:06d}.png"


def _speed(report: Report, found: Found, n_frames: int, renders: int) -> None:
    report.heading("Speed")
    play = seconds_per_frame(found.looks)
    facts = float(np.median([look.facts_s for look in found.looks]))
    render = float(np.median([look.render_s for look in found.looks]))
    if play is None:
        report.paragraph("All frames were looked at, so playing alone was not timed.")
        return
    per_frame = play + facts + renders * render
    report.table(
        ["what", "seconds per frame", f"hours for all {n_frames} frames"],
        [
            [name, seconds, seconds * n_frames / 3600]
            for name, seconds in (
                ("playing", play),
                ("facts", facts),
                ("one render", render),
                (f"a replay: playing, facts, {renders} renders", per_frame),
            )
        ],
    )
    report.paragraph(
        "Playing is the mean over frames between looks, the others are medians over looks. "
        "Starting Isaac Sim is in none of them."
    )


def _camera(report: Report, found: Found, view: View) -> None:
    report.heading("Camera")
    if found.camera is None or found.link is None:
        return
    position, turn = relative_pose(found.camera, found.link)
    away = float(np.linalg.norm(np.subtract(position, view.lifted_m)))
    report.table(
        ["what", "position in m", "orientation (x, y, z, w)"],
        [
            ["camera in the world", _shown(found.camera[0]), _shown(found.camera[1])],
            [f"camera in the frame of {view.link}", _shown(position), _shown(turn)],
            ["as asked for", _shown(view.lifted_m), _shown(view.orientation_xyzw)],
        ],
    )
    report.paragraph(
        f"It is {away:.4f} m and {angle_deg(turn, view.orientation_xyzw):.2f} degrees from where "
        "it was asked for. More than a millimetre or a tenth of a degree is a fault."
    )


def _lag(report: Report, found: Found, renders: int) -> None:
    report.heading("Does segmentation lag behind the state?")
    report.paragraph(
        f"Each frame is rendered {max(SETTLE_RENDERS, renders)} times. Boxes that still change "
        f"after {renders} renders, as many as a replay uses, are of an earlier frame."
    )
    rows = []
    for look in found.looks:
        late = look.lagging(renders)
        seen = len(look.boxes[max(look.boxes)])
        rows.append([look.frame, seen, len(look.lagging(1)), len(late), ", ".join(late[:3])])
    report.table(
        ["frame", "objects seen", "change after 1 render", f"after {renders}", "such as"], rows
    )


def _drift(report: Report, found: Found) -> None:
    report.heading("Do assets stand where they were recorded?")
    if not found.drift_m:
        report.paragraph("The scene file has no poses to compare with.")
        return
    far = sorted(found.drift_m.items(), key=lambda one: -one[1])
    report.paragraph(
        f"{len(far)} objects at frame {found.looks[0].frame} beside their pose in the scene file: "
        f"median {float(np.median([d for _, d in far])):.4f} m. Furniture must not move; many "
        "objects that have moved point to another version of the assets."
    )
    report.table(["object", "moved by m"], [list(one) for one in far[:MOST_ROWS]])
    if found.missing:
        report.paragraph(
            f"{len(found.missing)} objects of the scene file are not in the scene, the first: "
            f"{found.missing[0]}"
        )


def _grasps(report: Report, found: Found) -> None:
    report.heading("Grasps")
    rows = [
        [look.frame, hand, name, _yes(fact in look.held), _yes(fact in look.said)]
        for look in found.looks
        for fact in sorted(look.held | look.said, key=str)
        for hand, _, name in [fact]
    ]
    differ = sum(row[3] != row[4] for row in rows)
    report.paragraph(
        f"{len(rows)} grasps at {len(found.looks)} frames; the rule of rules 'enact' (gripper, "
        f"contact, ray) and OmniGibson's is_grasping differ in {differ}. Before 3.9 OmniGibson "
        "does not restore assisted grasps, so there the rule alone can be right."
    )
    report.table(
        ["frame", "hand", "object", "by the rule", "by is_grasping"], rows[: 5 * MOST_ROWS]
    )


def _yes(value: bool) -> str:  # noqa: FBT001 # private
    return "yes" if value else "no"


def _shown(numbers: Sequence[float]) -> str:
    return ", ".join(f"{number:.4f}" for number in numbers)
