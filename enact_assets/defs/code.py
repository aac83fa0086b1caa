"""Code versions: what was made by code that has changed since is stale.

The version is the hash of the source files behind an asset, so nobody has to remember to raise a
number, and a re-run with the same result goes no further downstream. Steps that declare a version
are the exception, because making their rows again costs hours or money: pictures and predictions.
"""

from functools import cache
from pathlib import Path

from enact_assets.contracts.ids import ID_CHARACTERS, content_sha, sha256_bytes
from enact_assets.engine.steps import STEPS
from enact_assets.engine.tables import TABLES
from enact_assets.lineage.pipeline import STEP_OF
from enact_assets.storage.sql_files import sql_folder

PACKAGE = Path(__file__).parents[1]
SOURCES: dict[str, tuple[str, ...]] = {
    "demonstrations": ("simulator", "replay"),
    "facts": ("simulator", "replay"),
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
"""Table, or the report -> stage folders whose code makes it; of any other, its own stage."""

SOURCE_SUFFIXES = {".css", ".csv", ".html", ".py", ".sql", ".txt"}
"""Templates of the report and of prompts, published results, code, queries."""


@cache
def code_version(name: str) -> str:
    """Version of the code that makes table ``name`` or the report; of ``warehouse``, of its SQL."""
    if name == "warehouse":
        return _hash(sql_folder())
    step = STEPS.get(STEP_OF[name].name)
    if step is not None and step.version is not None:
        return step.version
    folders = SOURCES.get(name) or (_stage(name),)
    return content_sha([_hash(PACKAGE / folder) for folder in folders])[:ID_CHARACTERS]


def _stage(table_name: str) -> str:
    return TABLES[table_name].__module__.split(".")[1]


@cache
def _hash(folder: Path) -> str:
    files = sorted(p for p in folder.rglob("*") if p.suffix in SOURCE_SUFFIXES)
    shas = {p.relative_to(folder).as_posix(): sha256_bytes(p.read_bytes()) for p in files}
    return content_sha(shas)[:ID_CHARACTERS]
