"""The command that makes what was imported, and nothing else."""

from pathlib import Path

from enact_assets.contracts.registry import BASELINE
from enact_assets.contracts.settings import OMNIGIBSON, QUESTIONS
from enact_assets.data_root.paths import DataRoot
from enact_assets.data_root.question_files import registry_in
from enact_assets.data_root.recordings import Recordings, recording_name
from enact_assets.frames.demonstration_sources import all_sources
from enact_assets.official.outcomes import Outcome


def next_command(imported: list[Outcome], root: DataRoot) -> str:
    """``enact-assets materialize`` with the variants that ask about what was ``imported``.

    Without variants if the baseline asks about it, since all its probes do then, or if none does.
    Errors: :class:`SettingsError` if the registry is wrong.
    """
    registry = registry_in(root)
    sources = {_source(outcome, root) for outcome in imported}
    asking = [name for name, v in registry.variants.items() if not sources.isdisjoint(v.sources)]
    filters = [] if BASELINE in asking else [f"--variant {name}" for name in asking]
    is_default = root.root == DataRoot.from_environment().root
    data = [] if is_default else [f"--data {root.root}"]
    return " ".join(["enact-assets materialize", *filters, *data])


def _source(outcome: Outcome, root: DataRoot) -> str:
    """Where the demonstrations that came in with ``outcome`` are from."""
    if "questions" in outcome.numbers:
        return QUESTIONS
    if "recordings" not in outcome.numbers:
        return OMNIGIBSON
    name = recording_name(Path(outcome.name))
    return all_sources(Recordings(root.recordings)).find(name).name
