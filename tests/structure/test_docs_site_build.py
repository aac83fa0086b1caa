"""The site builds without a warning and needs no network; the examples of its pages run."""

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from enact_assets.questions.asked.templates import KINDS, load_template

ROOT = Path(__file__).parents[2]
SITE = ROOT / "docs" / "site"


@pytest.mark.slow
def test_the_site_builds_strictly_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    pytest.importorskip("sphinx", reason="the site needs the extra [docs]")
    built = subprocess.run(  # noqa: S603 - our own interpreter, our own code
        [sys.executable, str(SITE / "build_site.py"), str(tmp_path)],
        capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    html = tmp_path / "html"
    assert str(html / "index.html") in built.stdout
    pages = {path: path.read_text(encoding="utf-8") for path in html.rglob("*.html")}
    assert len(pages) > 40
    loaded = r"<(?:script|img|iframe|link)[^>]*(?:src|href)=\"(?:https?:)?//[^>]*>"
    assert {
        path.name: found for path, text in pages.items() if (found := re.findall(loaded, text))
    } == {}
    styles = "".join(path.read_text(encoding="utf-8") for path in html.rglob("*.css"))
    assert not re.search(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", styles)
    assert (html / "searchindex.js").stat().st_size > 100_000
    assert 'id="leaderboard"' in pages[html / "pages" / "sql" / "marts.html"]


@pytest.mark.slow
def test_every_published_column_has_a_meaning() -> None:
    made = runpy.run_path(str(SITE / "relation_pages.py"))
    columns = made["published_columns"]()
    pages = made["relation_pages"](columns)
    assert sum(map(len, columns.values())) > 500
    assert [c for listed in columns.values() for c in listed if not c[2].strip()] == []
    for relation, listed in columns.items():
        assert any(f"## `{relation}`\n" in page for page in pages.values()), relation
        assert all(any(f"| `{name}` |" in page for page in pages.values()) for name, *_ in listed)


@pytest.mark.slow
def test_the_examples_of_the_python_pages_run() -> None:
    """From the registry to what a random order scores, as one script."""
    tasks = runpy.run_path(str(SITE / "api_pages.py"))["contents"]()
    script = "\n".join(task["example"] for task in tasks.values() if "example" in task)
    printed = subprocess.run(  # noqa: S603 - our own interpreter, our own code
        [sys.executable, "-c", script],
        capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert printed.returncode == 0, printed.stderr
    assert "([2, 1, 3], None)" in printed.stdout
    # Of whichever kind the first question is: its prompt, up to what is filled in.
    beginnings = [load_template(kind).partition("{")[0] for kind in KINDS]
    assert any(beginning in printed.stdout for beginning in beginnings)
    assert "[Action 1] " in printed.stdout
