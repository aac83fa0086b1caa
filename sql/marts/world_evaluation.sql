-- world_evaluation: one row per baseline or model and question of WorldPrediction.
-- Reads: evaluation, world_questions.
-- Rule:  an old name, which leaves with the next version.
-- Successor: evaluation.
create view world_evaluation as
select
    asked.world_source, answered.model as world_model, question_id, asked.task, asked.condition,
    asked.length, asked.recording, asked.n_videos, answered.answer_status,
    case when answered.answer_status = 'unparsed' then answered.reason end as reason,
    'ABCD'[answered.answer[1]] as answer, answered.is_accepted as is_correct
from evaluation as answered
inner join world_questions as asked using (question_id)
where not regexp_full_match(answered.model, '(person|solver|simulated)_[1-9][0-9]*');
