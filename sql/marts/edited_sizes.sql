-- edited_sizes: one row per gating, demonstration, category and size of objects that steps name.
-- Reads: step_counts, edited_objects, objects.
-- Rule:  an object counts once for every step of a question that names it; no rows for gatings of
--        profile release.
-- By:    demonstration.
create table edited_sizes as
select
    edited_objects.gating, edited_objects.demonstration, category, pixels,
    sum(n_steps)::bigint as n_steps
from step_counts
inner join edited_objects using (demonstration, gating, key_frame_from, key_frame_to)
inner join objects using (demonstration, object_name)
group by all
order by edited_objects.gating, edited_objects.demonstration, category, pixels;

comment on column edited_sizes.gating is 'which predicates make key frames: state or contact';
comment on column edited_sizes.demonstration is 'demonstration the questions are about';
comment on column edited_sizes.category is 'category of the object';
comment on column edited_sizes.pixels is
'mask of the object, as edited_objects has it, baseline camera (unit: px)';
comment on column edited_sizes.n_steps is 'steps of questions that name such an object';
