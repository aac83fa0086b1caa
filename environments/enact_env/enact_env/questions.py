"""Questions of an exported folder, as messages with pictures; and the folder's own verifier."""

import base64
import importlib.util
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

COLUMNS = ("question_id", "kind", "length", "demonstration", "answer", "fits")
BATCH = 500


class Question(NamedTuple):
    """What is shown, block by block, and what verifies an answer."""

    question_id: str
    kind: str
    length: int
    demonstration: str
    answer: list[int]
    fits: str
    blocks: tuple[dict[str, Any], ...]


@lru_cache
def verifier(folder: str) -> ModuleType:
    """``enact_score.py`` of the folder. Errors: FileNotFoundError if it has none."""
    path = Path(folder) / "enact_score.py"
    if not path.is_file():
        raise FileNotFoundError(
            f"{folder} has no enact_score.py: name a folder that `enact-assets export` wrote."
        )
    spec = importlib.util.spec_from_file_location("enact_score", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(f"{path} is no module.")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def questions_in(folder: Path) -> Iterator[Question]:
    """All questions of a folder, a few in memory at a time.

    Errors: FileNotFoundError for a folder without questions or with pictures within rows.
    """
    whole = folder / "metadata.parquet"
    files = [whole] if whole.is_file() else sorted((folder / "data").glob("*.parquet"))
    if not files:
        raise FileNotFoundError(
            f"{folder} has neither metadata.parquet nor data/*.parquet: name a folder of "
            "`enact-assets export`, with pictures as files."
        )
    for file in files:
        table = pq.ParquetFile(file)
        names = table.schema_arrow
        if "images" in names.names and not _are_names(names.field("images").type):
            raise FileNotFoundError(
                f"{file} has pictures within rows. Export with --pictures files."
            )
        for batch in table.iter_batches(BATCH):
            for row in batch.to_pylist():
                shown = _texts_and_names(row)
                blocks = tuple(_block(folder, of) for of in shown)
                yield Question(*(row[name] for name in COLUMNS), blocks)


def _are_names(kind: pa.DataType) -> bool:
    """Whether a list has names of files, not their content."""
    return pa.types.is_string(kind.value_type) or pa.types.is_large_string(kind.value_type)


def _texts_and_names(row: dict[str, Any]) -> Iterator[tuple[str | None, str | None]]:
    """(text, None) or (None, file name) for each part, in the order shown."""
    if "question" in row:  # a question set: a text with marks, and names of files
        names = iter(row["images_file_names"])
        for place, text in enumerate(row["question"].split("<image>")):
            if place:
                yield None, next(names)
            if text:
                yield text, None
        return
    names = iter(row["images"])  # a training set: blocks
    for message in row["prompt"]:
        for block in message["content"]:
            yield (block["text"], None) if block["type"] == "text" else (None, next(names))


def _block(folder: Path, part: tuple[str | None, str | None]) -> dict[str, Any]:
    """A part as OpenAI's interface has it. A file's name is not shown: it could tell."""
    text, name = part
    if name is None:
        return {"type": "text", "text": text}
    encoded = base64.b64encode((folder / name).read_bytes()).decode()
    return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{encoded}"}}
