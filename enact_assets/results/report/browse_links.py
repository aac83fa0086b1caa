"""Texts of a card about its question and answer, and the address of its page in ``browse``."""

from urllib.parse import quote, urlencode

from enact_assets.results.report.parts import NONE

PORT = 3030
SITE = f"http://127.0.0.1:{PORT}"
"""The default address of the pages of ``enact-assets browse``."""
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
