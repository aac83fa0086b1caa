"""The data card of an exported question set: ``README.md`` as the Hugging Face hub reads it."""

import polars as pl
import yaml

from enact_assets.commands.harnesses.question_rows import COLUMNS
from enact_assets.commands.harnesses.set_facts import SetFacts

METADATA = "metadata.parquet"


def card_of(facts: SetFacts) -> str:
    """The card: settings for the hub, then Markdown."""
    head = {
        "license": "mit" if facts.is_simulated else "other",
        "pretty_name": f"ENACT, question set {facts.name}, variant {facts.variant.name}",
        "language": ["en"],
        "task_categories": ["visual-question-answering"],
        "tags": ["embodied", "world-modeling", "multi-image"],
        "configs": [
            {
                "config_name": "default",
                "data_files": [{"split": "test", "path": [METADATA, "pictures/*.png"]}],
            }
        ],
    }
    parts = (
        f"---\n{yaml.safe_dump(head, sort_keys=False)}---",
        f"# {head['pretty_name']}",
        _INTRODUCTION.format(
            n=f"{facts.rows.height:,}", pictures=f"{facts.n_pictures:,}", version=facts.version
        ),
        _USE,
        "## Columns",
        _table(("column", "meaning"), [(f"`{n}`", c.meaning) for n, c in COLUMNS.items()]),
        "## Questions",
        _strata(facts.rows),
        _CHANCE,
        _table(
            (
                "kind",
                "questions",
                "with several right orders",
                "task accuracy",
                "pairwise accuracy",
            ),
            [(k, n, m, f"{a:.4f}", f"{p:.4f}") for k, n, m, a, p in facts.chance.iter_rows()],
        ),
        "## Sources",
        _table(("demonstration", "source", "activity", "questions"), facts.demonstrations.rows()),
        _SEED.format(seed=facts.question_seed),
        f"## Variant {facts.variant.name}",
        _table(("setting", "value"), [(f"`{n}`", f"`{v}`") for n, v in facts.settings.items()]),
        "## Licence",
        facts.licence_note,
        "## Limits",
        "\n".join(f"- {limit}" for limit in facts.limits),
        f"Content: `{facts.content_sha}`",
    )
    return "\n\n".join(parts) + "\n"


_INTRODUCTION = (
    "{n} questions over {pictures} pictures, written by enact_assets {version}. Each question "
    "shows what a household robot sees before and after its actions. Forward questions give the "
    "actions and ask for the order of the pictures; inverse questions give the pictures and ask "
    "for the order of the actions."
)
_USE = """\
```python
from datasets import load_dataset

questions = load_dataset("path/to/this/folder", split="test")
```

`enact_score.py` beside this file scores an answer and needs nothing but Python:

```python
import sys

sys.path.append("path/to/this/folder")
from enact_score import score_row

score_row("[2, 1, 3]", questions[0])  # {"parsed": 1.0, "task": ..., "pairs": ..., ...}
```

Pictures are stored once each, by the hash of their content, and shown by many questions."""
_CHANCE = (
    "A random order scores, exactly (pairwise accuracy is right steps over all steps, the sum of "
    "`right` over the sum of `steps`):"
)
_SEED = (
    "The number at the end of a simulated demonstration is its seed. Questions were drawn with "
    "seed {seed}."
)


def _strata(rows: pl.DataFrame) -> str:
    """Questions per length and kind."""
    counts = rows.group_by("length", "kind").len().pivot("kind", index="length", values="len")
    counts = counts.fill_null(0).sort("length")
    return _table(counts.columns, counts.rows())


def _table(columns: tuple[str, ...] | list[str], rows: list[tuple[object, ...]]) -> str:
    cells = [[str(cell).replace("|", "\\|") for cell in row] for row in rows]
    lines = [list(columns), ["---"] * len(columns), *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
