-- question_ids: one row per question written, with its id in files of the release.
-- Reads: qa, segmented_frames.
-- Rule:  a view. official_id is the id in files that `enact-assets export` writes: demonstration,
--        type and a hash of the key frames (docs/definitions.md R13). It says neither the gating
--        nor the order shown, so questions of two gatings about the same frames share it. Imported
--        questions keep the id of their file.
create view question_ids as
with named as (
    select demonstration, gating, list(frame_id::varchar order by key_frame) as frame_ids
    from segmented_frames
    group by all
)

select
    qa.question_id,
    case when qa.question_file is not null then qa.question_id else
        qa.demonstration || '_' || qa.kind || '_world_modeling_' || qa.length || '_steps_'
        || left(
            sha256(array_to_string([named.frame_ids[k + 1] for k in qa.key_frames], '_')), 8
        )
    end as official_id,
    qa.demonstration, qa.gating, qa.kind, qa.length
from qa
inner join named on named.demonstration = qa.demonstration and named.gating = qa.gating;

comment on column question_ids.question_id is
'id in all other relations: from demonstration, gating, kind, frames and order shown, or imported';
comment on column question_ids.official_id is 'id in exported question and answer files';
comment on column question_ids.demonstration is 'demonstration the question is about';
comment on column question_ids.gating is 'which predicates make key frames: state or contact';
comment on column question_ids.kind is 'forward (order images) or inverse (order actions)';
comment on column question_ids.length is 'key frames in the trajectory';
