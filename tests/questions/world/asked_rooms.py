"""Questions about the tidied rooms in a lake, with pictures in which a square moves."""

import io
from pathlib import Path

import numpy as np
import polars as pl
from PIL import Image
from questions.world.tidied_rooms import tidied

from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.questions.world.embedded_questions import as_tables, embedded_questions
from enact_assets.questions.world.shown_questions import ask_world_questions, clips_by_place
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import load_registry
from enact_assets.settings.world import EQUIVALENT, WorldSettings

PX, STILLS = 64, 4
WORLD = "world:embedded"
SOURCE, ASKED = {"question_set": WORLD}, {"variant": WORLD}


def asked_root(folder: Path, plans_per_length: int = 1, stills: int = STILLS) -> DataRoot:
    """A data root with the questions of one recording under condition ``equivalent``, the
    pictures of its states and the clips of another.
    """
    root = DataRoot(folder)
    lake, store = Lake(root.lake), ImageStore(root.images)
    recorded = tidied(("tidy-0",), ("tidy-901",))
    settings = WorldSettings(plans_per_length=plans_per_length, conditions=(EQUIVALENT,))
    questions, candidates = as_tables(embedded_questions(recorded, ["tidy-0"], settings), recorded)
    lake.write("world_questions", questions, SOURCE)
    lake.write("world_candidates", candidates, SOURCE)
    keys = sorted({*questions["key_frame_before"], *questions["key_frame_after"]})
    size = {"width_px": PX, "height_px": PX}
    states = [
        {"demonstration": "tidy-0", "variant": WORLD, "gating": "state", "key_frame": k}
        | {"frame": k, "render_sha": f"{k:064x}", "image_sha": store.put(png(3 * k, 0))} | size
        for k in keys
    ]  # fmt: skip
    clips = [
        {"demonstration": recording, "view": view, "action": action, "place": place}
        | {"frame": place, "render_sha": f"{1000 * action + place:064x}"} | size
        | {"image_sha": store.put(png(3 * action, 14 * place))}
        for recording, view, action in candidates.select("recording", "view", "action")
        .unique().sort(pl.all()).iter_rows()
        for place in range(1, stills + 1)
    ]  # fmt: skip
    asked = ask_world_questions(
        questions, candidates, load_registry().variant(WORLD), clips_by_place(pl.DataFrame(clips))
    )
    lake.write("asked_questions", asked, ASKED)
    of = {"demonstration": "tidy-0", **ASKED}
    lake.write("frame_images", pl.DataFrame(states), of)
    lake.write("clip_images", pl.DataFrame(clips), {"demonstration": "tidy-901"})
    return root


def png(x: int, y: int) -> bytes:
    """A square at a place of its own."""
    pixels = np.full((PX, PX, 3), (225, 220, 210), np.uint8)
    pixels[y % PX : y % PX + 10, x % PX : x % PX + 10] = (160, 64, 20)
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()
