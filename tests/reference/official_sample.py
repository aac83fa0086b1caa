"""The published sample of 160 questions, which is not part of this repository."""

import os
from pathlib import Path

import pytest

VARIABLE = "ENACT_OFFICIAL_QUESTIONS"
BESIDE_REPOSITORY = Path("shared", "data", "enact_official", "enact_ordering.sample160.jsonl")


def sample_of_160() -> Path:
    """Its file; skips the test if there is none."""
    beside = Path(__file__).parents[3] / BESIDE_REPOSITORY
    path = Path(os.environ.get(VARIABLE, beside))
    if not path.is_file():
        pytest.skip(f"no official questions at {path}; name them in {VARIABLE}")
    return path
