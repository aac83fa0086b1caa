-- step_counts: one row per gating, demonstration and two key frames between which questions step.
-- Reads: qa.
-- Rule:  every question written counts, asked or not. Imported questions may step backwards, or
--        from a key frame to itself.
-- By:    demonstration.
create table step_counts as
with steps as (
    select
        gating, demonstration,
        unnest(key_frames[:-2]) as key_frame_from,
        unnest(key_frames[2:]) as key_frame_to
    from qa
)

select gating, demonstration, key_frame_from, key_frame_to, count(*) as n_steps
from steps
group by all
order by gating, demonstration, key_frame_from, key_frame_to;

comment on column step_counts.gating is
'which predicates make key frames: state or contact';
comment on column step_counts.demonstration is 'demonstration the questions are about';
comment on column step_counts.key_frame_from is 'key frame before the step';
comment on column step_counts.key_frame_to is 'key frame after it';
comment on column step_counts.n_steps is 'steps of questions from the one to the other';
