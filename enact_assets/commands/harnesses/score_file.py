"""``enact_score.py``: the scorer as one file for interpreters without this package."""

import inspect

from enact_assets import __version__
from enact_assets.commands.harnesses import rewards, scoring
from enact_assets.questions.asked import parsing, refusals_in_words, release_parsing, thinking

SCORE_FILE = "enact_score.py"
_MODULES = thinking, refusals_in_words, parsing, release_parsing, scoring, rewards
"""Modules that are merged into the file; a name must not be defined in two of them."""

_ROW = '''

def score_row(text, row, stop=None):
    """Numbers of a model's whole answer ``text`` to ``row`` of metadata.parquet.

    parsed, task and pairs are 0.0 to 1.0: whether an order could be read, whether it is right, and
    the share of steps that are. right and steps are counts, to be summed for a micro-average.
    reason says why an order is missing or short, such as declined or cut, or is None. All
    are of the strict reading; task_as_release and right_as_release are of the answer as ENACT's
    public release reads it, and read_otherwise is 1.0 where the two readings differ.
    """
    import json

    both = score_readings(text, row["kind"], row["answer"], json.loads(row["fits"]), stop)
    found = both.strict
    return {
        "parsed": float(found.is_parsed),
        "task": float(found.is_accepted),
        "pairs": found.pairwise_accuracy,
        "right": found.n_right,
        "steps": found.n_steps,
        "reason": found.reason,
        "task_as_release": float(both.released.is_accepted),
        "right_as_release": both.released.n_right,
        "read_otherwise": float(both.is_read_otherwise),
    }
'''


def score_source() -> str:
    """The text of the file: the modules that read and score, without imports of this package,
    and ``score_row``.
    """
    head = f'"""Scores answers to exported questions. Written by enact_assets {__version__}."""\n'
    body = "\n\n".join(_without_package(module) for module in _MODULES)
    return f"{head}\n{body}{_ROW}"


def _without_package(module: object) -> str:
    """Source of a module without its docstring and without imports of this package."""
    source = inspect.getsource(module)  # type: ignore[arg-type]
    body = source.split('"""\n', 1)[1]
    lines = [line for line in body.splitlines() if not line.startswith("from enact_assets")]
    return "\n".join(lines).strip() + "\n"
