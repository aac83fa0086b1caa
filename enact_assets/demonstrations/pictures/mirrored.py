"""Mirror images of pictures that are stored: left becomes right."""

import numpy as np
import polars as pl

from enact_assets.demonstrations.pictures.render_pool import encode_png
from enact_assets.engine.ids import content_sha
from enact_assets.engine.lake.image_store import ImageStore

VERSION = 1


def mirror_images(made: pl.DataFrame, store: ImageStore) -> pl.DataFrame:
    """``made``, rows of ``frame_images``, with the mirror image of each picture, which is stored.

    One that was mirrored before is found by its render. Errors: as :meth:`ImageStore.read`.
    """
    renders = made["render_sha"].to_list()
    mirrored = [content_sha([VERSION, "mirrored", sha]) for sha in renders]
    images: list[str] = []
    for sha, image_sha in zip(mirrored, made["image_sha"], strict=True):
        found = store.find(sha)
        if found is None:
            found = store.put(encode_png(np.ascontiguousarray(store.read(image_sha)[:, ::-1])))
            store.remember(sha, found)
        images.append(found)
    return made.with_columns(
        render_sha=pl.Series(mirrored, dtype=pl.String),
        image_sha=pl.Series(images, dtype=pl.String),
    )
