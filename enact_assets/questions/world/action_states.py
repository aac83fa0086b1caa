"""Key frames before and after each action, the visible change, and what may be asked about it."""

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from enact_assets.questions.world.action_labels import NOT_ASKABLE, category_of
from enact_assets.questions.world.tables import ActionStates
from enact_assets.settings.components import Component

Visible = Callable[[int, int], frozenset[Component]]
"""Visible change between two key frames, from and to."""

NO_CLIP = "{} shows no single action"
NO_KEY_FRAME = "no change of the scene graph lasted: one key frame before and after"
ENVIRONMENT = "an environment: only clips are taken from it"
HIDDEN = "the camera sees no change"
TOO_MANY = "{} visible changes; wm asks about at most {}"


def action_states(
    actions: pl.DataFrame,
    objects: pl.DataFrame,
    segmented_frames: pl.DataFrame,
    visible: Visible,
    *,
    lengths: Sequence[int],
    max_changes: int,
    is_environment: bool = False,
) -> pl.DataFrame:
    """Table ``action_states`` of one demonstration and gating; empty without key frames.

    ``lengths`` are numbers of actions that plans may have, ``max_changes`` the most changes of one
    action. Nothing is asked about actions of an environment.
    """
    if actions.is_empty() or segmented_frames.is_empty():
        return ActionStates.empty()
    kinds = dict(objects.select("object_name", "category").iter_rows())
    begins = actions["frame_from"].to_numpy()
    changed = segmented_frames.sort("key_frame")["change_frame"].fill_null(-1).to_numpy()
    # The last key frame whose change began before an action, or before the next one, did.
    before = np.maximum(np.searchsorted(changed, begins, side="left") - 1, 0)
    after = np.append(before[1:], len(changed) - 1)
    rows = []
    for k, row in enumerate(actions.iter_rows(named=True)):
        change = visible(int(before[k]), int(after[k])) if before[k] < after[k] else frozenset()
        reason = (
            ENVIRONMENT
            if is_environment
            else _why_not(row["verb"], bool(before[k] == after[k]), len(change), max_changes)
        )
        rows.append(
            {
                **{name: row[name] for name in _TAKEN},
                "gating": segmented_frames.item(0, "gating"),
                "category": category_of(row["verb"], row["arguments"], kinds),
                "key_frame_before": int(before[k]),
                "key_frame_after": int(after[k]),
                "changes": sorted(map(str, change)),
                "has_clip": row["verb"] not in NOT_ASKABLE and bool(row["arguments"]),
                "is_askable": reason is None,
                "reason": reason,
                "plan_lengths": [
                    n
                    for n in lengths
                    if k + n <= len(before)
                    and before[k] < after[k + n - 1]
                    and visible(int(before[k]), int(after[k + n - 1]))
                ],
            }
        )
    return ActionStates.build(rows)


_TAKEN = ("demonstration", "action", "environment", "frame_from", "frame_to")


def _why_not(verb: str, is_same: bool, n_changes: int, max_changes: int) -> str | None:  # noqa: FBT001
    if verb in NOT_ASKABLE:
        return NO_CLIP.format(verb)
    if is_same:
        return NO_KEY_FRAME
    if n_changes == 0:
        return HIDDEN
    return TOO_MANY.format(n_changes, max_changes) if n_changes > max_changes else None
