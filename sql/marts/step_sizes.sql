-- step_sizes: one row per gating, demonstration, kind, length and size of a step's smallest object.
-- Reads: qa, edited_objects.
-- Rule:  the smallest object that a step names decides whether the step can be seen. No rows for
--        gatings of profile release.
-- By:    demonstration.
create table step_sizes as
with smallest as (
    select gating, demonstration, key_frame_from, key_frame_to, min(pixels) as pixels
    from edited_objects
    group by all
),

steps as (
    select
        gating, demonstration, kind, length,
        unnest(key_frames[:-2]) as key_frame_from,
        unnest(key_frames[2:]) as key_frame_to
    from qa
)

select gating, demonstration, kind, length, pixels, count(*) as n_steps
from steps
inner join smallest using (gating, demonstration, key_frame_from, key_frame_to)
group by all
order by gating, demonstration, kind, length, pixels;

comment on column step_sizes.gating is
'which predicates make key frames: state or contact';
comment on column step_sizes.demonstration is 'demonstration the questions are about';
comment on column step_sizes.kind is 'forward (order images) or inverse (order actions)';
comment on column step_sizes.length is 'key frames in the trajectory';
comment on column step_sizes.pixels is
'mask of the smallest object that the step names, baseline camera (unit: px)';
comment on column step_sizes.n_steps is 'steps of questions with it';
