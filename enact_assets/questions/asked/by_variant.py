"""Questions as a variant asks them: what they show and state, and the true answer.

Key frames, the order shown and the answer are those of ``qa`` under every variant, so that probes
like with like (paper B.3). Wording, noise and mirrors change what actions say and nothing else.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from enact_assets.engine.errors import QuestionError
from enact_assets.questions.asked.noise import Vocabulary, perturb
from enact_assets.questions.asked.tables import AskedQuestions
from enact_assets.questions.asked.templates import (
    KINDS,
    checked_template,
    fill_template,
    load_template,
)
from enact_assets.questions.asked.wording import explain_wording, word_actions
from enact_assets.settings.classes import OwnWords, QuestionSettings, Variant
from enact_assets.settings.components import mirrored_text

_CHOSEN = (
    *("question_set", "gating", "question_id", "demonstration", "kind", "length"),
    *("source", "place", "in_probe_set", "evidence_sha"),
)
_WRITTEN = (
    *("trajectory_id", "key_frames", "shown_key_frames", "actions", "action_components", "answer"),
    *("wording", "prompt"),
)


def ask_questions(
    chosen: pl.DataFrame,
    qa: pl.DataFrame,
    variant: Variant,
    settings: QuestionSettings,
    *,
    vocabularies: Mapping[str, Vocabulary] | None = None,
    template_folder: Path | None = None,
    own_words: tuple[OwnWords, ...] = (),
) -> pl.DataFrame:
    """The questions in ``chosen``, rows of ``question_set``, as ``variant`` asks them.

    ``qa`` has the rows of these questions at least. Without noise, and in the wording in which they
    are written, questions are asked word for word. Otherwise actions are worded again, with the
    phrasings that ``settings.seed`` chose when they were written, in the prompts of
    ``template_folder`` (ours unless given); ``own_words`` are those of the gating. Noise needs
    ``vocabularies``, by demonstration. Returns ``asked_questions``.

    Errors: :class:`QuestionError` for a question that is not in ``qa``, or whose demonstration has
    no vocabulary.
    """
    key = ["gating", "demonstration", "question_id"]
    lost = chosen.join(qa, on=key, how="anti")
    if lost.height:
        raise QuestionError(
            f"{variant.name}: {lost.height} of {chosen.height} questions of the question set were "
            f"never written, first {lost.item(0, 'question_id')} about "
            f"{lost.item(0, 'demonstration')}. Materialize qa and question_set again."
        )
    rows = (
        chosen.select(_CHOSEN)
        .join(qa.select(*key, *_WRITTEN), on=key)
        .with_columns(
            variant=pl.lit(variant.name),
            noise_rate=pl.lit(variant.noise.rate, pl.Float64),
            n_perturbed=pl.lit(0, pl.Int64),
            told_components="action_components",
        )
    )
    contract = AskedQuestions
    is_changed = variant.noise.rate > 0 or variant.has_other_prompts or variant.is_mirrored
    is_as_written = (pl.col("wording") == variant.wording) & (not is_changed)
    anew = rows.filter(~is_as_written)
    asked = rows.filter(is_as_written).select(list(contract.schema()))
    if anew.height:
        teller = _Teller(variant, settings, vocabularies or {}, template_folder, own_words)
        told = contract.build([teller.told(row) for row in anew.iter_rows(named=True)])
        asked = pl.concat([asked, told])
    return contract.arranged(asked, f"variant={variant.name}")


class _Teller:
    """Words the actions of one question after another as ``variant`` asks."""

    def __init__(
        self,
        variant: Variant,
        settings: QuestionSettings,
        vocabularies: Mapping[str, Vocabulary],
        template_folder: Path | None,
        own_words: tuple[OwnWords, ...],
    ) -> None:
        self._variant = variant
        self._seed = settings.seed
        self._own = own_words
        self._vocabularies = vocabularies
        self._templates = {kind: _template(variant, kind, template_folder) for kind in KINDS}

    def told(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """``row`` of ``asked_questions``, its actions worded again, without ``trajectory_id``."""
        wording, kind = self._variant.wording, row["kind"]
        shown, answer = row["action_components"], row["answer"]
        # Forward questions show actions in true order; of inverse ones the answer tells it.
        order = range(len(shown)) if kind == "forward" else [label - 1 for label in answer]
        steps, n_perturbed = self._perturbed([shown[k] for k in order], row)
        if self._variant.is_mirrored:
            steps = [[mirrored_text(component) for component in step] for step in steps]
        content = (row["trajectory_id"], kind, self._seed)
        texts = word_actions(steps, *content, wording=wording, own=self._own)
        label_of = {k: step for step, k in enumerate(order)}
        steps = [steps[label_of[k]] for k in range(len(shown))]
        texts = [texts[label_of[k]] for k in range(len(shown))]
        prompt = fill_template(self._templates[kind], texts, explain_wording(steps, wording))
        changes = {
            "actions": texts,
            "told_components": steps,
            "n_perturbed": n_perturbed,
            "wording": wording,
            "prompt": prompt,
        }
        return {name: v for name, v in {**row, **changes}.items() if name != "trajectory_id"}

    def _perturbed(
        self, steps: list[list[str]], row: Mapping[str, Any]
    ) -> tuple[list[list[str]], int]:
        noise, demonstration = self._variant.noise, row["demonstration"]
        if noise.rate == 0:
            return steps, 0
        if demonstration not in self._vocabularies:
            raise QuestionError(
                f"{self._variant.name}: noise needs the objects of {demonstration}, of which there "
                "are none. Materialize its replay again."
            )
        words = self._vocabularies[demonstration]
        return perturb(steps, row["trajectory_id"], noise, words)


def _template(variant: Variant, kind: str, folder: Path | None) -> str:
    if variant.prompts is None and variant.prompts_of is not None:
        raise QuestionError(
            f"{variant.name}: its prompts are those of an imported file; set `prompts` of the "
            "variant to what shared_prompts() finds in it"
        )
    if variant.prompts is None:
        return load_template(kind, folder)
    text: str = getattr(variant.prompts, kind)
    return checked_template(text, f"{kind}.txt of variant {variant.name!r}")
