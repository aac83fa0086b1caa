-- predicted_questions_exist: one row per prediction for a question that does not exist.
-- Reads: predictions, qa, world_questions.
-- Fix:   questions were written again since the model was asked: materialize its predictions again.
select model, variant, question_id, repetition
from predictions
anti join qa using (question_id)
anti join world_questions using (question_id)
order by all;
