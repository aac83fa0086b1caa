"""Time, registry, seeds and versions of a publication, which are stored in the file.

None of it is part of the content hash: the same rows published again are the same warehouse.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from enact_assets import __version__
from enact_assets.engine.errors import WarehouseError
from enact_assets.engine.ids import sha256_bytes
from enact_assets.engine.publishing.relations import PUBLISHED
from enact_assets.engine.system.package_versions import MISSING, version_of
from enact_assets.results.published import query
from enact_assets.settings.registry import DEFAULT_REGISTRY, Registry, registry_path

PUBLICATION = "publication"
"""Key of the relation ``meta.published``."""
PACKAGED = "registry.yaml of the package"
_DRAWN_BY = ("mitsuba", "mujoco", "pyoidn")
"""Packages that move and draw embedded demonstrations; not installed everywhere."""


@dataclass(frozen=True)
class Publication:
    """The circumstances of a publication."""

    date: str
    """UTC to the second, in ISO 8601."""
    registry: str
    """Name of the registry's file, or a note that it is the packaged one."""
    registry_sha: str
    """SHA-256 of its text."""
    seeds: Mapping[str, int]
    """Kind of draw -> seed."""
    profiles: Mapping[str, str]
    """Gating -> profile."""
    versions: Mapping[str, str]
    """Package -> version; ``enact_assets`` first."""

    def encoded(self) -> str:
        """As JSON."""
        return msgspec.json.encode(dataclasses.asdict(self)).decode()


def publication_now(registry: Registry) -> Publication:
    """The current circumstances; ``registry`` is the one in force."""
    path = registry_path()
    text = path.read_bytes()
    # Steps of a command read a copy of the registry, so the path does not identify it.
    is_packaged = text == DEFAULT_REGISTRY.read_bytes()
    noisy = {
        f"noise of {name}": variant.noise.seed
        for name, variant in registry.variants.items()
        if variant.noise.rate
    }
    found = {package: version_of(package) for package in _DRAWN_BY}
    drawn_by = {package: version for package, version in found.items() if version != MISSING}
    return Publication(
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        registry=PACKAGED if is_packaged else path.name,
        registry_sha=sha256_bytes(text),
        seeds={"questions": registry.questions.seed, **noisy},
        profiles={name: gating.profile.name for name, gating in registry.gatings.items()},
        versions={"enact_assets": __version__, **drawn_by},
    )


def publication_of(warehouse_path: Path) -> Publication | None:
    """The circumstances of a publication; None if the file lacks them, as in older versions.

    Errors: :class:`WarehouseError` if there is no warehouse.
    """
    rows = query(warehouse_path, f"select value from {PUBLISHED} where key = '{PUBLICATION}'")  # noqa: S608 - our own
    try:
        return msgspec.json.decode(rows.item(), type=Publication) if rows.height else None
    except msgspec.MsgspecError as error:
        raise WarehouseError(
            f"{warehouse_path}: {PUBLISHED}.{PUBLICATION} cannot be read ({error}). Publish again: "
            "`enact-assets materialize --asset warehouse`."
        ) from error
