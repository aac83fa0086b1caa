"""Column lineage is data: nothing else would notice a gap in it, or a name that is gone."""

import pytest

from enact_assets.contracts.column_lineage import (
    COLUMNS_FROM,
    STANDS_FOR,
    origins,
    replayed_origins,
)
from enact_assets.contracts.lineage import EXTERNAL, STEP_OF
from enact_assets.engine.tables import TABLES

MADE = sorted(COLUMNS_FROM)
FROM_OUTSIDE = {t for t in TABLES if all(i.asset in EXTERNAL for i in STEP_OF[t].inputs)}
FROM_SETTINGS = {
    "segmented_frames": {"gating"},
    "scene_graphs": {"gating"},
    "path_counts": {"length"},
    "trajectories": {"length"},
    "qa": {"kind", "wording"},
    "asked_questions": {"variant", "noise_rate"},
    "wanted_frames": {"variant"},
    "predictions": {"model", "variant"},
    "probes": {"baseline", "panel"},
    "model_accuracies": {"metric"},
    "model_comparisons": {"metric"},
}


def test_every_table_that_is_made_from_others_is_in_it() -> None:
    """A new table would have no lineage, and nobody would miss it."""
    assert set(COLUMNS_FROM) | FROM_OUTSIDE == set(TABLES)
    assert not set(COLUMNS_FROM) & FROM_OUTSIDE


@pytest.mark.parametrize("name", MADE)
def test_every_column_says_what_it_comes_from(name: str) -> None:
    """A column that was added to a contract; one that lost its origins by a slip."""
    assert set(TABLES[name].schema()) == set(COLUMNS_FROM[name])
    without = {column for column, found in COLUMNS_FROM[name].items() if not found}
    assert without == FROM_SETTINGS.get(name, set())


@pytest.mark.parametrize("name", MADE)
def test_every_origin_is_a_column_of_an_input(name: str) -> None:
    """A renamed column, or an input that was dropped, would leave a dead end in the graph."""
    inputs = {given.asset for given in STEP_OF[name].inputs}
    hashed = {t for given in inputs for t in STANDS_FOR.get(given, ())}
    for column in COLUMNS_FROM[name]:
        for table, origin in origins(name, column):
            assert origin in TABLES[table].schema(), f"{name}.{column}"
            assert table in inputs | hashed, f"{name}.{column}: {table} is no input"


def test_what_an_input_stands_for_is_hashed_into_it() -> None:
    hashed = {i.asset for i in STEP_OF["question_set"].inputs} & set(TABLES)
    for name, tables in STANDS_FOR.items():
        assert "evidence_sha" in TABLES[name].schema()
        assert tables <= hashed


def test_questions_reach_back_to_what_was_replayed() -> None:
    """The question people ask of a lineage graph: what in the recording is this text from?"""
    by_settings = {"gating", "kind", "length", "noise_rate", "variant", "wording"}
    for name in ("qa", "asked_questions"):
        for column in TABLES[name].schema():
            found = replayed_origins(name, column)
            assert {table for table, _ in found} <= FROM_OUTSIDE
            if column not in by_settings:
                assert found, f"{name}.{column} comes from nowhere"
    of_text = replayed_origins("qa", "actions")
    assert {("facts", "predicate"), ("objects", "category"), ("states", "qpos")} <= set(of_text)
    assert ("observability", "pixels") in of_text
