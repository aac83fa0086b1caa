"""The mart that says what is left of a score where usual orders lead astray."""

import duckdb
import polars as pl

from enact_assets.engine.publishing.sql_files import sql_folder
from enact_assets.questions.world.tables import WorldEvaluation, WorldQuestions

COLUMNS = "n_scored, accuracy, n_markov_right, markov_right, n_markov_wrong, markov_wrong"


def test_scores_are_split_by_what_usual_orders_answer() -> None:
    """Question -> whether Markov and a model are right, and whether it is decidable."""
    right = {"a": (True, True, True), "b": (True, False, None), "c": (False, True, False)}
    answered = pl.DataFrame(
        [
            {"world_source": "films", "world_model": name, "question_id": q, "task": "pp"}
            | {"condition": "equivalent", "is_correct": is_right}
            for q, (markov, model, _) in right.items()
            for name, is_right in (("markov", markov), ("model", model), ("mute", None))
        ]
    )
    asked = pl.DataFrame(
        [
            {"world_source": "films", "question_id": q, "is_decidable": of[2]}
            for q, of in right.items()
        ]
    )
    assert set(answered.columns) < set(WorldEvaluation.schema())
    assert set(asked.columns) < set(WorldQuestions.schema())
    with duckdb.connect() as connection:
        for name, rows in (("world_evaluation", answered), ("world_questions", asked)):
            connection.register("rows", rows.to_arrow())
            connection.execute(f"create table {name} as select * from rows")  # noqa: S608
        connection.execute((sql_folder() / "marts/world_by_orders.sql").read_text("utf-8"))
        of_model = f"select {COLUMNS} from world_by_orders where world_model = 'model'"  # noqa: S608
        assert connection.execute(of_model).fetchall() == [(3, 0.6667, 2, 0.5, 1, 1.0)]
        decided = "select world_model, n_decidable, decidable, n_undecidable, undecidable "
        rows = connection.execute(decided + "from world_by_orders").fetchall()
        assert rows == [("markov", 1, 1.0, 1, 0.0), ("model", 1, 1.0, 1, 1.0)]
