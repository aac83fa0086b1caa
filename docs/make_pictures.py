"""Make the pictures of README.md from a data root: ``python docs/make_pictures.py [data]``.

Writes key frame sheets of every demonstration of the registry and two questions, for people to look
at before a change of the simulator is committed.
"""

import sys
from pathlib import Path

from enact_assets.contracts.registry import BASELINE, load_registry
from enact_assets.frames.sheets import contact_sheet, question_strip
from enact_assets.storage.images import ImageStore
from enact_assets.storage.lake import Lake
from enact_assets.storage.paths import DataRoot

DOCS = Path(__file__).parent
KEY_FRAMES_SHOWN = 20


def main() -> None:
    """Write the pictures beside this file and say which."""
    root = DataRoot(Path(sys.argv[1])) if len(sys.argv) > 1 else DataRoot.from_environment()
    lake, images = Lake(root.lake), ImageStore(root.images)
    for demonstration in load_registry().demonstrations:
        rows = lake.read("frame_images", {"demonstration": demonstration, "variant": BASELINE})
        shown = rows.head(KEY_FRAMES_SHOWN)
        pictures = [images.read(sha) for sha in shown.get_column("image_sha")]
        labels = [f"{k}" for k in shown.get_column("key_frame")]
        activity = demonstration.rsplit("-", 1)[0]
        path = DOCS / f"key_frames_{activity}.jpg"
        path.write_bytes(contact_sheet(pictures, labels, columns=5, thumbnail_px=256))
        print(path)
    for kind in ("forward", "inverse"):
        write_question(lake, images, kind)


def write_question(lake: Lake, images: ImageStore, kind: str) -> None:
    """The first probe question of length 4 or the next longer one, as it is shown."""
    asked = lake.read("asked_questions", {"variant": BASELINE}).select("question_id")
    rows = lake.read_all("qa", gating="state").join(asked, on="question_id", how="semi")
    row = rows.filter(kind=kind, length=4).sort("question_id").row(0, named=True)
    shas = dict(
        lake.read("frame_images", {"demonstration": row["demonstration"], "variant": BASELINE})
        .select("key_frame", "image_sha")
        .iter_rows()
    )
    pictures = [images.read(shas[k]) for k in row["shown_key_frames"]]
    path = DOCS / f"question_{kind}.jpg"
    path.write_bytes(question_strip(pictures, kind, thumbnail_px=320))
    print(path)
    for k, action in enumerate(row["actions"], 1):
        print(f"[Action {k}] {action}")
    print(f"Answer: {row['answer']}")


if __name__ == "__main__":
    main()
