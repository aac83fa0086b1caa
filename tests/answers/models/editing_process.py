"""A process that has pictures edited: URL, ledger, number of pictures, requests in flight."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from answers.models.small_questions import KEY_VARIABLE

from enact_assets.answers.models.budget import Budget
from enact_assets.answers.models.entries import Model, ModelEntry, Price
from enact_assets.answers.models.picture_edits import PictureModel
from enact_assets.demonstrations.pictures.render_pool import encode_png

from reference.drawn_scenes import drawn_scene

if __name__ == "__main__":
    url, folder, n, in_flight = sys.argv[1:]
    entry = ModelEntry(id="test/painter", price=Price(10.0, 40.0), in_flight=int(in_flight))
    model = Model(
        "painter", entry, "openai_images", "painter-1", f"{url}/v1", KEY_VARIABLE, {}, Path()
    )
    pictures = {f"{k:064x}": encode_png(drawn_scene(k, 64)[0]) for k in range(int(n))}
    painter = PictureModel(
        model, Path(folder), Budget(Path(folder), 1e3), lambda sha: pictures[sha]
    )
    edits = painter.edited(list(pictures), "Make it real.", 0)
    print(json.dumps({"pictures": sum(edit.picture is not None for edit in edits.values())}))
