"""Code versions: what was made by code that has changed since is stale.

The version is the hash of the source files behind an asset, so nobody has to remember to raise a
number, and a re-run with the same result goes no further downstream. Two are raised by hand,
because making them again costs hours or money: pictures (``RENDERER_VERSION``, with a render cache
behind it) and predictions.
"""

from functools import cache
from pathlib import Path

from enact_assets.contracts.ids import ID_CHARACTERS, content_sha, sha256_bytes
from enact_assets.engine.tables import TABLES
from enact_assets.simulator.rendering.renderer import RENDERER_VERSION
from enact_assets.storage.sql_files import sql_folder

PACKAGE = Path(__file__).parents[1]
SOURCES: dict[str, tuple[str, ...]] = {
    "demonstrations": ("simulator", "replay"),
    "facts": ("simulator", "replay"),
    "later_parents": ("simulator", "replay"),
    "objects": ("simulator", "replay"),
    "observability": ("simulator", "replay"),
    "states": ("simulator", "replay"),
    "segmented_frames": ("segmentation",),
    "scene_graphs": ("segmentation",),
    "visibility": ("simulator", "frames"),
    "transition_graph": ("segmentation", "trajectories"),
    "edited_objects": ("segmentation", "trajectories"),
    "path_counts": ("trajectories",),
    # Draws and texts of profile release also hang on the changes between key frames.
    "trajectories": ("segmentation", "trajectories"),
    "qa": ("segmentation", "trajectories", "questions"),
    "question_orders": ("segmentation", "evaluation"),
    "official_questions": ("questions",),
    "question_set": ("questions",),
    "asked_questions": ("questions",),
    "wanted_frames": ("questions",),
    "evaluation": ("segmentation", "evaluation"),
    "compared_steps": ("segmentation", "evaluation", "error_analysis"),
    "compared_components": ("segmentation", "evaluation", "error_analysis"),
    "probes": ("probes", "statistics"),
    "probe_panels": ("probes", "statistics"),
    "model_accuracies": ("statistics",),
    "model_comparisons": ("statistics",),
    # Wrong answers are shown as strips of pictures.
    "report": ("report", "frames"),
    **dict.fromkeys((n for n in TABLES if n.startswith("published_")), ("published",)),
}
"""Table, or the report -> stage folders whose code makes it."""

SOURCE_SUFFIXES = {".css", ".csv", ".html", ".py", ".sql", ".txt"}
"""Templates of the report and of prompts, published results, code, queries."""
BY_HAND = {"frame_images": str(RENDERER_VERSION), "predictions": "1"}


@cache
def code_version(name: str) -> str:
    """Version of the code that makes table ``name`` or the report; of ``warehouse``, of its SQL."""
    if name in BY_HAND:
        return BY_HAND[name]
    if name == "warehouse":
        return _hash(sql_folder())
    return content_sha([_hash(PACKAGE / folder) for folder in SOURCES[name]])[:ID_CHARACTERS]


@cache
def _hash(folder: Path) -> str:
    files = sorted(p for p in folder.rglob("*") if p.suffix in SOURCE_SUFFIXES)
    shas = {p.relative_to(folder).as_posix(): sha256_bytes(p.read_bytes()) for p in files}
    return content_sha(shas)[:ID_CHARACTERS]
