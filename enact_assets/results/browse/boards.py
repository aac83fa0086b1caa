"""The leaderboard of a variant, with outcomes of answers."""

from dataclasses import dataclass

from enact_assets.answers.baselines.learned_names import TRAINED_ON
from enact_assets.answers.baselines.references import REFERENCES
from enact_assets.results.browse.answers_shown import FILTER_SQL, FILTERS
from enact_assets.results.published import Ask


@dataclass(frozen=True)
class BoardRow:
    """A model's answers of one kind. Accuracies are fractions; None where nothing was scored.
    ``trained_on`` is set for a trained reference.
    """

    kind: str
    model: str
    trained_on: str | None
    task_accuracy: float | None
    pairwise_accuracy: float | None
    n_right: int
    n_wrong: int
    n_unparsed: int
    n_refused: int
    n_declined: int
    n_cut: int
    n_missing: int
    n_scored: int
    """Answers that the accuracies are about."""

    @property
    def is_reference(self) -> bool:
        """Whether it is a reference baseline."""
        return self.model in REFERENCES

    @property
    def n_answers(self) -> int:
        """Number of answers that were requested."""
        return self.n_right + self.n_wrong + self.n_unparsed + self.n_missing

    @property
    def is_partial(self) -> bool:
        """Whether some but not all answers are scored."""
        return 0 < self.n_scored < self.n_answers

    def of(self, outcome: str) -> int:
        """Answers with one of ``answers_shown.FILTERS``."""
        n: int = getattr(self, f"n_{outcome}")
        return n


def read_board(ask: Ask, variant: str, *, has_references: bool = True) -> tuple[BoardRow, ...]:
    """Rows by kind, the best model first. Errors: :class:`WarehouseError`."""
    counts = ", ".join(f"count(*) filter ({FILTER_SQL[name]}) as n_{name}" for name in FILTERS)
    rows = ask(
        f"""
        with counted as (
            select kind, model,
                {counts},
                count(is_accepted) as n_scored
            from evaluation where variant = $variant
            group by all
        )

        select kind, model, board.task_accuracy, board.pairwise_accuracy,
            counted.* exclude (kind, model)
        from counted
        left join (
            select kind, model,
                max(accuracy) filter (metric = 'task_accuracy') as task_accuracy,
                max(accuracy) filter (metric = 'pairwise_accuracy') as pairwise_accuracy
            from model_accuracies where variant = $variant and length is null
            group by all
        ) as board using (kind, model)
        order by kind, board.pairwise_accuracy desc nulls last, n_right desc, model
        """,  # noqa: S608 - our own words
        {"variant": variant},
    )
    return tuple(
        BoardRow(**row, trained_on=TRAINED_ON.get(row["model"]))
        for row in rows.iter_rows(named=True)
        if has_references or row["model"] not in REFERENCES
    )
