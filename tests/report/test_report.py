"""The report of a small, real warehouse; and of warehouses in which parts are empty."""

import dataclasses
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import polars as pl
import pytest
from report_pages import Html, grey_picture, published
from sql.tiny_lake import tiny_rows

from enact_assets.contracts.errors import UnknownNameError, WarehouseError
from enact_assets.contracts.provenance import InputVersion, Provenance
from enact_assets.report.page import Page, make_page
from enact_assets.report.rows import ReportRows, read_rows
from enact_assets.report.write import write_report
from enact_assets.storage.paths import DataRoot
from enact_assets.storage.report_files import report_provenance

HOSTILE = "<script>alert(1)</script>\"'&amp; $\\frac{1}$\x00\x1b\u202e" + "ü漢😀" + "x" * 200
ANCHORS = (
    *("about", "leaderboard", "answers", "by-length", "probes", "structural-errors"),
    *("semantic-errors", "handedness", "mismatch", "agreement", "questions", "wrong"),
)
PANELS = ("realism", "camera_fov", "camera_height", "robot_appearance")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> DataRoot:
    return published(tmp_path_factory.mktemp("root"), tiny_rows())


@pytest.fixture(scope="module")
def rows(root: DataRoot) -> ReportRows:
    return read_rows(root.warehouse)


@pytest.fixture(scope="module")
def page(rows: ReportRows) -> Page:
    return make_page(rows, grey_picture)


def changed(rows: ReportRows, **frames: pl.DataFrame) -> ReportRows:
    return dataclasses.replace(rows, of={**rows.of, **frames})


def emptied(rows: ReportRows, *names: str) -> ReportRows:
    return changed(rows, **{name: rows[name].clear() for name in names})


def test_every_section_is_there_and_in_the_table_of_contents(page: Page) -> None:
    html = Html(page.html)
    assert [s["id"] for s in html.of("section")] == list(ANCHORS)
    assert [a["href"] for a in html.of("a")] == [f"#{anchor}" for anchor in ANCHORS]
    ids = [attrs["id"] for _, attrs in html.tags if "id" in attrs]
    assert len(ids) == len(set(ids))


def test_the_file_needs_nothing_but_itself(page: Page) -> None:
    html = Html(page.html)
    links = [a[n] or "" for _, a in html.tags for n in ("src", "href", "srcset", "data") if n in a]
    assert links
    assert all(link.startswith(("data:", "#")) for link in links)
    assert not {"script", "iframe", "object", "embed"} & {tag for tag, _ in html.tags}
    assert not any(name.startswith("on") for _, attrs in html.tags for name in attrs)
    assert not re.search(r"@import|url\(", page.html)


def test_pictures_have_alt_texts_and_tables_captions_and_headings(page: Page) -> None:
    html = Html(page.html)
    assert all(len(image["alt"] or "") > 20 for image in html.of("img"))
    assert len(html.of("table")) == len(html.of("caption")) > 8
    assert {th["scope"] for th in html.of("th")} == {"col", "row"}


def test_figures_are_vector_and_pixel_files(page: Page) -> None:
    names = [figure.name for figure in page.figures]
    assert len(names) == len(set(names))
    assert {f"probes_{panel}" for panel in PANELS} <= set(names)
    for figure in page.figures:
        assert ET.fromstring(figure.svg).tag.endswith("svg")  # noqa: S314 - our own
        assert figure.png.startswith(b"\x89PNG")
        assert b"<dc:date>" not in figure.svg


def test_embedded_demonstrations_are_no_behavior_result(rows: ReportRows, page: Page) -> None:
    about = page.html[: page.html.index('id="leaderboard"')]
    assert "no number here that rests on them is a BEHAVIOR" in " ".join(about.split())
    recorded = changed(
        rows, demonstrations=rows["demonstrations"].with_columns(source=pl.lit("recorded"))
    )
    assert "rests on them" not in make_page(recorded, grey_picture).html


def test_missing_unparsed_and_wrong_are_told_apart(rows: ReportRows, page: Page) -> None:
    totals = rows["statuses"].select(pl.col("^n_.*$").sum()).row(0, named=True)
    parts = ("n_accepted", "n_wrong", "n_unparsed", "n_missing")
    assert sum(totals[name] for name in parts) == totals["n_questions"] > 0
    said = Html(page.html).said
    assert f"{totals['n_wrong']} wrong, {totals['n_unparsed']} unparsed" in said
    assert f"{totals['n_missing']} missing." in said


def test_a_wrong_answer_shows_pictures_orders_and_facts(rows: ReportRows, page: Page) -> None:
    html = Html(page.html)
    examples = rows["examples"]
    assert examples.height
    shown = html.of("article")
    assert len(shown) == examples.select("kind", "category").unique().height
    row = examples.filter(pl.col("missing").list.len() > 0).row(0, named=True)
    assert row["missing"][0] in html.said
    strips = [i for i in html.of("img") if (i["src"] or "").startswith("data:image/jpeg")]
    assert len(strips) == len(shown)


def test_the_same_rows_give_the_same_bytes(root: DataRoot, tmp_path: Path) -> None:
    first, second = (write_report(root, output=tmp_path / name) for name in ("a", "b"))
    assert first.content_sha == second.content_sha
    names = [
        sorted(p.relative_to(tmp_path / n) for p in r.files)
        for n, r in (("a", first), ("b", second))
    ]
    assert names[0] == names[1]
    for one, other in zip(first.files, second.files, strict=True):
        assert one.read_bytes() == other.read_bytes()


def test_it_says_what_it_was_made_from(root: DataRoot, tmp_path: Path) -> None:
    assert report_provenance(tmp_path / "none") == (None, None)
    made = Provenance("code", {"warehouse": InputVersion('a"<b>', 1)})
    written = write_report(root, output=tmp_path / "out", provenance=made)
    assert report_provenance(tmp_path / "out") == (written.content_sha, made)


def test_pictures_that_are_gone_are_said_to_be(root: DataRoot, tmp_path: Path) -> None:
    written = write_report(root, output=tmp_path / "out")  # nobody stored any
    assert "not stored any more" in written.path.read_text("utf-8")


def test_names_of_others_are_text(rows: ReportRows) -> None:
    renamed = {
        name: frame.with_columns(model=pl.lit(HOSTILE)) if "model" in frame.columns else frame
        for name, frame in rows.of.items()
    }
    page = make_page(changed(rows, **renamed), grey_picture)
    html = Html(page.html)
    assert not html.of("script")
    assert "<script>alert(1)</script>" in html.said
    assert "\x00" not in page.html
    for figure in page.figures:
        ET.fromstring(figure.svg)  # noqa: S314 - our own


def test_without_another_variant_it_says_so(rows: ReportRows) -> None:
    page = make_page(emptied(rows, "probes"), grey_picture)
    assert "No variant besides the baseline has answers" in page.html
    assert {f"probes_{panel}" for panel in PANELS} <= {f.name for f in page.figures}


def test_without_a_wrong_answer_it_says_so(rows: ReportRows) -> None:
    names = ("structural", "semantic", "handedness", "examples")
    page = make_page(emptied(rows, *names), grey_picture)
    assert Html(page.html).said.count("was wrong: there are no errors") == len(names)


def test_one_demonstration_is_said_to_be_one(rows: ReportRows) -> None:
    one = rows["demonstrations"].with_columns(n_demonstrations=pl.lit(1)).head(1)
    page = make_page(changed(rows, demonstrations=one), grey_picture)
    assert "There is one demonstration" in page.html


def test_an_empty_warehouse_gives_a_report_without_figures_of_ours(rows: ReportRows) -> None:
    ours = [name for name in rows.of if not name.startswith("published_")]
    page = make_page(emptied(rows, *ours), grey_picture)
    assert [s["id"] for s in Html(page.html).of("section")] == list(ANCHORS)
    nothing = make_page(emptied(rows, *rows.of), grey_picture)
    assert nothing.figures == []
    Html(nothing.html)


def test_one_who_is_not_there_is_named(root: DataRoot, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="fisheye"):
        write_report(root, variant="fisheye", output=tmp_path)
    with pytest.raises(WarehouseError, match="no warehouse yet"):
        write_report(DataRoot(tmp_path, None))
    other = write_report(root, variant="aperture_80", output=tmp_path)
    assert "aperture_80" in other.path.read_text("utf-8")


def test_figures_of_an_older_report_go(root: DataRoot) -> None:
    left = root.report / "figures" / "probes_of_yesterday.png"
    left.parent.mkdir(parents=True, exist_ok=True)
    left.write_bytes(b"old")
    written = write_report(root)
    assert not left.exists()
    assert written.path == root.report / "report.html"
