-- world_predictions: one row per baseline or model and question of WorldPrediction.
-- Reads: predictions.
-- Rule:  an old name, which leaves with the next version.
-- Successor: predictions.
create view world_predictions as
select
    variant[7:] as world_source, model as world_model, question_id, raw_answer, error, stop
from predictions
where
    variant like 'world:%'
    and not regexp_full_match(model, '(person|solver|simulated)_[1-9][0-9]*');
