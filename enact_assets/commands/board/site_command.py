"""``site``: the board of a data root as static pages."""

import argparse
from pathlib import Path

from rich.console import Console

from enact_assets.commands.board.submissions import VariantQuestions, recomputed
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
    """``site FOLDER``; returns the exit code: 1 if a submission differs from what it says, or
    cannot be scored.
    """
    with shown_progress(console, "site") as on_progress:
        site, submitted = make_site(
            DataRoot(arguments.data), arguments.output, arguments.submissions, on_progress
        )
    differing = [f"{one.file}: {problem}" for one in submitted for problem in one.problems]
    for text in (*differing, *site.unread):
        console.print(plain(text, "yellow"))
    console.print(
        plain(
            f"{counted(len(site.files), 'file')}, {len(site.changed):,} of them new or changed; "
            f"{site.n_bytes / 2**20:.1f} MiB without pictures. Open {site.folder / 'index.html'}"
        )
    )
    return 1 if differing or site.unread else 0


def make_site(
    root: DataRoot, output: Path, submissions: Path | None, on_progress: OnProgress = unheard
) -> tuple[Site, list[Submitted]]:
    """Write the board of ``root`` to ``output``, with the files in ``submissions`` scored anew.

    A file that cannot be scored is named on the page of submissions. Errors: those of
    :func:`write_site`.
    """
    registry = registry_in(root)
    published = query(
        root.warehouse,
        "select distinct variant from asked_questions where kind in ('forward', 'inverse')",
    )["variant"]
    of_variant = {name: VariantQuestions(root, registry, name) for name in published.sort()}
    submitted, files, unread = [], {}, []
    for path in _bundles(submissions):
        try:
            bundle = read_bundle(path)
            found = recomputed(bundle, of_variant[bundle.variant])
        except EnactError as error:
            unread.append(f"{path.name}: {str(error).replace(str(path), path.name)}")
            continue
        except KeyError:
            unread.append(
                f"{path.name} is about variant {bundle.variant}, which is not asked here."
            )
            continue
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
        unread=unread,
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


def _sha(asked: VariantQuestions) -> str | None:
    """Hash of all questions of a variant; None where they cannot be exported."""
    try:
        return content_sha(sorted(asked.hashes.items()))[:16]
    except EnactError:
        return None
