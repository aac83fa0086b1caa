-- evaluated_answers_were_predicted: one row per score without a prediction or without a question.
-- Reads: evaluation, predictions, qa.
-- Fix:   questions or predictions are newer than the evaluation: materialize evaluation again.
select model, variant, question_id, 'no prediction' as lacks
from evaluation
anti join predictions using (model, variant, question_id)
union all
select model, variant, question_id, 'no question'
from evaluation
anti join qa using (demonstration, gating, kind, length, question_id)
order by all;
