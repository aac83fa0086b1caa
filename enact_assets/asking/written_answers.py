"""The answer in what a model wrote, without its reasoning."""

import re
from collections.abc import Iterable

_REASONING = re.compile(r"<think>.*?</think>", re.DOTALL)
_BOX = ("<|begin_of_box|>", "<|end_of_box|>")
"""GLM writes its answer between these."""


def answer_in(written: str, markers: Iterable[str] = (), *, began_to_think: bool = False) -> str:
    """``written`` without ``<think>...</think>`` and the model's own ``markers``, such as the end
    of its turn. ``began_to_think``: the prompt ended with ``<think>``, so the closing tag comes
    alone. Empty if the reasoning never ends.
    """
    if began_to_think and "</think>" not in written:
        return ""
    answer = _REASONING.sub("", written).rpartition("</think>")[2].partition("<think>")[0]
    for marker in (*_BOX, *markers):
        answer = answer.replace(marker, "")
    return answer.strip()
