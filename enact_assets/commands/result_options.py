"""Arguments of the commands that show results."""

import argparse
from pathlib import Path

from enact_assets.results.report.browse_links import PORT


def add_leaderboard(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``leaderboard``."""
    sub.add_argument("--variant", metavar="NAME", help="only this variant (default: all on it)")


def add_sql(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``sql``."""
    sub.add_argument("query", help="for example: select * from leaderboard")
    sub.add_argument("--all", action="store_true", help="show all rows, not only the first 50")
    about = (
        "let the query read and write other files, attach databases and load extensions (default: "
        "it reads the DuckDB file only)"
    )
    sub.add_argument("--files", action="store_true", help=about)
    form = sub.add_mutually_exclusive_group()
    about = "one column per line with its whole value, row after row"
    form.add_argument("--record", action="store_true", help=about)
    form.add_argument("--csv", action="store_true", help="all rows, whole values, as CSV")
    about = "all rows, whole values: one JSON object per row, each on a line"
    form.add_argument("--json", action="store_true", help=about)


def add_report(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``report``."""
    where = sub.add_mutually_exclusive_group()
    where.add_argument(
        "--output", type=Path, metavar="FOLDER", help="folder to write to (default: DIR/report)"
    )
    where.add_argument(
        "--figures",
        type=Path,
        metavar="FOLDER",
        help="write no report, but into this folder every figure as PDF, SVG and PNG (300 dpi), "
        "and leaderboard and probes as LaTeX and Markdown tables. With --model: a paper's worth "
        "about these models, with main.tex to compile",
    )
    sub.add_argument(
        "--model",
        action="append",
        default=[],
        metavar="NAME",
        help="with --figures: write every table as LaTeX, figures as PDF (column and text width), "
        "captions, examples of wrong answers, and the numbers behind them as CSV, about this model "
        "and others named in the same way (default: the figures alone, about all models)",
    )
    sub.add_argument(
        "--no-references",
        action="store_true",
        help="with --model: leave out reference baselines (random, oracle and others)",
    )
    sub.add_argument(
        "--published",
        action="append",
        default=[],
        metavar="NAME",
        help="with --model: add what the ENACT paper has of this model of its own, such as "
        '"GPT-5" or Human, marked as published; may be repeated (default: nothing)',
    )
    sub.add_argument(
        "--width",
        metavar="WIDTH",
        help="width of the figures, with --figures: single (3.25 in, the default), double "
        "(6.75 in), or inches, as 3.5 and 7.16 for IEEE or 5.5 for NeurIPS and ICLR; with --model "
        "and without this option both single and double",
    )
    sub.add_argument(
        "--variant",
        metavar="NAME",
        help="variant to report (default: the first of the leaderboard)",
    )


def add_show(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``show``."""
    sub.add_argument(
        "name",
        help="id of a question (as in SQL or in exported files), a demonstration, or "
        "ASSET:PARTITION such as 'qa:setting_the_table-0|state'",
    )
    sub.add_argument(
        "--variant",
        metavar="NAME",
        help="variant that asks the question, or whose pictures to show (default: the baseline, "
        "or the first one that asks the question, or about the demonstration)",
    )
    sub.add_argument(
        "--output",
        type=Path,
        metavar="DIR",
        help="folder to make DIR/NAME_VARIANT in, with pictures, a sheet of all of them and "
        "everything else as JSON",
    )


def add_browse(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``browse``."""
    sub.add_argument(
        "--port",
        type=int,
        help="port to listen on (default: the one used last for this data root, at first "
        f"{PORT}; 0: any). Links of reports and first looks made later lead to it",
    )


def add_site(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``site``."""
    sub.add_argument("output", type=Path, metavar="FOLDER", help="where the pages are written")
    sub.add_argument(
        "--submissions",
        type=Path,
        metavar="FOLDER",
        help="accepted submissions, files of `submit`: scored anew, and shown as recomputed",
    )
