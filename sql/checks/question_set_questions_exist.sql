-- question_set_questions_exist: one row per question that is to be asked but does not exist.
-- Reads: question_set, asked_questions, qa, world_questions.
-- Fix:   questions were written again since the set was drawn: materialize that relation again.
with chosen as (
    select
        'question_set' as relation, question_set, gating, demonstration, kind, length,
        question_id
    from question_set
    union all
    select 'asked_questions', question_set, gating, demonstration, kind, length, question_id
    from asked_questions
    anti join world_questions using (question_id)
)

select *
from chosen
anti join qa using (gating, demonstration, kind, length, question_id)
order by all;
