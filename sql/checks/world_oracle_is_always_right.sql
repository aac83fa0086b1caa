-- world_oracle_is_always_right: the oracle answers every question, and every answer counts as right.
select world_source, question_id
from world_evaluation
where world_model = 'oracle' and is_correct is distinct from true;
