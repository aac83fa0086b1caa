"""A paper about chosen models: every number is one of a query, and only chosen models are there."""

import re
import shutil
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from report_pages import changed, of_kind, published
from sql.tiny_lake import tiny_rows

from enact_assets.cli import main
from enact_assets.engine.errors import SettingsError, UnknownNameError
from enact_assets.engine.progress import Progress
from enact_assets.results.published import OpenWarehouse, query
from enact_assets.results.report.drawing import printing
from enact_assets.results.report.lengths import by_length
from enact_assets.results.report.paper.captions import figure_caption
from enact_assets.results.report.paper.choice import Choice, chosen, rows_about
from enact_assets.results.report.paper.document import examples_latex, main_figures
from enact_assets.results.report.paper.figure_queries import figure_query
from enact_assets.results.report.paper.layout import (
    MOST_LINES,
    MOST_OVER,
    PaperTable,
    latex_files,
)
from enact_assets.results.report.paper.write import DRAWN, tables_of, write_paper
from enact_assets.results.report.paper_figures import latex_text
from enact_assets.results.report.parts import Example, Figure
from enact_assets.results.report.rows import ReportRows, read_rows
from enact_assets.results.report.wrong_answers import chosen_examples
from enact_assets.settings.paths import DataRoot

PDFLATEX = shutil.which("pdflatex")
NUMBER = re.compile(r"(?<![A-Za-z0-9_.])-?\d+(?:,\d{3})*(?:\.\d+)?")
MODELS, PUBLISHED = ("guesser", "oracle"), ("GPT-5", "GPT-5 mini")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> DataRoot:
    """Both models are ranked and have intervals; in task accuracy they differ."""
    rows = tiny_rows()
    for row in rows["model_accuracies"]:
        if row["accuracy"] is not None:
            row |= {"low": 0.9 * row["accuracy"], "high": 0.1 + 0.9 * row["accuracy"]}
        if row["metric"] == "task_accuracy" and row["tied_with"]:
            row["tied_with"] = []
    for row in rows["model_comparisons"]:
        row |= {"low": -0.75, "high": 0.123, "clustered_bh_p": 0.034, "is_tied": False}
    return published(tmp_path_factory.mktemp("root"), rows)


@pytest.fixture(scope="module")
def rows(root: DataRoot) -> ReportRows:
    return read_rows(root.warehouse)


@pytest.fixture(scope="module")
def choice(rows: ReportRows) -> Choice:
    return chosen(rows, MODELS, PUBLISHED)


@pytest.fixture(scope="module")
def tables(root: DataRoot, rows: ReportRows, choice: Choice) -> dict[str, PaperTable]:
    found = tables_of(OpenWarehouse(root.warehouse), rows_about(rows, choice), choice)
    return {table.name: table for table in found}


def numbers_in(latex: str) -> Counter[str]:
    """Numbers of a LaTeX text: without commands, their lengths and what is in names of models."""
    text = re.sub(r"\\(?:addlinespace|shortstack)\[\w+\]|\$-\$", " -", latex).replace("- ", "-")
    text = re.sub(r"GPT-5(?: mini)?", "", text.replace("\\,", ""))
    return Counter(found.lstrip("-") for found in NUMBER.findall(text))


def expected(row: dict[str, Any]) -> list[str]:
    """The numbers that a row of a query prints, worked out again."""
    value = row["value"]
    if value is None:
        return []
    if row["form"] == "count":
        asked = row["n_asked"]
        more = [f"{asked:,}"] if asked and row["n"] == value and asked > value else []
        return [f"{int(value):,}", *more]
    if row["form"] == "p":
        return ["0.001"] if value < 0.001 else [f"{value:.3f}"]
    shown = [value]
    if row["form"] == "percent" and row["low"] is None and row["standard_error"] is not None:
        shown.append(row["standard_error"])
    elif (
        row["form"] in {"percent", "points"}
        and row["whose"] != "setting"
        and row["low"] is not None
    ):
        shown += [row["low"], row["high"]]
    return [f"{abs(100 * number):.1f}" for number in shown]


def test_every_number_of_every_table_is_one_of_its_query(
    root: DataRoot, rows: ReportRows, tables: dict[str, PaperTable]
) -> None:
    assert set(tables) >= {
        *("leaderboard", "length_pairwise", "length_task", "probes", "hands"),
        *("errors_structural", "errors_semantic", "tests", "sources"),
    }
    for table in tables.values():
        [(name, text)] = latex_files(table, rows).items()
        assert name == table.name
        body = text.split("\\midrule", 1)[1].split("\\bottomrule")[0]
        found = query(root.warehouse, table.sql)  # as anyone can ask it
        wanted = Counter(n for row in found.iter_rows(named=True) for n in expected(row))
        values = "\n".join(line.partition("&")[2] for line in body.splitlines())
        assert numbers_in(values) == wanted, table.name


def test_numbers_of_captions_are_of_the_query_or_of_all_captions(
    rows: ReportRows, tables: dict[str, PaperTable]
) -> None:
    said_everywhere = numbers_in(f"95 0.001 0.01 0.05 0 {rows.not_comparable} {rows.partial_note}")
    caveats = numbers_in(" ".join(rows["caveats"]["caveat"]))
    for table in tables.values():
        numbers = table.found.select("n", "n_asked", "n_demonstrations")
        of_query = {f"{n:,}" for row in numbers.iter_rows() for n in row if n is not None}
        known = of_query | set(said_everywhere) | set(caveats)
        assert set(numbers_in(table.caption)) <= known, table.caption
        assert "n: " in table.caption
        assert "Not comparable with the ENACT paper: Replays and pictures" in table.caption


def test_captions_of_figures_are_about_their_kind_and_tell_findings(
    rows: ReportRows, choice: Choice
) -> None:
    about = rows_about(rows, choice)
    for name, said in (("leaderboard_forward", "n: 4 forward questions on"), ("x", " and ")):
        caption = figure_caption(Figure(name, "Shown", "", b"", b"", b""), about, choice)
        assert caption.startswith("Shown. n: 4 forward")
        assert said in caption
        assert ("inverse questions on" in caption) == (name == "x")
    figure = Figure("length_pairwise_accuracy_inverse", "Shown", "", b"", b"", b"")
    [told] = re.findall(r"“([^”]+)” is (\w+ \w+) ", figure_caption(figure, about, choice))
    claim = "Accuracy on inverse questions is lower at the longest length than at the shortest"
    assert told == (claim, "not tested")


def test_numbers_are_those_of_the_relations(root: DataRoot, tables: dict[str, PaperTable]) -> None:
    """The same by the simplest query of one published relation each."""
    ask = OpenWarehouse(root.warehouse)

    def of(sql: str) -> dict[tuple[Any, ...], Any]:
        return {tuple(row[:-1]): row[-1] for row in ask(sql).iter_rows()}

    def printed(name: str, *columns: str, **where: str) -> dict[tuple[Any, ...], Any]:
        found = tables[name].found.filter(pl.col("whose") != "chance", **where)
        return {tuple(row[:-1]): row[-1] for row in found.select(*columns, "value").iter_rows()}

    board = """
        select kind, model, if(metric = 'task_accuracy', 'task %', 'pairwise %'), accuracy
        from accuracy_by_length
        where variant = 'baseline' and length is null
            and (source = 'ours' or model in ('GPT-5', 'GPT-5 mini'))"""
    assert printed("leaderboard", "block", "line", "heading", form="percent") == of(board)
    assert printed("sources", "block", "line", "heading") == of(board)
    assert printed("length_task", "block", "line", "heading") == of("""
        select kind, model, coalesce(length::varchar, 'all'), accuracy from accuracy_by_length
        where variant = 'baseline' and metric = 'task_accuracy'
            and (source = 'ours' or model in ('GPT-5', 'GPT-5 mini'))""")
    assert printed("hands", "block", "line", heading="recall %") == of("""
        select kind || ', ' || hand || ' hand', model, recall from handedness
        where variant = 'baseline' and length is null and answers = 'wrong'
            and n_reference + n_predicted > 0
        union all
        select kind || ', ' || hand || ' hand', published_model, recall
        from published_handedness where published_model = 'GPT-5 mini'""")
    assert printed("errors_structural", "block", "line", "heading", form="percent") == of("""
        select kind, model, replace(category, '_', ' '), share from structural_errors
        where variant = 'baseline' and length is null and answers = 'wrong'
        union all
        select kind, published_model, replace(category, '_', ' '), share
        from published_error_shares where published_model = 'GPT-5'""")
    assert printed("probes", "over", "line", "heading") == of("""
        select model, variant, kind, paired_delta from probes
        union all
        select published_model || ' (publ.)', published_variant, kind, delta from published_probes
        where published_model = 'GPT-5 mini' and published_variant = 'aperture_80'""")
    assert printed("tests", "block", "over", heading="p") == of("""
        select kind, replace(metric, '_accuracy', ''), clustered_bh_p
        from model_comparisons where length is null""")


def test_the_best_is_bold_and_ties_with_it_are_underlined(
    rows: ReportRows, tables: dict[str, PaperTable]
) -> None:
    lines = latex_files(tables["leaderboard"], rows)["leaderboard"].splitlines()
    oracle, guesser = (
        next(at for at in lines if at.startswith(f"\\quad {name}"))
        for name in ("oracle", "guesser")
    )
    assert oracle.count("\\textbf{100.0") == 2
    assert "\\underline{42.9 [38.6, 48.6]}" in guesser  # pairwise: the test finds no difference
    assert guesser.count("\\underline") == 1  # task: it does
    assert "guesser (partial)" in guesser
    assert guesser.endswith("3 of 4 \\\\")
    theirs = [at for at in lines if "(publ.) &" in at]
    assert len(theirs) == 4
    assert not any("textbf" in at or "underline" in at for at in theirs)
    caption = tables["leaderboard"].caption
    assert "Bold: the best model of a column; underlined: no significant difference" in caption
    assert "Partial: guesser (3 of 4 forward answers scored)." in caption
    assert "The paper gives no such numbers of GPT-5." in tables["hands"].caption


@pytest.mark.slow
def test_what_is_not_chosen_is_nowhere(root: DataRoot, rows: ReportRows) -> None:
    """Researcher F18 and F19: references drawn as models, thirty unnamed lines of the paper."""
    one = chosen(rows, ["guesser"], ["GPT-5"], has_references=False)
    about = rows_about(rows, one)
    for table in tables_of(OpenWarehouse(root.warehouse), about, one):
        assert "oracle" not in latex_files(table, about)[table.name]
    few = about["accuracies"].filter(kind="forward", metric="pairwise_accuracy")
    with printing(3.25):
        [figure] = of_kind(by_length(changed(about, accuracies=few)), Figure)
    drawn = figure.svg.decode()
    assert "GPT-5 (publ.)" in drawn
    assert "guesser (partial)" in drawn
    assert "oracle" not in drawn
    assert "published models (" not in drawn
    assert rows.looks["guesser"].colour in drawn, "as in the whole report"


def test_references_come_along_unless_told_otherwise(rows: ReportRows) -> None:
    models = rows["models"].with_columns(is_reference=pl.col("model") == "oracle")
    rows = changed(rows, models=models)
    assert chosen(rows, ["guesser"]) == Choice(("guesser",), ("oracle",), ())
    assert chosen(rows, ["guesser"], has_references=False).ours == ("guesser",)
    assert chosen(rows, ["oracle", "guesser", "oracle"]).models == ("guesser", "oracle")


def test_wrong_names_say_what_there_is(rows: ReportRows) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown model 'lab:x'.*known: guesser, oracle"):
        chosen(rows, ["lab/x"])
    with pytest.raises(UnknownNameError, match=r"model of the ENACT paper 'GPT-6'.*GPT-5 mini"):
        chosen(rows, ["guesser"], ["GPT-6"])
    with pytest.raises(UnknownNameError, match=r"Did you mean GPT-5 mini\?"):
        chosen(rows, ["guesser"], ["gpt-5-mini"])
    few = rows["accuracies"].filter(pl.col("model") != "oracle")
    of_other = replace(changed(rows, accuracies=few), variant="aperture_80")
    with pytest.raises(SettingsError, match=r"oracle has no scored answer under the variant aper"):
        chosen(of_other, ["oracle"])


def test_options_of_a_paper_need_each_other(
    root: DataRoot, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = ["report", "--data", str(root.root)]
    for options in (["--model", "guesser"], ["--published", "GPT-5"], ["--no-references"]):
        assert main([*told, *options]) == 2
        assert "give --figures FOLDER and --model NAME" in capsys.readouterr().err
    assert main([*told, "--figures", str(tmp_path / "f"), "--published", "GPT-5"]) == 2
    assert main([*told, "--figures", str(tmp_path / "f"), "--model", "gueser"]) == 2
    assert "unknown model 'gueser'" in capsys.readouterr().err
    assert not (tmp_path / "f").exists()


def test_a_long_table_is_split_so_that_each_part_fits_a_page(rows: ReportRows) -> None:
    """Researcher F20: 253 rows in one table."""
    cell = {"block": "camera_fov", "whose": "setting", "form": "points", "value": 0.5}
    cell |= dict.fromkeys(("low", "high", "standard_error", "p", "mark", "n_asked"))
    found = pl.DataFrame(
        [
            {**cell, "line": f"v{line}", "over": f"m{model}", "heading": kind, "n": 1}
            for line in range(100)
            for model in range(4)
            for kind in ("forward", "inverse")
        ]
    )
    files = latex_files(PaperTable("probes", "About.", "", found), rows)
    assert list(files) == ["probes", *(f"probes_{n}" for n in range(2, 7))]
    for n, text in enumerate(files.values(), 1):
        lines = re.findall(r"\\quad (v\d+) ((?:& \S+ )+)", text)
        assert len(lines) <= MOST_LINES
        assert {cells.count("&") for _, cells in lines} <= {2 * MOST_OVER, 2}
        assert f"Part {n} of 6." in text
    assert sum(text.count("+50.0") for text in files.values()) == 100 * 4 * 2


def test_examples_repeat_a_question_only_where_no_other_has_the_error() -> None:
    has = {"omission": "ab", "hallucination": "ab", "spatial_relation": "bac", "contact": "a"}
    candidates = [
        {"kind": "forward", "category": category, "model": "m", "length": 3}
        | {"place": place, "question_id": question}
        for category, questions in has.items()
        for place, question in enumerate(questions, 1)
    ]
    found = {row["category"]: row["question_id"] for row in chosen_examples(candidates)}
    assert found == dict(zip(has, "abca", strict=True))
    assert chosen_examples(candidates[::-1]) == chosen_examples(candidates)


def test_letters_that_latex_lacks_are_written_as_code_points() -> None:
    assert latex_text("né → “a” \N{FIRE}") == r"né $\rightarrow$ “a” [U+1F525]"
    example = Example("a_b", None, "", "Gone.", ("Open 50 %.",), (("Given order", ("[1]",)),))
    text = examples_latex([(example, None)])
    assert r"\textbf{a\_b}" in text
    assert r"[Action 1] Open 50 \%." in text
    assert r"\emph{Given order:} [1]" in text


@pytest.fixture(scope="module")
def paper(root: DataRoot, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("paper")
    heard: list[Progress] = []
    write_paper(root, folder, MODELS, PUBLISHED, width_in=3.25, on_progress=heard.append)
    assert [p.done for p in heard] == list(range(len(DRAWN)))
    assert {p.total for p in heard} == {len(DRAWN)}
    assert heard[0].text == "leaderboard (3.25 in)"
    return folder


@pytest.mark.slow
def test_numbers_behind_every_figure_are_those_of_its_query(
    root: DataRoot, rows: ReportRows, choice: Choice, paper: Path
) -> None:
    figures = {path.stem for path in (paper / "figures").glob("*.pdf")}
    assert len(figures) > 15
    assert len(DRAWN) == len(set(DRAWN))
    captions = (paper / "captions.md").read_text()
    about = rows_about(rows, choice)
    for name in sorted(figures):
        sql = (paper / "data" / f"{name}.sql").read_text()
        assert sql == figure_query(name, "baseline", choice)
        found = query(root.warehouse, sql)
        assert found.height > 0, name
        assert (paper / "data" / f"{name}.csv").read_text().count("\n") == found.height + 1
        assert f"- **{name}**: " in captions
    told = re.findall(r"^- \*\*\w+\*\*(?: \(table\))?: (.+)", captions, re.MULTILINE)
    assert len(told) > len(figures)
    assert len(told) == len(set(told)), "no two captions are the same"
    assert "Errors by structure: shares" in captions
    assert "(publ.): as published in the ENACT paper. " in captions
    assert "ours may not be compared" not in captions, "said by Not comparable"
    # What is drawn are the same rows.
    sql = (paper / "data" / "length_task_accuracy_forward.sql").read_text()
    drawn = about["accuracies"].filter(
        pl.col("length").is_not_null(), kind="forward", metric="task_accuracy"
    )
    of_ours = query(root.warehouse, sql).filter(pl.col("model").is_in(choice.ours))
    assert (
        of_ours.select("model", "length", "accuracy")
        .sort("model", "length")
        .equals(drawn.select("model", "length", "accuracy").sort("model", "length"))
    )


@pytest.mark.slow
@pytest.mark.skipif(PDFLATEX is None, reason="no pdflatex on PATH")
def test_the_documents_compile(paper: Path) -> None:
    assert PDFLATEX is not None
    inputs = ""
    for name in ("main", "appendix"):
        told = [PDFLATEX, "-interaction=nonstopmode", "-halt-on-error", name]
        done = subprocess.run(  # noqa: S603 - our own documents
            told, cwd=paper, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout[-2000:]
        written = re.search(rf"Output written on {name}\.pdf \((\d+) pages?", done.stdout)
        assert written is not None
        assert "Missing character" not in done.stdout
        assert name == "appendix" or int(written[1]) <= 2
        labels = re.findall(r"newlabel\{\S+?\}\{\{(A?)\d", (paper / f"{name}.aux").read_text())
        assert set(labels) == {"A" if name == "appendix" else ""}
        inputs += (paper / f"{name}.tex").read_text()
    for table in (paper / "tables").glob("*.tex"):
        assert inputs.count(f"\\input{{tables/{table.stem}}}") == 1
    for figure in (paper / "figures").glob("*.pdf"):
        assert inputs.count(f"{{figures/{figure.stem}}}") == 1
    assert (paper / "main.tex").read_text().count("\\input{tables/") == 6
    assert len(main_figures([p.stem for p in (paper / "figures").glob("*.pdf")])) == 4
