-- world_conditions: one row per source, task, model and condition other than same.
-- Reads: evaluation, world_questions.
-- Rule:  a question is paired with its twin under `same`, which has the same states, plans and
--        letters, and other clips. only_same counts pairs that are right under `same` alone: their
--        background gave the answer away.
create table world_conditions as
with scored as (
    select
        q.world_source,
        e.model as world_model,
        q.task,
        q.condition,
        e.is_accepted as is_correct,
        concat_ws('|', q.set_id, q.recording, q.first_action, q.length) as twin
    from evaluation as e
    join world_questions as q using (question_id)
    where
        e.is_accepted is not null
        and not regexp_full_match(e.model, '(person|solver|simulated)_[1-9][0-9]*')
)
select
    other.world_source,
    other.task,
    other.world_model,
    other.condition,
    count(*) as n_pairs,
    round(avg(own.is_correct::integer), 4) as same_recording,
    round(avg(other.is_correct::integer), 4) as accuracy,
    round(avg(own.is_correct::integer) - avg(other.is_correct::integer), 4) as difference,
    count(*) filter (own.is_correct and not other.is_correct) as only_same,
    count(*) filter (other.is_correct and not own.is_correct) as only_other
from scored as other
join scored as own using (world_source, task, world_model, twin)
where own.condition = 'same' and other.condition <> 'same'
group by other.world_source, other.task, other.world_model, other.condition
order by other.world_source, other.task desc, other.condition, other.world_model;

comment on column world_conditions.world_source is
'embedded, or the step file whose annotations the questions are made from';
comment on column world_conditions.task is 'wm (world modelling) or pp (procedural planning)';
comment on column world_conditions.world_model is 'baseline or model that answered';
comment on column world_conditions.condition is 'where clips come from: view or equivalent';
comment on column world_conditions.n_pairs is 'questions with a score under both conditions';
comment on column world_conditions.same_recording is 'accuracy on them under condition same';
comment on column world_conditions.accuracy is 'accuracy on them under the other condition';
comment on column world_conditions.difference is 'the first minus the second';
comment on column world_conditions.only_same is 'pairs that are right under same alone';
comment on column world_conditions.only_other is 'pairs that are right under the other one alone';
