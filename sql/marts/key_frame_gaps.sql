-- key_frame_gaps: one row per gating, demonstration and kind of gap; demonstration null: all.
-- Reads: segmented_frames, demonstrations, qa.
-- Rule:  neighbours are key frames next to each other; steps are those of questions, which may
--        leave key frames out, each counted as often as a question takes it.
create table key_frame_gaps as
with taken as (
    select demonstration, gating, key_frame, frame, frame_rate_hz
    from segmented_frames
    inner join demonstrations using (demonstration)
),

steps as (
    select
        demonstration, gating,
        unnest(key_frames[:-2]) as key_frame_from,
        unnest(key_frames[2:]) as key_frame_to
    from qa
),

gaps as (
    select
        demonstration, gating, 'neighbours' as between_frames,
        frame - lag(frame) over earlier as frames,
        frame_rate_hz
    from taken
    window earlier as (partition by demonstration, gating order by key_frame)
    union all
    select
        steps.demonstration, steps.gating, 'steps',
        later.frame - taken.frame,
        taken.frame_rate_hz
    from steps
    inner join taken
        on taken.demonstration = steps.demonstration
        and taken.gating = steps.gating
        and taken.key_frame = steps.key_frame_from
    inner join taken as later
        on later.demonstration = steps.demonstration
        and later.gating = steps.gating
        and later.key_frame = steps.key_frame_to
),

timed as (
    select *, frames / frame_rate_hz as seconds from gaps where frames is not null
),

levels as (
    select * from timed
    union all
    select * replace (null::varchar as demonstration) from timed
)

select
    gating,
    demonstration,
    between_frames,
    count(*) as n_gaps,
    min(frames) as min_frames,
    quantile_cont(frames, 0.25) as q1_frames,
    median(frames) as median_frames,
    quantile_cont(frames, 0.75) as q3_frames,
    max(frames) as max_frames,
    min(seconds) as min_s,
    median(seconds) as median_s,
    max(seconds) as max_s
from levels
group by all
order by gating, demonstration nulls first, between_frames;

comment on column key_frame_gaps.gating is 'which predicates make key frames: state or contact';
comment on column key_frame_gaps.demonstration is 'demonstration; null for all of them together';
comment on column key_frame_gaps.between_frames is
'neighbours (key frames in a row) or steps (of questions)';
comment on column key_frame_gaps.n_gaps is 'gaps counted';
comment on column key_frame_gaps.min_frames is 'shortest gap (unit: frame)';
comment on column key_frame_gaps.q1_frames is 'a quarter are at most so long (unit: frame)';
comment on column key_frame_gaps.median_frames is 'half are at most so long (unit: frame)';
comment on column key_frame_gaps.q3_frames is 'three quarters are at most so long (unit: frame)';
comment on column key_frame_gaps.max_frames is 'longest gap (unit: frame)';
comment on column key_frame_gaps.min_s is 'shortest gap (unit: s)';
comment on column key_frame_gaps.median_s is 'half are at most so long (unit: s)';
comment on column key_frame_gaps.max_s is 'longest gap (unit: s)';
