"""Rows of references that are one guess are said to be, and no others."""

import pytest

from enact_assets.answers.baselines.equal_guesses import RANDOM_ON, equal_guesses

GUESS, OTHER, NONE = (0.1, 0.25), (0.1, 0.26), (None, None)
ROWS = {
    ("forward", "random"): GUESS,
    ("forward", "text_prior"): GUESS,
    ("inverse", "random"): OTHER,
    ("inverse", "pixel_continuity"): OTHER,
    # Equal by chance, and no reference that guesses.
    ("inverse", "text_prior"): OTHER,
    ("forward", "gpt"): GUESS,
}


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({}, {"text_prior", "pixel_continuity"}),
        ({("forward", "text_prior"): (0.1, 0.2501)}, {"pixel_continuity"}),
        ({("inverse", "pixel_continuity"): NONE, ("inverse", "random"): NONE}, {"text_prior"}),
        ({("forward", "random"): OTHER, ("inverse", "random"): GUESS}, set()),
    ],
)
def test_equal_rows_are_explained_only_where_they_are(changed: dict, named: set[str]) -> None:
    said = equal_guesses((*about, *scores) for about, scores in (ROWS | changed).items())
    assert {model for model in RANDOM_ON if model in said} == named
    assert bool(said) == bool(named)
    assert equal_guesses([]) == ""
