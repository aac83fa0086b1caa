"""Hashes of what generated things show: when one changes, the thing is older than it."""

import json
from collections.abc import Iterator
from functools import cache
from hashlib import sha256

import yaml
from anew.declared import ROOT, Shown

from enact_assets.engine.code_versions import CodeVersions
from enact_assets.engine.publishing.sql_files import sql_folder
from enact_assets.engine.system.package_versions import version_of
from enact_assets.pipeline.lineage.code import STEPS, WHOLE_ROOTS, code_versions, step_roots
from enact_assets.pipeline.lineage.graph import STEPS as PIPELINE
from enact_assets.pipeline.lineage.graph import WAREHOUSE
from enact_assets.settings.registry import DEFAULT_REGISTRY

KEEPING = ("enact_assets.engine.",)
"""Modules about how files are kept and found: a picture shows what is in them."""


def short(*contents: bytes | str) -> str:
    """A hash of contents, in whatever order they come."""
    shas = sorted(sha256(c.encode() if isinstance(c, str) else c).hexdigest() for c in contents)
    return sha256("\n".join(shas).encode()).hexdigest()[:12]


def hashes(shows: Shown) -> dict[str, str]:
    """What is shown -> its hash."""
    return dict(_entries(shows))


def _entries(shows: Shown) -> Iterator[tuple[str, str]]:
    for name in shows.steps:
        yield f"step {name}", code_sha(name)
    for pattern in shows.files:
        yield f"files {pattern}", files_sha(pattern)
    for name in shows.settings:
        yield f"setting {name}", short(json.dumps(_registry()[name], sort_keys=True))
    for name in shows.libraries:
        yield f"library {name}", version_of(name)
    if shows.has_graph:
        edges = {step.name: sorted(i.asset for i in step.inputs) for step in PIPELINE}
        yield "graph", short(json.dumps(edges, sort_keys=True))


@cache
def code_sha(step: str) -> str:
    """Hash of the code of all that ``step`` reaches, whatever modules it is in."""
    counted = []
    for symbol, sha in _reached(_versions(), step).items():
        module = symbol.partition(":")[0]
        if not module.startswith(KEEPING):
            counted.append(sha)
    files = [p.read_bytes() for p in sql_folder().rglob("*.sql")] if step == WAREHOUSE else []
    return short(*counted, *files)


@cache
def _reached(versions: CodeVersions, step: str) -> dict[str, str]:
    """Symbol -> hash of its code; the same for pictures of every activity."""
    return versions.hashes(step_roots(STEPS[step]) if step in STEPS else [WHOLE_ROOTS[step]])


def files_sha(pattern: str) -> str:
    """Hash of the contents of all files that match; at least one must."""
    contents = [path.read_bytes() for path in ROOT.glob(pattern) if path.is_file()]
    if not contents:
        raise FileNotFoundError(f"docs/anew/things.py: no file matches {pattern!r}")
    return short(*contents)


@cache
def _versions() -> CodeVersions:
    return code_versions()


@cache
def _registry() -> dict[str, object]:
    return dict(yaml.safe_load(DEFAULT_REGISTRY.read_text(encoding="utf-8")))
