"""What is to be said about an exported question set: in its card and its Croissant file."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from enact_assets import __version__
from enact_assets.engine.ids import sha256_bytes
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.plurals import counted
from enact_assets.questions.asked.variant_settings import variant_settings
from enact_assets.results.verification.metrics import expected_pairwise
from enact_assets.settings.classes import EMBEDDED, Variant
from enact_assets.settings.registry import Registry

LICENCE = "MIT"


@dataclass(frozen=True)
class SetFacts:
    """Facts about the questions ``rows`` that ``variant`` asks."""

    name: str
    variant: Variant
    rows: pl.DataFrame
    settings: Mapping[str, str]
    """Setting of the registry -> its value."""
    question_seed: int
    n_pictures: int
    n_left_out: int
    chance: pl.DataFrame
    """Per kind: n, n_ambiguous, and what a random order is expected to score: task accuracy, and
    pairwise accuracy as the paper counts it, right steps over all steps."""

    @property
    def title(self) -> str:
        """Name of the data set."""
        return f"enact_{self.name}_{self.variant.name}"

    @property
    def is_simulated(self) -> bool:
        """Whether every demonstration comes from the embedded simulator."""
        return self.rows["source"].unique().to_list() == [EMBEDDED]

    @property
    def content_sha(self) -> str:
        """Hash of the questions, the pictures that they name included."""
        return sha256_bytes(self.rows.write_ndjson().encode())

    @property
    def demonstrations(self) -> pl.DataFrame:
        """demonstration, source, activity, n: how many questions are about each."""
        columns = ("demonstration", "source", "activity")
        return self.rows.group_by(columns).agg(n=pl.len()).sort(columns)

    @property
    def licence_note(self) -> str:
        """What holds for questions, and what for pictures."""
        if self.is_simulated:
            return "Questions and pictures were made by enact_assets and are under its MIT licence."
        return (
            "Questions were made by enact_assets and are under its MIT licence. Pictures of "
            "recorded, filmed and OmniGibson demonstrations are under the licence of these "
            "recordings, which is not known here: find it out before you share the folder."
        )

    @property
    def limits(self) -> list[str]:
        """What results on these questions do not show."""
        n, kinds = self.demonstrations.height, self.rows["source"].unique().sort().to_list()
        found = [
            f"Questions are about {counted(n, 'demonstration')} ({', '.join(kinds)}).",
            "Questions about one demonstration are alike: cluster standard errors by it.",
            "More than one order can be right: score with `fits`, not by comparison with `answer`.",
            "Key frames and changes follow from rules; people did not check each question.",
        ]
        if self.is_simulated:
            found.append(
                "Rooms, objects and robot are simulated; results do not carry over to photographs "
                "without a test."
            )
        if not self.variant.is_imported:
            found.append(
                "Results are not comparable with the paper's: these are not its 8,972 questions."
            )
        if self.n_left_out:
            left = counted(self.n_left_out, "question")
            found.append(f"{left} of the variant had no pictures here and were left out.")
        return found

    @property
    def version(self) -> str:
        """Version of the package that wrote it."""
        return __version__


def facts_of(
    lake: Lake, registry: Registry, variant: Variant, rows: pl.DataFrame, n_left_out: int
) -> SetFacts:
    """Facts about ``rows``, those of :func:`question_rows`, which ``variant`` asks.

    Errors: :class:`MissingPartitionError` for what was not materialized.
    """
    gating = registry.gating(variant.gating)
    names = rows["demonstration"].unique().to_list()
    orders = lake.read_all("question_orders", gating=gating.name, among={"demonstration": names})
    chance = (
        rows.select("question_id", "demonstration", "kind", "length")
        .join(orders.drop("kind", "length"), on=["question_id", "demonstration"])
        .group_by("kind")
        .agg(
            n=pl.len(),
            n_ambiguous=pl.col("is_ambiguous").sum(),
            task=pl.col("expected_task_accuracy").mean(),
            pairwise=expected_pairwise(),
        )
        .sort("kind")
    )
    settings = variant_settings(variant, gating)
    return SetFacts(
        variant.question_set,
        variant,
        rows,
        dict(settings.select("setting", "value").iter_rows()),
        registry.questions.seed,
        rows["images_file_names"].explode().n_unique(),
        n_left_out,
        chance,
    )
