"""Perceptual hashes of pictures: near ones for a copy that was made smaller or compressed.

The low frequencies of a picture, each above their median or not: 15 and one row and column of a
discrete cosine transform without its mean, 255 bits. 64 bits cannot tell a copy from a picture of
another seed, as pictures of one activity look alike. A picture that was cropped has other bits.
"""

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from enact_assets.settings.arrays import Bools, Ints

Bits = NDArray[np.uint64]
SIDE, LOW = 64, 16
LEAST_PX = 256
"""Pictures with a shorter edge than this are too alike in their hashes."""
NEAR_BITS = 16
"""Hashes that differ in at most so many bits are of copies: other seeds' differ in 20 and more."""
_AT_A_TIME = 1 << 22


def fingerprint(picture: bytes) -> Bits | None:
    """The hash of a picture as (4,) words; None if it cannot be read or an edge is too short."""
    from scipy.fft import dctn

    try:
        with Image.open(io.BytesIO(picture)) as image:
            if min(image.size) < LEAST_PX:
                return None
            small = image.convert("L").resize((SIDE, SIDE), Image.Resampling.BOX)
    except (OSError, UnidentifiedImageError, ValueError, Image.DecompressionBombError):
        return None
    low = dctn(np.asarray(small, np.float64), norm="ortho")[:LOW, :LOW].ravel()[1:]
    bits: Bools = np.append(low > np.median(low), False)
    return np.packbits(bits).view(np.uint64)


def is_picture(content: bytes) -> bool:
    """Whether bytes can be read as a picture, of any size."""
    try:
        with Image.open(io.BytesIO(content)) as image:
            image.load()
    except (OSError, UnidentifiedImageError, ValueError, Image.DecompressionBombError):
        return False
    return True


def distances(one: Bits, other: Bits) -> Ints:
    """Bits (n, m) in which hashes (n, 4) differ from hashes (m, 4)."""
    apart: Ints = np.bitwise_count(one[:, None] ^ other[None]).sum(axis=2, dtype=np.int64)
    return apart


def nearest(found: Bits, known: Bits) -> tuple[Ints, Ints]:
    """Per hash of ``found`` (n, 4) the number of the nearest of ``known`` (m, 4), and its bits."""
    places, least = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    step = max(1, _AT_A_TIME // max(1, len(known)))
    for k in range(0, len(found), step):
        apart = distances(found[k : k + step], known)
        places.append(apart.argmin(axis=1))
        least.append(apart.min(axis=1))
    return np.concatenate(places), np.concatenate(least)
