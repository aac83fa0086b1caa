"""Code versions of assets: rows are stale if the code that made them changed.

The version of a step is a hash over the symbols that its function reaches, so no person has to
increase a number, and a re-run with the same result makes nothing downstream stale. A step may
declare its version by hand if making its rows again costs hours or money: pictures
(``RENDERER_VERSION`` and libraries, with a render cache) and predictions.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from enact_assets.answers.baselines.learned_names import LEARNED
from enact_assets.answers.baselines.references import BASELINES
from enact_assets.answers.world.models import WORLD_MODELS
from enact_assets.engine.code_versions import CodeVersions, Symbol
from enact_assets.engine.ids import ID_CHARACTERS, content_sha, sha256_bytes
from enact_assets.engine.parameters import HANDLES
from enact_assets.engine.publishing.relations import Relations
from enact_assets.engine.publishing.sql_files import STAGES, packaged_sql
from enact_assets.engine.steps import STEPS, Step
from enact_assets.engine.system.package_versions import version_of
from enact_assets.pipeline.lineage.former_versions import FORMER
from enact_assets.pipeline.lineage.graph import REPORT, STEP_OF, WAREHOUSE

PACKAGE = Path(__file__).parents[2]
CACHE = PACKAGE / "__pycache__" / "symbols.msgpack"
_DECLARING = (
    *("code_versions", "deriving", "graph", "loading", "memory", "parameters"),
    *("steps", "symbols", "tables"),
)
CUT = (
    *(f"enact_assets.engine.{module}" for module in _DECLARING),
    "enact_assets.settings.registry",
    "enact_assets.settings.further_predicates",
    "enact_assets.engine.system.compiled",
    "enact_assets.engine.system.contexts",
    "enact_assets.engine.system.kernel_cache",
    "enact_assets.engine.progress",
)
"""Modules that are not hashed as code. Declarations of steps are hashed as their inputs, the
registry as settings, kernels by their code, however compiled kernels are loaded and wherever they
are kept. Progress reports change no row. Rows contain only predicates that were known when they
were made, so further predicates do not affect them. Setting a variable for a block changes no row
by itself."""
LIBRARIES = ("mitsuba", "mujoco", "scipy")
"""Packages whose version can change rows."""
WHOLE_ROOTS = {
    WAREHOUSE: Symbol("enact_assets.engine.publishing.warehouse", "publish"),
    REPORT: Symbol("enact_assets.results.report.write", "write_report"),
}


ANSWERS_OF = "answers of {}"
_ANSWERING = Symbol("enact_assets.answers.baselines.references", "answers_of_baseline")


def _baseline_roots() -> dict[str, list[Symbol]]:
    """The first symbols of the code of each baseline. This code counts as an input of the step that
    asks models, like any other model, as that step has a version by hand.
    """
    learned = Symbol("enact_assets.answers.learned.models", "learned_model")
    makers = {name: _symbol(maker) for name, maker in BASELINES.items()}
    found = {
        ANSWERS_OF.format(name): [_ANSWERING, maker]
        for name, maker in (makers | dict.fromkeys(LEARNED, learned)).items()
    }
    world = Symbol("enact_assets.answers.world.models", "baseline_answers")
    for name in WORLD_MODELS:
        found.setdefault(ANSWERS_OF.format(name), []).append(world)
    return found


@cache
def baseline_version(name: str) -> str:
    """Version of the code of a reference baseline, learned or not."""
    return _versions()[ANSWERS_OF.format(name)]


@cache
def code_version(asset: str) -> str:
    """Version of the code that makes ``asset``, which may be the warehouse or the report."""
    step = STEP_OF[asset].name
    if step in STEPS:
        return STEPS[step].version or _versions()[step]
    parts = [_versions()[step]]
    if step == WAREHOUSE:
        files = [f for f in packaged_sql() if f.stage in STAGES or f.name == Relations.table_name()]
        files.sort(key=lambda file: file.place)
        parts += [sha256_bytes(file.text.encode()) for file in files]
    return content_sha(parts)[:ID_CHARACTERS]


def step_roots(step: Step) -> list[Symbol]:
    """The first symbols of the code of ``step``: its function, its tables, types of its
    arguments.
    """
    return [_symbol(found) for found in _begins(step)]


def code_versions(folder: Path = PACKAGE, cache_file: Path | None = CACHE) -> CodeVersions:
    """Code versions of this package, or of a copy of it in ``folder``."""
    libraries = {name: version_of(name) for name in LIBRARIES}
    return CodeVersions(PACKAGE.name, folder, cut=CUT, libraries=libraries, cache=cache_file)


@cache
def _versions() -> dict[str, str]:
    return {name: FORMER.get(version, version) for name, version in versions_by_reach().items()}


def versions_by_reach(versions: CodeVersions | None = None) -> dict[str, str]:
    """Step, or answers of a baseline -> hash of its code."""
    roots = {name: step_roots(step) for name, step in STEPS.items() if step.version is None}
    roots |= {name: [symbol] for name, symbol in WHOLE_ROOTS.items()}
    roots |= _baseline_roots()
    found = (versions or code_versions()).versions(roots)
    return {name: version[:ID_CHARACTERS] for name, version in found.items()}


def _begins(step: Step) -> Iterator[object]:
    yield step.function
    yield from step.outputs
    for param in step.params:
        if param.kind in {"settings", "bundle", "each"}:
            yield param.of
        elif param.kind == "handle":
            yield HANDLES[param.of].provider
        for _, kind in param.settings:
            yield kind


def _symbol(found: object) -> Symbol:
    return Symbol(str(getattr(found, "__module__", "")), str(getattr(found, "__name__", "")))
