-- key_frame_gaps: one row per gating, demonstration and kind of gap; demonstration null: all.
-- Reads: gap_sizes, demonstrations.
-- Rule:  neighbours are key frames next to each other; steps are those of questions, which may
--        leave key frames out, each counted as often as a question takes it. Where the frame rate
--        is 0 (segmented activities, or imported questions without a replay), no gap is known.
--        Imported questions show a frame at several places: that is no gap.
create table key_frame_gaps as
-- Within a demonstration, seconds follow from frames.
with levels as (
    select gating, demonstration, between_frames, 'frames' as unit, frames::double as size, n_gaps
    from gap_sizes
    union all
    select gating, null, between_frames, 'frames', frames, sum(n_gaps)::bigint
    from gap_sizes
    group by all
    union all
    select gating, null, between_frames, 'seconds', frames / frame_rate_hz, sum(n_gaps)::bigint
    from gap_sizes
    group by all
),

ranked as (
    select
        * exclude (n_gaps),
        sum(n_gaps) over (same_row order by size) as n_up_to_here,
        sum(n_gaps) over same_row - 1 as last_place
    from levels
    window same_row as (partition by gating, demonstration, between_frames, unit)
),

-- Quantile with linear interpolation.
places as (
    select
        gating, demonstration, between_frames, unit, share, last_place,
        min(size) filter (n_up_to_here > floor(share * last_place)) as below,
        min(size) filter (n_up_to_here > ceil(share * last_place)) as above,
        (share * last_place) % 1 as part
    from ranked
    cross join (select unnest([0, 0.25, 0.5, 0.75, 1]::double[]) as share)
    group by all
),

found as (
    select * exclude (below, above, part), below + (above - below) * part as size from places
),

gathered as (
    select
        gating, demonstration, between_frames,
        max(last_place)::bigint + 1 as n_gaps,
        max(size) filter (unit = 'frames' and share = 0)::bigint as min_frames,
        max(size) filter (unit = 'frames' and share = 0.25) as q1_frames,
        max(size) filter (unit = 'frames' and share = 0.5) as median_frames,
        max(size) filter (unit = 'frames' and share = 0.75) as q3_frames,
        max(size) filter (unit = 'frames' and share = 1)::bigint as max_frames,
        max(size) filter (unit = 'seconds' and share = 0) as min_s,
        max(size) filter (unit = 'seconds' and share = 0.5) as median_s,
        max(size) filter (unit = 'seconds' and share = 1) as max_s
    from found
    group by all
)

select
    gathered.* replace (
        coalesce(min_s, min_frames / frame_rate_hz) as min_s,
        coalesce(median_s, median_frames / frame_rate_hz) as median_s,
        coalesce(max_s, max_frames / frame_rate_hz) as max_s
    )
from gathered
left join demonstrations using (demonstration)
order by gating, demonstration nulls first, between_frames;

comment on column key_frame_gaps.gating is 'which predicates make key frames: state or contact';
comment on column key_frame_gaps.demonstration is 'demonstration; null for all of them together';
comment on column key_frame_gaps.between_frames is
'neighbours (key frames in a row) or steps (of questions)';
comment on column key_frame_gaps.n_gaps is 'gaps counted';
comment on column key_frame_gaps.min_frames is 'shortest gap (unit: frame)';
comment on column key_frame_gaps.q1_frames is 'first quartile (unit: frame)';
comment on column key_frame_gaps.median_frames is 'median (unit: frame)';
comment on column key_frame_gaps.q3_frames is 'third quartile (unit: frame)';
comment on column key_frame_gaps.max_frames is 'longest gap (unit: frame)';
comment on column key_frame_gaps.min_s is 'shortest gap (unit: s)';
comment on column key_frame_gaps.median_s is 'median (unit: s)';
comment on column key_frame_gaps.max_s is 'longest gap (unit: s)';
