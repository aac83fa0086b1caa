"""Texts of a card about its question and answer, and the address of its page in ``browse``."""

import re
from pathlib import Path
from urllib.parse import quote, urlencode

from enact_assets.engine.errors import OutputError
from enact_assets.engine.system.atomic import replacing
from enact_assets.results.report.parts import NONE
from enact_assets.settings.paths import DataRoot

PORT = 3030
SITE = f"http://127.0.0.1:{PORT}"
"""The default address of the pages of ``enact-assets browse``."""
PUBLISHED = "published"
"""Parameter of links of a report: the beginning of the hash of what it is about."""
PUBLISHED_DIGITS = 12
_QUESTION = re.compile(r'(?<=href=")http://127\.0\.0\.1:\d+(/question/[^"]*)')
_MAX_PORT = 65535
HOW_TO_BROWSE = (
    "Links to a question open its page in the browser of questions: start it with `enact-assets "
    "browse` first."
)
MAX_RAW = 600
"""Most characters of an answer that are shown."""


def browse_address(question_id: str, variant: str, model: str | None = None) -> str:
    """Address of the page of a question; with the answer of ``model`` open."""
    asked = {"variant": variant, **({} if model is None else {"model": model})}
    return f"{SITE}/question/{quote(question_id)}?{urlencode(asked)}"


def port_file(root: DataRoot) -> Path:
    """File of ``root`` with the port that ``browse`` used last, if it is not the default."""
    return root.root / "browse_port"


def site_of(root: DataRoot) -> str:
    """The address at which ``browse`` shows ``root``: on the port that it used last."""
    return f"http://127.0.0.1:{port_of(root)}"


def port_of(root: DataRoot) -> int:
    """The port that ``browse`` used last for ``root``; :data:`PORT` if none is known."""
    try:
        said = port_file(root).read_text("ascii").strip()
    except (OSError, ValueError):
        return PORT
    is_port = said.isdecimal() and len(said) <= len(str(_MAX_PORT)) and 0 < int(said) <= _MAX_PORT
    return int(said) if is_port else PORT


def keep_port(root: DataRoot, port: int) -> bool:
    """Remember ``port`` for links and the next ``browse``; False if it cannot be written."""
    if port_of(root) != port:
        try:
            with replacing(port_file(root)) as temporary:
                temporary.write_text(f"{port}\n", "ascii")
        except OutputError:
            return False
    return True


def leading_to(html: str, site: str, published: str | None = None) -> str:
    """A report or first look whose links to questions lead to ``site``.

    They get the hash of the published content that the page is about, if it is given.
    """
    about = "" if published is None else f"&amp;{PUBLISHED}={published[:PUBLISHED_DIGITS]}"
    return _QUESTION.sub(lambda found: f"{site}{found[1]}{about}", html)


def ids(question_id: str, official_id: str | None = None) -> tuple[str, ...]:
    """The id of a question in all relations, and the one in exported files where it differs."""
    if official_id is None or official_id == question_id:
        return (question_id,)
    return question_id, f"{official_id} (in exported files)"


def shortened(raw_answer: str | None) -> str:
    """The beginning of an answer, and how much was left out; a dash where there is none."""
    if raw_answer is None:
        return NONE
    n_more = len(raw_answer) - MAX_RAW
    return raw_answer if n_more <= 0 else f"{raw_answer[:MAX_RAW]}… ({n_more:,} more characters)"
