"""Questions of world modelling in the layout of the release: what ``world --export`` writes."""

from collections.abc import Sequence
from pathlib import Path

from enact_assets.contracts.errors import LakeError
from enact_assets.contracts.registry import BASELINE, load_registry
from enact_assets.contracts.world_settings import EMBEDDED_WORLD, EQUIVALENT
from enact_assets.data_root.paths import DataRoot
from enact_assets.engine.lake.lake import Lake
from enact_assets.plurals import counted
from enact_assets.system.atomic import replacing
from enact_assets.worldprediction import world_release as release


def write_release(root: DataRoot, path: Path, sources: Sequence[str]) -> str:
    """Write questions of ``sources`` under condition ``equivalent`` to ``path``, as one file laid
    out like ``WorldPrediction-WM.json``; returns what was written, in words.

    Errors: :class:`LakeError` if a source has no questions.
    """
    lake, found = Lake(root.lake), release.Release()
    for name in sources:
        source = {"world_source": name}
        if not lake.exists("world_questions", source):
            raise LakeError(f"{root.lake}: there are no world_questions of {name}.")
        if name == EMBEDDED_WORLD:
            gating = load_registry().variant(BASELINE).gating
            states = lake.read_all("action_states", gating=gating)
            spans = release.embedded_spans(states, lake.read_all("demonstrations"))
        else:
            spans = release.annotated_spans(lake.read("annotated_actions", source))
        questions = lake.read("world_questions", source).filter(condition=EQUIVALENT)
        found |= release.to_release(questions, lake.read("world_candidates", source), spans)
    with replacing(path) as temporary:
        temporary.write_bytes(release.release_bytes(found))
    n = sum(map(len, found.values()))
    return f"{path}: {counted(n, 'question')} of world modelling, unfiltered by people"
