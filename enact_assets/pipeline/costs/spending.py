"""Limits of spending: people within the budget, a scheduled rebuild within its own budget,
automation only if a switch allows it.

The ledger of a data root records everything that was bought. A run gets a maximum for the total of
the ledger; runs at the same time share it.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from enact_assets.answers.baselines.known_models import KnownModels
from enact_assets.answers.models.budget import Budget
from enact_assets.engine.errors import EnactError
from enact_assets.engine.graph import StepSpec
from enact_assets.engine.grids import Partition
from enact_assets.pipeline.lineage.graph import dimensions
from enact_assets.pipeline.runs.pools import POOL_OF
from enact_assets.pipeline.runs.running import REBUILD, TRIGGER_TAG, invocation_tags
from enact_assets.pipeline.steps.answer_steps import API_POOL
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import load_registry

USD_UNTIL_TAG = "enact/usd_until"
"""Tag of a run that a command started: maximum of the ledger's total, in dollars."""
BUYERS = frozenset({*(step for step, pool in POOL_OF.items() if pool == API_POOL), "frame_images"})
"""Steps that may spend money. `frame_images` is among them, as an image model may repaint
pictures.
"""
OF_PERSONS = ("materialize",)
"""Triggers of runs that a person requested. A run without a trigger was launched in the UI."""


def usd_until(root: Path, tags: Mapping[str, str]) -> float | None:
    """Maximum of the total of ``root``'s ledger in a run with ``tags``; None: nothing is bought. A
    rebuild has only its own budget.

    Errors: :class:`SettingsError` for a wrong ``models.yaml``.
    """
    spending = KnownModels(DataRoot(root)).catalogue.spending
    trigger = tags.get(TRIGGER_TAG, OF_PERSONS[0])
    if trigger == REBUILD:
        may_buy = USD_UNTIL_TAG in tags
    else:
        may_buy = trigger in OF_PERSONS or spending.by_automation
    if not may_buy:
        return None
    limits = [] if spending.max_usd is None else [spending.max_usd]
    if USD_UNTIL_TAG in tags:
        limits.append(float(tags[USD_UNTIL_TAG]))
    return min(limits, default=None)


def spending_tags(root: Path, max_usd: float | None) -> dict[str, str]:
    """Tags of runs that together may spend ``max_usd``; no tags without such a limit."""
    if max_usd is None:
        return {}
    return {USD_UNTIL_TAG: repr(Budget(DataRoot(root).ledger, None).committed_usd() + max_usd)}


def run_tags(
    root: Path, max_usd: float | None, shared: Mapping[str, str] | None = None
) -> Callable[[str], dict[str, str]]:
    """Step -> tags of its runs, in an invocation that begins now and may spend ``max_usd``;
    ``shared`` are tags of all runs (default: those of `enact-assets materialize`).
    """
    shared, limit = dict(shared or invocation_tags()), spending_tags(root, max_usd)
    return lambda step: shared | (limit if step in BUYERS else {})


def bought_by_persons(root: Path) -> Callable[[StepSpec, Partition], bool]:
    """Whether a partition asks a model that costs money, although automation may not buy here."""
    try:
        may_buy = KnownModels(DataRoot(root)).catalogue.spending.by_automation
    except EnactError:
        may_buy = False
    return (lambda _step, _partition: False) if may_buy else costing_money(root)


def costing_money(root: Path) -> Callable[[StepSpec, Partition], bool]:
    """Whether a partition asks a model that costs money, or an unknown model."""
    models = KnownModels(DataRoot(root))
    costs: dict[str, bool] = {}

    def withheld(step: StepSpec, partition: Partition) -> bool:
        if step.name not in BUYERS:
            return False
        named = partition.as_dict(dimensions(step.assets[0]))
        name = named.get("model")
        if name is None:
            variant = load_registry().variants.get(named["variant"])
            if variant is None or variant.editing is None:
                return False
            name = variant.editing.model
        if name not in costs:
            try:
                model = models.find(name)
                costs[name] = model is not None and model.costs_money
            except EnactError:
                costs[name] = True
        return costs[name]

    return withheld
