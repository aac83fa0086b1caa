-- leaderboard_with_published: one row per source, variant, model, kind, metric; lengths in columns.
-- Reads: accuracy_by_length, comparable_conditions.
-- Rule:  tables 2, 9 and 10 of the paper. Ours and theirs answered other questions about other
--        pictures, so place counts within a source; people and references (chance, oracle,
--        shortcuts) are in none. Equals share one; leaderboard_details says which differ
--        significantly. Ours compare with theirs where is_comparable.
create table leaderboard_with_published as
with sides as (
    select
        source, variant, model, model_class, trained_on, kind, metric,
        max(accuracy) filter (length is null) as all_lengths,
        max(low) filter (length is null) as low,
        max(high) filter (length is null) as high,
        max(accuracy) filter (length = 3) as length_3,
        max(accuracy) filter (length = 4) as length_4,
        max(accuracy) filter (length = 5) as length_5,
        max(accuracy) filter (length = 6) as length_6,
        max(accuracy) filter (length = 7) as length_7,
        max(accuracy) filter (length = 8) as length_8,
        max(accuracy) filter (length = 9) as length_9,
        max(accuracy) filter (length = 10) as length_10
    from accuracy_by_length
    group by all
),

marked as (
    select *, coalesce(model_class in ('human', 'reference'), false) as is_no_model
    from sides
)

select
    marked.* exclude (is_no_model),
    case when all_lengths is not null and not is_no_model then
        rank() over (
            partition by marked.source, marked.variant, kind, metric, is_no_model
            order by round(all_lengths, 12) desc nulls last
        )
    end as place,
    case when marked.source = 'ours' then coalesce(comparable.is_comparable, false) end
        as is_comparable,
    case
        when marked.source = 'ours' and comparable.variant is null then 'Its evaluation is missing.'
        else comparable.why_not
    end as why_not,
    comparable.caveat
from marked
left join comparable_conditions as comparable
    on marked.source = 'ours'
    and comparable.beside = 'leaderboards'
    and comparable.variant = marked.variant
    and comparable.model = marked.model
order by
    marked.variant, kind, metric desc, all_lengths desc nulls last, marked.source, marked.model;

comment on column leaderboard_with_published.source is 'ours or published';
comment on column leaderboard_with_published.variant is
'baseline, or one that asks other questions under the same settings; table 2 is real_world_video';
comment on column leaderboard_with_published.model is
'model that answered; its name in the paper if published';
comment on column leaderboard_with_published.model_class is
'proprietary, open_weight or human; of ours reference, or null for models';
comment on column leaderboard_with_published.trained_on is
'what a reference of ours was trained on; else null';
comment on column leaderboard_with_published.kind is
'forward (order images) or inverse (order actions)';
comment on column leaderboard_with_published.metric is 'task_accuracy or pairwise_accuracy';
comment on column leaderboard_with_published.all_lengths is
'over all questions, or, pairwise, over all their steps';
comment on column leaderboard_with_published.low is
'its 95 % interval: bootstrap over demonstrations; null for published';
comment on column leaderboard_with_published.high is 'its upper end';
comment on column leaderboard_with_published.length_3 is '3 key frames, so 2 steps';
comment on column leaderboard_with_published.length_4 is '4 key frames';
comment on column leaderboard_with_published.length_5 is '5 key frames';
comment on column leaderboard_with_published.length_6 is '6 key frames';
comment on column leaderboard_with_published.length_7 is '7 key frames';
comment on column leaderboard_with_published.length_8 is '8 key frames';
comment on column leaderboard_with_published.length_9 is '9 key frames';
comment on column leaderboard_with_published.length_10 is '10 key frames';
comment on column leaderboard_with_published.place is
'1 is best among models of this source; null for people';
comment on column leaderboard_with_published.is_comparable is
'whether ours may stand beside the paper''s, as in comparable_conditions; null of published';
comment on column leaderboard_with_published.why_not is 'reasons against it';
comment on column leaderboard_with_published.caveat is
'what to say beside ours all the same; null of published';
