"""A board of static pages: whole, linked, without scripts; written again only where it changed."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import polars as pl
import pytest
from results.browse.browser import Tab, browser_path, opened
from results.report.report_pages import Html, published
from sql.tiny_lake import tiny_rows

from enact_assets.commands.board.board_asset import site as site_asset
from enact_assets.commands.board.board_asset import submissions
from enact_assets.engine.errors import OutputError, WarehouseError
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.results.board.bundles import claims_of
from enact_assets.results.board.pages import Submitted, file_name
from enact_assets.results.board.site import Site, write_site
from enact_assets.results.published import query
from enact_assets.settings.paths import DataRoot

pytestmark = pytest.mark.slow
BROWSER = browser_path()
AXE = Path(os.environ.get("ENACT_AXE", "axe-core is not set"))
needs_browser = pytest.mark.skipif(BROWSER is None, reason="no chromium or chrome on PATH")
needs_axe = pytest.mark.skipif(
    not AXE.is_file(), reason="ENACT_AXE does not name axe.min.js of the npm package axe-core"
)
HOSTILE = "<script>alert(1)</script>/../&x"
WIDTHS = (1280, 390)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> DataRoot:
    return published(tmp_path_factory.mktemp("root"), tiny_rows())


def submitted(root: DataRoot, *problems: str) -> Submitted:
    rows = query(root.warehouse, "from evaluation where model = 'guesser' and variant = 'baseline'")
    rows = rows.filter(pl.col("kind").is_in(["forward", "inverse"]))
    return Submitted("a.json", HOSTILE, "baseline", "0.1", rows, claims_of(rows), problems)


def write(root: DataRoot, folder: Path, *problems: str) -> Site:
    return write_site(
        root, folder, submitted=[submitted(root, *problems)], bundles={"a.json": b"{}"}
    )


@pytest.fixture(scope="module")
def site(root: DataRoot, tmp_path_factory: pytest.TempPathFactory) -> Site:
    return write(root, tmp_path_factory.mktemp("out") / "board")


def pages_of(site: Site) -> list[Path]:
    return [site.folder / name for name in site.files if name.endswith(".html")]


def test_every_page_is_whole_and_every_link_leads_somewhere(site: Site) -> None:
    names = {path.relative_to(site.folder).as_posix() for path in pages_of(site)}
    assert {"index.html", "models/guesser.html", "variants/baseline.html"} <= names
    assert {"sets.html", "published.html", "people.html", "submissions.html"} <= names
    for path in pages_of(site):
        text = path.read_text("utf-8")
        Html(text)
        assert "<script" not in text
        assert "http://" not in re.sub(r"http://(127\.0\.0\.1|www\.w3\.org)", "", text)
        for address in re.findall(r'(?:href|src)="([^"#]+)"', text):
            if not address.startswith(("data:", "http:")):
                assert (path.parent / address).is_file(), (path, address)
    assert HOSTILE.split("/", maxsplit=1)[0] not in (site.folder / "submissions.html").read_text(
        "utf-8"
    )


def test_scores_of_each_kind_and_length_are_on_the_page(root: DataRoot, site: Site) -> None:
    text = (site.folder / "index.html").read_text("utf-8")
    rows = query(
        root.warehouse,
        "select distinct kind, length from model_accuracies where variant = 'baseline' "
        "and kind in ('forward', 'inverse') and length is not null",
    )
    for kind, length in rows.iter_rows():
        assert f"baseline, {kind} questions of {length} pictures" in text
    assert "short lists" in text
    assert "recomputed" in text


def test_only_what_changed_is_written_again(root: DataRoot, site: Site, tmp_path: Path) -> None:
    folder = tmp_path / "board"
    shutil.copytree(site.folder, folder)
    told = write(root, folder, "It was changed.")
    pages = {"index.html", "submissions.html", "variants/baseline.html"}
    assert set(told.changed) == pages | {"site.json"}
    without = write_site(root, folder)
    assert not (folder / "submissions" / "a.json").exists()
    assert set(without.files) < set(site.files)


def test_a_folder_with_other_files_is_left_alone(root: DataRoot, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(OutputError, match="something else than a board"):
        write_site(root, tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{",
        '{"files": {"index.html": ""}}',
        '{"board": "enact-board-1", "files": {"../mine.txt": ""}}',
        '{"board": "enact-board-1", "files": {"/tmp/mine.txt": ""}}',
    ],
)
def test_a_list_of_files_that_no_board_wrote_removes_nothing(
    root: DataRoot, tmp_path: Path, text: str
) -> None:
    folder, mine = tmp_path / "board", tmp_path / "mine.txt"
    folder.mkdir()
    mine.write_text("mine")
    (folder / "index.html").write_text("mine")
    (folder / "site.json").write_text(text)
    with pytest.raises(OutputError, match="is not the list of a board"):
        write_site(root, folder)
    assert mine.read_text() == (folder / "index.html").read_text() == "mine"


def test_a_warehouse_without_answers_is_named(tmp_path: Path) -> None:
    without = {"evaluation", "model_accuracies"}
    rows = {name: [] if name in without else of for name, of in tiny_rows().items()}
    root = published(tmp_path / "root", rows)
    with pytest.raises(WarehouseError, match="no scored answers to show"):
        write_site(root, tmp_path / "board")


def test_names_cannot_leave_the_folder_or_share_a_page() -> None:
    names = (HOSTILE, "a/../b c", "..", "qwen:7b", "qwen@7b", "qwen-7b", "\u00fc", "\u00f6")
    found = [file_name(name) for name in names]
    assert len(set(found)) == len(names)
    assert not [name for name in found if "/" in name or name.startswith(".")]
    assert file_name("qwen-7b") == "qwen-7b"


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with opened(str(BROWSER), tmp_path_factory.mktemp("profile")) as found:
        yield found


@needs_browser
@needs_axe
@pytest.mark.parametrize("width", WIDTHS)
def test_axe_finds_nothing_and_nothing_is_wider(tab: Tab, site: Site, width: int) -> None:
    tab.resize(width)
    for path in pages_of(site):
        tab.open(path.as_uri())
        assert tab.value("document.documentElement.scrollWidth") <= width, path
        tab.value(f"{AXE.read_text()}; 0")
        found = tab.value(
            "axe.run().then(found => found.violations.map("
            "each => [each.id, each.nodes.map(node => node.html)]))"
        )
        assert found == [], path


@needs_browser
def test_a_choice_shows_its_own_table_alone(tab: Tab, site: Site) -> None:
    """Without a script: by the style sheet."""
    tab.open((site.folder / "index.html").as_uri())
    shown = (
        "[...document.querySelectorAll('caption')].filter(each => each.checkVisibility())"
        ".map(each => each.textContent).filter(text => text.startsWith('baseline, '))"
    )
    assert tab.value(shown) == ["baseline, forward questions of all lengths"]
    tab.value("document.getElementById('kind-2').click()")
    tab.value("document.getElementById('length-inverse-2').click()")
    (found,) = tab.value(shown)
    assert re.fullmatch(r"baseline, inverse questions of \d+ pictures", found)


def test_the_asset_remakes_what_changed(root: DataRoot) -> None:
    """From an asset graph of its own, as Dagster runs it."""
    resources = {"data": DataResource(root=str(root.root), lake_url=None)}

    def version() -> str:
        done = dg.materialize([site_asset, submissions], resources=resources, selection=["site"])
        (found,) = done.asset_materializations_for_node("site")
        assert found.metadata["changed"].value is not None
        return str((found.tags or {})["dagster/data_version"])

    first = version()
    assert (root.root / "site" / "index.html").is_file()
    assert version() == first
    page = root.root / "site" / "models.html"
    page.write_text("changed by hand")
    assert version() == first
    assert "guesser" in page.read_text("utf-8")
