"""Questions made by hand, with pictures that can be told apart, and a database of them."""

import io
from pathlib import Path

import numpy as np
from PIL import Image

from enact_assets.answers.people.content import ShownQuestion, shown_question
from enact_assets.engine.ids import content_sha
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.questions.asked.shuffles import shuffled_labels

N_PICTURES = 10
PX = 64


def pictures(store: ImageStore) -> list[tuple[str, int, int]]:
    """Ten pictures: SHA-256, width and height of each."""
    found = []
    for k in range(N_PICTURES):
        pixels = np.full((PX, PX, 3), 230, np.uint8)
        pixels[4 : PX - 4, 2 + 6 * k : 8 + 6 * k] = (160, 64, 20 * k)
        out = io.BytesIO()
        Image.fromarray(pixels).save(out, "PNG")
        found.append((store.put(out.getvalue()), PX, PX))
    return found


def order_row(kind: str, number: int, n_steps: int, variant: str = "baseline") -> dict:
    """A row of ``asked_questions``."""
    answer = shuffled_labels(n_steps, "made by hand", str(number))
    frames = list(range(n_steps + 1))
    shown = [0, *(frames[answer.index(k) + 1] for k in range(1, n_steps + 1))]
    words = [f"Thing {k} of {number} is now on the table." for k in range(1, n_steps + 1)]
    return {
        "question_id": f"{kind}_{number}",
        "variant": variant,
        "kind": kind,
        "length": n_steps + 1,
        "demonstration": f"setting_the_table-{number % 3}",
        "shown_key_frames": frames if kind == "inverse" else shown,
        "actions": words if kind == "forward" else [words[answer.index(k)] for k in sorted(answer)],
        "prompt": f"Question {number}\n" + "\n".join(words),
        "answer": answer,
    }


def order_question(kind: str, number: int, n_steps: int, media: list) -> ShownQuestion:
    row = order_row(kind, number, n_steps)
    shown = shown_question(row, {(row["demonstration"], k): m for k, m in enumerate(media)})
    assert shown is not None
    return shown


def choose_question(number: int, media: list) -> ShownQuestion:
    """As WorldPrediction asks: what leads from the first picture to the last?"""
    part = {"text": "", "caption": "", "media": []}
    content = {
        "noun": "Option",
        "instruction": "Which of the options leads from the first picture to the last?",
        "context": [
            part | {"media": [0], "caption": "Before"},
            part | {"media": [9], "caption": "After"},
        ],
        "places": [],
        "items": [part | {"media": [k]} for k in (1, 2, 3, 4)],
    }
    return ShownQuestion(
        question_id=f"choose_{number}",
        variant="baseline",
        type="choose",
        kind="choose",
        length=2,
        demonstration=f"boil_water-{number % 3}",
        content=content,
        media=tuple(media),
        accepted=((number % 4 + 1,),),
        shown_sha=content_sha([number, [list(m) for m in media]]),
    )


def questions(media: list, n: int = 24) -> list[ShownQuestion]:
    """Forward, inverse and choose in turn, of several lengths."""
    found = []
    for k in range(n):
        if k % 4 == 3:
            found.append(choose_question(k, media))
        else:
            kind, n_steps = ("forward", "inverse")[k % 2], (2, 5, 9)[k % 3]
            found.append(order_question(kind, k, n_steps, media))
    return found


def image_store(folder: Path) -> ImageStore:
    return ImageStore(folder / "images")
