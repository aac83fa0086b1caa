-- absent_evaluations: one row per model, variant, kind and length asked that has no scores.
-- Reads: stale_partitions, asked_questions, evaluation.
-- Rule:  evaluations that stale_partitions calls missing, and stale ones all whose questions
--        vanished, with what the variant asks; length null is all lengths. Annotators are asked
--        only what they were assigned, so they are not here, and neither are unlabelled questions.
--        Scores of these models are unknown: null on the leaderboard, not 0.
create table absent_evaluations as
with absent as (
    select split_part(partition, '|', 1) as model, split_part(partition, '|', 2) as variant
    from stale_partitions
    where
        asset = 'evaluation'
        and (state = 'missing' or partition not in (select model || '|' || variant from evaluation))
        -- What an annotator was not assigned is not missing.
        and not regexp_full_match(partition, '(person|solver|simulated)_[1-9][0-9]*[|].*')
)

select model, variant, kind, length, count(*) as n_questions
from absent
inner join asked_questions using (variant)
where len(asked_questions.answer) > 0
group by grouping sets ((model, variant, kind, length), (model, variant, kind))
order by model, variant, kind, length nulls first;

comment on column absent_evaluations.model is 'model or reference whose evaluation is missing';
comment on column absent_evaluations.variant is 'variant it should have been asked under';
comment on column absent_evaluations.kind is 'forward (order images) or inverse (order actions)';
comment on column absent_evaluations.length is
'key frames in the trajectory; null for all lengths';
comment on column absent_evaluations.n_questions is 'questions that the variant asks';
