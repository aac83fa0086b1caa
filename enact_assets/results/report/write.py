"""Makes a report of a data root: reads the warehouse and pictures, writes the files."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from enact_assets.engine.errors import WarehouseError
from enact_assets.engine.ids import content_sha, sha256_bytes
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.progress import OnProgress, unheard
from enact_assets.engine.provenance import Provenance
from enact_assets.engine.publishing.warehouse_seal import why_altered
from enact_assets.results.publication import publication_of
from enact_assets.results.published import default_variant, published_provenance, query
from enact_assets.results.report.browse_links import leading_to, site_of
from enact_assets.results.report.overview import header
from enact_assets.results.report.page import Page, make_page, render, title_of
from enact_assets.results.report.rows import read_rows
from enact_assets.results.report_files import CONTENT_SHA, PROVENANCE, write_report_files
from enact_assets.settings.paths import DataRoot


@dataclass(frozen=True)
class WrittenReport:
    """The written report: the page, its file, all files, and the hash of its content."""

    page: Page
    path: Path
    files: tuple[Path, ...]
    content_sha: str


def write_report(
    root: DataRoot,
    *,
    variant: str | None = None,
    output: Path | None = None,
    provenance: Provenance | None = None,
    on_progress: OnProgress = unheard,
) -> WrittenReport:
    """Write the report on ``variant`` into ``output``, or where it belongs in the data root.

    By default the variant is :func:`default_variant`, whose report is the asset; others are in
    folders of their names beside it. ``provenance`` is written into the page.

    Errors: :class:`WarehouseError` if there is no warehouse, if it was replaced while it was
    read, or if another program changed it and there is ``provenance``; :class:`UnknownNameError`
    for a variant that it does not hold; :class:`OutputError` if a file cannot be written.
    """
    images = ImageStore(root.images)

    def picture(sha: str) -> NDArray[np.uint8]:
        return images.read(sha)

    default = default_variant(partial(query, root.warehouse))
    rows = read_rows(root.warehouse, variant or default)
    page = make_page(rows, picture, on_progress)
    figures = {
        f"{figure.name}.{ending}": content
        for figure in page.figures
        for ending, content in (("svg", figure.svg), ("png", figure.png))
    }
    shas = {name: sha256_bytes(content) for name, content in figures.items()}
    version = content_sha([page.html, shas])
    if (published_provenance(root.warehouse)[0] or "") != rows.version:
        raise WarehouseError(
            f"{root.warehouse}: was published again while the report was made. Make it again."
        )
    if provenance is not None and (why := why_altered(root.warehouse)) is not None:
        raise WarehouseError(
            f"{root.warehouse}: {why}. No report was written. Run `enact-assets materialize`."
        )
    said = [("enact-warehouse", rows.version), (CONTENT_SHA, version)]
    if provenance is not None:
        said.append((PROVENANCE, provenance.encoded()))
    facts = header(rows, publication_of(root.warehouse))
    html = render(page.sections, title_of(rows), said, rows.version, facts)
    html = leading_to(html, site_of(root), rows.version)
    folder = output or (root.report if rows.variant == default else root.report / rows.variant)
    files = write_report_files(folder, html, figures, is_ours=output is None)
    return WrittenReport(page, files[0], tuple(files), version)
