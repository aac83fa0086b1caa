-- accuracy_by_split: one row per variant, model, split and kind of imported questions.
-- Reads: predictions, asked_questions, qa, evaluation.
-- Rule:  the split is in the name of the question file, as the ENACT Challenge names them: train,
--        dev or val (here val), test; files without one are not here. kind null is both kinds.
--        Unlabelled questions, whose answer nobody here knows, are asked and never scored. The
--        Challenge ranks by a weighted mean of both accuracies whose weights are not published.
create table accuracy_by_split as
with splits as (
    select
        qa.gating, qa.question_id, qa.kind, len(qa.answer) = 0 as is_unlabelled,
        case regexp_extract(
            lower(qa.question_file), '(^|[^a-z])(train|dev|val|valid|validation|test)([^a-z]|$)', 2
        )
            when 'train' then 'train'
            when 'test' then 'test'
            when '' then null
            else 'val'
        end as split
    from qa
    where qa.question_file is not null
),

given_answers as (
    select
        predictions.variant, predictions.model, splits.split, splits.kind, splits.question_id,
        splits.is_unlabelled, evaluation.is_accepted, evaluation.pairwise_accuracy,
        evaluation.n_steps
    from predictions
    inner join asked_questions
        on asked_questions.variant = predictions.variant
        and asked_questions.question_id = predictions.question_id
    inner join splits
        on splits.gating = asked_questions.gating
        and splits.question_id = predictions.question_id
    left join evaluation
        on evaluation.model = predictions.model
        and evaluation.variant = predictions.variant
        and evaluation.question_id = predictions.question_id
        and evaluation.repetition = predictions.repetition
    where splits.split is not null
)

select
    variant, model, split, kind,
    count(distinct question_id) as n_questions,
    count(distinct question_id) filter (is_unlabelled) as n_unlabelled,
    count(is_accepted) as n_scored,
    avg(is_accepted::double) as task_accuracy,
    sum((pairwise_accuracy * n_steps)::decimal(18, 9))
    / sum(n_steps) filter (pairwise_accuracy is not null) as pairwise_accuracy
from given_answers
group by grouping sets ((variant, model, split, kind), (variant, model, split))
order by variant, model, split, kind nulls first;

comment on column accuracy_by_split.variant is 'variant that asked, such as official';
comment on column accuracy_by_split.model is 'model or reference baseline that answered';
comment on column accuracy_by_split.split is 'train, val or test, by the name of the file';
comment on column accuracy_by_split.kind is
'forward (order images) or inverse (order actions); null for both';
comment on column accuracy_by_split.n_questions is 'questions asked';
comment on column accuracy_by_split.n_unlabelled is
'of these, unlabelled ones: their answer is not known, so they are in no score';
comment on column accuracy_by_split.n_scored is 'answers that the scores are about';
comment on column accuracy_by_split.task_accuracy is 'share of scored answers accepted';
comment on column accuracy_by_split.pairwise_accuracy is
'right steps over all steps; null where no answer was verified step by step';
