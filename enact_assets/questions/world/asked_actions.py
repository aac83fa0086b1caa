"""What of each demonstration is asked about, and why the rest is not."""

import polars as pl

from enact_assets.settings.world import PP, WM


def coverage_notes(states: pl.DataFrame, questions: pl.DataFrame) -> dict[str, str]:
    """Demonstration -> what ``wm`` and ``pp`` ask about it, in words.

    ``states`` are rows of ``action_states`` of one gating, ``questions`` rows of
    ``world_questions``. Environments, whose actions are not askable, have no note.
    """
    notes = {}
    rooms = dict(states.select("demonstration", "environment").iter_rows())
    asked = states.filter("is_askable")
    for name in sorted(asked["demonstration"].unique()):
        askable = set(asked.filter(pl.col("demonstration") == name)["category"])
        others = [other for other, room in rooms.items() if room != rooms[name]]
        clips = states.filter(pl.col("demonstration").is_in(others), "has_clip")
        shared = askable & set(clips["category"])
        mine = questions.filter(pl.col("recording") == name)
        in_sets = set(mine.filter(pl.col("task") == WM)["plan"].list.first())
        note = f"wm asks about {len(in_sets)} of {len(askable)} kinds of actions"
        reasons = []
        if not others:
            reasons.append("no demonstration is in another environment")
        elif askable - shared:
            reasons.append(f"{len(askable - shared)} occur in no other environment")
        if shared - in_sets:
            unset = len(shared - in_sets)
            reasons.append(f"{unset} fit no set of four that exclude each other in one recording")
        plans = mine.filter(pl.col("task") == PP).select("first_action", "length").n_unique()
        note += f" ({', '.join(reasons)})" if reasons else ""
        notes[name] = f"{note}; pp about {plans} plans" + (
            "" if plans else " (no plan has equivalents and three wrong orders)"
        )
    return notes
