-- edited_object_sizes: one row per gating and category of edited object; category null: all.
-- Reads: qa, edited_objects, objects.
-- Rule:  an object counts once for every step of a question that names it; no rows for gatings of
--        profile release.
create table edited_object_sizes as
with steps as (
    select
        demonstration, gating,
        unnest(key_frames[:-2]) as key_frame_from,
        unnest(key_frames[2:]) as key_frame_to
    from qa
),

named as (
    select edited_objects.gating, edited_objects.demonstration, category, object_name, pixels
    from steps
    inner join edited_objects using (demonstration, gating, key_frame_from, key_frame_to)
    inner join objects using (demonstration, object_name)
),

levels as (
    select * from named
    union all
    select * replace (null::varchar as category) from named
)

select
    gating,
    category,
    count(distinct demonstration) as n_demonstrations,
    count(*) as n_steps,
    min(pixels) as min_px,
    quantile_cont(pixels, 0.25) as q1_px,
    median(pixels) as median_px,
    quantile_cont(pixels, 0.75) as q3_px
from levels
group by all
order by gating, min_px, category nulls first;

comment on column edited_object_sizes.gating is
'which predicates make key frames: state or contact';
comment on column edited_object_sizes.category is 'kind of object; null for all of them together';
comment on column edited_object_sizes.n_demonstrations is 'demonstrations with such steps';
comment on column edited_object_sizes.n_steps is 'steps of questions that name such an object';
comment on column edited_object_sizes.min_px is
'smallest mask of it, baseline camera (unit: px)';
comment on column edited_object_sizes.q1_px is 'a quarter are at most so large (unit: px)';
comment on column edited_object_sizes.median_px is 'half are at most so large (unit: px)';
comment on column edited_object_sizes.q3_px is 'three quarters are at most so large (unit: px)';
