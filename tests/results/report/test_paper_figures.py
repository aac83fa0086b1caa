"""Figures and tables for papers, and what every figure shares: looks, chance, letters as text."""

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import polars as pl
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from report_pages import changed, of_kind, published, said_in
from sql.tiny_lake import tiny_rows

from enact_assets.cli import main
from enact_assets.engine.errors import SettingsError
from enact_assets.results.report.accuracy import answers, leaderboard
from enact_assets.results.report.answer_quality import answer_quality
from enact_assets.results.report.drawing import (
    SVG_FONTS,
    canvas,
    finished,
    naming_partial,
    printing,
    pt,
)
from enact_assets.results.report.error_section import mismatch, shared_errors, structural
from enact_assets.results.report.hands import handedness
from enact_assets.results.report.lengths import by_length, draw_chance
from enact_assets.results.report.looks import COLOURS, MARKERS, REFERENCE_MARKERS, Look, looks_of
from enact_assets.results.report.page import MEASURED
from enact_assets.results.report.paper_figures import (
    latex,
    markdown,
    note_of,
    paper_tables,
    width_of,
)
from enact_assets.results.report.parts import NONE, Figure, Table
from enact_assets.results.report.published_agreement import agreement
from enact_assets.results.report.rows import read_rows
from enact_assets.settings.paths import DataRoot

MINUS = "\N{MINUS SIGN}"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> DataRoot:
    """In which the oracle is a reference, as it is wherever it is asked."""
    rows = tiny_rows()
    for row in rows["model_accuracies"]:
        row["is_reference"] = row["model"] == "oracle"
    return published(tmp_path_factory.mktemp("root"), rows)


def test_thirty_models_look_different_and_eight_have_their_own_colour() -> None:
    names = [f"model-{n}" for n in range(30)]
    looks = looks_of(names, ())
    assert len({(look.colour, look.marker) for look in looks.values()}) == 30
    assert len({(look.colour, look.hatch) for look in looks.values()}) == 30
    assert {look.colour for look in looks_of(names[:8]).values()} == set(COLOURS)


def test_hollow_markers_are_white_inside_at_a_columns_width() -> None:
    """In a square of a point at least, 9 pixels; a cross, a plus and a star have no such square."""
    markers = [*dict.fromkeys((*MARKERS, *REFERENCE_MARKERS)), "X", "P", "*"]
    inked = []
    for is_filled in (True, False):
        with printing(3.25), canvas(0.2) as (drawn, (axes,)):
            drawn.set_layout_engine("none")
            drawn.set_dpi(600)
            axes.set_position((0, 0, 1, 1))
            axes.axis("off")
            axes.set_xlim(-0.5, len(markers) - 0.5)
            for n, marker in enumerate(markers):
                marked = Look("black", marker).marked(is_filled=is_filled)
                axes.plot([n], [0], markersize=pt(5), **marked)
            image: Any = drawn.canvas
            image.draw()
            inked.append(np.asarray(image.buffer_rgba())[..., 0] < 128)
    filled, outline = inked
    squares = sliding_window_view(filled & ~outline, (9, 9)).all((2, 3)).any(0)
    is_open = [part.any() for part in np.array_split(squares, len(markers))]
    assert is_open == [True] * (len(markers) - 3) + [False] * 3


def test_a_look_depends_on_names_alone_and_references_never_share_one() -> None:
    names = ["a", "b", "c", "random"]
    looks = looks_of(names, ["random"])
    assert looks == looks_of(reversed(names), ["random"])
    assert looks["random"].colour not in COLOURS
    more = looks_of([*names, "published"], ["random"], taken=looks)
    assert {name: more[name] for name in names} == looks
    # Without the reference, ranked models look the same.
    assert looks_of(names[:3]) == {name: looks[name] for name in names[:3]}


def test_a_further_model_leaves_most_others_as_they_are() -> None:
    names = [f"model-{n}" for n in range(6)]
    before = looks_of(names)
    n_kept = [
        sum(looks_of([*names, f"new-{n}"])[name] == before[name] for name in names)
        for n in range(20)
    ]
    assert sum(n_kept) / len(n_kept) > 4


def test_one_model_has_one_colour_in_all_figures(root: DataRoot) -> None:
    """As drawn: of the guesser in two figures made by different modules."""
    rows = read_rows(root.warehouse)
    look = rows.looks["guesser"]
    assert rows.looks["oracle"].is_reference
    assert not look.is_reference
    errors = pl.DataFrame(
        {"kind": ["forward"], "unit": ["step"], "models": [["guesser", "oracle"]]}
        | {"wrong_models": [["guesser"]], "n": [3], "share": [1.0]}
    )
    few = rows["accuracies"].filter(kind="forward", metric="pairwise_accuracy")
    rows = changed(rows, shared_errors=errors, accuracies=few)
    for section in (by_length(rows), shared_errors(rows)):
        figure, *_ = of_kind(section, Figure)
        assert look.colour.encode() in figure.svg


def test_chance_is_drawn_where_it_is(root: DataRoot) -> None:
    """Steps of a question count alike in pairwise accuracy, questions in task accuracy.

    Of four forward questions three have 2 steps and one 3; f1 accepts both of its 2 orders.
    """
    rows = read_rows(root.warehouse)
    assert rows.chance("forward", "pairwise_accuracy") == 0.25
    assert rows.chance("forward", "task_accuracy") == pytest.approx((1 + 1 / 2 + 1 / 6 + 1 / 2) / 4)
    assert rows.chance("forward", "task_accuracy", 4) == pytest.approx(1 / 6)
    assert rows.chance("forward", "task_accuracy", 9) is None
    with canvas(2) as (_, (axes,)):
        draw_chance(axes, rows["chance"].filter(kind="forward"), "task_accuracy")
        [line] = axes.get_lines()
        assert list(line.get_xdata()) == [3, 4]
        assert list(line.get_ydata()) == pytest.approx([200 / 3, 100 / 6])


def test_chance_of_settings_and_activities(root: DataRoot) -> None:
    rows = read_rows(root.warehouse)
    by_activity = {(r[0], r[1]): r[2] for r in rows["activity_chance"].iter_rows()}
    assert by_activity["forward", "setting_the_table"] == 0.25
    settings = rows["setting_chance"].rows()
    assert ("camera_fov", "aperture_80", "forward", 0.25) in settings
    assert {row[1] for row in settings} == {"baseline", "aperture_80"}


def drawn_for_paper(width_in: float) -> Figure:
    with printing(width_in), canvas(2) as (figure, (axes,)):
        axes.plot([0, 1], [0, 1], label="ü & <b>")
        axes.set_xlabel("pairwise accuracy, %")
        figure.legend(loc="outside lower center")
        return finished(figure, "one", "caption", "alt")


def test_a_figure_for_a_paper_has_its_width_in_every_format() -> None:
    figure = drawn_for_paper(3.25)
    assert drawn_for_paper(3.25) == figure  # no dates, no random ids
    box = re.search(rb"/MediaBox \[ ?0 0 ([\d.]+) ", figure.pdf)
    assert box is not None
    assert float(box[1]) == pytest.approx(3.25 * 72)
    assert int.from_bytes(figure.png[16:20]) == round(3.25 * 300)
    svg = ET.fromstring(figure.svg)  # noqa: S314 - our own
    assert svg.attrib["width"] == "234pt"


def test_fonts_are_embedded_as_true_type_and_nothing_is_dated() -> None:
    pdf = drawn_for_paper(3.25).pdf
    fonts = re.findall(rb"/Subtype /(Type0|Type1|Type3|TrueType|CIDFontType2)", pdf)
    assert set(fonts) == {b"Type0", b"CIDFontType2"}  # Type 42 as PDF stores it
    assert b"/FontFile2" in pdf
    assert b"CreationDate" not in pdf


def test_letters_in_svg_are_text_in_fonts_that_every_machine_has() -> None:
    svg = ET.fromstring(drawn_for_paper(3.25).svg)  # noqa: S314 - our own
    said = {element.text for element in svg.iter(f"{SVG}text")}
    assert {"pairwise accuracy, %", "ü & <b>"} <= said
    styles = [element.attrib["style"] for element in svg.iter(f"{SVG}text")]
    assert all(SVG_FONTS in style for style in styles)


def test_widths_by_name_and_in_inches() -> None:
    assert (width_of("single"), width_of("double"), width_of("7.16")) == (3.25, 6.75, 7.16)
    for wrong in ("triple", "1", "nan", "inf", ""):
        with pytest.raises(SettingsError, match="single, double, or inches"):
            width_of(wrong)


def test_tables_are_escaped() -> None:
    hostile = "a_b & 50% $x$ #1 {c} \\end ~^ <|>\u202e\n\x1b"
    table = Table(
        "A_caption", ("model", "pairwise %"), ((hostile, f"{MINUS}1.0 ± 2"), ("[x]", NONE))
    )
    lines = latex(table).splitlines()
    assert lines[1:3] == ["\\begin{tabular}{@{}lr@{}}", "\\toprule"]
    assert lines[5] == (
        r"a\_b \& 50\% \$x\$ \#1 \{c\} \textbackslash{}end \textasciitilde{}\textasciicircum{} "
        r"\textless{}\textbar{}\textgreater{}  & $-$1.0 $\pm$ 2 \\"
    )
    assert lines[6] == r"{}[x] & -- \\"  # no optional argument of the line before
    assert lines[-2:] == ["\\bottomrule", "\\end{tabular}"]
    rows = markdown(table).splitlines()
    assert rows[2:4] == ["| model | pairwise % |", "| --- | ---: |"]
    assert rows[4].startswith(r"| a\_b \& 50% \$x\$ \#1 \{c\} \\end \~^ \<\|\>")
    assert len(re.findall(r"(?<!\\)\|", rows[4])) == 3


def test_the_leaderboard_of_a_paper_ends_with_references_and_chance(root: DataRoot) -> None:
    tables = paper_tables(read_rows(root.warehouse))
    board = tables["leaderboard"]
    assert [row[0] for row in board.rows] == [
        "guesser (partial)",
        "oracle (reference)",
        "chance (random order)",
    ]
    assert board.columns[1:4] == ("forward pairwise %", "forward task %", "forward questions")
    assert board.rows[-1][1:4] == ("25.0", "54.2", NONE)
    [probe] = tables["probes"].rows
    assert probe[:4] == ("guesser (partial)", "aperture 80", "forward", f"{MINUS}100.0")


def test_a_part_of_the_answers_is_marked_wherever_its_scores_are(root: DataRoot) -> None:
    """Researcher F4: 26.1 % without a mark, about 1,139 of 1,152 questions."""
    rows = read_rows(root.warehouse)
    assert rows.partial_note == "Partial: guesser (3 of 4 forward answers scored)."
    board = paper_tables(rows)["leaderboard"]
    [guesser, oracle, _] = board.rows
    assert (guesser[0], guesser[3], guesser[6]) == ("guesser (partial)", "3 of 4", "1")
    assert (oracle[0], oracle[3], oracle[6]) == ("oracle (reference)", "4", "1")
    for written in (latex(board), markdown(board)):
        assert "3 of 4 forward answers" in written.splitlines()[0].replace("\\", "")
        assert "guesser (partial)" in written
    with naming_partial(rows.partial_note):
        figures = of_kind(leaderboard(rows), Figure)
    for figure in figures:
        assert figure.caption.endswith(rows.partial_note)
        assert "guesser (partial)" in texts_of(figure)
        assert "oracle (ref.)" in texts_of(figure)


@pytest.mark.slow
def test_tables_of_the_report_mark_them_too(root: DataRoot) -> None:
    """Names were bare in the tables of answers, their quality and their errors."""
    rows = read_rows(root.warehouse)
    marked = {"guesser": "guesser (partial)", "oracle": "oracle (reference)"}
    sections = [s(rows) for s in (answers, answer_quality, structural, handedness, mismatch)]
    tables = [table for section in sections for table in of_kind(section, Table)]
    assert len(tables) > 4
    for table in tables:
        names = {row[0] for row in table.rows}
        assert not names & set(marked), table.caption
        assert names & set(marked.values()), table.caption


def texts_of(figure: Figure) -> set[str | None]:
    svg = ET.fromstring(figure.svg)  # noqa: S314 - our own
    return {element.text for element in svg.iter(f"{SVG}text")}


def test_a_figure_for_a_paper_says_in_each_file_what_limits_it(root: DataRoot) -> None:
    """Researcher F19: 30 published models behind results of the simulator, without a word."""
    rows = read_rows(root.warehouse)
    few = rows["accuracies"].filter(kind="forward", metric="pairwise_accuracy")
    rows = changed(rows, accuracies=few)
    with printing(3.25, note_of(rows)), naming_partial(rows.partial_note):
        [figure] = of_kind(by_length(rows), Figure)
    said = " ".join(text or "" for text in texts_of(figure))
    for words in (
        "Grey and dashed: models and people of the ENACT paper (tables 9 and 10), as published.",
        "Partial: guesser (3 of 4 forward answers scored).",
        "Not comparable with numbers of the ENACT paper: Replays and pictures are of our own",
    ):
        assert words in figure.caption
        assert words.split()[-1] in said
        assert words.split("(")[0].encode() in figure.png, "in its metadata"
    assert "may not be compared" not in figure.caption, "said once"
    assert b"/Subject" in figure.pdf
    with printing(3.25):
        assert figure.png[16:20] == of_kind(by_length(rows), Figure)[0].png[16:20], "no wider"


@pytest.mark.parametrize("name", ["variant of another condition", "no rows"])
def test_only_the_condition_of_tables_9_and_10_compares_with_them(
    root: DataRoot, name: str
) -> None:
    """A variant of another condition, and one without rows, counted as comparable."""
    if name == "no rows":
        rows = read_rows(root.warehouse)
        rows = changed(rows, comparable=rows["comparable"].clear())
        why = "This variant is not the condition of tables 9 and 10."
    else:
        rows = read_rows(root.warehouse, "aperture_80")
        why = (
            "Its settings are the paper's condition aperture_80, not the condition of tables 9 "
            "and 10."
        )
    assert rows.not_comparable.startswith(why)
    few = rows["accuracies"].filter(kind="forward", metric="pairwise_accuracy")
    rows = changed(rows, accuracies=few.head(1))
    said = said_in(by_length(rows), agreement(rows))
    assert f"Ours may not be compared with them. {why}" in said
    assert f"Accuracies under {rows.variant} may not stand beside published ones. {why}" in said
    assert note_of(rows) == f"Not comparable with numbers of the ENACT paper: {why}"
    assert all(why.rstrip(".") in table.caption for table in paper_tables(rows).values())
    assert "may not be compared" in rows.beside_published


def test_numbers_that_compare_say_what_is_not_checked(root: DataRoot) -> None:
    rows = read_rows(root.warehouse)
    caveat = "5 imported questions in the paper's prompts."
    compares = {"is_comparable": True, "why_not": None, "caveat": caveat}
    found = rows["comparable"].with_columns(**{n: pl.lit(v) for n, v in compares.items()})
    rows = changed(rows, comparable=found, accuracies=rows["accuracies"].clear())
    said = said_in(by_length(rows))
    assert (rows.not_comparable, note_of(rows)) == ("", "")
    assert f"the scoring are the paper's. {caveat}" in said
    assert "answered the same questions" not in said
    # Probes never compare with the paper's, whatever the reported variant does.
    assert "may not be compared" in rows.beside_published


@pytest.mark.slow
def test_trained_references_say_so_in_a_paper(tmp_path: Path) -> None:
    rows = tiny_rows()
    for row in rows["model_accuracies"]:
        row["model"] = row["model"].replace("oracle", "fact_reader")
        row["is_reference"] = row["model"] == "fact_reader"
    board = paper_tables(read_rows(published(tmp_path, rows).warehouse))["leaderboard"]
    said = "fact_reader (reference, trained on this simulator, other seeds)"
    assert said in [row[0] for row in board.rows]
    assert said in latex(board).replace("\\_", "_")


def test_without_rows_tables_say_their_columns(root: DataRoot) -> None:
    rows = read_rows(root.warehouse)
    nothing = changed(rows, **{name: frame.clear() for name, frame in rows.of.items()})
    tables = paper_tables(nothing)
    assert [len(table.rows) for table in tables.values()] == [1, 0]  # chance, unknown
    assert "\\toprule" in latex(tables["probes"])


@pytest.mark.slow
def test_the_command_writes_every_figure_in_three_formats(
    root: DataRoot, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch
) -> None:
    # In a log, a line each time: drawing takes a minute.
    monkeypatch.setattr("enact_assets.commands.terminal.LINE_EVERY_S", 0.0)
    told = ["report", "--data", str(root.root), "--figures", str(tmp_path / "one")]
    assert main([*told, "--width", "3.5"]) == 0
    out, progress = capsys.readouterr()
    assert "3.5 in wide" in out
    second = f"figures leaderboard: {100 // len(MEASURED)}%"
    assert progress.splitlines()[:2] == ["figures overview: 0%", second]
    assert len(progress.splitlines()) == len(MEASURED)
    written = {path.name for path in (tmp_path / "one").iterdir()}
    figures = {name.removesuffix(".pdf") for name in written if name.endswith(".pdf")}
    assert {"leaderboard_forward", "activities_forward", "settings_camera_fov"} <= figures
    captions = (tmp_path / "one" / "captions.md").read_text()
    assert {line[4:].partition("**")[0] for line in captions.splitlines() if line[:2] == "- "} == {
        *figures, "leaderboard", "probes",
    }  # fmt: skip
    assert captions.count("Not comparable with numbers of the ENACT paper") >= len(figures) - 2
    assert written - {"captions.md"} == {
        f"{name}.{ending}" for name in figures for ending in ("svg", "png", "pdf")
    } | {f"{name}.{ending}" for name in ("leaderboard", "probes") for ending in ("tex", "md")}
    assert not (root.report / "report.html").exists()


def test_a_width_needs_figures(root: DataRoot, capsys: pytest.CaptureFixture[str]) -> None:
    told = ["report", "--data", str(root.root), "--width"]
    assert main([*told, "3.5"]) == 2
    assert "give --figures FOLDER" in capsys.readouterr().err
    assert main([*told, "wide", "--figures", str(root.root / "none")]) == 2
    assert "--width wide" in capsys.readouterr().err
