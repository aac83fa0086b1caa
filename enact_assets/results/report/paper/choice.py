"""Which models a paper is about, and the rows of a report that are about them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches

import polars as pl

from enact_assets.engine.errors import SettingsError, UnknownNameError
from enact_assets.results.report.rows import ReportRows, literal

_PUBLISHED = (
    *("published_accuracies", "published_probes", "published_error_shares"),
    *("published_handedness", "published_mismatch_rates"),
)
"""Rows of a report that have numbers of the paper's models."""


@dataclass(frozen=True)
class Choice:
    """Models measured here, references beside them, and models of the paper, each by its name."""

    models: tuple[str, ...]
    references: tuple[str, ...]
    published: tuple[str, ...]

    @property
    def ours(self) -> tuple[str, ...]:
        """Models and references."""
        return (*self.models, *self.references)

    def condition(self, column: str = "model") -> str:
        """SQL: ``column`` is one of ours."""
        return is_in(column, self.ours)

    def published_condition(self, column: str = "published_model") -> str:
        """SQL: ``column`` is one of the paper's models that were asked for."""
        return is_in(column, self.published)


def is_in(column: str, names: Iterable[str]) -> str:
    """SQL: ``column`` is one of ``names``."""
    listed = ", ".join(map(literal, names))
    return f"{column} in ({listed})" if listed else "false"


def chosen(
    rows: ReportRows,
    models: Iterable[str],
    published: Iterable[str] = (),
    *,
    has_references: bool = True,
) -> Choice:
    """The choice of ``models`` and ``published`` names among all of ``rows``, the best model first:
    by mean pairwise accuracy, as tables have them.

    Without ``has_references`` only those references that are in ``models``. ``lab/model`` is
    ``lab:model``. Errors: :class:`UnknownNameError` for a name that is not there;
    :class:`SettingsError` for a model without a scored answer under the variant of ``rows``.
    """
    known: dict[str, bool] = dict(rows["models"].iter_rows())
    names = list(dict.fromkeys(name.replace("/", ":") for name in models))
    for name in names:
        if name not in known:
            raise UnknownNameError.of(
                "model",
                name,
                known,
                "`enact-assets materialize --model NAME` asks a model; `enact-assets "
                "import-answers FILE --model NAME` reads its answers from a file.",
            )
    scored = rows["accuracies"].filter(pl.col("length").is_null(), pl.col("accuracy").is_not_null())
    pairwise = pl.col("accuracy").filter(pl.col("metric") == "pairwise_accuracy")
    means = dict(scored.group_by("model").agg(pairwise.mean().fill_null(-1)).iter_rows())
    for name in names:
        if name not in means:
            raise SettingsError(
                f"model {name} has no scored answer under the variant {rows.variant}. "
                f"`enact-assets materialize --model {name} --variant {rows.variant}` asks it, or "
                "scores its imported answers; `enact-assets report --variant NAME` is about "
                f"another variant. Models with scores: {', '.join(sorted(means)) or 'none'}."
            )
    of_paper = {n for key in _PUBLISHED for n in rows[key]["published_model"].unique()}
    listed = tuple(dict.fromkeys(published))
    for name in listed:
        if name not in of_paper:
            lower = {known.casefold(): known for known in sorted(of_paper)}
            near = get_close_matches(name.casefold(), lower, n=1)
            advice = f"Did you mean {lower[near[0]]}?" if near else ""
            raise UnknownNameError.of("model of the ENACT paper", name, of_paper, advice)
    best_first = sorted(names, key=lambda name: (known[name], -means[name], name))
    references = sorted(m for m in means if known[m] and m not in names) if has_references else []
    return Choice(tuple(best_first), tuple(references), listed)


def rows_about(rows: ReportRows, choice: Choice) -> ReportRows:
    """``rows`` about the models of ``choice`` alone; each looks as it does in the whole report."""
    return replace(rows, of={name: _about(name, found, choice) for name, found in rows.of.items()})


def _about(name: str, found: pl.DataFrame, choice: Choice) -> pl.DataFrame:
    if name == "models":
        return found
    ours = [column for column in ("model", "world_model") if column in found.columns]
    if name == "shared_errors":  # of the best models: nothing to draw where others are among them
        is_ours = pl.element().is_in(choice.ours)
        return found.filter(pl.col("models").list.eval(is_ours).list.all())
    if ours and "source" in found.columns:
        theirs = "published_model" if "published_model" in found.columns else ours[0]
        return found.filter(
            pl.when(pl.col("source") == "published")
            .then(pl.col(theirs).is_in(choice.published))
            .otherwise(pl.col(ours[0]).is_in(choice.ours))
        )
    if ours:
        return found.filter(pl.col(ours[0]).is_in(choice.ours))
    if "published_model" in found.columns:
        return found.filter(pl.col("published_model").is_in(choice.published))
    return found
