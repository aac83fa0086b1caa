"""What a model says, without what it thinks: the one rule for every server, file and scorer.

Needs the standard library alone, since exports carry it to interpreters without this package.
"""

import html
import re

_WORDS = "think|thinking|thought|thoughts|reasoning|reason|reflection|analysis|scratchpad"
# Tags of Qwen, DeepSeek and GLM, of Mistral, of Kimi, of Cohere and OpenThinker, of OpenAI's open
# weights, of Gemma. A lone name in brackets of another case is prose.
_MARK = re.compile(
    rf"<(?P<tag_end>/?)(?:[a-z]{{1,8}}[:_])?(?P<tag>{_WORDS})(?:_process|_section)?\s*+(?:\s[^<>]{{0,99}})?>"
    r"|\[(?P<square_end>/?)(?P<square>(?-i:THINK|REASONING))\]"
    r"|◁(?P<kimi_end>/?)(?P<kimi>think)▷"
    r"|<\|(?:begin_of_|start_)?(?P<bar_end>/|end_(?:of_)?)?(?P<bar>think|thinking|thought|reasoning)"
    r"(?:_start|(?P<bar_ends>_end))?\|>"
    r"|<\|channel\|?>\s{0,9}(?P<channel>analysis|commentary|thought)"
    r"|(?P<channel_end><\|channel\|?>\s{0,9}final(?:\s{0,9}<\|message\|>)?|<channel\|>)",
    re.IGNORECASE,
)
_BEGINS = "<", "◁", "[THINK", "[/THINK", "[REASON", "[/REASON"
"""One of these begins every mark; looking for them takes a tenth of the time."""
_ONE_NAME = {"thinking": "think", "thought": "think", "thoughts": "think", "reason": "reasoning"}


def without_thinking(written: str) -> str | None:
    """``written`` without the thoughts that it marks; None if the last one never ends.

    A mark that ends a thought which nothing began ends one that the prompt began: all before it is
    thought. Marks of one name do not nest, those of different names do. HTML's character references
    are resolved. Time is linear in the length of ``written``.
    """
    text = html.unescape(written)
    if not any(begin in text for begin in _BEGINS):
        return text
    said: list[str] = []
    thoughts: list[str] = []
    at = 0
    for mark in _MARK.finditer(text):
        if not thoughts:
            said.append(text[at : mark.start()])
        at = mark.end()
        name, is_end = _name_of(mark)
        if not is_end:
            if name not in thoughts:
                thoughts.append(name)
        elif name in thoughts:
            del thoughts[thoughts.index(name) :]
        elif not thoughts:
            said.clear()
    if thoughts:
        return None
    said.append(text[at:])
    return "".join(said)


def parted_by_marks(written: str) -> list[str]:
    """``written`` in parts: text, a mark of a thought, text, and so on up to the last text."""
    parts: list[str] = []
    at = 0
    for mark in _MARK.finditer(written):
        parts += [written[at : mark.start()], mark[0]]
        at = mark.end()
    return [*parts, written[at:]]


def _name_of(mark: re.Match[str]) -> tuple[str, bool]:
    """What kind of thought a mark is about, and whether it ends one."""
    for kind in ("tag", "square", "kimi", "bar"):
        if mark[kind] is not None:
            name = mark[kind].lower()
            is_end = bool(mark[f"{kind}_end"]) or mark["bar_ends"] is not None
            return f"{kind} {_ONE_NAME.get(name, name)}", is_end
    return "channel", mark["channel"] is None
