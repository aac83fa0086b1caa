"""Estimates of the tokens of a picture, against figures that providers or users give."""

import pytest

from enact_assets.answers.models.catalogue import load_catalogue
from enact_assets.answers.models.entries import PictureTokens
from enact_assets.answers.models.picture_tokens import most_tokens_of, tokens_of
from enact_assets.engine.errors import SettingsError


@pytest.mark.parametrize(
    ("rule", "numbers", "tokens", "most"),
    [
        ("tiles", (85, 170), 255, 255),
        ("tiles", (70, 140), 210, 210),
        ("patches", (32, 1.62), 415, 415),
        ("patches", (32, 2.46), 630, 630),
        ("patches", (32, 1.2), 308, 308),
        ("patches", (4, 1), 1536, 1536),
        ("grid", (28,), 361, 361),
        ("qwen", (28, 2), 326, 326),
        ("qwen", (32, 2), 258, 258),
        ("qwen", (28,), 324, 324),
        ("gemini_tiles", (258, 768), 1032, 1290),
        ("fixed", (1120,), 1120, 1120),
    ],
)
def test_a_picture_of_512_pixels(
    rule: str, numbers: tuple[float, ...], tokens: int, most: int
) -> None:
    assert tokens_of(PictureTokens(rule, numbers)) == tokens
    assert most_tokens_of(PictureTokens(rule, numbers)) == most


def test_nothing_known_is_no_number() -> None:
    assert tokens_of(None) is None
    assert most_tokens_of(None) is None


@pytest.mark.parametrize(
    ("rule", "numbers", "words"),
    [
        ("squares", (), "unknown rule 'squares'"),
        ("tiles", (85,), "cannot take"),
        ("grid", (0,), "cannot take"),
        ("fixed", (-1,), "gives -1"),
        ("fixed", (float("nan"),), "gives nan"),
        ("grid", (float("nan"),), "cannot take"),
    ],
)
def test_wrong_rules_are_named(rule: str, numbers: tuple[float, ...], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        tokens_of(PictureTokens(rule, numbers))


def test_all_packaged_models_have_rules_that_are_known(tmp_path: object) -> None:
    models = load_catalogue(tmp_path).models  # type: ignore[arg-type]
    known = [tokens_of(entry.picture_tokens) for entry in models.values()]
    assert sum(tokens is not None for tokens in known) >= 20
    assert all(tokens is None or tokens > 100 for tokens in known)
