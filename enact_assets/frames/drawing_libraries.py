"""The packages that draw pictures, and their versions."""

from enact_assets.system.package_versions import version_of

LIBRARIES = ("mitsuba", "mujoco", "pyoidn")


def library_versions() -> dict[str, str]:
    """Package -> version, or that it is missing. What other versions drew is stale."""
    return {name: version_of(name) for name in LIBRARIES}
