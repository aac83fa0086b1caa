"""Commands that the pages show can be typed: the real parsers accept them, and nothing runs."""

import re
import shlex
from argparse import ArgumentParser
from functools import cache
from pathlib import Path

import pytest

from benchmarks.__main__ import _parser as benchmarks_parser
from enact_assets.commands.table import parser as enact_parser

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "sql/README.md",
    ROOT / "deploy/README.md", *sorted((ROOT / "docs").glob("*.md")),
]  # fmt: skip
"""Not BENCHMARKS.md and CHANGELOG.md: they name commands of their time."""
BLOCK = re.compile(r"^```[^\n]*\n(.*?)^```|((?:^    [^\n]*\n)+)", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`((?:enact-assets|python -m benchmarks|make) [^`]+)`")
SHOWN = re.compile(
    r"^ *(?:\$ )?(?:[A-Z_]+=\S+ )*((?:enact-assets|python -m benchmarks|make) .*)", re.MULTILINE
)


@cache
def parsers() -> dict[str, ArgumentParser]:
    return {"enact-assets": enact_parser(), "python": benchmarks_parser()}


@cache
def targets() -> frozenset[str]:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    return frozenset(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))


def words_of(command: str) -> list[str]:
    """The words of a command, up to a comment, a pipe or another command."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    found: list[str] = []
    for word in lexer:
        if set(word) <= set("();<>|&"):
            break
        found.append(word)
    return found


def commands_in(text: str) -> list[str]:
    """Commands in the code blocks of a page, each with the lines that an open quote adds."""
    found = []
    for fenced, indented in BLOCK.findall(text):
        block = (fenced or indented).replace("\\\n", " ")
        for match in SHOWN.finditer(block):
            command, *later = block[match.start(1) :].split("\n")
            while True:
                try:
                    words_of(command)
                    break
                except ValueError:  # a quote is open
                    command += "\n" + later.pop(0)
            found.append(command)
    return found


def mentioned_in(text: str) -> list[str]:
    """Commands within sentences."""
    return [" ".join(command.split()) for command in INLINE.findall(FENCED.sub("", text))]


def complaint(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What the parser says against ``command``; empty if it takes it."""
    words = words_of(command)
    if words[0] == "make":
        goals = [word for word in words[1:] if "=" not in word]
        return "".join(f"no target {goal}" for goal in goals if goal not in targets())
    first = 1 if words[0] == "enact-assets" else 3
    try:
        parsers()[words[0]].parse_args(words[first:])
    except SystemExit as ended:
        return capsys.readouterr().err.strip().rpartition("\n")[2] if ended.code else ""
    return ""


def test_commands_in_code_blocks_can_be_typed(capsys: pytest.CaptureFixture[str]) -> None:
    shown = [(page, command) for page in PAGES for command in commands_in(page.read_text("utf-8"))]
    assert len(shown) > 150
    found = [(page.name, command, complaint(command, capsys)) for page, command in shown]
    assert [wrong for wrong in found if wrong[2]] == []


def test_commands_in_sentences_can_be_typed(capsys: pytest.CaptureFixture[str]) -> None:
    """A name alone speaks of the command, and leaves its arguments out."""
    wrong = []
    for page in PAGES:
        for command in mentioned_in(page.read_text("utf-8")):
            said = complaint(command, capsys)
            is_name = len(words_of(command)) == 2 and "arguments are required" in said
            if said and not is_name and "COMMAND" not in command:
                wrong.append((page.name, command, said))
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("```\nenact-assets plans\n```\n", "invalid choice: 'plans'"),
        ("    enact-assets materialize --varient fisheye\n", "--varient"),
        ("```\n$ enact-assets show\n```\n", "are required: name"),
        ("```\nENACT_HOME=x enact-assets annotate plan --condition near | less\n```\n", "'near'"),
        ("    python -m benchmarks peoples\n", "'peoples'"),
        ("```\nmake demos\n```\n", "no target demos"),
        ('```\nenact-assets sql "select 1\n  from a" --jsn\n```\n', "--jsn"),
    ],
)
def test_a_wrong_command_is_noticed(
    text: str, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (command,) = commands_in(text)
    assert what in complaint(command, capsys)
