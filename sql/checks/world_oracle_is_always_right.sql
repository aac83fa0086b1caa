-- world_oracle_is_always_right: one row per question that the oracle (the reference) got wrong.
-- Reads: world_evaluation.
-- Rule:  the oracle answers every question with its letter.
-- Fix:   answers are read or compared wrongly: materialize world_evaluation of the oracle again.
select world_source, question_id, task, condition, answer_status, answer
from world_evaluation
where world_model = 'oracle' and not coalesce(is_correct, false)
order by all;
