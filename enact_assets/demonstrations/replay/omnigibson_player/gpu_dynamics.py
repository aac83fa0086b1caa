"""Whether a demonstration was recorded with GPU dynamics, which playback has to repeat.

Without them (``gm.USE_GPU_DYNAMICS``, off by default) objects lack the states in NEEDS_GPU, whose
numbers are in each row of ``state``: a row loads only under the switch it was written under.
"""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from enact_assets.demonstrations.replay.omnigibson_player.request import RefusalError

if TYPE_CHECKING:  # it needs h5py
    from enact_assets.demonstrations.replay.omnigibson_player.demonstration_file import (
        DemonstrationFile,
    )

NEEDS_GPU = ("ParticleApplier", "ParticleRemover", "ParticleSink", "ParticleSource")
"""States with numbers of their own that objects have under GPU dynamics only."""
RUNS_ON_CPU = ("macro_physical_particle", "macro_visual_particle")
"""Types of particle systems, in the data set's metadata, that do without."""


def uses_gpu_dynamics(
    source: "DemonstrationFile",
    episode: int,
    data_set: Path,
    *,
    requested: bool | None,
) -> bool:
    """Whether to play back with GPU dynamics; ``requested`` is the setting, None if there is none.

    Yes, if an object of the scene file has one of NEEDS_GPU; if a particle system that comes later
    cannot do without; or if the scene file of OmniGibson 1.1.1 has particle systems, which that
    version skips otherwise. Later versions keep those that do without. What is no system of
    ``data_set`` is a fluid for OmniGibson. Errors: :class:`RefusalError` if ``requested``
    contradicts the scene file.
    """
    registries = source.registries()
    objects = registries.get("object_registry", {})
    marked = sorted(
        name for name, state in objects.items() if set(NEEDS_GPU) & set(state.get("non_kin", ()))
    )
    if marked and requested is False:
        raise RefusalError(
            f"{source.path}, demo_{episode}: gpu_dynamics is false in omnigibson.json, but "
            f"{len(marked)} objects of the scene file have states that need them, the first: "
            f"{marked[0]!r}. It was recorded with GPU dynamics: remove the field."
        )
    if requested is not None:
        return requested
    return bool(
        marked
        or (registries.get("system_registry") and not source.is_nested)
        or any(not _runs_on_cpu(name, data_set) for name in source.systems_added(episode))
    )


def _runs_on_cpu(system: str, data_set: Path) -> bool:
    try:
        metadata = json.loads((data_set / "systems" / system / "metadata.json").read_text())
    except (OSError, ValueError):
        return False
    return isinstance(metadata, dict) and metadata.get("type") in RUNS_ON_CPU
