"""A question of an annotator between the database and the page: what is shown, what was sent."""

import json
from collections.abc import Mapping
from typing import Any

from enact_assets.people.database import Row
from enact_assets.people.page.clip_films import can_film
from enact_assets.people.question_forms import (
    FORMS,
    PARTS,
    RefusedFormError,
    seen_content,
    to_labels,
    to_seen,
)

REASONS: Mapping[str, str] = {
    "same": "Some pictures look the same to me",
    "unseen": "I cannot see what matters",
    "text": "I do not understand a sentence",
    "several": "More than one answer is right",
    "other": "Something else (please say what)",
}


def sent_answer(form: Mapping[str, str], row: Row) -> tuple[list[int] | None, str | None]:
    """The answer in labels, or the reason why there is none. Errors: ``RefusedFormError``."""
    if form.get("done") == "cannot":
        if form.get("reason") not in REASONS:
            raise RefusedFormError("Say why you cannot tell.")
        if form["reason"] == "other" and not form.get("comment", "").strip():
            raise RefusedFormError("Say in the comment why you cannot tell.")
        return None, form["reason"]
    seen = FORMS[row["type"]].parse(form, json.loads(row["content"]))
    return to_labels(seen, json.loads(row["shuffle"])), None


def shown_content(row: Row) -> dict[str, Any]:
    """The content of a question as its annotator sees it, pictures by address and size."""
    media = json.loads(row["media"])
    content = seen_content(json.loads(row["content"]), json.loads(row["shuffle"]))

    def part(found: Mapping[str, Any]) -> dict[str, Any]:
        pictures = [
            {"url": f"/picture/{row['id']}/{k}", "width": media[k][1], "height": media[k][2]}
            for k in found["media"]
        ]
        is_film = bool(found.get("is_clip")) and can_film()
        film = f"/film/{row['id']}/{found['media'][0]}" if is_film else ""
        return {"is_clip": False, **found, "media": pictures, "film": film}

    return {**content, **{name: [part(each) for each in content[name]] for name in PARTS}}


def kept_fields(row: Row) -> dict[str, str]:
    """The form as it was last sent."""
    fields = {"comment": row["comment"] or "", "reason": row["reason"] or ""}
    if row["answer"] is not None:
        seen = to_seen(json.loads(row["answer"]), json.loads(row["shuffle"]))
        fields |= FORMS[row["type"]].fields(seen)
    return fields
