"""``site``: the board of a data root as static pages."""

import argparse
from pathlib import Path

from rich.console import Console

from enact_assets.commands.board.submissions import Asked, recomputed
from enact_assets.commands.terminal import plain, shown_progress
from enact_assets.engine.errors import EnactError, OutputError
from enact_assets.engine.ids import content_sha
from enact_assets.engine.plurals import counted
from enact_assets.engine.progress import OnProgress, unheard
from enact_assets.questions.files.imported import registry_in
from enact_assets.results.board.bundles import read_bundle
from enact_assets.results.board.pages import Submitted
from enact_assets.results.board.site import Site, write_site
from enact_assets.results.published import query
from enact_assets.settings.paths import DataRoot


def run_site(arguments: argparse.Namespace, console: Console) -> int:
    """``site FOLDER``; returns the exit code: 1 if a submission differs from what it says."""
    with shown_progress(console, "site") as on_progress:
        site, submitted = make_site(
            DataRoot(arguments.data), arguments.output, arguments.submissions, on_progress
        )
    for one in submitted:
        for problem in one.problems:
            console.print(plain(f"{one.file}: {problem}", "yellow"))
    console.print(
        plain(
            f"{counted(len(site.files), 'file')}, {len(site.changed):,} of them new or changed; "
            f"{site.n_bytes / 2**20:.1f} MiB without pictures. Open {site.folder / 'index.html'}"
        )
    )
    return 1 if any(one.problems for one in submitted) else 0


def make_site(
    root: DataRoot, output: Path, submissions: Path | None, on_progress: OnProgress = unheard
) -> tuple[Site, list[Submitted]]:
    """Write the board of ``root`` to ``output``, with the files in ``submissions`` scored anew.

    Errors: those of :func:`write_site`; :class:`EnactError` for a submission about a variant that
    is not asked here.
    """
    registry = registry_in(root)
    published = query(
        root.warehouse,
        "select distinct variant from asked_questions where kind in ('forward', 'inverse')",
    )["variant"]
    of_variant = {name: Asked(root, registry, name) for name in published.sort()}
    submitted, files = [], {}
    for path in _bundles(submissions):
        bundle = read_bundle(path)
        asked = of_variant.get(bundle.variant)
        if asked is None:
            raise EnactError(
                f"{path} is about variant {bundle.variant}, which this data root does not ask. "
                f"`enact-assets materialize --variant {bundle.variant}` makes it."
            )
        found = recomputed(bundle, asked)
        files[path.name] = path.read_bytes()
        submitted.append(
            Submitted(
                path.name,
                bundle.model,
                bundle.variant,
                f"{bundle.software}, {bundle.world}",
                found.evaluation,
                found.claims,
                found.problems,
            )
        )
    shas = {name: _sha(asked) for name, asked in of_variant.items()}
    site = write_site(
        root,
        output,
        submitted=submitted,
        bundles=files,
        shas={name: sha for name, sha in shas.items() if sha is not None},
        on_progress=on_progress,
    )
    return site, submitted


def _bundles(folder: Path | None) -> list[Path]:
    """Files of submissions. Errors: :class:`OutputError` for something else than a folder."""
    if folder is None:
        return []
    if not folder.is_dir():
        raise OutputError(f"{folder} is no folder. Put accepted submissions into one.")
    return sorted(folder.glob("*.json"))


def _sha(asked: Asked) -> str | None:
    """Hash of all questions of a variant; None where they cannot be exported."""
    try:
        return content_sha(sorted(asked.hashes.items()))[:16]
    except EnactError:
        return None
