"""What follows an import: its place in the scope, and the command that makes it, nothing else."""

from pathlib import Path

from enact_assets.contracts.registry import BASELINE
from enact_assets.contracts.settings import OMNIGIBSON, QUESTIONS
from enact_assets.data_root.paths import DataRoot
from enact_assets.data_root.question_files import registry_in
from enact_assets.data_root.recordings import Recordings, recording_name
from enact_assets.data_root.scope import Scope, is_unused, read_scope, write_scope
from enact_assets.frames.demonstration_sources import all_sources
from enact_assets.official.outcomes import Outcome


def next_command(imported: list[Outcome], root: DataRoot) -> str:
    """``enact-assets materialize`` with the variants that ask about what was ``imported``.

    Without variants if the baseline asks about it, since all its probes do then, or if none does.
    Errors: :class:`SettingsError` if the registry is wrong.
    """
    asking = _asking(imported, root)
    filters = [] if BASELINE in asking else [f"--variant {name}" for name in asking]
    return " ".join(["enact-assets materialize", *filters]) + root.option


def put_in_scope(imported: list[Outcome], root: DataRoot) -> None:
    """Make the variants that ask about what was ``imported`` part of what is made in ``root``.

    In an unused data root they are all there is, and no demonstration of the registry is; what was
    imported needs no entry. Errors: :class:`SettingsError`, :class:`OutputError`.
    """
    scope = read_scope(root.root)
    if scope is None:
        if not is_unused(root):
            return  # everything is in scope
        scope = Scope({"demonstration": frozenset(), "variant": frozenset()})
    wider = scope.widened({"variant": _asking(imported, root)})
    if wider != read_scope(root.root):
        write_scope(root.root, wider)


def _asking(imported: list[Outcome], root: DataRoot) -> list[str]:
    """Variants that ask about demonstrations of the sources of what was ``imported``."""
    sources = {_source(outcome, root) for outcome in imported}
    variants = registry_in(root).variants
    return [name for name, v in variants.items() if not sources.isdisjoint(v.sources)]


def _source(outcome: Outcome, root: DataRoot) -> str:
    """Where the demonstrations that came in with ``outcome`` are from."""
    if "questions" in outcome.numbers:
        return QUESTIONS
    if "recordings" not in outcome.numbers:
        return OMNIGIBSON
    name = recording_name(Path(outcome.name))
    return all_sources(Recordings(root.recordings)).find(name).name
