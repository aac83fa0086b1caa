"""A report of a small lake, and its HTML taken apart."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sql.tiny_lake import Rows, publish_on, write_lake

from enact_assets.results.report.parts import Section, Text
from enact_assets.results.report.rows import ReportRows
from enact_assets.settings.paths import DataRoot

P = TypeVar("P")
VOID = frozenset({"meta", "link", "img", "br", "hr", "input"})


def published(folder: Path, rows: Rows) -> DataRoot:
    """A data root with a warehouse of ``rows``."""
    root = DataRoot(folder, None)
    publish_on(write_lake(root.lake, rows), root.warehouse)
    return root


def grey_picture(sha: str) -> NDArray[np.uint8]:
    """What the image store would give: another shade for another picture."""
    return np.full((24, 32, 3), int(sha[:2], 16), dtype=np.uint8)


def changed(rows: ReportRows, **frames: pl.DataFrame) -> ReportRows:
    return replace(rows, of={**rows.of, **frames})


def of_kind(section: Section | None, kind: type[P]) -> list[P]:
    """Parts of one kind; the section must be there."""
    assert section is not None
    return [part for part in section.parts if isinstance(part, kind)]


def said_in(*sections: Section | None) -> str:
    return " ".join(part.text for section in sections for part in of_kind(section, Text))


def drawn_rows(
    models: Iterable[str], references: Iterable[str] = (), **frames: pl.DataFrame
) -> ReportRows:
    """``frames``, and what figures need besides: names of all models, and chances, here none."""
    names = pl.DataFrame({"model": sorted(set(models))}, {"model": pl.String})
    accuracies = dict.fromkeys(("pairwise_accuracy", "task_accuracy"), pl.Float64)
    kinds = {"kind": pl.String, "length": pl.Int64}
    settings = {"panel": pl.String, "variant": pl.String, "kind": pl.String}
    of = {
        "models": names.with_columns(is_reference=pl.col("model").is_in(list(references))),
        "chance": pl.DataFrame(schema={**kinds, **accuracies}),
        "setting_chance": pl.DataFrame(schema={**settings, "pairwise_accuracy": pl.Float64}),
    }
    return ReportRows({**of, **frames}, "baseline", "")


@dataclass
class Html(HTMLParser):
    """Elements, texts and ids of a page; fails on elements that are not closed in order."""

    text: str
    tags: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.text.replace("<wbr>", ""))  # where a line may break
        self.close()
        assert self.open == [], f"not closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, Any]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"{tag} at {self.getpos()}"

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def of(self, tag: str) -> list[dict[str, str | None]]:
        """Attributes of every element of one kind."""
        return [attrs for name, attrs in self.tags if name == tag]

    @property
    def said(self) -> str:
        """All text on one line."""
        return " ".join(" ".join(self.texts).split())
