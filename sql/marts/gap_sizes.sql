-- gap_sizes: one row per gating, demonstration, kind and size of gap between key frames.
-- Reads: segmented_frames, demonstrations, step_counts.
-- Rule:  neighbours are key frames next to each other; steps are those of questions, which may
--        leave key frames out, each counted as often as a question takes it. Where the frame rate
--        is 0 (segmented activities, or imported questions without a replay), no gap is known.
--        Imported questions show a frame at several places: that is no gap.
-- By:    demonstration.
create table gap_sizes as
with taken as (
    select demonstration, gating, key_frame, frame, frame_rate_hz
    from segmented_frames
    inner join demonstrations using (demonstration)
    where frame_rate_hz > 0
),

gaps as (
    select
        demonstration, gating, 'neighbours' as between_frames,
        frame - lag(frame) over earlier as frames,
        frame_rate_hz,
        1 as n_gaps
    from taken
    window earlier as (partition by demonstration, gating order by key_frame)
    union all
    select
        step_counts.demonstration, step_counts.gating, 'steps',
        later.frame - taken.frame,
        taken.frame_rate_hz,
        n_steps
    from step_counts
    inner join taken
        on taken.demonstration = step_counts.demonstration
        and taken.gating = step_counts.gating
        and taken.key_frame = step_counts.key_frame_from
    inner join taken as later
        on later.demonstration = step_counts.demonstration
        and later.gating = step_counts.gating
        and later.key_frame = step_counts.key_frame_to
)

select gating, demonstration, between_frames, frame_rate_hz, frames, sum(n_gaps)::bigint as n_gaps
from gaps
where frames > 0
group by all
order by gating, demonstration, between_frames, frames;

comment on column gap_sizes.gating is 'which predicates make key frames: state or contact';
comment on column gap_sizes.demonstration is 'demonstration';
comment on column gap_sizes.between_frames is
'neighbours (key frames next to each other) or steps (of questions)';
comment on column gap_sizes.frame_rate_hz is 'frames per second of the demonstration (unit: Hz)';
comment on column gap_sizes.frames is 'frames from one key frame to the other';
comment on column gap_sizes.n_gaps is 'gaps of this size';
