"""How many tokens a picture of ``PICTURE_PX`` by ``PICTURE_PX`` pixels is: rules of providers.

For estimates before anything is bought. What a provider counts is exact (``Wire.count_request``).
"""

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

from enact_assets.answers.models.entries import PictureTokens
from enact_assets.answers.models.messages import PICTURE_PX
from enact_assets.engine.errors import SettingsError


def _tiles(base: float, per_tile: float) -> float:
    """GPT-4o, 4.1 (85, 170) and 5 (70, 140): a base, and tiles of 512 pixels; the short edge is
    at most 768. Source: developers.openai.com/api/docs/guides/images-vision.
    """
    return base + per_tile * math.ceil(min(PICTURE_PX, 768) / 512) ** 2


def _patches(pixels: float, factor: float) -> float:
    """GPT-4.1 mini and nano (32, 1.62; 2.46), GPT-5.2 on (32, 1.2): patches times a factor of the
    model, 1536 patches at most. Source: as tiles; 1.2 was measured: JOHNISKING/image-token-cost.
    """
    return min(math.ceil(PICTURE_PX / pixels) ** 2, 1536) * factor


def _grid(pixels: float) -> float:
    """Claude (28). Source: platform.claude.com/docs/en/build-with-claude/vision."""
    return math.ceil(PICTURE_PX / pixels) ** 2


def _qwen(pixels: float, more: float = 0) -> float:
    """Qwen2-VL and 2.5-VL (28, 2), Qwen3-VL (32, 2): ``smart_resize`` rounds to whole patches, and
    a token marks each end. Source: ``smart_resize`` of transformers 5.23.0.
    """
    return round(PICTURE_PX / pixels) ** 2 + more


def _gemini_tiles(per_tile: float, largest: float) -> float:
    """Gemini 2 (258, 768): one tile up to 384 pixels, else tiles of two thirds of the short edge,
    256 pixels at least and ``largest`` at most. Source, which calls it rough and also says "tiles
    of 768", which would be one: ai.google.dev/gemini-api/docs/image-understanding.
    """
    tile = min(max(math.floor(PICTURE_PX / 1.5), 256), largest)
    return per_tile * (1 if PICTURE_PX <= 384 else math.ceil(PICTURE_PX / tile) ** 2)


def _fixed(tokens: float) -> float:
    """The number itself: Gemini 3 on by ``mediaResolution`` (280, 560, 1120 by default; source:
    ai.google.dev/gemini-api/docs/media-resolution), local models as measured.
    """
    return tokens


_RULES: Mapping[str, Callable[..., float]] = MappingProxyType(
    {
        "tiles": _tiles,
        "patches": _patches,
        "grid": _grid,
        "qwen": _qwen,
        "gemini_tiles": _gemini_tiles,
        "fixed": _fixed,
    }
)


def tokens_of(rule: PictureTokens | None) -> int | None:
    """Tokens of a picture; None if no rule is known.

    Errors: :class:`SettingsError` for an unknown rule or the wrong numbers for it.
    """
    if rule is None:
        return None
    if rule.rule not in _RULES:
        raise SettingsError(
            f"picture_tokens: unknown rule {rule.rule!r} (known: {', '.join(_RULES)})"
        )
    try:
        found = _RULES[rule.rule](*rule.numbers)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise SettingsError(
            f"picture_tokens: rule {rule.rule} cannot take {list(rule.numbers)}: {error}"
        ) from error
    if not 0 <= found < math.inf:
        raise SettingsError(f"picture_tokens: rule {rule.rule} gives {found} tokens")
    return math.ceil(found)


def most_tokens_of(rule: PictureTokens | None) -> int | None:
    """Tokens that a picture has at most, for a budget; None if no rule is known.

    Gemini 2 is reported to count one tile more, a small copy of the picture. Errors: as
    :func:`tokens_of`.
    """
    found = tokens_of(rule)
    if rule is None or found is None or rule.rule != "gemini_tiles":
        return found
    return found + math.ceil(rule.numbers[0])
