"""Walks without the report, or with figures that nobody draws: these take as long as all else."""

import pytest
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from enact_assets.pipeline.lineage.graph import REPORT, STEPS

BUT_REPORT = tuple(step.name for step in STEPS if step.name != REPORT)
"""Every other step."""
ASSETS_BUT_REPORT = tuple(f"--asset={step}" for step in BUT_REPORT)
"""The same as words of a command."""


def draw_nothing(patch: pytest.MonkeyPatch) -> None:
    """Figures of a report are composed but not drawn."""
    patch.setattr(Figure, "draw", lambda _figure, _renderer: None)
    patch.setattr(ConstrainedLayoutEngine, "execute", lambda _layout, _figure: None)
