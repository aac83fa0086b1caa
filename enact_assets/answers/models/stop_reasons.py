"""Names that servers of OpenAI's chat format use for the end of an answer.

The format names ``stop``, ``length`` and ``content_filter``. Servers and gateways pass on words of
the model's own provider, in capitals or not, or the token that ended the answer. With an unknown
word there is no answer, as the text may be incomplete.
"""

import re
from collections.abc import Mapping
from typing import Literal

from enact_assets.answers.models.answers import Stop

Stops = Mapping[str, Stop]
"""Reason to stop -> what it means."""
Meaning = Stop | Literal["failed"]

# Compared without case, and letters and digits alone: `end_turn`, `endTurn` and `END-TURN`.
_COMPLETE = (
    "stop stopped stopsequence stopstring stoptoken stopword eos eostoken eot eom endturn "
    "endofturn endoftext endofmessage complete completed finish finished done success"
)
_CUT = (
    "length maxlength modellength contextlength contextlengthexceeded modelcontextwindowexceeded "
    "maxtokens maxtokensreached maxnewtokens maxoutputtokens tokenlimit incomplete truncated"
)
_REFUSED = (
    "contentfilter contentfiltered contentpolicyviolation sensitive safety refusal refused blocked "
    "blocklist prohibitedcontent recitation spii language modelarmor guardrailintervened "
    "errortoxic moderation imagesafety"
)
_FAILED = (
    "error failed failure abort aborted cancelled canceled networkerror internalerror servererror "
    "insufficientsystemresource timeout"
)
_KNOWN: Mapping[str, Meaning] = {
    **dict.fromkeys(_COMPLETE.split(), "complete"),
    **dict.fromkeys(_CUT.split(), "cut"),
    **dict.fromkeys(_REFUSED.split(), "refused"),
    **dict.fromkeys(_FAILED.split(), "failed"),
}
_TOKEN = re.compile(r"<[^<>\s]+>")
"""A token that ends answers, such as ``<|eot_id|>`` or ``</s>``."""
_NO_LETTER = re.compile(r"[^0-9a-z]")


def meaning_of(reason: str | None) -> Meaning | None:
    """What ``reason`` means; ``failed``: the server gave up. None if it is unknown.

    An empty reason means that nothing else stopped the model.
    """
    if reason is None or not reason.strip() or _TOKEN.fullmatch(reason.strip()):
        return "complete"
    return _KNOWN.get(_NO_LETTER.sub("", reason.lower()).removeprefix("finishreason"))
