-- question_ambiguities: one row per gating, question and ambiguity of a step of it.
-- Reads: qa, ambiguous_changes.
-- Rule:  every question written has its rows, asked or not; a question without a row has nothing of
--        the kind. Nearly all of these questions can be solved all the same: an ambiguity of one
--        step is mostly settled by another one.
create table question_ambiguities as
with steps as (
    select
        gating, demonstration, question_id, kind, length,
        unnest(key_frames[:-2]) as key_frame_from,
        unnest(key_frames[2:]) as key_frame_to,
        generate_subscripts(key_frames[2:], 1) as step
    from qa
)

select
    steps.gating, steps.demonstration, question_id, kind, length, ambiguity,
    count(distinct step) as n_steps,
    list_sort(list(distinct step)) as steps,
    list_sort(list(distinct object)) as objects
from steps
inner join ambiguous_changes using (gating, demonstration, key_frame_from, key_frame_to)
group by all
order by steps.gating, steps.demonstration, kind, length, question_id, ambiguity;

comment on column question_ambiguities.gating is
'which predicates make key frames: state or contact';
comment on column question_ambiguities.demonstration is 'demonstration the question is about';
comment on column question_ambiguities.question_id is 'id of the question';
comment on column question_ambiguities.kind is
'forward (order images) or inverse (order actions)';
comment on column question_ambiguities.length is 'key frames in the trajectory';
comment on column question_ambiguities.ambiguity is
'what may mislead; the comment of ambiguous_changes.ambiguity lists all';
comment on column question_ambiguities.n_steps is 'steps of the question with it';
comment on column question_ambiguities.steps is 'which ones, from 1 in true order';
comment on column question_ambiguities.objects is 'what sentences call the things it is about';
