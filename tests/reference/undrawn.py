"""Walks without the report, or with figures that nobody draws: these take as long as all else."""

import pytest
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from enact_assets.pipeline.lineage.graph import REPORT, STEPS

BUT_REPORT = tuple(step.name for step in STEPS if step.name != REPORT)
"""Every other step."""
ASSETS_BUT_REPORT = tuple(f"--asset={step}" for step in BUT_REPORT)
"""The same as words of a command."""


SITE = """
import sys
from importlib.machinery import PathFinder

NOTHING = {
    "matplotlib.figure": ("Figure", "draw"),
    "matplotlib.layout_engine": ("ConstrainedLayoutEngine", "execute"),
}


class Undrawn:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in NOTHING:
            return None
        spec = PathFinder.find_spec(name, path)
        run = spec.loader.exec_module

        def exec_module(module):
            run(module)
            kind, method = NOTHING[name]
            setattr(getattr(module, kind), method, lambda *_: None)

        spec.loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, Undrawn)
"""
"""As ``sitecustomize.py`` on the path of a process: :func:`draw_nothing` there."""


def draw_nothing(patch: pytest.MonkeyPatch) -> None:
    """Figures of a report are composed but not drawn."""
    patch.setattr(Figure, "draw", lambda _figure, _renderer: None)
    patch.setattr(ConstrainedLayoutEngine, "execute", lambda _layout, _figure: None)
