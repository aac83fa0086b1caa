"""Versions of packages that may be missing."""

from importlib import metadata

MISSING = "none"


def version_of(package: str) -> str:
    """Version of an installed ``package``; :data:`MISSING` if it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return MISSING
