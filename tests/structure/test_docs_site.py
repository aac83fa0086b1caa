"""The documentation as a site: nothing is left out of it, and its links lead somewhere.

It builds without a warning and needs no network; the examples of its pages run."""

import inspect
import os
import re
import runpy
import subprocess
import sys
from collections import defaultdict
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

import enact_assets
from enact_assets.engine.system.public_names import names_of_stub
from enact_assets.questions.asked.templates import KINDS, load_template
from enact_assets.simulator.activities import SHIPPED

ROOT = Path(__file__).parents[2]
SITE = ROOT / "docs" / "site"
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)")
CODE = re.compile(r"^(```.*?^```|    .*?$)|`[^`\n]+`", re.MULTILINE | re.DOTALL)


def site(module: str) -> dict[str, Any]:
    return runpy.run_path(str(SITE / f"{module}.py"))


def public_names() -> list[str]:
    return list(names_of_stub(Path(enact_assets.__file__).with_suffix(".pyi")))


def sources() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],  # noqa: S607 - git is what made the checkout
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    return [ROOT / name for name in listed if (ROOT / name).is_file()]


@lru_cache
def anchors(page: Path) -> set[str]:
    """What links to a page may name after ``#``: headings as GitHub writes them, and own ids."""
    text = page.read_text(encoding="utf-8")
    found = set(re.findall(r'<a id="([^"]+)">', text))
    for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        words = re.sub(r"<[^>]+>|[^\w\- ]", "", heading.strip().lower())
        found.add(words.replace(" ", "-"))
    return found


def test_the_table_of_contents_has_every_page() -> None:
    listed = LINK.findall((ROOT / "docs" / "index.md").read_text(encoding="utf-8"))
    pages = {(ROOT / "docs" / path).resolve() for path, _ in listed if path.endswith(".md")}
    written = {*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")} - {ROOT / "docs" / "index.md"}
    assert written - pages == set()
    assert ROOT / "sql" / "README.md" in pages
    assert ROOT / "deploy" / "README.md" in pages


def test_links_between_pages_lead_to_files_and_headings() -> None:
    pages, broken, n = sources(), [], 0
    for page in pages:
        text = CODE.sub("", page.read_text(encoding="utf-8"))
        for path, anchor in LINK.findall(text):
            n += 1
            target = (page.parent / path).resolve() if path else page
            is_there = target.exists() and (not anchor or anchor in anchors(target))
            if not is_there:
                broken.append(f"{page.relative_to(ROOT)}: {path}#{anchor}")
    assert n > 100
    assert broken == []


def test_an_activity_has_a_page_with_its_key_frames() -> None:
    """Of three: the site, which needs all of them, is built by a slow test."""
    names = list(SHIPPED)[:3]
    pages = site("activity_pages")["activity_pages"](names)
    assert [Path(path).stem for path in pages] == ["activities", *names]
    for path, text in list(pages.items())[1:]:
        picture = re.search(r"!\[[^]]+\]\(/([^)]+)\)", text)
        assert picture, path
        assert (ROOT / picture[1]).is_file(), path
        assert re.search(r"^- `\w+\(\w+.*\)`$", text, re.MULTILINE), path


def test_every_relation_has_its_place_and_links_to_what_it_reads() -> None:
    marts = {path.stem for path in (ROOT / "sql" / "marts").glob("*.sql")}
    column = defaultdict(lambda: [("a", "bigint", "b_c")])
    pages = site("relation_pages")["relation_pages"](column)
    assert set(re.findall(r"^## `(\w+)`$", pages["pages/sql/marts.md"], re.MULTILINE)) == marts
    shown = re.findall(r"\(/(pages/sql/\w+\.md)#(\w+)\)", "".join(pages.values()))
    assert len(shown) > len(marts)
    assert [f"{p}#{name}" for p, name in shown if f"## `{name}`\n" not in pages[p]] == []
    assert "| `a` | `bigint` | b\\_c |" in pages["pages/sql/tables.md"]


def test_every_command_is_explained_and_has_its_options() -> None:
    made = site("command_page")
    names = set(made["command_parsers"]())
    (text,) = made["command_page"]().values()
    assert set(re.findall(r"^## (\S+)$", text, re.MULTILINE)) == names
    assert str(Path.home()) not in text
    about = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    table = about.partition("| command |")[2].partition("\n\n")[0]
    assert {name for name in names if f"`{name}" not in table} == set()


def test_every_public_name_is_on_one_python_page_and_documented() -> None:
    made = site("api_pages")
    names = [name for task in made["contents"]().values() for name in task["names"]]
    assert len(names) == len(set(names)) > 100
    assert set(names) == set(public_names())
    for name in names:
        assert inspect.getdoc(getattr(enact_assets, name)), name
    pages = made["api_pages"]()
    assert all(f":: enact_assets.{name}\n" in "".join(pages.values()) for name in names)
    assert re.search(r"^EnactError\n\|-- ", pages["pages/python/errors.md"], re.MULTILINE)


def test_pages_import_from_the_package_itself() -> None:
    """Where a module lies may change; what users write may not."""
    made = {**site("api_pages")["api_pages"](), **{str(p): p.read_text() for p in sources()}}
    imports = [
        (page, line.strip())
        for page, text in made.items()
        for line in text.splitlines()
        if re.match(r"\s*(from|import) enact_assets\b", line)
    ]
    assert len(imports) > 5
    assert [found for found in imports if "import enact_assets." in found[1]] == []
    assert [found for found in imports if "from enact_assets." in found[1]] == []


def test_the_front_page_shows_what_is_generated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SITE))
    made = site("build_site")
    contents = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    extra = made["Generated"]("Look up", "all of them", {"pages/sql.md": "# SQL relations\n"})
    page = made["index"](contents, [extra])
    assert "- [SQL relations](pages/sql.md): all of them" in page
    assert "SQL relations </pages/sql>" in page
    assert "Overview </README>" in page
    with pytest.raises(SystemExit, match="no section Nowhere"):
        made["index"](contents, [made["Generated"]("Nowhere", "", {"a.md": "# A\n"})])


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
    for name in SHIPPED:
        page = pages[html / "pages" / "activities" / f"{name}.html"]
        assert f"key_frames_{name}" in page
        goal = page.partition('id="what-must-hold-at-the-end-of-seed-0"')[2]
        assert re.search(r"<li><p><code[^>]*><span[^>]*>\w+\(\w+", goal), name
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
