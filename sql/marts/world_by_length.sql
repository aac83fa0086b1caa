-- world_by_length: one row per source, condition, length and model of procedural planning.
-- Reads: evaluation, world_questions, world_candidates.
-- Rule:  clips of a plan come from one to several recordings; where several come from one, the
--        order of its pictures gives the plan away. one_video and own_videos are the accuracies of
--        questions all whose clips are of one recording, and each of a recording of its own.
create table world_by_length as
with pools as (
    select question_id, count(distinct pool) as n_clips
    from world_candidates
    group by question_id
)

select
    q.world_source,
    q.condition,
    q.length,
    e.model as world_model,
    count(e.is_accepted) as n_scored,
    round(avg(e.is_accepted::integer), 4) as accuracy,
    count(e.is_accepted) filter (q.n_videos = 1) as n_one_video,
    round(avg(e.is_accepted::integer) filter (q.n_videos = 1), 4) as one_video,
    count(e.is_accepted) filter (q.n_videos = p.n_clips) as n_own_videos,
    round(avg(e.is_accepted::integer) filter (q.n_videos = p.n_clips), 4) as own_videos
from evaluation as e
inner join world_questions as q using (question_id)
inner join pools as p using (question_id)
where q.task = 'pp' and not regexp_full_match(e.model, '(person|solver|simulated)_[1-9][0-9]*')
group by q.world_source, q.condition, q.length, e.model
having count(e.is_accepted) > 0
order by q.world_source, q.condition, world_model, q.length;

comment on column world_by_length.world_source is
'embedded, or the step file whose annotations the questions are made from';
comment on column world_by_length.condition is 'where clips come from: same, view or equivalent';
comment on column world_by_length.length is 'actions between the two states';
comment on column world_by_length.world_model is 'baseline or model that answered';
comment on column world_by_length.n_scored is 'questions that the accuracy is about';
comment on column world_by_length.accuracy is 'share of right answers; chance is 0.25';
comment on column world_by_length.n_one_video is
'of these, questions whose clips are of one recording';
comment on column world_by_length.one_video is 'accuracy on them';
comment on column world_by_length.n_own_videos is
'questions each of whose clips is of a recording of its own';
comment on column world_by_length.own_videos is 'accuracy on them';
