"""The graph of this pipeline: all steps in ``steps/``, the warehouse and the report."""

import importlib
import pkgutil
from collections.abc import Collection, Mapping

from enact_assets.answers.learned.training_scope import trained_activities
from enact_assets.engine.deriving import derive_graph
from enact_assets.engine.graph import Graph, Input, Names, StepSpec
from enact_assets.engine.parameters import CONDITIONS
from enact_assets.engine.tables import TABLES
from enact_assets.pipeline import steps as _steps
from enact_assets.settings.registry import Registry

for _module in pkgutil.iter_modules(_steps.__path__, f"{_steps.__name__}."):
    if _module.name.endswith("_steps"):
        importlib.import_module(_module.name)

WAREHOUSE = "warehouse"
REPORT = "report"
WHOLE = frozenset({WAREHOUSE, REPORT})
"""Steps that make one file of everything, including a list of stale partitions."""
EXTERNAL: Mapping[str, tuple[str, ...]] = {
    "recording": ("demonstration",),
    "recorded_pictures": ("demonstration", "gating"),
    "recorded_variant": ("variant",),
    "question_source": ("question_file",),
    "given_questions": ("demonstration", "gating"),
    "given_pictures": ("demonstration", "gating"),
    "asked_model": ("model",),
    "step_source": ("question_set",),
    "image_model": ("variant",),
    "annotator_answers": (),
    "occlusion_model": (),
}
"""External inputs, which are not assets -> their dimensions. Their versions identify the files."""

LANDED_OF = {"recorded_pictures": "segmented_frames"}
"""External input -> the table with the same dimensions that says which files it includes."""
GIVEN = ("given_questions", "given_pictures")
"""External inputs whose version depends on the gating that takes them."""
_PUBLISHED = sorted(name for name, table in TABLES.items() if table.is_published)
GRAPH: Graph = derive_graph(
    EXTERNAL,
    (
        StepSpec(WAREHOUSE, (WAREHOUSE,), tuple(map(Input, _PUBLISHED)), takes_what_there_is=True),
        # The warehouse names its pictures by their content.
        StepSpec(REPORT, (REPORT,), (Input(WAREHOUSE),)),
    ),
    {name: dimension for name, (dimension, _) in CONDITIONS.items()},
)
STEPS = GRAPH.steps
"""Ordered so that each step follows everything it reads."""
ROOTS = GRAPH.roots
"""Settings of the registry. They have no rows; their version is their hash."""
STEP_OF = GRAPH.step_of
STEP_NAMED = GRAPH.step_named


def dimensions(asset: str) -> tuple[str, ...]:
    """Dimensions of an asset's partitions, in the order of its partition keys.

    Errors: ``KeyError`` for a name that is not an asset, root or external input.
    """
    return GRAPH.dimensions[asset]


def names_now(
    registry: Registry,
    demonstrations: Collection[str],
    models: Collection[str],
    question_files: Collection[str],
    *,
    world_sources: Collection[str] = (),
    graph: Graph = GRAPH,
) -> Names:
    """Names of the registry, and of imported files.

    A gating that needs a question file exists only if that file does, and so do its variants. An
    activity exists only if some model is trained on it. Each world source has a question set and a
    variant.
    """
    registry = registry.with_questions(question_files).with_worlds(world_sources)
    entries = registry.named
    named: dict[str, Collection[str]] = {
        "training_activity": trained_activities(demonstrations, models),
        "demonstration": demonstrations,
        "model": models,
        "question_file": question_files,
        **entries,
    }
    return Names(
        graph,
        {dimension: tuple(sorted(names)) for dimension, names in named.items()},
        {
            dimension: {n: getattr(e, other) for n, e in entries[dimension].items()}
            for dimension, other in graph.determines.items()
        },
        {
            condition: frozenset(
                name
                for name in named[dimension]
                # For an imported model only its name is known here.
                if holds(entries.get(dimension, {}).get(name, name))
            )
            for condition, (dimension, holds) in CONDITIONS.items()
        },
    )
