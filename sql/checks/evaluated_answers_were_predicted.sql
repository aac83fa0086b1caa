-- evaluated_answers_were_predicted: one row per score without a prediction or without a question.
-- Reads: evaluation, predictions, qa, world_questions.
-- Fix:   questions or predictions are newer than the evaluation: materialize evaluation again.
select model, variant, question_id, repetition, 'no prediction' as lacks
from evaluation
anti join predictions using (model, variant, question_id, repetition)
union all
select model, variant, question_id, repetition, 'no question'
from evaluation
anti join qa using (demonstration, gating, kind, length, question_id)
anti join world_questions using (question_id)
order by all;
