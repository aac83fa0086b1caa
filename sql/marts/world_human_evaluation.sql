-- world_human_evaluation: one row per annotator and question of WorldPrediction that is assigned.
-- Reads: evaluation, world_questions, human_answers.
-- Rule:  an old name, which leaves with the next version.
-- Successor: evaluation.
create view world_human_evaluation as
with last as (
    select
        annotator, question_id, variant, role, reason, comment, active_s, position,
        min(received_at) over (partition by annotator, version) as received_at
    from human_answers
    qualify is_last and row_number() over (
        partition by annotator, question_id, variant order by is_last desc, position desc
    ) = 1
)

select
    asked.world_source, answered.model as annotator, question_id, last.role, asked.task,
    asked.condition, asked.length, asked.recording, asked.n_videos, answered.answer_status,
    'ABCD'[answered.answer[1]] as answer, answered.is_accepted as is_correct,
    last.reason, last.comment, last.active_s, last.received_at
from evaluation as answered
inner join world_questions as asked using (question_id)
inner join last
    on last.annotator = answered.model
    and last.question_id = answered.question_id
    and last.variant = answered.variant;
