"""Writes a board: pages that changed, pictures that are new, and nothing else."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.engine.errors import OutputError, WarehouseError
from enact_assets.engine.ids import sha256_bytes
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.progress import OnProgress, Progress, unheard
from enact_assets.engine.system.atomic import replacing
from enact_assets.results.board.pages import (
    SitePage,
    Submitted,
    baseline_first,
    board_section,
    index_section,
    model_page,
    model_sections,
    models_section,
    people_sections,
    published_sections,
    set_page,
    set_sections,
    sets_section,
    submission_sections,
    variant_page,
    variants_section,
)
from enact_assets.results.published import query
from enact_assets.results.report.page import render
from enact_assets.results.report.rows import read_rows
from enact_assets.results.report.wrong_answers import PictureOf
from enact_assets.settings.paths import DataRoot

LISTED, FORM = "site.json", "enact-board-1"
"""Files of a site with their hashes: what a later one removes is its own alone."""
PICTURES, SUBMISSIONS = "pictures", "submissions"
TOP = (
    ("Board", "index.html"),
    ("Question sets", "sets.html"),
    ("Models", "models.html"),
    ("Published", "published.html"),
    ("People", "people.html"),
    ("Submissions", "submissions.html"),
)


# Of all variants: leaderboard_details has those alone that share the baseline's settings.
_DETAILS = """
    with counted as (
        select
            variant, kind, length, model,
            count(*) filter (reason = 'wrong_length') as n_wrong_length,
            count(*) filter (answer_status = 'unparsed') as n_unparsed,
            count(*) filter (answer_status = 'missing') as n_missing,
            sum(n_steps_passed) filter (reason is distinct from 'wrong_length')
                / sum(n_steps) filter (pairwise_accuracy is not null) as pairwise_accuracy_whole
        from evaluation
        group by grouping sets ((variant, kind, length, model), (variant, kind, model))
    ),
    paired as (
        select
            variant, kind, length, model, accuracy as pairwise_accuracy,
            low as pairwise_accuracy_low, high as pairwise_accuracy_high,
            place_best as pairwise_accuracy_place_best,
            place_worst as pairwise_accuracy_place_worst,
            tied_with as pairwise_accuracy_tied_with
        from model_accuracies where metric = 'pairwise_accuracy'
    )
    select
        task.variant, task.kind, task.length, task.model, task.is_reference, task.n_scored,
        task.accuracy as task_accuracy, task.low as task_accuracy_low,
        task.high as task_accuracy_high,
        paired.* exclude (variant, kind, length, model),
        counted.* exclude (variant, kind, length, model)
    from (from model_accuracies where metric = 'task_accuracy') as task
    left join paired
        on paired.variant = task.variant and paired.kind = task.kind
        and paired.model = task.model and paired.length is not distinct from task.length
    left join counted
        on counted.variant = task.variant and counted.kind = task.kind
        and counted.model = task.model and counted.length is not distinct from task.length
    where task.kind in ('forward', 'inverse')
    order by all
"""


@dataclass(frozen=True)
class Site:
    """What was written: all files, those that changed, and bytes of pages without pictures."""

    folder: Path
    files: tuple[str, ...]
    changed: tuple[str, ...]
    n_bytes: int
    unread: tuple[str, ...]
    """Why files of submissions could not be scored."""


def write_site(
    root: DataRoot,
    folder: Path,
    *,
    submitted: Sequence[Submitted] = (),
    bundles: Mapping[str, bytes] | None = None,
    unread: Sequence[str] = (),
    shas: Mapping[str, str] | None = None,
    on_progress: OnProgress = unheard,
) -> Site:
    """Write the board of the published warehouse of ``root``.

    ``submitted`` were scored anew, ``bundles`` are their files by name, ``unread`` says why others
    were not, ``shas`` has the hash of all questions of each variant. Errors:
    :class:`WarehouseError` without a warehouse or without answers in it, :class:`OutputError` for
    a folder with other files.
    """
    images = ImageStore(root.images)

    def picture(sha: str) -> NDArray[np.uint8]:
        return images.read(sha)

    before = _before(folder)
    files: dict[str, bytes] = {}
    ask = partial(query, root.warehouse)
    details = ask(_DETAILS)
    variants = baseline_first(details["variant"].unique())
    if not variants:
        raise WarehouseError(
            f"{root.warehouse} has no scored answers to show. `enact-assets materialize` asks the "
            "models of the registry."
        )
    pages = _pages(root, details, variants, submitted, shas or {}, picture, unread)
    n_pages = 8 + 2 * len(variants) + details["model"].n_unique()
    for done, page in enumerate(pages, start=1):
        upward = "../" * page.address.count("/")
        html = render(
            page.sections,
            page.title,
            pages=[
                (name, "" if address == page.address else f"{upward}{address}")
                for name, address in TOP
            ],
            place_of=partial(_keep, files, upward),
        )
        files[page.address] = html.encode()
        on_progress(Progress(min(done, n_pages), n_pages, "pages", text=page.address))
    files |= {f"{SUBMISSIONS}/{name}": content for name, content in (bundles or {}).items()}
    # Listed before anything is written, with what was there: a later site knows them as its own.
    _write(folder, LISTED, _listing(dict.fromkeys(sorted({*before, *files}), "")))
    shown = {name: sha256_bytes(made)[:16] for name, made in sorted(files.items())}
    files[LISTED] = _listing(shown)
    changed = tuple(
        name for name, content in sorted(files.items()) if _write(folder, name, content)
    )
    for name in sorted(before - set(files)):
        if (folder / name).is_file():
            (folder / name).unlink()
    n_bytes = sum(len(c) for name, c in files.items() if not name.startswith(f"{PICTURES}/"))
    return Site(folder, tuple(sorted(files)), changed, n_bytes, tuple(unread))


def _pages(  # noqa: PLR0917 - one call
    root: DataRoot,
    details: pl.DataFrame,
    variants: Sequence[str],
    submitted: Sequence[Submitted],
    shas: Mapping[str, str],
    picture: PictureOf,
    unread: Sequence[str],
) -> Iterator[SitePage]:
    """All pages."""
    ask = partial(query, root.warehouse)
    asked = ask(
        "select question_id, variant, question_set, kind, length, demonstration, source "
        "from asked_questions where kind in ('forward', 'inverse')"
    )
    settings = ask("from variant_settings order by all")
    sources = {
        variant: asked.filter(variant=variant)["source"].unique().sort().to_list()
        for variant in variants
    }
    of_variant = {variant: read_rows(root.warehouse, variant) for variant in variants}
    base = of_variant[variants[0]]
    for variant, rows in of_variant.items():
        mine = [one for one in submitted if one.variant == variant]
        board = board_section(rows, details, mine, "../")
        of_sets = asked.join(asked.filter(variant=variant), on="question_set", how="semi")
        both = (board, sets_section(of_sets, "../"))
        yield SitePage(variant_page(variant), f"ENACT board, {variant}", both)
        if variant == base.variant:
            first = board_section(rows, details, mine, "")
            both = (first, index_section(details, sources))
            yield SitePage("index.html", "ENACT board", both)
    variant_of = {
        name: baseline_first(of["variant"])[0] for (name,), of in details.group_by("model")
    }
    for name, variant in sorted(variant_of.items()):
        sections = model_sections(of_variant[variant], name, picture)
        others = variants_section(details, name)
        yield SitePage(model_page(name), f"{name}, {variant}", (sections[0], others, *sections[1:]))
    yield SitePage("models.html", "Models", (models_section(details, variant_of),))
    sets = sorted(asked["question_set"].unique())
    for name in sets:
        of_set = asked.filter(question_set=name)
        told = settings.filter(pl.col("variant").is_in(of_set["variant"].unique().implode()))
        sections = set_sections(of_set, name, shas, told, set(variants))
        yield SitePage(set_page(name), f"Question set {name}", sections)
    yield SitePage("sets.html", "Question sets", (sets_section(asked, ""),))
    yield SitePage("published.html", "Published rows", published_sections(base))
    yield SitePage("people.html", "People", people_sections(base, picture))
    yield SitePage("submissions.html", "Submissions", submission_sections(submitted, unread))


def _keep(files: dict[str, bytes], upward: str, jpeg: bytes) -> str:
    """The address of a picture, which becomes a file of the site."""
    name = f"{PICTURES}/{sha256_bytes(jpeg)[:16]}.jpg"
    files[name] = jpeg
    return f"{upward}{name}"


def _listing(shown: Mapping[str, str]) -> bytes:
    return (json.dumps({"board": FORM, "files": shown}, indent=1) + "\n").encode()


def _before(folder: Path) -> set[str]:
    """Files of an earlier site. Errors: :class:`OutputError` if the folder has only others, or a
    list of files that no board wrote.
    """
    listed = folder / LISTED
    if listed.is_file():
        try:
            found = json.loads(listed.read_text(encoding="utf-8"))
            is_ours, names = found["board"] == FORM, set(found["files"])
        except (ValueError, KeyError, TypeError, RecursionError):
            is_ours, names = False, set()
        if is_ours and all(_is_below(folder, name) for name in names):
            return names - {LISTED}
        raise OutputError(f"{listed} is not the list of a board. Name another folder.")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise OutputError(f"{folder} holds something else than a board. Name another folder.")
    return set()


def _is_below(folder: Path, name: str) -> bool:
    """Whether ``name`` is a file below ``folder``, links followed."""
    return (folder / name).resolve().is_relative_to(folder.resolve() / "")


def _write(folder: Path, name: str, content: bytes) -> bool:
    """Whether the file was written: one with the same content stays."""
    path = folder / name
    if path.is_file() and path.read_bytes() == content:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as temporary:
        temporary.write_bytes(content)
    return True
