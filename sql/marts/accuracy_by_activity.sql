-- accuracy_by_activity: one row per variant, model, kind and household activity.
-- Reads: evaluation, demonstrations.
-- Rule:  scores are those of the leaderboard: pairwise_accuracy is passed steps over all steps of
--        answers that were verified, rows without a score are in none, and every answer to a
--        repeated question counts. Most activities have one demonstration, so a difference
--        between two of them may be one between two demonstrations.
create table accuracy_by_activity as
select
    evaluation.variant, evaluation.model, evaluation.kind, demonstrations.activity,
    count(distinct evaluation.demonstration) as n_demonstrations,
    count(distinct evaluation.question_id) as n_questions,
    count(*) as n_answers,
    count(evaluation.is_accepted) as n_scored,
    count(*) filter (evaluation.answer_status = 'unparsed') as n_unparsed,
    count(*) filter (evaluation.answer_status = 'missing') as n_missing,
    avg(evaluation.is_accepted::double) as task_accuracy,
    sum((evaluation.pairwise_accuracy * evaluation.n_steps)::decimal(18, 9))
    / sum(evaluation.n_steps) filter (evaluation.pairwise_accuracy is not null)
        as pairwise_accuracy
from evaluation
inner join demonstrations using (demonstration)
group by all
order by all;

comment on column accuracy_by_activity.variant is
'setting under which the pictures were made and asked';
comment on column accuracy_by_activity.model is 'model that answered';
comment on column accuracy_by_activity.kind is 'forward (order images) or inverse (order actions)';
comment on column accuracy_by_activity.activity is 'household activity';
comment on column accuracy_by_activity.n_demonstrations is
'demonstrations of it that were asked about';
comment on column accuracy_by_activity.n_questions is 'questions asked';
comment on column accuracy_by_activity.n_answers is
'answers asked for: each question as often as it was repeated';
comment on column accuracy_by_activity.n_scored is 'answers that task_accuracy is about';
comment on column accuracy_by_activity.n_unparsed is
'answers without an order; scored as wrong (profile paper) or not scored (release)';
comment on column accuracy_by_activity.n_missing is 'answers that were never obtained';
comment on column accuracy_by_activity.task_accuracy is 'share of scored answers accepted';
comment on column accuracy_by_activity.pairwise_accuracy is
'right steps over all steps; null where no answer was verified step by step';
