"""Build these pages as a site: ``make docs``, or ``python docs/site/build_site.py [FOLDER]``.

The sources are the Markdown files of the repository as they are, copied into one tree at their
paths, beside pages that are generated: activities, SQL relations, options of commands, Python API.
docs/index.md is the table of contents: every section of it becomes one of the site.
"""

import argparse
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from activity_pages import activity_pages
from api_pages import api_pages
from command_page import command_page
from relation_pages import published_columns, relation_pages

ROOT = Path(__file__).parents[2]
SITE = ROOT / "docs" / "site"
OUTPUT = ROOT / "build" / "docs"
CONTENTS = "docs/index.md"
# Pages, and files that pages link to, at their paths in the repository.
COPIED = (
    *("*.md", "CITATION.cff", "docs/*.*", "docs/annotated_video/*", "sql/README.md", "deploy/*"),
    *("enact_assets/registry.yaml", "enact_assets/answers/models/models.yaml"),
)
_ENTRY = re.compile(r"^- \[([^]]+)\]\(([^)]+)\.md\)", re.MULTILINE)
_TARGET = re.compile(r"\]\((?!https?:)([^)#]+)")


@dataclass(frozen=True)
class Generated:
    """Pages that no file has: the section of docs/index.md they belong to, the entry, the text."""

    section: str
    entry: str
    pages: dict[str, str]
    """Path in the tree -> Markdown. The first is the one that the entry names."""


def generated() -> tuple[Generated, ...]:
    """All generated pages."""
    relations, api = relation_pages(published_columns()), api_pages()
    pages = activity_pages()
    return (
        Generated("Use", "options of every command, as `--help` prints them", command_page()),
        Generated("Look up", "every relation of the DuckDB file, column by column", relations),
        Generated("Look up", "functions to call from Python, by task", api),
        Generated("Activities", "all of them, with their key frames", pages),
    )


def index(contents: str, extra: Sequence[Generated]) -> str:
    """The front page: docs/index.md as it is read at the top, with a tree of all its links."""
    text = _TARGET.sub(_from_top, contents)
    before, *sections = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    parts = [before]
    for section in sections:
        title = section.partition("\n")[0].removeprefix("## ")
        mine = [more for more in extra if more.section == title]
        lines = [f"- {_link(more)}: {more.entry}\n" for more in mine]
        whole = section.rstrip("\n") + "\n" + "".join(lines)
        entries = [f"{name} </{page}>" for name, page in _ENTRY.findall(whole)]
        parts.append(f"{whole}\n{toctree(entries, caption=title)}\n")
    unknown = {more.section for more in extra} - {s.partition("\n")[0][3:] for s in sections}
    if unknown:
        raise SystemExit(f"docs/index.md has no section {', '.join(sorted(unknown))}")
    return "\n".join(parts)


def toctree(pages: Sequence[str], caption: str = "") -> str:
    """A list of pages that the sidebar shows; paths without ``.md``."""
    options = f":caption: {caption}\n" if caption else ""
    return f"```{{toctree}}\n:hidden:\n{options}\n" + "\n".join(pages) + "\n```\n"


def _from_top(link: re.Match[str]) -> str:
    path = link[1]
    return "](" + (path.removeprefix("../") if path.startswith("../") else f"docs/{path}")


def _link(more: Generated) -> str:
    path, text = next(iter(more.pages.items()))
    return f"[{text.partition(chr(10))[0].removeprefix('# ')}]({path})"


def lay_out(source: Path) -> None:
    """Write the tree that Sphinx reads."""
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    for path in sorted(path for pattern in COPIED for path in ROOT.glob(pattern)):
        if path.is_file():
            copy = source / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
    # The site's front page is made of the contents and takes their place.
    (source / CONTENTS).unlink()
    readme = source / "README.md"
    text = readme.read_text(encoding="utf-8").replace(f"]({CONTENTS})", "](index.md)")
    readme.write_text(text, encoding="utf-8")
    extra = generated()
    contents = (ROOT / CONTENTS).read_text(encoding="utf-8")
    (source / "index.md").write_text(index(contents, extra), encoding="utf-8")
    for more in extra:
        first, *others = more.pages
        for path, text in more.pages.items():
            page = source / path
            page.parent.mkdir(parents=True, exist_ok=True)
            below = [f"/{other.removesuffix('.md')}" for other in others] if path == first else []
            tree = "\n" + toctree(below) if below else ""
            page.write_text(text.rstrip("\n") + "\n" + tree, encoding="utf-8")


def main() -> int:
    """Exit code of the build: 0 if there was no error and no warning."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("output", nargs="?", type=Path, default=OUTPUT, help="folder to write")
    output = parser.parse_args().output
    source, html = output / "source", output / "html"
    lay_out(source)
    shutil.rmtree(html, ignore_errors=True)
    # In one process: with `-j`, Sphinx waits for ever for a process that it no longer reads from
    # once a page has an error.
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b"]
    command += ["html", "-c", str(SITE), "-d", str(output / "doctrees"), str(source), str(html)]
    code = subprocess.run(command, check=False).returncode  # noqa: S603 - this Python's own Sphinx
    if not code:
        print(f"The front page is {html / 'index.html'}")
    return code


if __name__ == "__main__":
    sys.exit(main())
