"""The report of a small, real warehouse; and of warehouses in which parts are empty."""

import re
import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import duckdb
import polars as pl
import pytest
from report_pages import Html, changed, grey_picture, of_kind, published, said_in
from sql.tiny_lake import TABLE, tiny_rows

from enact_assets.cli import main
from enact_assets.engine.errors import UnknownNameError, WarehouseError
from enact_assets.engine.grids import Partition
from enact_assets.engine.provenance import InputVersion, Provenance
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.results.published import published_provenance
from enact_assets.results.report.accuracy import answers, leaderboard, official_questions, overall
from enact_assets.results.report.error_section import UNCOMPARED, no_errors, semantic, structural
from enact_assets.results.report.hands import handedness
from enact_assets.results.report.overview import overview
from enact_assets.results.report.page import Page, make_page, render
from enact_assets.results.report.parts import BOTH_KINDS, NONE, Figure, Section, Table, Text, words
from enact_assets.results.report.probes import probes, setting_bars
from enact_assets.results.report.published_agreement import agreement
from enact_assets.results.report.questions import questions
from enact_assets.results.report.rows import ReportRows, read_rows
from enact_assets.results.report.write import WrittenReport, write_report
from enact_assets.results.report.wrong_answers import wrong_answers
from enact_assets.results.report_files import report_provenance
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import load_registry

HOSTILE = "<script>alert(1)</script>\"'&amp; $\\frac{1}$\x00\x1b\u202e" + "ü漢😀" + "x" * 200
ANCHORS = (
    *("about", "leaderboard", "answers", "quality", "by-length", "by-activity"),
    *("similar-sizes", "probes", "settings"),
    *("structural-errors", "semantic-errors", "shared-errors", "handedness", "mismatch"),
    *("findings", "agreement", "questions", "people", "wrong"),
)
MADE = Provenance("code", {"warehouse": InputVersion('a"<b>', 1)})
PANELS = ("realism", "camera_fov", "camera_height", "robot_appearance")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> DataRoot:
    return published(tmp_path_factory.mktemp("root"), tiny_rows())


@pytest.fixture(scope="module")
def rows(root: DataRoot) -> ReportRows:
    return read_rows(root.warehouse)


@pytest.fixture(scope="module")
def page(rows: ReportRows) -> Page:
    """Of rows in which a model has a name that may break a page: whatever holds, holds for it."""
    named = {name: frame for name, frame in rows.of.items() if "model" in frame.columns}
    drawn = [frame for name, frame in named.items() if name != "findings"]  # not by name there
    one = min(model for frame in drawn for model in frame.get_column("model"))
    renamed = {
        name: frame.with_columns(pl.col("model").replace({one: HOSTILE}))
        for name, frame in named.items()
    }
    return make_page(changed(rows, **renamed), grey_picture)


def emptied(rows: ReportRows, *names: str) -> ReportRows:
    return changed(rows, **{name: rows[name].clear() for name in names})


def test_every_section_is_there_and_in_the_table_of_contents(page: Page) -> None:
    html = Html(page.html)
    assert [s["id"] for s in html.of("section")] == list(ANCHORS)
    inner = [a["href"] for a in html.of("a") if (a["href"] or "").startswith("#")]
    assert inner == [f"#{anchor}" for anchor in ANCHORS]
    ids = [attrs["id"] for _, attrs in html.tags if "id" in attrs]
    assert len(ids) == len(set(ids))


def test_the_file_needs_nothing_but_itself(page: Page) -> None:
    html = Html(page.html)
    links = [a[n] or "" for _, a in html.tags for n in ("src", "href", "srcset", "data") if n in a]
    assert links
    # Links to the browser of questions are for clicking: nothing is loaded from them.
    loaded = [link for link in links if not link.startswith("http://127.0.0.1:3030/question/")]
    assert all(link.startswith(("data:", "#")) for link in loaded)
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
    assert "no number based on them is a BEHAVIOR" in " ".join(about.split())
    others = rows["demonstrations"].with_columns(source=pl.lit("recorded"))
    assert "BEHAVIOR" not in said_in(overview(changed(rows, demonstrations=others)))


def test_claims_of_the_papers_are_counted(rows: ReportRows) -> None:
    """A root in which they were never made says nothing of them."""
    claims = pl.DataFrame(
        [("same", "computed", 7), ("same", "inspected", 2), ("differs", "computed", 3)],
        schema=["verdict", "method", "n"],
        orient="row",
    )
    about = said_in(overview(changed(rows, claims=claims)))
    assert "12 claims of the papers were checked. By verdict: 9 same, 3 differs." in about
    assert "By method: 10 computed, 2 inspected." in about
    assert "claims of the papers" not in said_in(overview(changed(rows, claims=claims.clear())))


def test_missing_unparsed_and_wrong_are_told_apart(rows: ReportRows, page: Page) -> None:
    totals = rows["statuses"].select(pl.col("^n_.*$").sum()).row(0, named=True)
    parts = ("n_accepted", "n_wrong", "n_unparsed", "n_missing")
    assert sum(totals[name] for name in parts) == totals["n_answers"] > 0
    said = Html(page.html).said
    assert (
        f"{totals['n_wrong']} wrong, {totals['n_unparsed']} unparsed "
        "(0 refused, 0 declined, 0 cut), " in said
    )
    assert f"{totals['n_missing']} missing." in said


def test_a_wrong_answer_shows_pictures_orders_and_facts(rows: ReportRows, page: Page) -> None:
    html = Html(page.html)
    examples = rows["examples"]
    assert examples.height
    shown = html.of("article")
    assert len(shown) == examples.select("kind", "category").unique().height
    row = examples.filter(pl.col("missing").list.len() > 0).row(0, named=True)
    assert row["missing"][0] in html.said
    classes = examples.filter(perspective="semantic")["category"]
    assert {"spatial_relation", "agent_interaction"} <= set(classes)
    assert all(f", {words(name)}: " in html.said for name in classes)
    assert "By meaning" in html.said
    strips = [i for i in html.of("img") if (i["src"] or "").startswith("data:image/jpeg")]
    assert len(strips) == len(shown)


@pytest.fixture(scope="module")
def written(root: DataRoot) -> WrittenReport:
    """Where it belongs in the data root, over what an older one left there."""
    left = root.report / "figures" / "probes_of_yesterday.png"
    left.parent.mkdir(parents=True, exist_ok=True)
    left.write_bytes(b"old")
    return write_report(root, provenance=MADE)


def test_the_beginning_counts_key_frames_and_who_solved_questions(rows: ReportRows) -> None:
    asked = [row for row in tiny_rows()["asked_questions"] if row["variant"] == "baseline"]
    shown = [(row["demonstration"], k) for row in asked for k in set(row["shown_key_frames"])]
    about = said_in(overview(rows))
    assert (
        f"{len(asked)} questions on {len(set(shown))} key frames of 2 demonstrations: each key "
        f"frame is in {len(shown) / len(set(shown)):.0f} questions on average"
    ) in about
    solved = "Solved by at least one of them (references left out): models: "
    assert solved in about
    assert f"{solved}none" not in about
    assert "people: none." in about
    people = pl.DataFrame({"by_whom": ["person"], "n_answered": [4], "n_solved": [3]})
    about = said_in(overview(changed(rows, solved=people)))
    assert f"{solved}none, people: 3 of 4 answered questions." in about


@pytest.mark.slow
def test_the_same_rows_give_the_same_bytes(
    root: DataRoot, written: WrittenReport, tmp_path: Path
) -> None:
    again = write_report(root, provenance=MADE, output=tmp_path / "again")
    assert again.content_sha == written.content_sha
    assert [p.name for p in again.files] == [p.name for p in written.files]
    for one, other in zip(written.files, again.files, strict=True):
        assert one.read_bytes() == other.read_bytes()


@pytest.mark.slow
def test_it_says_what_it_was_made_from(
    root: DataRoot, written: WrittenReport, tmp_path: Path
) -> None:
    assert report_provenance(tmp_path) == (None, None)
    assert report_provenance(root.report) == (written.content_sha, MADE)


@pytest.mark.slow
def test_the_plan_reads_it_from_the_file(root: DataRoot, written: WrittenReport) -> None:
    states = DataResource(root=str(root.root), lake_url=None).states(load_registry())
    state = states.landed("report", Partition())
    assert state is not None
    assert (state.version, state.provenance) == (written.content_sha, MADE)


@pytest.mark.slow
def test_the_command_writes_it_where_it_is_told(
    root: DataRoot, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = ["report", "--data", str(root.root), "--output", str(tmp_path / "out")]
    assert main([*told, "--variant", "aperture_80"]) == 0
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert (n_sections := page.count("<section")) > 10
    assert f" {n_sections} sections" in capsys.readouterr().out
    _, made = report_provenance(tmp_path / "out")
    version, _ = published_provenance(root.warehouse)
    assert made is not None
    assert made.inputs == {"warehouse": InputVersion(str(version), 1)}
    assert "variant aperture_80" in page
    assert main([*told, "--variant", "fisheye"]) == 2
    assert "fisheye" in capsys.readouterr().err


@pytest.fixture
def recorded(root: DataRoot, tmp_path: Path) -> DataRoot:
    """The same without the baseline: its rows are of the variant `recorded`."""
    found = DataRoot(tmp_path, None)
    shutil.copy(root.warehouse, found.warehouse)
    with duckdb.connect(str(found.warehouse)) as connection:
        for relation in ("asked_questions", "evaluation", "leaderboard", "leaderboard_details"):
            connection.execute(f"update {relation} set variant = 'recorded' "  # noqa: S608
                               "where variant = 'baseline'")  # fmt: skip
    return found


def test_the_leaderboard_of_one_variant(
    recorded: DataRoot, capsys: pytest.CaptureFixture[str]
) -> None:
    """`aperture_80` is not on it: it is only compared with the baseline."""
    words = ["leaderboard", "--data", str(recorded.root), "--variant"]
    assert main([*words, "recorded"]) == 0
    assert "Leaderboard (recorded, all lengths)" in capsys.readouterr().out
    assert main([*words, "aperture_80"]) == 2
    assert "(known: recorded)" in capsys.readouterr().err


@pytest.mark.slow
def test_the_report_is_about_the_first_variant_of_the_leaderboard(recorded: DataRoot) -> None:
    """It was about the baseline, which had no answers; `aperture_80` comes first by name."""
    written = write_report(recorded)
    assert written.path == recorded.report / "report.html"
    assert "under the variant recorded" in Html(written.page.html).said


@pytest.mark.slow
def test_figures_of_an_older_report_go(root: DataRoot, written: WrittenReport) -> None:
    assert written.path == root.report / "report.html"
    assert set(written.files) == {p for p in root.report.rglob("*") if p.is_file()}


@pytest.mark.slow
def test_pictures_that_are_gone_are_said_to_be(written: WrittenReport) -> None:
    assert "not stored any more" in written.path.read_text("utf-8")  # nobody stored any


@pytest.mark.slow
def test_names_of_others_are_text(page: Page) -> None:
    html = Html(page.html)
    assert not html.of("script")
    assert "<script>alert(1)</script>" in html.said
    assert "\x00" not in page.html
    for figure in page.figures:
        ET.fromstring(figure.svg)  # noqa: S314 - our own


@pytest.mark.slow
def test_without_another_variant_it_says_so(rows: ReportRows) -> None:
    section = probes(emptied(rows, "probes"))
    assert "Only the baseline has answers" in said_in(section)
    names = {figure.name for figure in of_kind(section, Figure)}
    assert names == {f"probes_{panel}" for panel in PANELS}
    bars = setting_bars(emptied(rows, "probe_scores"))
    assert "Only the baseline has answers" in said_in(bars)
    assert len(bars.parts) == 1


@pytest.mark.slow
def test_without_a_wrong_answer_it_says_so(rows: ReportRows) -> None:
    nothing = emptied(rows, "structural", "semantic", "handedness", "examples")
    sections = [part(nothing) for part in (structural, semantic, handedness)]
    for section in (*sections, wrong_answers(nothing, grey_picture)):
        assert "was wrong, so there are no errors" in said_in(section)


def test_one_demonstration_is_said_to_be_one(rows: ReportRows) -> None:
    one = rows["demonstrations"].with_columns(n_demonstrations=pl.lit(1)).head(1)
    assert "There is only one demonstration" in said_in(overview(changed(rows, demonstrations=one)))


@pytest.mark.slow
def test_an_empty_warehouse_gives_a_report_without_figures_of_ours(rows: ReportRows) -> None:
    ours = [name for name in rows.of if not name.startswith("published_")]
    page = make_page(emptied(rows, *ours), grey_picture)
    assert [s["id"] for s in Html(page.html).of("section")] == list(ANCHORS)
    nothing = make_page(emptied(rows, *rows.of), grey_picture)
    assert nothing.figures == []
    Html(nothing.html)


def test_one_who_is_not_there_is_named(root: DataRoot, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"fisheye.*materialize --variant NAME"):
        write_report(root, variant="fisheye", output=tmp_path)
    with pytest.raises(WarehouseError, match="no warehouse yet"):
        write_report(DataRoot(tmp_path, None))


@pytest.mark.slow
def test_official_questions_say_what_their_answers_were_verified_by(tmp_path: Path) -> None:
    """Segmented graphs verify approximately: they are not counted as a replay."""
    rows = tiny_rows()
    for row in rows["qa"]:
        row |= {"question_file": "asked"}
    for row in rows["demonstrations"]:
        row |= {"source": "recorded"}
        if row["demonstration"] == TABLE:
            row |= {"frame_rate_hz": 0.0}
    unknown = dict.fromkeys(("is_semantic", "n_steps_passed", "pairwise_accuracy"))
    for row in rows["evaluation"]:
        if row["question_id"] == "f1":
            row |= {"unverified": "no_replay", **unknown}
    shown = read_rows(published(tmp_path, rows).warehouse)
    section = official_questions(shown)
    assert section is not None
    text, table = section.parts[-2:]  # of the baseline
    assert isinstance(text, Text)
    assert isinstance(table, Table)
    assert "5 official questions of asked under the variant baseline" in text.text
    assert "1 were verified semantically, step by step against an imported replay; 3 " in text.text
    assert "3 against segmented scene graphs; 1 by exact match" in text.text
    assert text.is_notice
    by_model = {line[:2]: line[2:6] for line in table.rows}
    assert ("guesser (partial)", "forward") in by_model
    assert by_model["oracle", "forward"] == ("4", "1", "2", "1")
    assert by_model["oracle", "inverse"] == ("1", "0", "1", "0")
    # Answers that no replay verifies may be wrong without an error to show.
    assert no_errors(shown) == UNCOMPARED
    assert "in no probe" in said_in(questions(shown))


def test_an_edited_variant_is_said_not_to_compare_with_the_paper(
    root: DataRoot, tmp_path: Path
) -> None:
    """The tables below would look as if both sides had been under the same settings."""
    assert "No condition of the paper" not in said_in(overview(read_rows(root.warehouse)))
    path = tmp_path / "enact.duckdb"
    shutil.copy(root.warehouse, path)
    differences = "camera.aperture_mm is 45.0, in the paper 40.0"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "update comparable_with_published set published_variant = null, experiment = null, "
            "differences = $1, why_not = 'No condition of the paper: ' || $1 || '.' "
            "where variant = 'baseline' and experiment = 'main'",
            [differences],
        )
        connection.execute(
            "delete from comparable_with_published "
            "where variant = 'baseline' and experiment is not null"
        )
    edited = read_rows(path)
    assert f"No condition of the paper: baseline ({differences})." in said_in(overview(edited))
    assert (
        "Accuracies under baseline may not stand beside published ones. No condition of the paper: "
        f"{differences}. Models: guesser, oracle."
    ) in said_in(agreement(edited))
    shown = f"All models measured here: No condition of the paper: {differences}."
    assert shown in said_in(probes(edited))


def test_answers_are_drawn_in_the_order_of_the_leaderboard(
    root: DataRoot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One figure ordered models by steps, the one below it by whole answers."""
    rows, drawn = read_rows(root.warehouse), []
    better = pl.when(pl.col("model") == "guesser").then(1.0).otherwise(0.5)
    rows.of["accuracies"] = rows["accuracies"].with_columns(accuracy=better)

    def bars(_rows: ReportRows, _kind: str, of_kind: list[dict[str, object]]) -> Text:
        drawn.append([row["model"] for row in of_kind])
        return Text("")

    monkeypatch.setattr("enact_assets.results.report.accuracy._status_bars", bars)
    answers(rows)
    assert drawn == [[row["model"] for row in overall(rows, kind)] for kind in BOTH_KINDS]
    assert drawn[0] == ["guesser", "oracle"]


def test_a_model_whose_evaluation_is_missing_stays_on_the_page(
    root: DataRoot, tmp_path: Path
) -> None:
    """Its questions count as missing, and accuracies of it that were kept are not shown."""
    path = tmp_path / "enact.duckdb"
    shutil.copy(root.warehouse, path)
    with duckdb.connect(str(path)) as connection:
        connection.execute("delete from evaluation where model = 'guesser'")
        for kind, n_questions in (("forward", 4), ("inverse", 1)):
            row = ["guesser", "baseline", kind, None, n_questions]
            connection.execute("insert into absent_evaluations values (?, ?, ?, ?, ?)", row)
        row = ["evaluation", "guesser|baseline", "missing", "made from predictions"]
        connection.execute("insert into stale_partitions values (?, ?, ?, ?)", row)
    absent = read_rows(path)
    assert not absent["accuracies"].filter(model="guesser").is_empty()
    board = leaderboard(absent)
    last = [table.rows[-1] for table in of_kind(board, Table)]
    assert [(row[0], set(row[1:-2]), row[-2]) for row in last] == [
        ("guesser (missing)", {NONE, "0"}, "4"),
        ("guesser (missing)", {NONE, "0"}, "1"),
    ]
    assert "Missing evaluations: guesser." in said_in(board)
    about = said_in(overview(absent))
    assert "5 missing." in about
    assert "Partitions that were missing when the rows were published: 1." in about
    assert "stale" not in about
    drawn = of_kind(answers(absent), Figure)
    assert [re.findall(r"(\d+) missing", figure.alt) for figure in drawn] == [["4"], ["1"]]


def test_names_break_at_their_signs_where_there_is_no_room() -> None:
    """Researcher, cosmetic: "pixel_contin / uity" at 390 px."""
    cells = ("pixel_continuity", "a:b-C_d", "<_>", "plain words", "_x_")
    headings = Table("t", ("model",), tuple((cell,) for cell in cells))
    html = render([Section("s", "S", (headings,))], "t")
    found = re.findall(r'<th scope="row">(.*?)</th>', html)
    assert found == [
        *("pixel_<wbr>continuity", "a:<wbr>b-C_<wbr>d", "&lt;_&gt;", "plain words", "_x_")
    ]
