-- world_by_length: one row per source, condition, length and model of procedural planning.
-- Reads: world_evaluation.
-- Rule:  clips of a plan come from one to several recordings; where several come from one, the
--        order of its pictures gives the plan away. one_video and own_videos are the accuracies of
--        questions all whose clips are of one recording, and each of a recording of its own.
create table world_by_length as
select
    world_source,
    condition,
    length,
    world_model,
    count(is_correct) as n_scored,
    round(avg(is_correct::integer), 4) as accuracy,
    count(is_correct) filter (n_videos = 1) as n_one_video,
    round(avg(is_correct::integer) filter (n_videos = 1), 4) as one_video,
    count(is_correct) filter (n_videos = length) as n_own_videos,
    round(avg(is_correct::integer) filter (n_videos = length), 4) as own_videos
from world_evaluation
where task = 'pp'
group by world_source, condition, length, world_model
having count(is_correct) > 0
order by world_source, condition, world_model, length;

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
