"""The rooms of the package as a picture: what is in each, and which imports which."""

import ast
import tomllib
from collections import Counter

from anew.declared import ROOT, Place

PACKAGE = ROOT / "enact_assets"
ROOMS = {
    "engine": "tables, steps, the lake, plans, publishing; knows nothing of ENACT",
    "settings": "the registry, predicates, constants of profiles, paths",
    "simulator": "the embedded household",
    "demonstrations": "replays, recordings, pictures",
    "questions": "key frames, trajectories, questions and their words",
    "answers": "models, baselines, learned references, people",
    "results": "verification, errors, statistics, probes, report, pages",
    "pipeline": "steps, lineage, Dagster, the driver",
    "commands": "the command line, the release's files, harnesses",
}
INK, PALE, FILL = "#22303c", "#8a97a3", "#e8edf2"


def floors() -> list[str]:
    """Rooms from the ground up, in the order that the import contract holds."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    layers = next(c["layers"] for c in contracts if c["name"].startswith("nine rooms"))
    return [room for room in reversed(layers) if room in ROOMS]


def imports() -> Counter[tuple[str, str]]:
    """(room, room that it imports from) -> number of import statements, those in functions too."""
    found: Counter[tuple[str, str]] = Counter()
    for path in PACKAGE.rglob("*.py"):
        room = path.relative_to(PACKAGE).parts[0]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("enact_assets."):
                other = str(node.module).split(".")[1]
                if room in ROOMS and other in ROOMS and other != room:
                    found[room, other] += 1
    return found


def draw_rooms(place: Place) -> None:
    """``rooms.png``: a floor per room, and dots where one imports from another."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    rooms, counts = floors(), imports()
    figure = Figure(figsize=(11, 5.2), dpi=150, facecolor="white")
    axes = figure.add_axes((0.01, 0.02, 0.98, 0.96))
    for y, name in enumerate(rooms):
        files = list((PACKAGE / name).rglob("*.py"))
        n_lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)
        axes.add_patch(Rectangle((0, y - 0.42), 7.2, 0.84, facecolor=FILL, edgecolor="none"))
        axes.text(0.15, y, name, va="center", fontsize=12, weight="bold", color=INK)
        axes.text(2.05, y + 0.13, ROOMS[name], va="center", fontsize=8.6, color=INK)
        size = f"{n_lines:,} lines in {len(files)} modules"
        axes.text(2.05, y - 0.2, size, va="center", fontsize=7.4, color=PALE)
        for x, other in enumerate(rooms[:y]):
            n, at = counts[name, other], 7.55 + 0.52 * x
            edge, color = (4 + n**0.5, INK) if n else (2.2, FILL)
            axes.plot([at], [y], "o", ms=edge, color=color)
            if n:
                axes.text(at, y - 0.43, str(n), ha="center", fontsize=6, color=PALE)
        at = 7.55 + 0.52 * y
        axes.text(at, y, name, ha="center", va="center", fontsize=6.6, color=PALE)
    axes.text(7.4, len(rooms) - 0.25, "imports from the rooms below", fontsize=8, color=PALE)
    axes.set_xlim(-0.1, 12.1)
    axes.set_ylim(-0.6, len(rooms))
    axes.set_axis_off()
    figure.savefig(place.output / "rooms.png")
