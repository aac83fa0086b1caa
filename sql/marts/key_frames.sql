-- key_frames: one row per key frame and variant with a picture of it; variant null if none has.
-- Reads: segmented_frames, demonstrations, scene_graphs, visibility, frame_images.
-- Rule:  a variant shows the key frames of its own gating, so a gating may lack most variants;
--        and a variant other than the baseline has pictures of what its questions show only.
--        Of imported questions without a replay, facts and changes are unknown: null, not 0.
create view key_frames as
with visible as (
    select demonstration, gating, key_frame, count(*) filter (pixels > 0) as n_visible_objects
    from visibility
    group by all
),

graphs as (
    select demonstration, gating, key_frame, count(*) as n_facts
    from scene_graphs
    group by all
)

select
    segmented_frames.demonstration,
    segmented_frames.gating,
    segmented_frames.key_frame,
    frame_images.variant,
    segmented_frames.frame,
    segmented_frames.frame / nullif(demonstrations.frame_rate_hz, 0) as time_s,
    segmented_frames.change_frame,
    segmented_frames.similarity,
    case when is_replayed is not false then len(segmented_frames.changes) end as n_changes,
    case when is_replayed is not false then segmented_frames.changes end as changes,
    case when is_replayed is not false then coalesce(graphs.n_facts, 0) end as n_facts,
    case when is_replayed is not false then coalesce(visible.n_visible_objects, 0) end
        as n_visible_objects,
    'images/' || left(frame_images.image_sha, 2) || '/' || frame_images.image_sha || '.png'
        as image_path
from segmented_frames
left join (
    select demonstration, frame_rate_hz, source <> 'questions' as is_replayed from demonstrations
) as demonstrations using (demonstration)
left join graphs using (demonstration, gating, key_frame)
left join visible using (demonstration, gating, key_frame)
left join frame_images using (demonstration, gating, key_frame);

comment on column key_frames.demonstration is 'demonstration the key frame belongs to';
comment on column key_frames.gating is 'which predicates make key frames: state or contact';
comment on column key_frames.key_frame is 'index of the key frame, from 0';
comment on column key_frames.variant is 'variant of the picture; null if there is none';
comment on column key_frames.frame is 'frame of the replay (unit: frame)';
comment on column key_frames.time_s is
'time since the start of the replay; null where the frame rate is 0 (unit: s)';
comment on column key_frames.change_frame is 'frame at which the change began (unit: frame)';
comment on column key_frames.similarity is 'cosine with the last accepted signature';
comment on column key_frames.n_changes is
'components changed since the key frame before; null without a replay';
comment on column key_frames.changes is 'these components, by object name; null without a replay';
comment on column key_frames.n_facts is 'facts that hold, Exists included; null without a replay';
comment on column key_frames.n_visible_objects is
'objects with at least one pixel, baseline camera; null without a replay';
comment on column key_frames.image_path is 'PNG file, relative to the data root';
