-- edited_object_sizes: one row per gating and category of edited object; category null: all.
-- Reads: edited_sizes.
-- Rule:  an object counts once for every step of a question that names it; no rows for gatings of
--        profile release.
create table edited_object_sizes as
with levels as (
    select * from edited_sizes
    union all
    select * replace (null::varchar as category) from edited_sizes
),

totals as (
    select
        gating, category,
        count(distinct demonstration) as n_demonstrations,
        sum(n_steps)::bigint as n_steps,
        min(pixels) as min_px
    from levels
    group by all
),

sizes as (
    select gating, category, pixels, sum(n_steps)::bigint as n_steps from levels group by all
),

ranked as (
    select
        gating, category, pixels,
        sum(n_steps) over (partition by gating, category order by pixels) as n_up_to_here,
        sum(n_steps) over (partition by gating, category) - 1 as last_place
    from sizes
),

-- Quantile with linear interpolation.
quartiles as (
    select
        gating, category, share,
        min(pixels) filter (n_up_to_here > floor(share * last_place)) as below,
        min(pixels) filter (n_up_to_here > ceil(share * last_place)) as above,
        any_value(share * last_place) % 1 as part
    from ranked
    cross join (select unnest([0.25, 0.5, 0.75]::double[]) as share)
    group by gating, category, share
)

select
    totals.*,
    max(below + (above - below) * part) filter (share = 0.25) as q1_px,
    max(below + (above - below) * part) filter (share = 0.5) as median_px,
    max(below + (above - below) * part) filter (share = 0.75) as q3_px
from totals
inner join quartiles
    on quartiles.gating = totals.gating
    and quartiles.category is not distinct from totals.category
group by all
order by gating, min_px, category nulls first;

comment on column edited_object_sizes.gating is
'which predicates make key frames: state or contact';
comment on column edited_object_sizes.category is 'kind of object; null for all of them together';
comment on column edited_object_sizes.n_demonstrations is 'demonstrations with such steps';
comment on column edited_object_sizes.n_steps is 'steps of questions that name such an object';
comment on column edited_object_sizes.min_px is
'smallest mask of it, baseline camera (unit: px)';
comment on column edited_object_sizes.q1_px is 'first quartile (unit: px)';
comment on column edited_object_sizes.median_px is 'median (unit: px)';
comment on column edited_object_sizes.q3_px is 'third quartile (unit: px)';
