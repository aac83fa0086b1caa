"""A data root with two households to train on, written without running the pipeline."""

from pathlib import Path

from enact_assets.commands.training.sets import (
    TrainingSet,
    TrainingWanted,
    training_source,
    write_training_set,
)
from enact_assets.demonstrations.pictures.tables import FrameImages
from enact_assets.demonstrations.replay.tables import LaterParents
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.questions.paths.tables import AmbiguousChanges
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import load_registry
from enact_assets.settings.splits import Split

from reference.asked_root import picture
from reference.builders import build_demonstrations, build_segmented_frames
from reference.household import Household, build_household

REGISTRY = load_registry()
HOMES = [build_household(1000 + k, lengths=range(3, 4), activity="can_meat") for k in range(2)]
NAMES = [home.demonstration for home in HOMES]


def write_training_root(folder: Path, world_sha: str = "") -> DataRoot:
    """Both households; in one world if it is told."""
    root = DataRoot(folder, lake_url=None)
    for number, home in enumerate(HOMES):
        _write(root, home, number, world_sha or f"world {number}")
    return root


def _write(root: DataRoot, home: Household, number: int, world_sha: str) -> None:
    lake, store, name = Lake(root.lake), ImageStore(root.images), home.demonstration
    here = {"demonstration": name}
    framed = {**here, "gating": "state"}
    frames = range(home.index.n_key_frames)
    lake.write("demonstrations", build_demonstrations(900, name, world_sha=world_sha), here)
    segmented = build_segmented_frames((30 * k for k in frames), **framed)
    lake.write("segmented_frames", segmented, framed)
    lake.write("transition_graph", home.transition_graph, framed)
    lake.write("ambiguous_changes", AmbiguousChanges.empty(), framed)
    lake.write("objects", home.objects, here)
    lake.write("later_parents", LaterParents.empty(), here)
    lake.write("scene_graphs", home.scene_graphs, framed)
    lake.write("visibility", home.visibility, framed)
    size = {"render_sha": "1" * 64, "width_px": 32, "height_px": 32}
    images = [
        {**framed, "variant": "baseline", "key_frame": k, "frame": 30 * k, **size}
        | {"image_sha": store.put(picture(k + 25 * number))}
        for k in frames
    ]
    lake.write("frame_images", FrameImages.build(images), {**here, "variant": "baseline"})


def write_set(folder: Path, n_questions: int, *lengths: int) -> TrainingSet:
    """A training set in ``folder / "set"`` about both households."""
    root = write_training_root(folder / "root")
    wanted = TrainingWanted(Split.TRAINING, n_questions, lengths)
    source = training_source(root, REGISTRY, REGISTRY.variant("baseline"), NAMES, wanted)
    return write_training_set(source, folder=folder / "set")
