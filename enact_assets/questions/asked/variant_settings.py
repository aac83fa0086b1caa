"""The settings of a variant as rows, to compare with those that the paper gives."""

import dataclasses
import json
from collections.abc import Iterator
from typing import Any

import polars as pl

from enact_assets.engine.ids import content_sha
from enact_assets.questions.asked.tables import VariantSettings
from enact_assets.settings.classes import QUESTIONS, VIDEO, Gating, Variant

_NOT_SET = (
    *("name", "gating", "is_as_recorded", "is_imported", "prompts", "prompts_of", "editing"),
    "is_mirrored",
)
"""Fields of a variant that are its name or follow from other fields, and its long texts."""


def variant_settings(variant: Variant, gating: Gating) -> pl.DataFrame:
    """The table ``variant_settings`` of one variant, whose key frames are those of ``gating``.

    ``footage`` says what pictures show: replayed, filmed, replayed and filmed, or imported; and
    whether they are mirrored.
    ``gating.also`` are predicates that the registry adds, ``prompts`` is the hash of the user's
    prompts, ``prompts.question_file`` the imported file that they are of (any: one in the paper's
    words); there are no such rows without. Rows ``editing`` are about the image model that repaints
    pictures, if there is one.
    """
    fields = {k: v for k, v in dataclasses.asdict(variant).items() if k not in _NOT_SET}
    asks = fields.pop("asks")
    derived: dict[str, Any] = {
        "asks": asks if isinstance(asks, str) else json.dumps(asks),
        "gating.profile": gating.profile.name,
        "gating.contact": gating.looks_at("Touching"),
        "footage": _footage(variant),
        "noise": variant.noise.rate > 0,
    }
    if gating.own_words:
        derived["gating.also"] = ", ".join(own.predicate for own in gating.own_words)
    if variant.prompts_of is not None:
        derived["prompts.question_file"] = variant.prompts_of
    if variant.prompts is not None:
        derived["prompts"] = variant.prompts.sha
    if variant.editing is not None:
        editing = dataclasses.asdict(variant.editing)
        own = editing.pop("prompt")
        derived |= {f"editing.{name}": value for name, value in editing.items()}
        fields["renderer"]["mode"] = "realistic"  # as the paper's pictures were made
        if own:
            derived["editing.prompt"] = content_sha(own)[:12]
    return VariantSettings.build(
        [
            {"variant": variant.name, "setting": name, "value": _text(value)}
            for name, value in (*_flat(fields), *derived.items())
        ]
    )


def _footage(variant: Variant) -> str:
    if variant.is_imported or QUESTIONS in variant.sources:
        return "imported"
    kinds = dict.fromkeys("filmed" if s == VIDEO else "replayed" for s in variant.sources)
    return " and ".join(kinds) + (", mirrored" if variant.is_mirrored else "")


def _flat(fields: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in fields.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
