"""Which edits of real pictures the limits of image models accept, and by which measure.

``python -m benchmarks pictures``, on the data root in ``ENACT_HOME``, or ``./data``, after ``make
demo``: pictures of the baseline, evenly spread, with the simulator's masks of the same frames. A
second table has the same pictures measured as those of recordings are, without masks.
"""

import io
import itertools
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from enact_assets.demonstrations.pictures.fidelity import Fidelity, measure_fidelity
from enact_assets.demonstrations.pictures.visibility import objects_of
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.settings.classes import EMBEDDED
from enact_assets.settings.editing import EditingSettings
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import load_registry

Pixels = NDArray[np.uint8]
Masks = NDArray[np.int32]
N_PICTURES = 100
FIELDS = tuple(Fidelity.__dataclass_fields__)


class Shown(NamedTuple):
    """A picture (h, w, 3), and the object that each of its pixels shows (h, w)."""

    picture: Pixels
    objects: Masks


def main(n: int = N_PICTURES) -> None:
    shown = list(itertools.islice(_pictures(n), n))
    limits = EditingSettings("")
    for title, has_masks in (("with masks", True), ("as of recordings, without masks", False)):
        print(f"\n{title}: {len(shown)} pictures; median, and the worst, of each measure")
        print(f"| edit | accepted | {' | '.join(FIELDS)} |\n|---|---|{'---|' * len(FIELDS)}")
        started = time.perf_counter()
        for name, edit in EDITS.items():
            found = []
            for k, (picture, objects) in enumerate(shown):
                other = shown[(k + len(shown) // 2) % len(shown)].picture
                edited = other if name == "another frame" else edit(picture, objects)
                known = objects if has_masks else None
                found.append(measure_fidelity(picture, edited, known))
            n_accepted = sum(not measured.broken(limits) for measured in found)
            cells = " | ".join(_cell(field, found) for field in FIELDS)
            print(f"| {name} | {n_accepted} | {cells} |", flush=True)
        seconds = (time.perf_counter() - started) / (len(EDITS) * max(1, len(shown)))
        print(f"{seconds:.2f} s per picture")


def _cell(field: str, found: list[Fidelity]) -> str:
    values = np.array([getattr(measured, field) for measured in found])
    if np.isnan(values).all():
        return "-"
    worst = values.min() if field in {"edge_similarity", "mask_iou"} else values.max()
    return f"{np.median(values):.3g}, {worst:.3g}"


def _pictures(n: int) -> Iterator[Shown]:
    """``n`` of the baseline's, spread over its embedded demonstrations."""
    root = DataRoot.from_environment()
    lake, store = Lake(root.lake), ImageStore(root.images)
    baseline = load_registry().variant("baseline")
    names = [where["demonstration"] for where in lake.partitions("demonstrations")]
    tables = {name: lake.read("demonstrations", {"demonstration": name}) for name in names}
    own = {d: rows for d, rows in tables.items() if rows.item(0, "source") == EMBEDDED}
    for name, rows in own.items():
        here = {"demonstration": name, "variant": "baseline"}
        images = lake.read("frame_images", here).sort("key_frame")
        chosen = images.gather_every(max(1, images.height * len(own) // n)).head(-(-n // len(own)))
        states = lake.read("states", {"demonstration": name})
        labels = objects_of(rows, chosen, baseline, lambda: states)  # noqa: B023 - used at once
        for key_frame, sha in chosen.select("key_frame", "image_sha").iter_rows():
            picture = store.read(sha)
            objects = labels(key_frame, len(picture))
            assert objects is not None
            yield Shown(picture, objects)


def _grain(picture: Pixels, _: Masks) -> Pixels:
    """Film grain, a vignette and a little contrast."""
    height, width, _channels = picture.shape
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    darker = picture * (1 - 0.06 * (x * x + y * y))[..., None]
    noise = np.random.default_rng(0).normal(0, 4, picture.shape)
    return _bytes(255 * (darker / 255) ** 0.97 + noise)


def _sharpened(picture: Pixels, _: Masks) -> Pixels:
    from scipy import ndimage

    blurred = ndimage.gaussian_filter(picture.astype(float), (2, 2, 0))
    return _bytes(picture + 0.35 * (picture - blurred))


def _jpeg(quality: int) -> Callable[[Pixels, Masks], Pixels]:
    def encoded(picture: Pixels, _: Masks) -> Pixels:
        out = io.BytesIO()
        Image.fromarray(picture).save(out, "JPEG", quality=quality)
        return np.array(Image.open(out))

    return encoded


def _enlarged(picture: Pixels, _: Masks) -> Pixels:
    large = Image.fromarray(picture).resize((1024, 1024), Image.Resampling.BICUBIC)
    return np.array(large.resize(picture.shape[:2], Image.Resampling.LANCZOS))


def _turned(degrees: int) -> Callable[[Pixels, Masks], Pixels]:
    def recoloured(picture: Pixels, _: Masks) -> Pixels:
        hsv = np.array(Image.fromarray(picture).convert("HSV"))
        hsv[..., 0] += round(degrees * 256 / 360)
        return np.array(Image.fromarray(hsv, "HSV").convert("RGB"))

    return recoloured


def _lighter(picture: Pixels, _: Masks) -> Pixels:
    return _bytes(255 * (picture / 255) ** 0.7)


def _shifted(n: int) -> Callable[[Pixels, Masks], Pixels]:
    return lambda picture, _: np.roll(picture, (n, n), (0, 1))


def _one(objects: Masks) -> NDArray[np.bool_]:
    """Pixels of one object of middle size; (h, w)."""
    sizes = np.bincount(objects.ravel() + 1)[1:]
    fit = np.flatnonzero((sizes > 0.005 * objects.size) & (sizes < 0.06 * objects.size))
    chosen = fit[len(fit) // 2] if len(fit) else int(sizes.argmax())
    found: NDArray[np.bool_] = objects == chosen
    return found


def _one_recoloured(picture: Pixels, objects: Masks) -> Pixels:
    """Its hue turned by 60 degrees; a grey thing, which has none, gets a pale one."""
    hsv = np.array(Image.fromarray(picture).convert("HSV"))
    hsv[..., 0] += round(60 * 256 / 360)
    hsv[..., 1] = np.maximum(hsv[..., 1], 64)
    recoloured = np.array(Image.fromarray(hsv, "HSV").convert("RGB"))
    return np.where(_one(objects)[..., None], recoloured, picture)


def _one_gone(picture: Pixels, objects: Masks) -> Pixels:
    """What is around it takes its place."""
    from scipy import ndimage

    hole = ndimage.binary_dilation(_one(objects), iterations=2)
    rows, columns = ndimage.distance_transform_edt(
        hole, return_distances=False, return_indices=True
    )
    found: Pixels = picture[rows, columns]
    return found


def _one_moved(picture: Pixels, objects: Masks) -> Pixels:
    there = np.roll(_one(objects), (5, 5), (0, 1))
    moved = np.roll(picture, (5, 5), (0, 1))
    return np.where(there[..., None], moved, _one_gone(picture, objects))


def _bytes(values: NDArray[np.float64]) -> Pixels:
    return np.clip(np.round(values), 0, 255).astype(np.uint8)


EDITS: dict[str, Callable[[Pixels, Masks], Pixels]] = {
    "film grain, vignette": _grain,
    "sharpened": _sharpened,
    "JPEG, quality 85": _jpeg(85),
    "JPEG, quality 60": _jpeg(60),
    "1024 px and back": _enlarged,
    "all hues by 10 degrees": _turned(10),
    "all hues by 30 degrees": _turned(30),
    "lighter": _lighter,
    "shifted by 1 px": _shifted(1),
    "shifted by 3 px": _shifted(3),
    "one object recoloured": _one_recoloured,
    "one object gone": _one_gone,
    "one object moved by 5 px": _one_moved,
    "another frame": _grain,
}
"""Name -> what makes the edited picture; the last shows another picture instead."""
