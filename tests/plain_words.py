"""``make check``: words of our old dialect must not come back into docstrings, comments, messages.

Words are searched in comments and string literals only, never in identifiers: ``code`` in double
backticks, ``:role:`links``` and single words such as keys do not count. A true use of a word (a
person who stands) is marked with ``# plain: WORD`` on a line of the text or on the line before.
"""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "enact_assets"
LEFT = ("demonstrations/replay/omnigibson",)
"""Beginnings of paths that are not checked yet."""
KEPT = {
    "answers/baselines/picture_editor.py": "what is there",
    "answers/world/captioned_models.py": "whoever",
    "answers/people/content.py": "stand",
    "questions/world/shown_questions.py": "whoever stand",
    "results/report/accuracy.py": "read otherwise",
    "results/report/answer_quality.py": "nobody",
    "results/report/people_section.py": "nobody",
    "results/report/published_agreement.py": "stand",
    "results/report/lengths.py": "stand",
    "results/report/wrong_answers.py": "stand",
    "settings/predicates.py": "stand",
    "demonstrations/replay/annotation_doubts.py": "let go",
    "simulator": "stands stood walks walking lets go goes on hangs on let go hang on",
    "simulator/stage/matter_check.py": "which is not there",
}
"""Beginning of a path -> words that stay there. In the simulator things stand, hang and are let go.
Prompts and texts of the report belong to code versions: other words would make rows stale."""
WORDS = {
    r"told|untold": "reported, shown, distinguished",
    r"hears?|unheard": "gets, receives",
    r"(?<!there )(?:is|are) none(?! of)": "does not count, is ignored, is left out",
    r"nobody|somebody": "no person; or the passive voice",
    r"whoever": "the reader, the caller, the process",
    r"walks?|walked|walking": "run, visit, traverse",
    r"stands?(?! for| in for)|stood": "is, is stored, exists",
    r"otherwise than|(?:hashed|read|put|sorted|known|called) otherwise": "in another way",
    r"com(?:es?|ing) out (?:as|otherwise)": "has the same result, another result",
    r"hangs? on|hung on": "depends on",
    r"(?:what|which) (?:there is|is there|is not there)": "existing, missing rows, files",
    r"lets? go(?! of)|goes? on": "releases, removes, continues",
}
"""Pattern -> what to write instead."""
_CODE = re.compile(r"``[^`]*``|:[a-z]+:`[^`]*`|`[^`]*`")
_PATTERNS = {word: re.compile(rf"\b(?:{word})\b") for word in WORDS}


def main() -> int:
    """Print each finding; exit code 1 if there are any."""
    names = {path.relative_to(PACKAGE).as_posix(): path for path in sorted(PACKAGE.rglob("*.py"))}
    found = [
        f"enact_assets/{name}:{finding}"
        for name, path in names.items()
        if not name.startswith(LEFT)
        for finding in findings(name, path.read_text(encoding="utf-8"))
    ]
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


def findings(name: str, source: str) -> Iterator[str]:
    """Line and advice for each word found in the texts of module ``name``."""
    marks = _marks(source)
    kept = " ".join(words for start, words in KEPT.items() if name.startswith(start))
    for first, last, text in sorted(texts(source)):
        allowed = " ".join([kept, *(marks.get(n, "") for n in range(first - 1, last + 1))])
        plain = _CODE.sub("", text).replace("None", "NULL").lower()
        for word, pattern in _PATTERNS.items():
            for match in pattern.finditer(plain):
                if match[0] not in allowed:
                    line = first + plain[: match.start()].count("\n")
                    yield f"{line}: {match[0]!r}: write plainly ({WORDS[word]})"


def texts(source: str) -> Iterator[tuple[int, int, str]]:
    """First line, last line and words of each text for people: comments and strings of words."""
    comments = [(n, text) for n, text in _comments(source) if "noqa" not in text]
    for number, text in comments:
        yield number, number, text.partition("# plain:")[0]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.end_lineno or node.lineno, node.value


def _comments(source: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def _marks(source: str) -> dict[int, str]:
    """Line -> words that ``# plain:`` allows there."""
    marked = ((n, text.partition("# plain:")[2]) for n, text in _comments(source))
    return {number: text.lower() for number, text in marked if text}


if __name__ == "__main__":
    sys.exit(main())
