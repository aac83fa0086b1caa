"""Which tables of a campaign's roots may have no row, and why; all others must have some."""

from collections.abc import Mapping
from pathlib import Path

import duckdb

from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.tables import TABLES
from enact_assets.settings.paths import DataRoot

_FRESH = "everything is fresh in an undisturbed root"
_TWICE = "only a substance that is made a second time, of other objects, has a row"
_EDITED = "no question of the paper is asked"
_SIMULATED = "only embedded demonstrations have any: the simulated root has them"
_TRAINED = "no model is trained: the simulated root has one"
_CLIPS = "clips of the simulator are filmed in a second environment, a minute more for each root"
_TWINS = "films have no clips of their own: each question is asked under one condition"
_LENT = f"{_CLIPS}: the small root asks about films"
_FILMS = "there is no step file: the small root has one"
_PEOPLE = "nobody answers: in the small root people do"
_ONE = "there is one variant: the small root has three"
_OWN = "only recordings come with what a camera saw: the small root has one"
_FILE = "there is no question file: the small root has one"
_SHORT = "no model takes a shortcut: in the small root one does"
EMPTY: dict[str, dict[str, str]] = {
    "small": {
        "absent_evaluations": _FRESH,
        "accuracy_by_split": "no question was imported from a split of the Challenge",
        "action_states": _SIMULATED,
        "actions": _SIMULATED,
        "agreement_with_published": _EDITED,
        "clip_images": _CLIPS,
        "fact_reader": _TRAINED,
        "later_parents": _TWICE,
        "learned_precedences": _TRAINED,
        "stale_partitions": _FRESH,
        "states": _SIMULATED,
        "training_statistics": _TRAINED,
        "wanted_clips": _CLIPS,
        "world_conditions": _TWINS,
    },
    "simulated": {
        "absent_evaluations": _FRESH,
        "accuracy_by_split": "no question was imported from a split of the Challenge",
        "agreement_with_published": _EDITED,
        "annotated_actions": _FILMS,
        "captions": _LENT,
        "clip_images": _CLIPS,
        "film_images": _FILMS,
        "human_agreement": _PEOPLE,
        "human_answers": _PEOPLE,
        "kept_questions": _PEOPLE,
        "later_parents": _TWICE,
        "leaderboard_kept": _PEOPLE,
        "mirrored_findings": _ONE,
        "observability": _OWN,
        "official_questions": _FILE,
        "probe_deltas": _ONE,
        "probe_panels": _ONE,
        "probe_scores": _ONE,
        "question_quality": _PEOPLE,
        "shortcut_scores": _SHORT,
        "stale_partitions": _FRESH,
        "training_plans": _FILMS,
        "wanted_clips": _CLIPS,
        "world_accuracies": _LENT,
        "world_by_length": _LENT,
        "world_by_orders": _LENT,
        "world_candidates": _LENT,
        "world_captions": _LENT,
        "world_comparisons": _LENT,
        "world_conditions": _LENT,
        "world_evaluation": _LENT,
        "world_filters": "no filter is on: the small root has one",
        "world_human_agreement": _LENT,
        "world_human_evaluation": _LENT,
        "world_human_filter": _LENT,
        "world_leaderboard": _LENT,
        "world_predictions": _LENT,
        "world_questions": _LENT,
    },
}
"""Root -> table or published relation -> why it has no row there."""


def rows_of(root: Path) -> dict[str, int]:
    """Rows by table of the lake and relation of the published file; the fewer of one name."""
    lake = Lake(DataRoot(root).lake)
    found = {
        name: sum(lake.read(name, partition).height for partition in lake.partitions(name))
        for name in TABLES
    }
    with duckdb.connect(str(DataRoot(root).warehouse), read_only=True) as connection:
        names = "select table_name from information_schema.tables where table_schema = 'main'"
        for (name,) in connection.execute(names).fetchall():
            n = connection.execute(f'select count(*) from "{name}"').fetchall()[0][0]  # noqa: S608
            found[name] = min(found.get(name, n), n)
    return found


def wrongly_empty(rows: Mapping[str, int], empty: Mapping[str, str]) -> list[str]:
    """What is not as ``empty`` (name -> reason) says, one line each: the list stays true."""
    nothing = [
        f"{name} has no row: nothing of it would be compared"
        for name, n in sorted(rows.items())
        if not n and name not in empty
    ]
    unlisted = [
        f"{name} has {rows.get(name)} rows, and is listed as empty: {reason}"
        for name, reason in empty.items()
        if rows.get(name) != 0
    ]
    return [*nothing, *unlisted]
