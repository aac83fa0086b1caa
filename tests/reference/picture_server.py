"""A provider of image models on this machine: edits pictures as its address says, and counts.

``http://127.0.0.1:PORT/x-shifted-good/v1``: the first edit of each picture is shifted, the second
and all later ones are good. OpenAI's ``images/edits`` and Gemini's ``generateContent``. Run as a
program it prints its port; ``/stat`` says how often each picture was sold.
"""

import base64
import hashlib
import io
import json
import re
import time
from collections import Counter
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from reference.threaded_servers import Handler, Server, in_thread

Pixels = NDArray[np.uint8]
TOKENS_IN, TOKENS_OUT = 500, 4_160
_FILE = re.compile(
    rb'name="image"; filename="[^"]+"\r\nContent-Type: image/png\r\n\r\n(.*?)\r\n--', re.DOTALL
)


def edited(picture: Pixels, kind: str) -> Pixels:
    """``picture`` (h, w, 3) as the image model makes it."""
    if kind == "good":  # film grain and a slight vignette
        height, width, _ = picture.shape
        y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
        grain = np.random.default_rng(0).normal(0, 3, picture.shape)
        return _bytes(picture * (1 - 0.04 * (x * x + y * y))[..., None] + grain)
    if kind == "recoloured":
        hsv = np.array(Image.fromarray(picture).convert("HSV"))
        hsv[..., 0] += 30
        return np.array(Image.fromarray(hsv, "HSV").convert("RGB"))
    if kind == "shifted":
        return np.roll(picture, (4, 4), (0, 1))
    assert kind == "unrelated", kind
    return _bytes(np.random.default_rng(1).integers(0, 255, (8, 8, 3)).repeat(40, 0).repeat(40, 1))


def _bytes(values: Any) -> Pixels:
    return np.clip(np.round(values), 0, 255).astype(np.uint8)


class PictureServer(Server):
    """``sold`` counts by hash of the picture that was sent."""

    def __init__(self) -> None:
        super().__init__(_Handler)
        self.sold: Counter[str] = Counter()
        self.bodies: list[tuple[str, bytes]] = []
        self.latency_s = 0.0

    def selling(self, kinds: str) -> str:
        return f"{self.url}/x-{kinds}"


class _Handler(Handler):
    server: PictureServer

    def get(self) -> None:
        self.send(dict(self.server.sold))

    def post(self, body: bytes) -> None:
        self.server.bodies.append((self.headers["content-type"], body))
        is_google = self.path.endswith(":generateContent")
        if is_google:
            parts = json.loads(body)["contents"][0]["parts"]
            png = base64.b64decode(
                next(p["inlineData"]["data"] for p in parts if "inlineData" in p)
            )
        else:
            png = _FILE.findall(body)[0]
        kinds = self.path.split("/")[1].removeprefix("x-").split("-")
        time.sleep(self.server.latency_s)
        with self.server.lock:
            sha = hashlib.sha256(png).hexdigest()
            kind = kinds[min(self.server.sold[sha], len(kinds) - 1)]
            self.server.sold[sha] += 1
        if kind == "refused":
            self.send({"error": {"code": "moderation_blocked", "message": "no"}}, 400)
            return
        made = edited(np.array(Image.open(io.BytesIO(png)).convert("RGB")), kind)
        file = io.BytesIO()
        size = (made.shape[1] * 2, made.shape[0] * 2)
        Image.fromarray(made).resize(size, Image.Resampling.BICUBIC).save(file, "PNG")
        data = base64.b64encode(file.getvalue()).decode()
        self.send(_google(data) if is_google else _openai(data))


def _openai(data: str) -> dict[str, Any]:
    usage = {"input_tokens": TOKENS_IN, "output_tokens": TOKENS_OUT, "total_tokens": 4_660}
    return {"created": 1, "data": [{"b64_json": data}], "usage": usage}


def _google(data: str) -> dict[str, Any]:
    parts = [{"text": "Here."}, {"inlineData": {"mimeType": "image/png", "data": data}}]
    return {
        "candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}],
        "modelVersion": "painter-1",
        "usageMetadata": {"promptTokenCount": TOKENS_IN, "candidatesTokenCount": TOKENS_OUT},
    }


def picture_server() -> AbstractContextManager[PictureServer]:
    return in_thread(PictureServer())


if __name__ == "__main__":
    with PictureServer() as running:
        running.latency_s = 0.3
        print(running.server_port, flush=True)
        running.serve_forever()
