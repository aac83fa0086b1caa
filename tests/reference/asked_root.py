"""A data root with questions that two variants ask, written without running the pipeline."""

import io
from pathlib import Path

import polars as pl
from PIL import Image

from enact_assets.demonstrations.pictures.tables import FrameImages
from enact_assets.demonstrations.replay.tables import LaterParents
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.questions.asked.by_variant import ask_questions
from enact_assets.questions.asked.tables import QuestionSet
from enact_assets.results.verification.expectation import expect_random_orders
from enact_assets.settings.classes import QuestionSettings
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import load_registry

from reference.builders import build_demonstrations, build_segmented_frames
from reference.household import Household, all_chosen, build_household

SYMBOLS = "symbolic_predicates"
UNSHOWN = 3
"""A key frame without a picture under ``SYMBOLS``."""


def picture(key_frame: int) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (32, 32), (9 * key_frame, 99, 199)).save(out, "PNG")
    return out.getvalue()


def write_asked_root(folder: Path) -> tuple[DataRoot, Household]:
    """Set ``state``: the baseline asks all but the last four questions, ``SYMBOLS`` the first six
    in symbols.
    """
    home = build_household(4, lengths=range(3, 6))
    root = DataRoot(folder, lake_url=None)
    lake, store = Lake(root.lake), ImageStore(root.images)
    name = home.demonstration
    here = {"demonstration": name, "gating": "state"}
    chosen = all_chosen(home.qa).with_columns(source=pl.lit("embedded"), in_question_set=True)
    lake.write("qa", home.qa, here)
    question_set = chosen.select(list(QuestionSet.schema()))
    lake.write("question_set", QuestionSet.arranged(question_set), {"question_set": "state"})
    frames = range(home.index.n_key_frames)
    lake.write("segmented_frames", build_segmented_frames((30 * k for k in frames), **here), here)
    for variant, asked in (("baseline", home.qa[:-4]), (SYMBOLS, home.qa[:6])):
        settings = load_registry().variant(variant)
        found = ask_questions(all_chosen(asked), home.qa, settings, QuestionSettings())
        lake.write("asked_questions", found, {"variant": variant})
        shown = [k for k in frames if variant == "baseline" or k != UNSHOWN]
        size = {"render_sha": "1" * 64, "width_px": 32, "height_px": 32}
        images = [
            {**here, "variant": variant, "key_frame": k, "frame": 30 * k, **size}
            | {"image_sha": store.put(picture(k))}
            for k in shown
        ]
        partition = {"demonstration": name, "variant": variant}
        lake.write("frame_images", FrameImages.build(images), partition)
    return root, home


def write_evidence(root: DataRoot, home: Household) -> None:
    """What verifies answers to the questions of :func:`write_asked_root`."""
    lake, here = Lake(root.lake), {"demonstration": home.demonstration}
    framed = {**here, "gating": "state"}
    rows = build_demonstrations(900, home.demonstration, seed=4, frame_id_runs=[0, 900])
    lake.write("demonstrations", rows, here)
    lake.write("objects", home.objects, here)
    lake.write("later_parents", LaterParents.empty(), here)
    lake.write("scene_graphs", home.scene_graphs, framed)
    lake.write("visibility", home.visibility, framed)
    orders = expect_random_orders(home.qa, {home.demonstration: home.index})
    lake.write("question_orders", orders, framed)
