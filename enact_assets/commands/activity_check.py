"""Tries seeds of one activity: whether it can be carried out, and what there is to ask about."""

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from enact_assets.demonstrations.pictures.visibility import visibility_in_world
from enact_assets.demonstrations.replay.embedded import tables_of
from enact_assets.engine.errors import SimulationError
from enact_assets.pipeline.steps.profiles import INDEX_CHANGES
from enact_assets.questions.key_frames.segment import segment
from enact_assets.questions.paths.transition_graph import build_transition_graph
from enact_assets.settings.components import Component
from enact_assets.settings.registry import load_registry
from enact_assets.simulator.activities.base import Activity
from enact_assets.simulator.activities.declared.activity import declared_activity
from enact_assets.simulator.simulate import carry_out
